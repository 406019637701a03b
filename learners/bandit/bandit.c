#include "common/base/memory.h"
#include "learners/bandit/bandit_state.h"
#include "learners/bandit/nsm.h"

#include <math.h>
#include <string.h>

const char *const bandit_rules[] = {"rcnbf", "rcine", "banditron", "bpa", "soba", "nsm", NULL};

double bandit_h(const double rho[2], int f)
{
    return (f ? 1 - rho[0] : -rho[0]) / (1 - rho[0] - rho[1]);
}

void bandit_set_rates(struct bandit *b, const struct noise_rates *rates)
{
    b->rates = *rates;
    for (int f = 0; f <= 1; f++)
        b->h[f] = bandit_h(rates->rho, f);
}

static bool wants_sum(const struct bandit_options *options)
{
    return options->average || options->play_average;
}

static bool is_full(const struct bandit_options *options)
{
    return options->rule == BANDIT_SOBA && options->full;
}

struct bandit *bandit_new(const struct bandit_options *options, const struct labels *labels,
                          struct error *err)
{
    struct noise_rates rates = {0}; /* others have no use for them, and RCINE knows nothing yet */
    if (labels_require_several(labels, err) != 0)
        return NULL;
    struct bandit *b = memory_new(1, sizeof *b, err);
    if (!b)
        return NULL;
    const int64_t K = labels->count;
    b->options = *options;
    b->w = b->sum = weights_make(K, 0);
    b->squares = weights_make(K, NSM_SQUARES);
    b->sigma = covariance_make(options->full ? COVARIANCE_FULL : COVARIANCE_DIAG,
                               options->full ? 1 : K, 1 / options->prior);
    b->kept.log = true;
    if (options->rule == BANDIT_RCNBF || options->rule == BANDIT_NSM)
        memcpy(rates.rho, options->rho, sizeof rates.rho);
    bandit_set_rates(b, &rates);
    b->scores = memory_new(b->w.stride, sizeof *b->scores, err);
    b->played = !options->play_average ? b->scores
                : b->scores            ? memory_new(b->w.stride, sizeof *b->played, err)
                                       : NULL;
    if (!b->played || labels_copy(labels, &b->labels, err) != 0 || bandit_grow(b, 0, err) != 0) {
        bandit_free(b);
        return NULL;
    }
    return b;
}

double bandit_bytes(const struct bandit_options *options, int64_t classes, int64_t d)
{
    /* The weights, and a copy of them while a model is written. */
    int tables = 2 + wants_sum(options) + (options->rule == BANDIT_NSM)
                 + (options->rule == BANDIT_SOBA && !options->full);
    if (options->rule == BANDIT_RCINE && options->estimator == NOISE_RATE_MARGIN)
        tables += NOISE_RATE_TABLES;
    double bytes = tables * weights_bytes(classes, d);
    if (is_full(options))
        bytes += covariance_bytes(COVARIANCE_FULL, 1, (d + 1) * classes - 1);
    return bytes;
}

int bandit_grow(struct bandit *b, int64_t d, struct error *err)
{
    const struct bandit_options *options = &b->options;
    const int64_t K = b->labels.count;
    if (d < b->w.rows)
        return 0;
    if (is_full(options) && d * K > BANDIT_MOST_FULL)
        return error_set(err,
                         "the full matrix of soba is for at most %d weights; there are %lld "
                         "features x %lld classes",
                         BANDIT_MOST_FULL, (long long)d, (long long)K);
    double bytes = bandit_bytes(options, K, d);
    if (bytes > b->checked_bytes) {
        char what[96];
        snprintf(what, sizeof what, "a model of %lld features x %lld classes", (long long)d,
                 (long long)K);
        if (memory_check(bytes, what, err) != 0)
            return -1;
        b->checked_bytes = 1.1 * bytes;
    }
    /* w last: its rows say how far everything has grown. */
    if ((options->rule == BANDIT_SOBA
         && covariance_grow(&b->sigma, options->full ? soba_cell(b, d, K - 1) : d, err) != 0)
        || (options->rule == BANDIT_NSM && weights_grow(&b->squares, d, err) != 0)
        || (wants_sum(options) && weights_grow(&b->sum, d, err) != 0)
        || weights_grow(&b->w, d, err) != 0)
        return -1;
    return 0;
}

static int refuse_large(const struct bandit *b, const struct example *x, struct error *err)
{
    return error_at(err, NULL, x->line, 0,
                    "a score is not finite after %lld rounds: the values are too large, or 1/p is",
                    (long long)b->rounds);
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
    return finite == 0 ? 0 : refuse_large(b, x, err);
}

