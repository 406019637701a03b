/* The log-likelihood is concave in a: the zero of its derivative is found by bisection. */
#include "learners/noise/decisions.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"
#include "learners/noise/em.h"

#include <assert.h>
#include <string.h>

/* Of 0 .. 1, so that a is known within 1e-12.  A rule of thumb: each costs a pass over the counts,
 * and nothing is compared as finely. */
enum { DECISIONS_HALVINGS = 40 };

/* P(y | h) is rest + a (right - rest). */
struct decision {
    double right, rest;
};

/* sum_q C[y][q] */
static double decisions_row_sum(int64_t y, int64_t K, const double *c)
{
    double sum = 0;
    for (int64_t q = 0; q < K; q++)
        sum += c[y * K + q];
    return sum;
}

/* row_sum: decisions_row_sum of y. */
static struct decision decisions_of(double right, double row_sum, int64_t K)
{
    return (struct decision){right, (row_sum - right) / (double)(K - 1)};
}

/* The derivative of the log-likelihood by a. */
static double decisions_slope(const double *count, int64_t K, const double *c, double a)
{
    double slope = 0;
    for (int64_t y = 0; y < K; y++) {
        const double row_sum = decisions_row_sum(y, K, c);
        for (int64_t h = 0; h < K; h++) {
            if (!(count[y * K + h] > 0)) /* most of many classes */
                continue;
            const struct decision d = decisions_of(c[y * K + h], row_sum, K);
            const double p = d.rest + a * (d.right - d.rest);
            slope += p > 0 ? count[y * K + h] * (d.right - d.rest) / p : 0;
        }
    }
    return slope;
}

/* The likeliest a. */
static double decisions_accuracy(const double *count, int64_t K, const double *c)
{
    double low = 0, high = 1;
    assert(K > 1);
    for (int halving = 0; halving < DECISIONS_HALVINGS; halving++) {
        const double middle = (low + high) / 2;
        if (decisions_slope(count, K, c, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* log P(y | h) at the accuracy a. */
static double decisions_log(double right, double row_sum, int64_t K, double a)
{
    const struct decision d = decisions_of(right, row_sum, K);
    return em_log(d.rest + a * (d.right - d.rest));
}

double decisions_likelihood(const double *count, int64_t K, const double *c)
{
    const double a = decisions_accuracy(count, K, c);
    double sum = 0, total = 0;
    for (int64_t y = 0; y < K; y++) {
        const double row_sum = decisions_row_sum(y, K, c);
        for (int64_t h = 0; h < K; h++) {
            sum += count[y * K + h] * decisions_log(c[y * K + h], row_sum, K, a);
            total += count[y * K + h];
        }
    }
    return sum / total;
}

/* count: out, K x K, as in decisions_likelihood. */
static void decisions_count(const struct decisions *d, const int32_t *decision, double *count)
{
    memset(count, 0, (size_t)(d->K * d->K) * sizeof *count);
    for (int64_t i = 0; i < d->n; i++)
        count[d->y[i] * d->K + decision[i]] += d->weight ? d->weight[i] : 1;
}

/* logs: out, K x K: log P(y | h) at the likeliest a.  count: workspace, K x K.  Returns their sum
 * over the examples. */
static double decisions_tabulate(const struct decisions *d, const int32_t *decision,
                                 const double *c, double *count, double *logs)
{
    const int64_t K = d->K;
    double sum = 0;
    decisions_count(d, decision, count);
    const double a = decisions_accuracy(count, K, c);
    for (int64_t y = 0; y < K; y++) {
        const double row_sum = decisions_row_sum(y, K, c);
        for (int64_t h = 0; h < K; h++) {
            const double n = count[y * K + h];
            /* The others are those of no example, or of such with the weight 0. */
            logs[y * K + h] = n > 0 ? decisions_log(c[y * K + h], row_sum, K, a) : 0;
            sum += n * logs[y * K + h];
        }
    }
    return sum;
}

/* decisions_add, of decisions.  workspace: 3 K x K. */
static void decisions_add_up(const struct decisions *d, const double *first_c,
                             const double *second_c, double *workspace,
                             struct decisions_tally *tally)
{
    const int64_t K = d->K;
    double *first = workspace, *second = workspace + K * K, *count = workspace + 2 * K * K;
    tally->first += decisions_tabulate(d, d->first, first_c, count, first);
    tally->second += decisions_tabulate(d, d->second, second_c, count, second);
    for (int64_t i = 0; i < d->n; i++) {
        const double weight = d->weight ? d->weight[i] : 1, *row = second + d->y[i] * K;
        tally->total += weight;
        paired_add(&tally->lead, weight * (row[d->second[i]] - first[d->y[i] * K + d->first[i]]));
    }
}

double decisions_lead(const struct decisions *d, const double *c, double *workspace)
{
    struct decisions_tally tally = {0};
    decisions_add_up(d, c, c, workspace, &tally);
    return decisions_result(&tally).lead;
}

int decisions_add(const struct decisions_scores *scores, const double *first_c,
                  const double *second_c, struct decisions_tally *tally, struct error *err)
{
    const int64_t n = scores->n, K = scores->K;
    int32_t *first = memory_new(n, sizeof *first, err),
            *second = memory_new(n, sizeof *second, err);
    double *workspace = memory_new(3 * K * K, sizeof *workspace, err);
    int status = -1;
    if (!first || !second || !workspace)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        first[i] = (int32_t)weights_best(scores->first + i * K, K);
        second[i] = (int32_t)weights_best(scores->second + i * K, K);
    }
    const struct decisions both = {n, K, scores->y, first, second, scores->weight};
    decisions_add_up(&both, first_c, second_c, workspace, tally);
    status = 0;
done:
    memory_free(first);
    memory_free(second);
    memory_free(workspace);
    return status;
}

struct decisions_result decisions_result(const struct decisions_tally *tally)
{
    return (struct decisions_result){.first = tally->first / tally->total,
                                     .second = tally->second / tally->total,
                                     .lead = paired_errors(&tally->lead)};
}

int decisions_compare(const struct decisions_scores *scores, const double *c,
                      struct decisions_result *result, struct error *err)
{
    struct decisions_tally tally = {0};
    if (decisions_add(scores, c, c, &tally, err) != 0)
        return -1;
    *result = decisions_result(&tally);
    return 0;
}
