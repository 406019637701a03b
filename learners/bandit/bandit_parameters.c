/* Parameters by type: one switch each for comparing, writing and reading.  The rules' own tables
 * stand with the rules; those of all stand here, in the order of the model file. */
#include "learners/bandit/bandit_parameters.h"

#include <assert.h>
#include <string.h>

/* Which weights the model predicts with: of the flag `average`. */
static const char *const bandit_iterates[] = {"last", "average", NULL};

const struct bandit_parameter bandit_common_parameters[] = {
    {BANDIT_PARAMETER("gamma", "gamma", BANDIT_NUMBER, gamma), .lowest = 0, .highest = 1},
    {BANDIT_PARAMETER("weights", "weights", BANDIT_FLAG, average), .choices = bandit_iterates},
    {BANDIT_PARAMETER("play", "play_average", BANDIT_FLAG, play_average)},
    {.option = NULL}};

bool bandit_parameter_used(const struct bandit_parameter *p, const struct bandit_options *options)
{
    return !p->used || p->used(options);
}

static const void *bandit_parameter_value(const struct bandit_parameter *p,
                                          const struct bandit_options *options)
{
    return (const char *)options + p->offset;
}

static bool bandit_numbers_same(const double *x, const double *y, int count)
{
    int i = 0;
    while (i < count && !(x[i] < y[i] || x[i] > y[i]))
        i++;
    return i == count;
}

bool bandit_parameter_same(const struct bandit_parameter *p, const struct bandit_options *a,
                           const struct bandit_options *b)
{
    const void *left = bandit_parameter_value(p, a), *right = bandit_parameter_value(p, b);
    switch (p->type) {
    case BANDIT_INT:
    case BANDIT_CHOICE:
        return *(const int64_t *)left == *(const int64_t *)right;
    case BANDIT_FLAG:
        return *(const bool *)left == *(const bool *)right;
    case BANDIT_NUMBER:
        return bandit_numbers_same(left, right, 1);
    case BANDIT_RATES:
        return bandit_numbers_same(left, right, 2);
    case BANDIT_LAYERS: {
        const struct noise_rate_network *m = left, *n = right;
        return m->layers == n->layers
               && memcmp(m->hidden, n->hidden, (size_t)m->layers * sizeof *m->hidden) == 0;
    }
    }
    return false; /* no other type */
}

/* Write the line of a parameter that has one. */
static void bandit_parameter_put(const struct bandit_parameter *p,
                                 const struct bandit_options *options, struct model_writer *writer)
{
    const void *value = bandit_parameter_value(p, options);
    char layers[NOISE_RATE_LAYERS_TEXT];
    assert(p->keyword && p->type != BANDIT_RATES);
    switch (p->type) {
    case BANDIT_INT:
        model_put_int(writer, p->keyword, *(const int64_t *)value);
        return;
    case BANDIT_NUMBER:
        model_put_number(writer, p->keyword, *(const double *)value);
        return;
    case BANDIT_FLAG:
        if (p->choices)
            model_put_word(writer, p->keyword, p->choices[*(const bool *)value]);
        else
            model_put_int(writer, p->keyword, *(const bool *)value);
        return;
    case BANDIT_CHOICE:
        model_put_word(writer, p->keyword, p->choices[*(const int64_t *)value]);
        return;
    case BANDIT_LAYERS:
        noise_rate_layers_text(value, layers);
        model_put_word(writer, p->keyword, layers);
        return;
    case BANDIT_RATES:
        break; /* bandit_model.c writes the rates in force, of all rules */
    }
}

/* Read and check it. */
static int bandit_parameter_get(const struct bandit_parameter *p, const struct model *model,
                                struct bandit_options *options, struct error *err)
{
    void *value = (char *)options + p->offset;
    const char *layers;
    int64_t choice;
    assert(p->keyword && p->type != BANDIT_RATES);
    switch (p->type) {
    case BANDIT_INT:
        return model_int(model, p->keyword, (int64_t)p->lowest, (int64_t)p->highest, value, err);
    case BANDIT_NUMBER:
        return model_number(model, p->keyword, p->lowest, p->highest, value, err);
    case BANDIT_FLAG:
        if (!p->choices)
            return model_flag(model, p->keyword, value, err);
        if (model_choice(model, p->keyword, p->choices, &choice, err) != 0)
            return -1;
        *(bool *)value = choice == 1;
        return 0;
    case BANDIT_CHOICE:
        return model_choice(model, p->keyword, p->choices, value, err);
    case BANDIT_LAYERS:
        if (model_word(model, p->keyword, &layers, err) != 0)
            return -1;
        if (noise_rate_parse_layers(layers, value) == 0)
            return 0;
        return error_at(err, model->file, 0, 0, "the value of `%s` is malformed", p->keyword);
    case BANDIT_RATES:
        break;
    }
    return 0;
}

void bandit_parameters_put(const struct bandit_parameter *table,
                           const struct bandit_options *options, struct model_writer *writer)
{
    for (const struct bandit_parameter *p = table; p && p->option; p++) {
        if (p->keyword && bandit_parameter_used(p, options))
            bandit_parameter_put(p, options, writer);
    }
}

int bandit_parameters_get(const struct bandit_parameter *table, const struct model *model,
                          struct bandit_options *options, struct error *err)
{
    for (const struct bandit_parameter *p = table; p && p->option; p++) {
        if (p->keyword && bandit_parameter_used(p, options)
            && bandit_parameter_get(p, model, options, err) != 0)
            return -1;
    }
    return 0;
}
