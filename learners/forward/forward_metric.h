/* The metric in which forward_minimum.h searches: what it has to know of the examples, the same for
 * all fits on them or some of them. */
#ifndef LEARNERS_FORWARD_FORWARD_METRIC_H
#define LEARNERS_FORWARD_FORWARD_METRIC_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "learners/forward/steep_directions.h"

#include <stdbool.h>
#include <stdint.h>

struct forward_metric {
    double *moment; /* (d + 1) x (d + 1), the lower triangle: mean x x' / 2 of all examples or, of
                       8192 or more, of 4096 to 8192 that are evenly spaced; NULL where it does not
                       pay (forward_metric_has_moment) */
    struct steep_directions steep; /* where there is no moment */
};

/* Is the metric one of a moment, of data with d features and nnz entries on all ranks? */
bool forward_metric_has_moment(int64_t d, int64_t nnz);

/* weight: of all examples; NULL: 1.  metric: out; free with forward_metric_free.  0 or -1. */
int forward_metric_make(const struct problem *problem, const double *weight,
                        struct forward_metric *metric, int threads, struct error *err);

void forward_metric_free(struct forward_metric *metric);

/* Bytes of a metric of data with d features and nnz entries; and with the factor L that each search
 * makes of its moment. */
double forward_metric_shared_bytes(int64_t d, int64_t nnz);
double forward_metric_bytes(int64_t d, int64_t nnz);

#endif