struct bandit_choice bandit_choose(const struct bandit *b, double u)
{
    const int64_t K = b->labels.count;
    const double gamma = b->options.gamma;
    int64_t greedy = b->options.play_average ? weights_best(b->played, K) : b->greedy,
            shown = greedy;
    if (u >= 1 - gamma) {
        shown = (int64_t)((u - (1 - gamma)) / gamma * (double)K);
        shown = shown < K ? shown : K - 1;
    }
    return (struct bandit_choice){greedy, shown,
                                  (shown == greedy ? 1 - gamma : 0) + gamma / (double)K};
}

/* RCNBF and Banditron: in the mean over the choice and the noise, e_right - e_greedy. */
static int learn_unbiased(struct bandit *b, const struct example *x, int64_t shown, double p, int f)
{
    double gain = b->h[f] / p;
    if (!isfinite(gain))
        return -1;
    if (shown == b->greedy) {
        bandit_move(b, x, shown, gain - 1);
    } else {
        bandit_move(b, x, shown, gain);
        bandit_move(b, x, b->greedy, -1);
    }
    return 0;
}

static int learn_passive_aggressive(struct bandit *b, const struct example *x, int64_t shown, int f)
{
    double norm = example_squared_norm(x), s = b->scores[shown], loss = f ? -s : 1 + s;
    if (!isfinite(norm))
        return -1;
    if (!(loss > 0) || !(norm > 0))
        return 0;
    double step = (f ? loss : -loss) / norm;
    if (!isfinite(step))
        return -1;
    bandit_move(b, x, shown, step);
    return 0;
}

enum { ROUNDS_TO_JUDGE_BY = 100 }; /* how long the others will be */

/* Keep the round; at the end of a period find the rates anew. */
static int keep(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                struct error *err)
{
    struct example round = *x;
    round.label = shown;
    round.feedback = (struct feedback){f, p};
    if (problem_append_example(&b->kept, &round, err) != 0)
        return -1;
    if (b->kept.n == ROUNDS_TO_JUDGE_BY) {
        double share = (double)b->options.period / (double)b->kept.n;
        if (memory_check(
                problem_bytes((double)b->options.period, (double)b->kept.nnz * share, true),
                "the rounds between two estimates", err)
            != 0)
            return -1;
    }
    if (b->kept.n < b->options.period)
        return 0;
    struct noise_rates rates = b->rates;
    int status = noise_rate_estimate((enum noise_rate_estimator)b->options.estimator, &b->kept,
                                     b->labels.count, &b->options.network,
                                     b->options.seed + b->rounds / b->options.period,
                                     b->options.threads, &rates, err);
    problem_clear(&b->kept);
    bandit_set_rates(b, &rates);
    return status;
}

int bandit_learn(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                 struct error *err)
{
    int status = 0;
    int64_t d = example_largest_index(x);
    if (d >= b->w.rows && bandit_grow(b, d, err) != 0) {
        if (err)
            err->line = x->line;
        return -1;
    }
    b->rounds++;
    switch ((enum bandit_rule)b->options.rule) {
    case BANDIT_RCNBF:
    case BANDIT_BANDITRON:
        status = learn_unbiased(b, x, shown, p, f);
        break;
    case BANDIT_RCINE:
        status = learn_unbiased(b, x, shown, p, f);
        if (status == 0 && keep(b, x, shown, p, f, err) != 0)
            return -1;
        break;
    case BANDIT_BPA:
        status = learn_passive_aggressive(b, x, shown, f);
        break;
    case BANDIT_SOBA:
        status = f ? soba_learn(b, x, shown, p, err) : 0;
        break;
    case BANDIT_NSM:
        nsm_learn(&b->w, &b->squares, &b->sum, b->rounds - 1, x, b->scores, shown, f, b->rates.rho,
                  b->options.eta);
        break;
    }
    if (status == -1)
        return refuse_large(b, x, err);
    return status == 0 ? 0 : -1;
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
    return b->rates.rho;
}

void bandit_free(struct bandit *b)
{
    if (!b)
        return;
    if (b->played != b->scores)
        memory_free(b->played);
    memory_free(b->scores);
    labels_free(&b->labels);
    weights_free(&b->w);
    weights_free(&b->sum);
    weights_free(&b->squares);
    covariance_free(&b->sigma);
    problem_free(&b->kept);
    memory_free(b);
}
