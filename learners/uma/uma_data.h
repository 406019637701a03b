/* What UMA (uma.h) learns from: examples of a problem with their observed classes, and the inverse
 * of the confusion matrix. */
#ifndef LEARNERS_UMA_UMA_DATA_H
#define LEARNERS_UMA_UMA_DATA_H

#include "common/data/rows.h"

#include <stdint.h>

/* All is borrowed. */
struct uma_data {
    const struct problem *problem;
    const int32_t *y;      /* classes of all examples of the problem, 0 .. K-1 */
    const int64_t *first;  /* for cross-validation: the first of each one's group (groups.h), of all
                              examples; NULL: those that are copies (copies.h) */
    const int64_t *subset; /* n: the examples to learn from; NULL: all, n = problem->n */
    int64_t n, K;
    const double *inverse; /* K x K, row-major: C^-1 */
};

/* Of example i, 0 .. n-1: the place in the problem. */
static inline int64_t uma_data_place(const struct uma_data *data, int64_t i)
{
    return data->subset ? data->subset[i] : i;
}

static inline struct example uma_data_example(const struct uma_data *data, struct rows *rows,
                                              int64_t i)
{
    return rows_example(rows, uma_data_place(data, i));
}

/* How many entries it has. */
static inline int64_t uma_data_entries(const struct uma_data *data, int64_t i)
{
    const int64_t *start = data->problem->row_start + uma_data_place(data, i);
    return start[1] - start[0];
}

static inline int32_t uma_data_observed(const struct uma_data *data, int64_t i)
{
    return data->y[uma_data_place(data, i)];
}

#endif
