/* The estimate of confusion_estimate.h from a sample of the examples, where there are many or they
 * are on disk. */
#ifndef LEARNERS_ESTIMATE_SAMPLED_ESTIMATE_H
#define LEARNERS_ESTIMATE_SAMPLED_ESTIMATE_H

#include "learners/estimate/confusion_estimate.h"

/* How many of the examples on disk are estimated from: SAMPLED_USUALLY, or half, a quarter ... of
 * these where so many do not fit in memory.  Measured on mnist, 30 % of the labels wrong: the model
 * from 20000 of 60000 examples is as accurate as that from all, within 0.1 points.  SAMPLED_LEAST
 * is a rule of thumb: a matrix from fewer examples would say little, so a run that has no memory
 * for these ends. */
enum { SAMPLED_USUALLY = 50000, SAMPLED_LEAST = 1000 };

/* How many examples the estimate is from: `asked`, or all if these are fewer; asked = 0: all of a
 * problem in memory, as above of one on disk. */
int64_t sampled_count(const struct problem *problem, int64_t classes, bool matrix_known,
                      const struct estimate_options *options, int64_t asked);

/* Bytes of all examples at their lengths, which may be taken in place of these. */
double sampled_lengthened_bytes(const struct problem *problem,
                                const struct estimate_options *options);

/* estimate_noise from so many examples, drawn by options->fit.seed.  estimate->n says how many; p
 * is of these alone, so that options->fine counts only where they are all; lambda, where it is
 * chosen, is that for a fit to all examples.  Where the sample chooses lengths and a bias, all
 * examples are made so, unless options->matrix_only; it does not where some other example is far
 * longer than its own.  0 or -1. */
int sampled_estimate(const struct labelled *data, const double *known,
                     const struct estimate_options *options, int64_t asked,
                     struct estimate *estimate, struct error *err);

#endif
