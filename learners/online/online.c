/* What all online learners share: tables that grow with the features, the scores before a round,
 * counts, averages.  What a learner does in a round is its rule's (online_state.h).
 *
 * An average of the weights costs a round no more than the weights that it changes: average.h. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/reduce.h"
#include "learners/online/online_state.h"

#include <assert.h>
#include <string.h>

#define ONLINE_NAME(constant, identifier, name) name,
const char *const online_rule_names[] = {ONLINE_RULES(ONLINE_NAME) NULL};
#define ONLINE_RULE(constant, identifier, name) &online_##identifier##_rule,
static const struct online_rule *const online_rules[] = {ONLINE_RULES(ONLINE_RULE)};
const char *const online_forms[] = {"diag", "drop", "full", NULL};

const struct online_rule *online_get_rule(int64_t number)
{
    assert(number >= 0 && number < (int64_t)(sizeof online_rules / sizeof *online_rules));
    return online_rules[number];
}

/* ---- options of rules ---- */

static const struct online_parameter online_parameters[] = {
    {"regularizer", "r", offsetof(struct online_options, r), false, NUMBER_ABOVE_0},
    {"competitors", "k", offsetof(struct online_options, k), true, 0},
    {"aggressiveness", "C", offsetof(struct online_options, C), false, NUMBER_ABOVE_0},
    {"phi", "phi", offsetof(struct online_options, phi), false, NUMBER_ABOVE_0},
    {"prior", "a", offsetof(struct online_options, a), false, NUMBER_ABOVE_0},
    {"eta", "eta", offsetof(struct online_options, eta), false, NUMBER_ABOVE_0},
    {"lambda", "lambda", offsetof(struct online_options, lambda), false, 0},
    {"delta", "delta", offsetof(struct online_options, delta), false, NUMBER_ABOVE_0},
};

const struct online_parameter *online_find_parameter(const char *option)
{
    for (size_t i = 0; i < sizeof online_parameters / sizeof *online_parameters; i++)
        if (strcmp(online_parameters[i].option, option) == 0)
            return &online_parameters[i];
    return NULL;
}

bool online_uses(int64_t number, const char *option)
{
    const struct online_rule *rule = online_get_rule(number);
    if (strcmp(option, "form") == 0)
        return rule->covariance;
    if (strcmp(option, "example-weights") == 0)
        return rule->weighted;
    if (!online_find_parameter(option))
        return true;
    for (const char *const *name = rule->parameters; *name; name++)
        if (strcmp(*name, option) == 0)
            return true;
    return false;
}

/* Append a rule's name to the list in out, of which so many bytes of `size` are used. */
static void online_list(int64_t number, char *out, size_t size, size_t *used)
{
    if (*used < size)
        *used += (size_t)snprintf(out + *used, size - *used, "%s%s", *used ? ", " : "",
                                  online_rule_names[number]);
}

const char *online_users(const char *option, char *out, size_t size)
{
    size_t used = 0;
    bool all = true;
    *out = '\0';
    for (int64_t number = 0; online_rule_names[number]; number++) {
        if (online_uses(number, option))
            online_list(number, out, size, &used);
        else
            all = false;
    }
    return all ? NULL : out;
}

const char *online_joiners(char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (int64_t number = 0; online_rule_names[number]; number++) {
        const struct online_options options = {.rule = number, .form = COVARIANCE_DIAG};
        if (online_joins(&options))
            online_list(number, out, size, &used);
    }
    return out;
}

int online_check(const struct online_options *options, const struct labels *labels,
                 struct error *err)
{
    const struct online_rule *rule = online_get_rule(options->rule);
    return rule->check ? rule->check(options, labels, err) : 0;
}

/* ---- a learner ---- */

/* Does a learner with these options have the table `last`, or `scratch`? */
static bool online_keeps_last(const struct online_options *options)
{
    return options->average && online_get_rule(options->rule)->last;
}

static bool online_keeps_scratch(const struct online_options *options)
{
    return options->average && online_get_rule(options->rule)->scratch;
}

bool online_is_direct(const struct online_options *options)
{
    return !options->average && !online_get_rule(options->rule)->keeps;
}

struct online *online_new(const struct online_options *options, const struct labels *labels,
                          struct error *err)
{
    const struct online_rule *rule = online_get_rule(options->rule);
    if (labels_require_several(labels, err) != 0 || online_check(options, labels, err) != 0)
        return NULL;
    struct online *o = memory_new(1, sizeof *o, err);
    if (!o)
        return NULL;
    o->options = *options;
    o->rule = rule;
    o->columns = weights_columns(labels->count);
    o->mu = o->sum = o->last = o->scratch = o->squares = weights_make(o->columns, 0);
    o->sigma = covariance_make((enum covariance_form)options->form, o->columns,
                               rule->variance ? rule->variance(options) : 1);
    if (!(o->scores = memory_new(o->mu.stride, sizeof *o->scores, err))
        || !(o->rival = memory_new(o->columns, sizeof *o->rival, err))
        || labels_copy(labels, &o->labels, err) != 0 || online_grow(o, 0, err) != 0) {
        online_free(o);
        return NULL;
    }
    return o;
}

