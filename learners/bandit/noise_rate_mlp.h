/* The two estimators of noise_rate.h that train a network; called by noise_rate_estimate, which
 * checks, brings x to unit length, and clips. */
#ifndef LEARNERS_BANDIT_NOISE_RATE_MLP_H
#define LEARNERS_BANDIT_NOISE_RATE_MLP_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "learners/bandit/noise_rate_network.h"

#include <stdbool.h>

/* Arguments as in noise_rate_estimate; authors: their program's variant; rho: in and out, not
 * clipped. */
int noise_rate_mlp(const struct problem *rounds, int64_t classes, bool authors,
                   const struct noise_rate_network *network, int64_t seed, int threads,
                   double rho[2], struct error *err);

/* Bytes of what it holds for each of so many rounds with so many entries. */
double noise_rate_mlp_bytes(double rounds, double entries, int64_t classes, bool authors);

#endif
