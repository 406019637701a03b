/* What all learners from bandit feedback share: scores, the choice of the label to show, growing
 * with the features, the average of the weights, memory.  A round is handed to the rule's function
 * (bandit_rule.h).
 *
 * The average is not kept as a table of its own but as `sum` beside w (common/linear/average.h):
 * the average is w - sum/rounds, so its scores are the difference of two scores, and a round
 * touches only the cells that it changes. */
#include "common/base/memory.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double bandit_h(const double rho[2], int f)
{
    return (f ? 1 - rho[0] : -rho[0]) / (1 - rho[0] - rho[1]);
}

void bandit_set_rates(struct bandit *b, const double rho[2])
{
    assert(rho[0] >= 0 && rho[1] >= 0 && rho[0] + rho[1] < 1);
    memcpy(b->rho, rho, sizeof b->rho);
    for (int f = 0; f <= 1; f++)
        b->h[f] = bandit_h(rho, f);
}

static bool bandit_wants_sum(const struct bandit_options *options)
{
    return options->average || options->play_average;
}

struct bandit *bandit_new(const struct bandit_options *options, const struct labels *labels,
                          struct error *err)
{
    static const double none[2] = {0, 0};
    const struct bandit_rule *rule = options->rule;
    if (labels_require_several(labels, err) != 0)
        return NULL;
    struct bandit *b = memory_new(1, sizeof *b, err);
    if (!b)
        return NULL;
    b->options = *options;
    b->w = b->sum = weights_make(labels->count, 0);
    bandit_set_rates(b, none);
    b->scores = memory_new(b->w.stride, sizeof *b->scores, err);
    if (!b->scores)
        goto failed;
    b->played = b->scores;
    if (options->play_average)
        b->played = memory_new(b->w.stride, sizeof *b->played, err);
    if (!b->played || labels_copy(labels, &b->labels, err) != 0)
        goto failed;
    b->state = memory_new((int64_t)rule->state_size, 1, err);
    if (!b->state)
        goto failed;
    if (rule->start)
        rule->start(b);
    if (bandit_grow(b, 0, err) == 0)
        return b;
failed:
    bandit_free(b);
    return NULL;
}

double bandit_bytes(const struct bandit_options *options, int64_t classes, int64_t d)
{
    int tables = 2 + bandit_wants_sum(options); /* the weights, their copy, the sum */
    double bytes = tables * weights_bytes(classes, d);
    if (classes == 2) /* the copy's difference, which the model holds */
        bytes += weights_bytes(1, d);
    if (options->rule->bytes)
        bytes += options->rule->bytes(options, classes, d);
    return bytes;
}

int64_t bandit_feature_limit(const struct bandit_options *options, int64_t classes)
{
    const struct bandit_rule *rule = options->rule;
    return rule->feature_limit ? rule->feature_limit(options, classes) : INT32_MAX;
}

int bandit_grow(struct bandit *b, int64_t d, struct error *err)
{
    const struct bandit_rule *rule = b->options.rule;
    if (d < b->w.rows)
        return 0;
    const int64_t limit = bandit_feature_limit(&b->options, b->labels.count);
    if (limit < INT32_MAX && d > limit)
        return error_set(err,
                         "the full matrix of %s is for at most %d weights; there are %lld features "
                         "and a bias x %lld classes",
                         rule->name, BANDIT_MOST_FULL, (long long)d, (long long)b->labels.count);
    if (weights_check_memory(bandit_bytes(&b->options, b->labels.count, d), &b->checked_bytes, d,
                             b->labels.count, err)
        != 0)
        return -1;
    if (rule->grow && rule->grow(b, d, err) != 0)
        return -1;
    if (bandit_wants_sum(&b->options) && weights_grow(&b->sum, d, err) != 0)
        return -1;
    return weights_grow(&b->w, d, err); /* last: its rows say how far everything has grown */
}

