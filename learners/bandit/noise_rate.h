/* Noise rates of bandit feedback, estimated from the feedback itself:
 *
 *     rho0 = P(f = 1 | the label shown is wrong),  rho1 = P(f = 0 | it is right)
 *
 * Three estimators:
 *
 *   margin       cross-fitting of a noisy softmax: take a set of rounds in which a classifier is
 *                sure for the "perfect examples" of Theorem 5 (noise_rate_margin.c; ours)
 *   mlp          the paper's Algorithm 3: a network learns P(f = 1 | x, label shown)
 *                (noise_rate_mlp.c)
 *   mlp-authors  what the authors' program does instead
 *                (noise_rate_mlp.c)
 *
 * All are clipped: rates >= 0, rho0 + rho1 <= 0.9 (both shrunk by one factor), so that beta =
 * 1 - rho0 - rho1 >= 0.1: a step of RCNBF is of size 1/beta. */
#ifndef LEARNERS_BANDIT_NOISE_RATE_H
#define LEARNERS_BANDIT_NOISE_RATE_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "learners/bandit/noise_rate_network.h"
#include "learners/bandit/noise_rates.h"

#include <stdint.h>

enum noise_rate_estimator { NOISE_RATE_MARGIN, NOISE_RATE_MLP, NOISE_RATE_MLP_AUTHORS };
extern const char *const noise_rate_estimators[]; /* "margin", "mlp", "mlp-authors", NULL */

/* Rounds: enough that every part of a split has some. */
enum { NOISE_RATE_FEWEST = 20 };

/* Tables of K columns and d rows that margin takes while it estimates: three for each half. */
enum { NOISE_RATE_TABLES = 6 };

/* Bytes of what noise_rate_estimate holds for each round, beside the rounds: `rounds` of them with
 * so many entries. */
double noise_rate_bytes(enum noise_rate_estimator estimator, double rounds, double entries,
                        int64_t classes);

/* `128,128` -> layers and hidden.  0, or -1: malformed, or out of range. */
int noise_rate_parse_layers(const char *text, struct noise_rate_network *network);

/* The reverse.  text: out. */
enum { NOISE_RATE_LAYERS_TEXT = 64 };
void noise_rate_layers_text(const struct noise_rate_network *network,
                            char text[NOISE_RATE_LAYERS_TEXT]);

/* Estimate the rates.
 *
 * rounds    label[i]: the class shown, 0 .. classes-1; feedback[i].f; examples of features 1 .. d
 *           and, perhaps, a bias with index 0; scaled to unit length, in place
 * network   for the mlp estimators
 * rates     in: those of the last estimate, all zero before the first; out
 * Same rates for any number of threads.  0, or -1 with err (memory; too few rounds to split: at
 * least NOISE_RATE_FEWEST). */
int noise_rate_estimate(enum noise_rate_estimator estimator, struct problem *rounds,
                        int64_t classes, const struct noise_rate_network *network, int64_t seed,
                        int threads, struct noise_rates *rates, struct error *err);

#endif
