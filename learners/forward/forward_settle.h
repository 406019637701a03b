/* From a minimum on to passes: the counts and the sums of squares that AdaGrad goes on with. */
#ifndef LEARNERS_FORWARD_FORWARD_SETTLE_H
#define LEARNERS_FORWARD_FORWARD_SETTLE_H

#include "common/data/problem.h"
#include "learners/forward/forward.h"

/* Set counts and sums of squares as after one pass over the examples with the current weights, so
 * that forward_learn can continue from a minimum; or, for a final model, the counts alone.
 *
 * y, subset, n  as in forward_minimum.h
 * weight        of all examples; NULL: 1
 * Several ranks take this pass one after the other.  0 or -1. */
int forward_settle(struct forward *f, const struct problem *problem, const int32_t *y,
                   const double *weight, const int64_t *subset, int64_t n, bool final,
                   struct error *err);

#endif
