/* Cross-fitted probabilities of all examples, with what was estimated from a sample of them.
 *
 * As crossfit.h, but nothing is chosen any more: matrix, lambda and steps are those of the
 * estimate, each of FOLDS_FINE folds is left out of one fit to the others, and probabilities are
 * made an example at a time, in pass after pass.  Data may be on disk (rows.h).  The weights of all
 * fits are held: there are only FOLDS_DEFAULT where those of FOLDS_FINE would take more than 16
 * MB, or there are fewer examples. */
#ifndef LEARNERS_ESTIMATE_CROSS_SCORES_H
#define LEARNERS_ESTIMATE_CROSS_SCORES_H

#include "learners/estimate/estimate.h"
#include "learners/estimate/rest_of_fold.h"

struct cross_scores {
    const struct problem *problem;
    const int32_t *y;
    const struct estimate *estimate; /* of the original features: c, lambda, steps, temperature */
    int threads;
    int64_t folds, *fold; /* their number; n */
    struct weights w[FOLDS_FINE];
};

/* Make the fits.
 *
 * estimate  borrowed, like the data's problem and y
 * options   seed, threads and progress are used
 * scores    out, free with cross_scores_free, also after an error
 * 0 or -1. */
int cross_scores_fit(struct cross_scores *scores, const struct labelled *data,
                     const struct estimate *estimate, const struct crossfit_options *options,
                     struct error *err);

/* Call body for each example, in their order, with the probabilities (K) of its true classes, given
 * the features but not the label.  0 or -1. */
int cross_scores_pass(const struct cross_scores *scores,
                      void (*body)(void *context, int64_t i, const double *p), void *context,
                      struct error *err);

/* ---- softmax regression as an estimate has chosen it ---- */

struct cross_scores_task {
    const struct labelled *data;
    const double *weight;            /* of all its examples, > 0; NULL: 1 */
    const struct estimate *estimate; /* c, lambda and steps */
    const struct forward_metric *metric;
    int threads;
};

/* Weights by n examples of the data; subset: as in forward_minimum.h.  w: out; free with
 * weights_free.  0 or -1. */
int cross_scores_regress(const struct cross_scores_task *task, const int64_t *subset, int64_t n,
                         struct weights *w, struct error *err);

/* The rest of a fold, in new folds, each with p by a fit to the others.  fold: of each example of
 * the task.  rest: out; free with rest_free, also after an error.  0 or -1. */
int cross_scores_of_rest(const struct cross_scores_task *task, const int64_t *fold,
                         int64_t left_out, int64_t seed, struct rest_of_fold *rest,
                         struct error *err);

/* Bytes besides the problem and the estimate. */
double cross_scores_bytes(const struct problem *problem, int64_t classes, int threads);

void cross_scores_free(struct cross_scores *scores);

#endif
