/* With few features the second moment, of a sample; else the few steepest directions. */
#include "learners/forward/forward_metric.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/rows.h"
#include "common/linalg/dense.h"

#include <string.h>

enum {
    METRIC_MOST_FEATURES = 2000,  /* of a second moment, which then takes 32 MB.  A rule of thumb:
                                     memory, and a factor in O(d^3), against steps of the search */
    METRIC_BLOCK = 256,           /* examples whose products are added at once.  A rule of thumb:
                                     deep products are fast, but the block is copied */
    METRIC_MOMENT_EXAMPLES = 8192 /* at most, and at least half: no reason but that these are
                                     several times MOST_FEATURES */
};

/* Share of the features that examples have, from which dense products are faster: both give the
 * same bits.  No reason but that it works. */
static const double metric_dense_share = 0.5;

/* Of every step-th example. */
static double metric_sum_weights(const double *weight, int64_t n, int64_t step)
{
    double total = 0;
    if (!weight)
        return (double)(parallel_parts(n, step));
    for (int64_t i = 0; i < n; i += step)
        total += weight[i];
    return total;
}

bool forward_metric_has_moment(int64_t d, int64_t nnz)
{
    return d < METRIC_MOST_FEATURES && (d + 1) * (d + 1) <= nnz;
}

/* The moment's sum over dense examples, from the first on a step apart; rows_check tells whether
 * all could be read. */
static int metric_add_dense(const struct problem *problem, const double *weight, double mean,
                            int64_t first, int64_t step, double *moment, int threads,
                            struct error *err)
{
    const int64_t rows = (int64_t)problem->d + 1;
    int status = 0;
    double *x = memory_new(2 * METRIC_BLOCK * rows, sizeof *x, err);
    if (!x)
        return -1;
    double *scaled = x + METRIC_BLOCK * rows;
    struct rows examples = rows_of(problem);
    for (int64_t i = first; i < problem->n;) {
        int64_t count = 0;
        memset(x, 0, (size_t)(2 * METRIC_BLOCK * rows) * sizeof *x);
        for (; i < problem->n && count < METRIC_BLOCK; i += step, count++) {
            const struct example e = rows_example(&examples, i);
            const double share = weight ? mean * weight[i] : mean;
            for (int64_t a = 0; a < e.size; a++) {
                x[count * rows + e.index[a]] = e.value[a];
                scaled[count * rows + e.index[a]] = share * e.value[a];
            }
        }
        status = dense_add_product(rows, rows, count, 1, (struct dense_view){scaled, 1, rows},
                                   (struct dense_view){x, rows, 1}, moment, rows, threads, err);
        if (status != 0)
            break;
    }
    rows_end(&examples);
    memory_free(x);
    return status;
}

/* The same from sparse ones. */
static void metric_add_sparse(const struct problem *problem, const double *weight, double mean,
                              int64_t first, int64_t step, double *moment)
{
    const int64_t rows = (int64_t)problem->d + 1;
    struct rows examples = rows_of(problem);
    for (int64_t i = first; i < problem->n; i += step) {
        const struct example x = rows_example(&examples, i);
        const double share = weight ? mean * weight[i] : mean;
        for (int64_t a = 0; a < x.size; a++)
            for (int64_t b = 0; b < x.size; b++)
                if (x.index[b] <= x.index[a])
                    moment[x.index[a] * rows + x.index[b]] += share * x.value[a] * x.value[b];
    }
    rows_end(&examples);
}

int forward_metric_make(const struct problem *problem, const double *weight,
                        struct forward_metric *metric, int threads, struct error *err)
{
    const int64_t rows = (int64_t)problem->d + 1, n = reduce_count(problem->n),
                  nnz = reduce_count(problem->nnz), step = n / METRIC_MOMENT_EXAMPLES + 1,
                  before = reduce_before(problem->n), first = (step - before % step) % step;
    const double mean = 0.5 / metric_sum_weights(weight, n, step);
    int status = 0;
    *metric = (struct forward_metric){.moment = NULL};
    if (!forward_metric_has_moment(problem->d, nnz))
        return steep_find(problem, weight, &metric->steep, err);
    if (!(metric->moment = memory_new(rows * rows, sizeof *metric->moment, err)))
        return -1;
    reduce_receive(metric->moment, rows * rows);
    if ((double)nnz > metric_dense_share * (double)rows * (double)n)
        status = metric_add_dense(problem, weight, mean, first, step, metric->moment, threads, err);
    else
        metric_add_sparse(problem, weight, mean, first, step, metric->moment);
    reduce_send(metric->moment, rows * rows);
    reduce_finish(metric->moment, rows * rows);
    if (status == 0)
        status = rows_check(problem, err);
    if (status != 0)
        forward_metric_free(metric);
    return status != 0 ? -1 : 0;
}

void forward_metric_free(struct forward_metric *metric)
{
    memory_free(metric->moment);
    steep_free(&metric->steep);
    metric->moment = NULL;
}

double forward_metric_shared_bytes(int64_t d, int64_t nnz)
{
    return forward_metric_has_moment(d, nnz) ? 8 * (double)(d + 1) * (double)(d + 1)
                                             : steep_bytes(d);
}

double forward_metric_bytes(int64_t d, int64_t nnz)
{
    const double shared = forward_metric_shared_bytes(d, nnz);
    return forward_metric_has_moment(d, nnz) ? 2 * shared : shared;
}
