/* Cross-validation of the classifier that forward-train learns: softmax regression through the
 * confusion matrix, or what takes its place (estimate.h).  Matrix, lambda, steps and temperature
 * are given; each fold is predicted by what the others have taught.  Groups or, where there are
 * none, copies (copies.h) stay in one fold: they would confirm each other's wrong labels. */
#ifndef LEARNERS_ESTIMATE_FORWARD_CROSS_VALIDATION_H
#define LEARNERS_ESTIMATE_FORWARD_CROSS_VALIDATION_H

#include "common/data/labels.h"
#include "common/linear/passes.h"
#include "learners/estimate/estimate.h"
#include "learners/forward/forward.h"
#include "learners/noise/held_out.h"

#include <stdbool.h>

struct forward_validation {
    const struct forward_options *options;
    const struct labels *labels;
    const struct estimate *estimate;      /* its classifier is learnt; zero: softmax regression */
    const struct estimate_options *asked; /* those of the estimate */
    const struct problem *given;          /* what the estimate is of: the examples without its map,
                                             at the lengths that it began with */
    const int64_t *first;                 /* of each one's group (groups.h); NULL: copies are looked
                                             for */
    bool minimum;                         /* minimise the loss (forward_minimum.h), or: */
    struct passes passes; /* over the other folds; its weight is also the search's */
    int64_t folds, seed;
    int threads;
};

struct forward_validated {
    double *scores;         /* n x weights_columns(classes), by the model that has not seen the
                               example; free with memory_free */
    int64_t correct;        /* examples whose label is predicted */
    struct held_out judged; /* what the scores tell of the true classes, if the matrix is right */
};

/* problem  what is learnt from and predicted: the examples as the estimate has them
 * y        their observed classes
 * found    out; its scores are to be freed also after an error
 * Folds are learnt in parallel.  A classifier in place of softmax regression is learnt fold after
 * fold, each on all threads, as one alone may fill the memory.  The same for any number of threads.
 * 0, or -1 with err. */
int forward_cross_validate(const struct problem *problem, const int32_t *y,
                           const struct forward_validation *validation,
                           struct forward_validated *found, struct error *err);

#endif
