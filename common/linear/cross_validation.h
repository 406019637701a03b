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

struct cross_validation {
    const struct problem *problem;
    struct fold_examples examples; /* all of the problem: their number and classes, and `first` if
                                      copies are to stay in one fold */
    int64_t folds, seed;
    int threads;
    cross_validate_fit *fit;
    const void *context;
    double *scores; /* out, n x weights_columns(classes): of each example by the model that has not
                       seen it; NULL: not wanted */
};

/* Stratified cross-validation (folds.h).  correct: out, the number of examples predicted correctly.
 * 0, or -1 with err: that of the first fold that failed.  Same for any number of threads. */
int cross_validate_linear(const struct cross_validation *validation, int64_t *correct,
                          struct error *err);

#endif
