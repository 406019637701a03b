/* How a kernel looks at the features of data: as they are, each times a factor, or by a metric M,
 *
 *     |u - v|^2 = (u - v)' M (u - v),  M = L L' (Cholesky),
 *
 * the distance of L'u and L'v. */
#ifndef COMMON_KERNEL_FEATURE_METRIC_H
#define COMMON_KERNEL_FEATURE_METRIC_H

#include "common/base/error.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* Features of the data that are not among the d count as 0.  What L' makes of an example has the
 * same d indices. */
struct feature_metric {
    int64_t d;        /* 0: the features as they are, all else is NULL */
    double *scale;    /* factors of features 1 .. d; or NULL, and the two below: */
    int32_t *index;   /* of the d features, ascending */
    double *triangle; /* the rows of L, one after the other: row j has j+1 numbers */
};

/* The numbers of d rows of L, and where row d begins. */
static inline int64_t feature_metric_numbers(int64_t d)
{
    return d * (d + 1) / 2;
}

/* The factor of a feature: of index 0, a bias, and of all where there are no factors, 1. */
static inline double feature_metric_factor(const struct feature_metric *metric, int64_t index)
{
    if (!metric->scale || index == 0)
        return 1;
    return index <= metric->d ? metric->scale[index - 1] : 0;
}

/* A result other than 0 and -1, of the functions that say so. */
enum { FEATURE_METRIC_UNFIT = 1 };

/* Factors, d > 0 of them, copied.  metric: out; free with feature_metric_free.  0, or -1 with err:
 * memory. */
int feature_metric_of_scale(const double *scale, int64_t d, struct feature_metric *metric,
                            struct error *err);

/* M of features 1 .. d.
 *
 * product  d x d, positive semidefinite; only the lower triangle is read; destroyed.  Of a feature
 *          whose diagonal is 0, all is 0
 * metric   out; free with feature_metric_free, also after an error
 * O(d^3).  0, FEATURE_METRIC_UNFIT where it is not, or -1 with err: memory. */
int feature_metric_of_product(double *product, int64_t d, int threads,
                              struct feature_metric *metric, struct error *err);

/* The rows of L as entries of so many examples: row j has the first j features of the last row.
 * metric: out; free with feature_metric_free, also after an error.  0, FEATURE_METRIC_UNFIT where
 * they are not such rows, or -1 with err: memory. */
int feature_metric_of_rows(const struct problem *rows, struct feature_metric *metric,
                           struct error *err);

/* copy: out; free with feature_metric_free, also after an error.  0 or -1. */
int feature_metric_copy(const struct feature_metric *metric, struct feature_metric *copy,
                        struct error *err);

/* Append examples as the kernel sees them to `seen`.  They are not dense (problem_make_dense).
 * O(entries) by factors, O(d entries) by L'.  0, or -1 with err: memory. */
int feature_metric_see(const struct feature_metric *metric, const struct problem *some,
                       struct problem *seen, struct error *err);

bool feature_metric_equal(const struct feature_metric *a, const struct feature_metric *b);

/* Bytes of a metric, of one of a triangle, and of n examples of nnz entries as the kernel sees
 * them: 0 where that is as they are. */
double feature_metric_triangle_bytes(int64_t d);
double feature_metric_bytes(const struct feature_metric *metric);
double feature_metric_seen_bytes(const struct feature_metric *metric, double n, double nnz);

void feature_metric_free(struct feature_metric *metric);

#endif