int64_t bandit_most_features(const struct bandit *b, double bytes)
{
    const double many = 1e6; /* so many that what does not grow with them does not count */
    const struct bandit_options *options = &b->options;
    const int64_t K = b->labels.count;
    if (bandit_feature_limit(options, K) < INT32_MAX)
        return INT32_MAX;
    double fit = bytes / (bandit_bytes(options, K, (int64_t)many) / many);
    return (int64_t)fmin(fmax((double)bandit_features(b), fit), INT32_MAX);
}

int bandit_refuse_large(const struct example *x, struct error *err)
{
    return error_at(err, NULL, x->line, 0,
                    "a score or a step is not finite: values are too large or too small, or 1/p "
                    "is too large");
}

int bandit_score(struct bandit *b, const struct example *x, struct error *err)
{
    const int64_t K = b->labels.count;
    weights_scores(&b->w, x, b->scores);
    b->greedy = weights_best(b->scores, K);
    double finite = 0; /* a sum of zeros, unless one of the scores is not finite */
    for (int64_t k = 0; k < K; k++)
        finite += 0 * b->scores[k];
    if (b->options.play_average) {
        double rounds = b->rounds > 0 ? (double)b->rounds : 1;
        weights_scores(&b->sum, x, b->played);
        for (int64_t k = 0; k < K; k++) {
            b->played[k] = b->scores[k] - b->played[k] / rounds;
            finite += 0 * b->played[k];
        }
    }
    return finite == 0 ? 0 : bandit_refuse_large(x, err);
}

struct bandit_choice bandit_choose(const struct bandit *b, double u)
{
    const int64_t K = b->labels.count;
    const double gamma = b->options.gamma;
    int64_t greedy = b->options.play_average ? weights_best(b->played, K) : b->greedy;
    int64_t shown = greedy;
    assert(u >= 0 && u < 1);
    if (u >= 1 - gamma) {
        shown = (int64_t)((u - (1 - gamma)) / gamma * (double)K);
        if (shown >= K) /* rounded up */
            shown = K - 1;
    }
    double p = (shown == greedy ? 1 - gamma : 0) + gamma / (double)K;
    return (struct bandit_choice){greedy, shown, p};
}

int bandit_learn(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                 struct error *err)
{
    assert(shown >= 0 && shown < b->labels.count && (f == 0 || f == 1) && p > 0);
    int64_t d = example_largest_index(x);
    if (d >= b->w.rows && bandit_grow(b, d, err) != 0) {
        if (err)
            err->line = x->line;
        return -1;
    }
    b->rounds++;
    if (b->options.rule->round(b, x, shown, p, f, err) == 0)
        return 0;
    b->rounds--; /* it was refused */
    return -1;
}

int bandit_weights(const struct bandit *b, struct weights *weights, struct error *err)
{
    *weights = weights_make(b->labels.count, 0);
    if (weights_grow(weights, b->w.rows - 1, err) != 0)
        return -1;
    memcpy(weights->w, b->w.w, (size_t)(b->w.rows * b->w.stride) * sizeof *weights->w);
    if (b->options.average && b->rounds > 0)
        average_take(weights, &b->sum, b->rounds);
    return 0;
}

const struct labels *bandit_labels(const struct bandit *b)
{
    return &b->labels;
}

const struct bandit_options *bandit_get_options(const struct bandit *b)
{
    return &b->options;
}

int64_t bandit_features(const struct bandit *b)
{
    return b->w.rows - 1;
}

const double *bandit_rates(const struct bandit *b)
{
    return b->rho;
}

void bandit_free(struct bandit *b)
{
    if (!b)
        return;
    if (b->state && b->options.rule->free)
        b->options.rule->free(b);
    memory_free(b->state);
    if (b->played != b->scores)
        memory_free(b->played);
    memory_free(b->scores);
    labels_free(&b->labels);
    weights_free(&b->w);
    weights_free(&b->sum);
    memory_free(b);
}
