#include "common/base/memory.h"
#include "learners/online/online_state.h"

#include <string.h>

const char *const online_rules[] = {"arow", "arow-hinge", "perceptron",  "pa",      "pa1", "pa2",
                                    "cw",   "sop",        "adagrad-rda", "forward", NULL};
const char *const online_forms[] = {"diag", "drop", "full", NULL};

struct online_options online_forward(double lambda, const double *confusion)
{
    return (struct online_options){.rule = ONLINE_FORWARD,
                                   .eta = 0.5,
                                   .delta = 0.01,
                                   .lambda = lambda,
                                   .confusion = confusion};
}

static int copy_confusion(struct online *o, struct error *err)
{
    const int64_t K = o->labels.count;
    if (!(o->confusion = memory_new(K * K, sizeof *o->confusion, err)))
        return -1;
    for (int64_t k = 0; k < K && !o->options.confusion; k++)
        o->confusion[k * K + k] = 1;
    if (o->options.confusion)
        memcpy(o->confusion, o->options.confusion, (size_t)(K * K) * sizeof *o->confusion);
    o->options.confusion = o->confusion;
    return 0;
}

struct online *online_new(const struct online_options *options, const struct labels *labels,
                          struct error *err)
{
    if (labels_require_several(labels, err) != 0)
        return NULL;
    if (options->rule == ONLINE_SOP && labels->count > 2) {
        error_set(err, "sop is for two classes; there are %lld", (long long)labels->count);
        return NULL;
    }
    if (options->rule == ONLINE_SOP && options->form == COVARIANCE_DROP) {
        error_set(err, "sop has the forms diag and full");
        return NULL;
    }
    struct online *o = memory_new(1, sizeof *o, err);
    if (!o)
        return NULL;
    o->options = *options;
    o->columns = weights_columns(labels->count);
    o->mu = o->sum = o->last = weights_make(o->columns, 0);
    o->squares = weights_make(o->columns, options->rule == ONLINE_FORWARD ? options->delta : 0);
    o->seen = weights_make(1, 0);
    o->sigma = covariance_make((enum covariance_form)options->form, o->columns,
                               options->rule == ONLINE_SOP ? 1 / options->a : 1);
    o->scores = memory_new(o->mu.stride, sizeof *o->scores, err);
    o->rival = memory_new(o->columns, sizeof *o->rival, err);
    o->probability = memory_new(labels->count, sizeof *o->probability, err);
    if (!o->scores || !o->rival || !o->probability || labels_copy(labels, &o->labels, err) != 0
        || online_grow(o, 0, err) != 0
        || (options->rule == ONLINE_FORWARD && copy_confusion(o, err) != 0)) {
        online_free(o);
        return NULL;
    }
    return o;
}

double online_bytes(const struct online_options *options, int64_t classes, int64_t d)
{
    int64_t columns = weights_columns(classes);
    int tables = 1 + options->average;
    if (options->rule == ONLINE_ADAGRAD_RDA)
        tables += 1 + options->average;
    if (options->rule == ONLINE_SOP)
        tables += options->average;
    if (options->rule == ONLINE_FORWARD)
        tables++;
    double bytes = tables * weights_bytes(columns, d);
    if (options->rule == ONLINE_FORWARD)
        bytes += weights_bytes(1, d) + (double)classes * (double)classes * (double)sizeof(double);
    if (online_has_covariance(options))
        bytes += covariance_bytes((enum covariance_form)options->form, columns, d);
    return bytes;
}

int online_grow(struct online *o, int64_t d, struct error *err)
{
    if (d < o->mu.rows)
        return 0;
    const struct online_options *options = &o->options;
    double bytes = online_bytes(options, o->labels.count, d);
    if (bytes > o->checked_bytes) {
        char what[96];
        snprintf(what, sizeof what, "a model of %lld features x %lld classes", (long long)d,
                 (long long)o->labels.count);
        if (memory_check(bytes, what, err) != 0)
            return -1;
        o->checked_bytes = 1.1 * bytes;
    }
    /* mu last: its rows say how far everything has grown. */
    bool rda = options->rule == ONLINE_ADAGRAD_RDA, forward = options->rule == ONLINE_FORWARD,
         last = options->average && (rda || options->rule == ONLINE_SOP);
    if ((online_has_covariance(options) && covariance_grow(&o->sigma, d, err) != 0)
        || ((rda || forward) && weights_grow(&o->squares, d, err) != 0)
        || (forward && weights_grow(&o->seen, d, err) != 0)
        || (options->average && weights_grow(&o->sum, d, err) != 0)
        || (last && weights_grow(&o->last, d, err) != 0) || weights_grow(&o->mu, d, err) != 0)
        return -1;
    return 0;
}

int online_learn(struct online *o, const struct example *x, int32_t y, struct error *err)
{
    int64_t d = example_largest_index(x);
    if (d >= o->mu.rows && online_grow(o, d, err) != 0) {
        if (err)
            err->line = x->line;
        return -1;
    }
    o->counts.rounds++;
    if (o->options.rule != ONLINE_SOP && o->options.rule != ONLINE_ADAGRAD_RDA)
        weights_scores(&o->mu, x, o->scores);
    int status = 0;
    switch ((enum online_rule)o->options.rule) {
    case ONLINE_AROW:
    case ONLINE_AROW_HINGE:
        status = arow_round(o, x, y);
        break;
    case ONLINE_PERCEPTRON:
        status = perceptron_round(o, x, y);
        break;
    case ONLINE_PA:
    case ONLINE_PA1:
    case ONLINE_PA2:
        status = passive_aggressive_round(o, x, y);
        break;
    case ONLINE_CW:
        status = cw_round(o, x, y);
        break;
    case ONLINE_SOP:
        status = sop_round(o, x, y);
        break;
    case ONLINE_ADAGRAD_RDA:
        status = adagrad_rda_round(o, x, y);
        break;
    case ONLINE_FORWARD:
        status = forward_round(o, x, y);
        break;
    }
    if (status != 0)
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
    int64_t cells = o->mu.rows * o->mu.stride;
    if (o->options.rule == ONLINE_ADAGRAD_RDA) {
        adagrad_rda_weights(o, weights->w);
        return 0;
    }
    if (o->options.rule == ONLINE_SOP)
        sop_weights(o, weights->w);
    else if (o->options.rule == ONLINE_FORWARD)
        forward_weights(o, weights->w);
    else
        memcpy(weights->w, o->mu.w, (size_t)cells * sizeof(double));
    if (o->options.average && o->counts.rounds > 0)
        average_take(weights, &o->sum, o->counts.rounds);
    return 0;
}

struct online_counts online_counts(const struct online *o)
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
    weights_free(&o->seen);
    weights_free(&o->sum);
    weights_free(&o->last);
    covariance_free(&o->sigma);
    memory_free(o->scores);
    memory_free(o->rival);
    memory_free(o->confusion);
    memory_free(o->probability);
    memory_free(o);
}
