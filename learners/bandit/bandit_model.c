/* The bandit learners' model file: what of the state stands where.
 *
 *   w                what prediction uses: the average, or the weights themselves; of two classes
 *                    their difference
 *   learner ... rho1 options and counts, a line each; the rule's parameters and numbers stand
 *                    after those that all have
 *   current          the weights, K columns, unless w is just that
 *   sum              what the average needs (common/linear/average.h)
 *   the rule's tables
 *
 * Numbers are written so that reading gives the same double: going on is exact, but for what a rule
 * does not keep (soba.c, rcine.c). */
#include "common/base/number.h"
#include "common/model/model_writer.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"

#include <string.h>

/* Is `w` just the current weights? */
static bool bandit_w_is_current(const struct bandit *b)
{
    return !b->options.average && b->labels.count > 2;
}

/* The weights to predict with. */
static int bandit_save_w(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    struct weights w = {0};
    int status = bandit_weights(b, &w, err);
    if (status == 0)
        status = model_put_weights(writer, &w, err);
    weights_free(&w);
    return status;
}

static void bandit_save_entries(const struct bandit *b, const struct bandit_file *file,
                                struct model_writer *writer)
{
    const struct bandit_rule *rule = b->options.rule;
    model_put_word(writer, "learner", rule->name);
    model_put_form(writer, &file->form);
    bandit_parameters_put(bandit_common_parameters, &b->options, writer);
    bandit_parameters_put(rule->parameters, &b->options, writer);
    if (rule->save_numbers)
        rule->save_numbers(b, writer);
    model_put_int(writer, "rounds", b->rounds);
    model_put_int(writer, "drawn", file->drawn);
    model_put_number(writer, "rho0", b->rho[0]);
    model_put_number(writer, "rho1", b->rho[1]);
}

static int bandit_save_tables(const struct bandit *b, struct model_writer *writer,
                              struct error *err)
{
    const struct bandit_rule *rule = b->options.rule;
    if (!bandit_w_is_current(b) && model_put_table(writer, "current", &b->w, err) != 0)
        return -1;
    if (b->sum.w && model_put_table(writer, "sum", &b->sum, err) != 0)
        return -1;
    return rule->save_tables ? rule->save_tables(b, writer, err) : 0;
}

int bandit_save(const struct bandit *b, const struct bandit_file *file, const char *path,
                int threads, struct error *err)
{
    struct model_writer writer;
    int status = model_begin(&writer, path, &b->labels, weights_columns(b->labels.count),
                             b->w.rows - 1, &file->form, threads, err);
    if (status == 0)
        status = bandit_save_w(b, &writer, err);
    if (status == 0) {
        model_put_trailer(&writer);
        bandit_save_entries(b, file, &writer);
        if (!file->form.final)
            status = bandit_save_tables(b, &writer, err);
    }
    if (status == 0)
        status = model_finish(&writer, err);
    model_abandon(&writer);
    return status;
}

/* Options from their entries, checked; seed and threads are the caller's. */
static int bandit_load_options(const struct model *model, struct bandit_options *options,
                               struct error *err)
{
    int64_t rule;
    if (model_choice(model, "learner", bandit_rule_names, &rule, err) != 0)
        return -1;
    options->rule = bandit_rules[rule];
    if (bandit_parameters_get(bandit_common_parameters, model, options, err) != 0
        || model_number(model, "rho0", 0, 1, &options->rho[0], err) != 0
        || model_number(model, "rho1", 0, 1, &options->rho[1], err) != 0
        || bandit_parameters_get(options->rule->parameters, model, options, err) != 0)
        return -1;
    if (options->rho[0] + options->rho[1] >= 1)
        return error_at(err, model->file, 0, 0, "rho0 + rho1 is not below 1");
    if (options->rule->incomplete && options->rule->incomplete(options))
        return error_at(err, model->file, 0, 0, "%s", options->rule->incomplete(options));
    return 0;
}

static int bandit_load_file(const struct model *model, struct bandit_file *file, struct error *err)
{
    if (model_form(model, &file->form, err) != 0)
        return -1;
    return model_int(model, "drawn", 0, NUMBER_LARGEST_INT, &file->drawn, err);
}

/* What a learner with these options, labels and features had learnt. */
static int bandit_load_state(const struct model *model, struct bandit *b, struct error *err)
{
    const struct bandit_rule *rule = b->options.rule;
    if (bandit_grow(b, model->d, err) != 0)
        return -1;
    if (bandit_w_is_current(b))
        memcpy(b->w.w, model->w.w, (size_t)(model->w.rows * model->w.stride) * sizeof *b->w.w);
    else if (model_read_table(model, "current", &b->w, err) != 0)
        return -1;
    if (b->sum.w && model_read_table(model, "sum", &b->sum, err) != 0)
        return -1;
    if (model_int(model, "rounds", 0, NUMBER_LARGEST_INT, &b->rounds, err) != 0)
        return -1;
    return rule->load ? rule->load(b, model, err) : 0;
}

struct bandit *bandit_load(const struct model *model, int64_t seed, int threads,
                           struct bandit_file *file, struct error *err)
{
    struct bandit_options options = {.threads = threads};
    struct labels labels = {0};
    if (bandit_load_options(model, &options, err) != 0 || bandit_load_file(model, file, err) != 0
        || model_labels(model, &labels, err) != 0)
        return NULL;
    if (seed >= 0)
        file->form.seed = seed;
    options.seed = file->form.seed;
    struct bandit *b = bandit_new(&options, &labels, err);
    labels_free(&labels);
    if (b && bandit_load_state(model, b, err) != 0) {
        bandit_free(b);
        return NULL;
    }
    return b;
}
