/* Cross-validation of a linear classifier. */
#ifndef COMMON_LINEAR_CROSS_VALIDATION_H
#define COMMON_LINEAR_CROSS_VALIDATION_H

#include "common/base/error.h"
#include "common/data/folds.h"
#include "common/linear/weights.h"

#include <stdint.h>

/* Train on the n examples `subset` of the data.  w: out, the weights to predict with; the
 * caller frees them.  Called for several folds at once, so it must not write to `context`.  0 or
 * -1. */
typedef int cross_validate_fit(const void *context, const int64_t *subset, int64_t n,
                               struct weights *w, struct error *err);

/* n-fold stratified cross-validation (folds.h), on `threads` threads.
 *
 * examples  all of the problem: their number and classes, and `first` if copies are to stay in one
 *           fold
 * correct   out: the number of examples predicted correctly
 * scores    out, n x weights_columns(classes): of each example by the model that has not seen it;
 *           NULL: not wanted
 * 0, or -1 with err: that of the first fold that failed.  Same for any number of threads. */
int cross_validate_linear(const struct problem *problem, const struct fold_examples *examples,
                          int64_t folds, int64_t seed, int threads, cross_validate_fit *fit,
                          const void *context, int64_t *correct, double *scores, struct error *err);

#endif
