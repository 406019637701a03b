/* The log-likelihood is concave in a: the zero of its derivative is found by bisection. */
#include "learners/forward/decisions.h"

#include "common/data/paired.h"
#include "learners/forward/em.h"

#include <assert.h>
#include <string.h>

enum { DECISIONS_HALVINGS = 40 }; /* of 0 .. 1 */

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

/* logs: out, K x K: log P(y | h) at the likeliest a.  count: workspace, K x K. */
static void decisions_tabulate(const struct decisions *d, const int32_t *decision, const double *c,
                               double *count, double *logs)
{
    const int64_t K = d->K;
    memset(count, 0, (size_t)(K * K) * sizeof *count);
    for (int64_t i = 0; i < d->n; i++)
        count[d->y[i] * K + decision[i]] += d->weight ? d->weight[i] : 1;
    const double a = decisions_accuracy(count, K, c);
    for (int64_t y = 0; y < K; y++) {
        const double row_sum = decisions_row_sum(y, K, c);
        for (int64_t h = 0; h < K; h++)
            logs[y * K + h] = decisions_log(c[y * K + h], row_sum, K, a);
    }
}

double decisions_lead(const struct decisions *d, const double *c, double *workspace)
{
    const int64_t K = d->K;
    double *first = workspace, *second = workspace + K * K, *count = workspace + 2 * K * K;
    struct paired lead = {0};
    decisions_tabulate(d, d->first, c, count, first);
    decisions_tabulate(d, d->second, c, count, second);
    for (int64_t i = 0; i < d->n; i++) {
        const double *row = second + d->y[i] * K;
        paired_add(&lead, (d->weight ? d->weight[i] : 1)
                              * (row[d->second[i]] - first[d->y[i] * K + d->first[i]]));
    }
    return paired_errors(&lead);
}
