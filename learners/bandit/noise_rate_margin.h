/* The estimator of noise_rate.h that judges rounds by the margins of a classifier; called by
 * noise_rate_estimate, which checks, brings x to unit length, and clips. */
#ifndef LEARNERS_BANDIT_NOISE_RATE_MARGIN_H
#define LEARNERS_BANDIT_NOISE_RATE_MARGIN_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "learners/bandit/noise_rates.h"

/* Arguments as in noise_rate_estimate; rates: in and out, not clipped.  Time: that of three passes
 * over each half. */
int noise_rate_margin(const struct problem *rounds, int64_t classes, int64_t seed, int threads,
                      struct noise_rates *rates, struct error *err);

/* Bytes of what it holds for each of so many rounds. */
double noise_rate_margin_bytes(double rounds);

#endif