double online_bytes(const struct online_options *options, int64_t classes, int64_t d,
                    bool validates)
{
    enum { JOINED = 4 }; /* online_join.c: weights and variances before a pass, and their sums */
    const struct online_rule *rule = online_get_rule(options->rule);
    int64_t columns = weights_columns(classes);
    int tables = 1 + options->average + rule->squares + online_keeps_last(options)
                 + online_keeps_scratch(options) + (validates || !online_is_direct(options));
    if (reduce_ranks() > 1 && online_joins(options))
        tables += JOINED;
    double bytes = tables * weights_bytes(columns, d);
    if (rule->covariance)
        bytes += covariance_bytes((enum covariance_form)options->form, columns, d);
    return bytes;
}

int online_grow(struct online *o, int64_t d, struct error *err)
{
    const struct online_options *options = &o->options;
    if (d < o->mu.rows)
        return 0;
    const double bytes = online_bytes(options, o->labels.count, d, false);
    if (weights_check_memory(bytes, &o->checked_bytes, d, o->labels.count, err) != 0
        || (o->rule->covariance && covariance_grow(&o->sigma, d, err) != 0)
        || (o->rule->squares && weights_grow(&o->squares, d, err) != 0)
        || (options->average && weights_grow(&o->sum, d, err) != 0)
        || (online_keeps_last(options) && weights_grow(&o->last, d, err) != 0)
        || (online_keeps_scratch(options) && weights_grow(&o->scratch, d, err) != 0))
        return -1;
    /* Last: its rows say how far everything has grown. */
    return weights_grow(&o->mu, d, err);
}

int online_learn(struct online *o, const struct example *x, int32_t y, double weight,
                 struct error *err)
{
    assert(y >= 0 && y < o->labels.count && weight > 0);
    assert(o->rule->weighted || !(weight < 1 || weight > 1));
    int64_t d = example_largest_index(x);
    if (d >= o->mu.rows && online_grow(o, d, err) != 0) {
        if (err)
            err->line = x->line;
        return -1;
    }
    o->counts.rounds++;
    o->weight = weight;
    if (!o->rule->own_scores)
        weights_scores(&o->mu, x, o->scores);
    if (o->rule->round(o, x, y) != 0)
        return error_at(err, NULL, x->line, 0,
                        "a score is not finite in round %lld: the values are too large; scale "
                        "them, or use -l 1",
                        (long long)o->counts.rounds);
    return 0;
}

int online_weights(const struct online *o, struct weights *weights, struct error *err)
{
    *weights = weights_make(o->columns, 0);
    if (weights_grow(weights, o->mu.rows - 1, err) != 0)
        return -1;
    if (o->rule->weights)
        o->rule->weights(o, weights->w);
    else
        memcpy(weights->w, o->mu.w, (size_t)(o->mu.rows * o->mu.stride) * sizeof *weights->w);
    if (o->options.average && o->counts.rounds > 0 && !o->rule->last)
        average_take(weights, &o->sum, o->counts.rounds);
    return 0;
}

struct round_counts online_counts(const struct online *o)
{
    return o->counts;
}

const struct labels *online_labels(const struct online *o)
{
    return &o->labels;
}

const struct online_options *online_get_options(const struct online *o)
{
    return &o->options;
}

void online_free(struct online *o)
{
    if (!o)
        return;
    labels_free(&o->labels);
    weights_free(&o->mu);
    weights_free(&o->squares);
    weights_free(&o->sum);
    weights_free(&o->last);
    weights_free(&o->scratch);
    covariance_free(&o->sigma);
    memory_free(o->scores);
    memory_free(o->rival);
    memory_free(o->joined);
    memory_free(o);
}

/* ---- for passes.h ---- */

static int online_pass_grow(void *learner, int64_t d, struct error *err)
{
    return online_grow(learner, d, err);
}

static int online_pass_learn(void *learner, const struct example *x, int32_t y, double weight,
                             struct error *err)
{
    return online_learn(learner, x, y, weight, err);
}

static struct round_counts online_pass_counts(const void *learner)
{
    return online_counts(learner);
}

static int online_pass_join(void *o, struct error *err)
{
    return reduce_ranks() > 1 ? online_join(o, err) : 0;
}

struct round_learner online_learner(struct online *o)
{
    return (struct round_learner){o, online_pass_grow, online_pass_learn, online_pass_counts,
                                  online_pass_join};
}
