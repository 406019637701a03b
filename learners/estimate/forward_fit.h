/* What forward-train learns from all examples: softmax regression through the confusion matrix, at
 * the minimum of its loss, or what takes its place (estimate.h).  Matrix, lambda and steps are
 * those of the learner.  forward_cross_validation.h learns the same from parts of the examples. */
#ifndef LEARNERS_ESTIMATE_FORWARD_FIT_H
#define LEARNERS_ESTIMATE_FORWARD_FIT_H

#include "common/base/progress.h"
#include "common/linalg/descent.h"
#include "learners/estimate/estimate.h"
#include "learners/forward/forward.h"

#include <stdbool.h>

struct forward_fit {
    struct estimate *estimate; /* whose classifier is learnt; all 0: softmax regression */
    const double *weight;      /* of the examples, > 0; NULL: 1 */
    bool final;                /* passes will not go on from it (forward_settle.h) */
    int threads;
    struct progress *progress;    /* of the search; may be NULL */
    bool searched;                /* out: for the minimum; else the estimate had the weights */
    struct descent_result result; /* out: where the search ended */
};

/* learner  out: its weights, of features as they come, and its counts
 * problem  the examples as the estimate has them (estimate_examples), in memory or on disk
 * y        their observed classes
 * Ranks and threads as in forward_minimum.h.  0, or -1 with err: memory, or a sum that is not
 * finite. */
int forward_fit(struct forward *learner, const struct problem *problem, const int32_t *y,
                struct forward_fit *fit, struct error *err);

/* Bytes of the learner and of the search. */
double forward_fit_bytes(const struct problem *problem, int64_t classes, int threads);

#endif
