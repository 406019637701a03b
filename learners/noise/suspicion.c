/* Scores of labels, and their order.  Powers are taken by exp and log of elementary.h, the same on
 * every machine. */
#include "learners/noise/suspicion.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/linear/weights.h"
#include "learners/noise/em.h"

#include <stdlib.h>

/* a in the rank of given probabilities: r and h count alike.  Measured (experiments/forward/
 * choices.md): up to 3 points better with noise near the boundary, with noise of the class about
 * the same, but up to 2 worse for naive Bayes. */
static const double suspicion_given_margin = 0.5;

/* The factor of the log-odds of r in that rank.  Measured: from 0.1 on the list is not behind
 * confident learning on either set of verdicts.  With noise near the boundary it would cost the
 * probabilities that are estimated from features 2.4 points on usps. */
static const double suspicion_given_odds = 0.1;

/* The least v: the margin orders the examples whose r is 1, as all are where C is the identity, and
 * hardly changes a score.  No reason but that it works. */
static const double suspicion_least_unexplained = 0.1;

void suspicion_add(struct suspicion_sums *sums, const double *c, int64_t K, const double *p,
                   int32_t y)
{
    const double *row = c + y * K;
    sums->explained += 1 - row[y] * p[y] / em_observed(row, K, p);
    sums->disagreement += 1 - p[y];
}

struct suspicion_weights suspicion_settle(const struct suspicion_sums *sums, double unexplained,
                                          bool p_given)
{
    const double doubt = sums->explained < sums->disagreement
                             ? 1 - sums->explained / sums->disagreement
                             : 0;
    if (unexplained < suspicion_least_unexplained)
        unexplained = suspicion_least_unexplained;
    return (struct suspicion_weights){.margin = unexplained * doubt / 2, .p_given = p_given};
}

struct suspicion_weights suspicion_weigh(const double *c, int64_t K, const double *p,
                                         const int32_t *y, int64_t n, double unexplained,
                                         bool p_given)
{
    struct suspicion_sums sums = {0};
    for (int64_t i = 0; i < n; i++)
        suspicion_add(&sums, c, K, p + i * K, y[i]);
    return suspicion_settle(&sums, unexplained, p_given);
}

/* The most probable class, and the largest probability of another one. */
struct suspicion_rivals {
    int64_t top;
    double first, second;
};

static struct suspicion_rivals suspicion_find_rivals(const double *p, int64_t K)
{
    struct suspicion_rivals rivals = {.top = weights_best(p, K)};
    rivals.first = p[rivals.top];
    for (int64_t k = 0; k < K; k++)
        if (k != rivals.top && p[k] > rivals.second)
            rivals.second = p[k];
    return rivals;
}

/* log of r_k^(1-a) h_k^a, of a class with these r and p. */
static double suspicion_log_score(const struct suspicion_rivals *rivals, int64_t k, double r,
                                  double p, double a)
{
    const double rival = k == rivals->top ? rivals->second : rivals->first;
    return (1 - a) * em_log(r) + a * em_log((1 + p - rival) / 2);
}

void suspicion_scores(const double *c, int64_t K, const double *p, int32_t y,
                      const struct suspicion_weights *weights, double *score)
{
    const struct suspicion_rivals rivals = suspicion_find_rivals(p, K);
    em_posterior(c, K, p, y, score);
    for (int64_t k = 0; k < K; k++)
        if (score[k] > 0)
            score[k] = elementary_exp(
                suspicion_log_score(&rivals, k, score[k], p[k], weights->margin));
}

/* By given probabilities.  r: posterior of the label y, p: its probability; wrong: the sum of the
 * other posteriors. */
static double suspicion_rank_given(const struct suspicion_rivals *rivals, int32_t y, double r,
                                   double p, double wrong)
{
    return suspicion_log_score(rivals, y, r, p, suspicion_given_margin)
           + suspicion_given_odds * (em_log(r) - em_log(wrong));
}

struct suspicion suspicion_of(int64_t i, const double *c, int64_t K, const double *p,
                              const double *plain, int32_t y,
                              const struct suspicion_weights *weights, double *r)
{
    const struct suspicion_rivals rivals = suspicion_find_rivals(plain, K);
    double wrong = 0;         /* the sum of r of all classes but the label's */
    double own = 0, best = 0; /* log scores: of the label, and the best of the others */
    int32_t other = -1;       /* which has that */
    em_posterior(c, K, p, y, r);
    for (int32_t k = 0; k < K; k++) {
        const double score = suspicion_log_score(&rivals, k, r[k], plain[k], weights->margin);
        wrong += k != y ? r[k] : 0;
        if (k == y) {
            own = score;
        } else if (other < 0 || score > best) {
            other = k;
            best = score;
        }
    }
    return (struct suspicion){
        .score = r[y] > 0 ? elementary_exp(own) : 0,
        .rank = weights->p_given ? suspicion_rank_given(&rivals, y, r[y], plain[y], wrong) : own,
        .i = i,
        .suggested = own >= best ? y : other,
        .other = other};
}

static int suspicion_compare(const void *a, const void *b)
{
    const struct suspicion *u = a, *v = b;
    return order_by(u->rank, v->rank, u->i, v->i);
}

/* Scores that do not fall along the list, whose order stays: those that would are pooled with their
 * neighbours (pool adjacent violators).  0 or -1 (memory). */
static int suspicion_smooth(struct suspicion *list, int64_t n, struct error *err)
{
    double *mean = memory_new(2 * n, sizeof *mean, err); /* of blocks */
    int64_t blocks = 0, i = 0;
    if (!mean)
        return -1;
    double *size = mean + n;
    for (int64_t s = 0; s < n; s++) {
        mean[blocks] = list[s].score;
        size[blocks++] = 1;
        for (; blocks > 1 && mean[blocks - 2] > mean[blocks - 1]; blocks--) {
            const double both = size[blocks - 2] + size[blocks - 1];
            mean[blocks - 2] += (mean[blocks - 1] - mean[blocks - 2]) * size[blocks - 1] / both;
            size[blocks - 2] = both;
        }
    }
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t left = (int64_t)size[b]; left > 0; left--, i++) {
            const double rising = ((double)i + 0.5) / (double)n;
            list[i].score = ((double)n * mean[b] + rising) / ((double)n + 1);
        }
    memory_free(mean);
    return 0;
}

int suspicion_sort(struct suspicion *list, int64_t n, struct error *err)
{
    qsort(list, (size_t)n, sizeof *list, suspicion_compare);
    if (suspicion_smooth(list, n, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (list[i].score < 0.5)
            list[i].suggested = list[i].other;
    return 0;
}
