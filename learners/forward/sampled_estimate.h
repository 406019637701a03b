/* The estimate of confusion_estimate.h from a sample of the examples, where there are many or they
 * are on disk. */
#ifndef LEARNERS_FORWARD_SAMPLED_ESTIMATE_H
#define LEARNERS_FORWARD_SAMPLED_ESTIMATE_H

#include "learners/forward/confusion_estimate.h"

/* Of examples on disk: enough that a noise rate has a standard error near 0.01 with up to twenty
 * classes, if all else is known. */
enum { SAMPLED_USUALLY = 50000 };

/* How many examples the estimate is from.  asked: 0: SAMPLED_USUALLY of a problem on disk, all of
 * one in memory. */
int64_t sampled_count(const struct problem *problem, int64_t asked);

/* estimate_noise from sampled_count(problem, asked) examples, drawn by options->fit.seed;
 * estimate->n says how many.  0 or -1. */
int sampled_estimate(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     const double *known, const struct estimate_options *options, int64_t asked,
                     struct estimate *estimate, struct error *err);

#endif
