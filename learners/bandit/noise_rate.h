/* How often "right" and "wrong" were said falsely, found from the answers themselves: rho0 = P(f =
 * 1 | the label shown is wrong), rho1 = P(f = 0 | it is right).
 *
 *   margin       Split the rounds in two halves; fit NSM (nsm.h) on one; sort the other by the lead
 *                of the best score over the second.  Where that is large the best label is taken
 *                for the truth: 1 - rho1 = the mean of f where it was shown, over the first
 *                quarter; rho0 = the mean of f where another label was shown, over the first half
 *                (for those few it errs less, and there are few of them).  Change the halves'
 *                places and count both together, and what was counted before at half its weight.
 *                (Theorem 5 with a set for the "perfect example"; ours.)
 *   mlp          A network learns q(x, k) = P(f = 1 | x, k shown), the label one-hot beside x.
 *                x_k: the example at the percentile 100 (1 - 1/(2K)) of q(., k) over all rounds; 1
 *                - rho1 = mean over k of q(x_k, k), rho0 = mean over k, l /= k of q(x_k, l)
 *                (Algorithm 3, eq. 6)
 *   mlp-authors  What the authors' program does instead: the label is one number 0 .. K-1 beside x,
 *                only pairs (x, label shown) are looked at, and for i = 0, 1 the pair at the 89th
 *                percentile of P(f = i) gives P(f = 1): rho0 for i = 0, 1 - rho1 for i = 1.  Fails
 *                when fewer than 11 % of the rounds are wrong.
 *
 * All three are clipped: rates >= 0, rho0 + rho1 <= 0.9 (both shrunk by one factor), so that beta
 * >= 0.1. */
#ifndef LEARNERS_BANDIT_NOISE_RATE_H
#define LEARNERS_BANDIT_NOISE_RATE_H

#include "common/base/error.h"
#include "common/data/problem.h"

#include <stdint.h>

enum noise_rate_estimator { NOISE_RATE_MARGIN, NOISE_RATE_MLP, NOISE_RATE_MLP_AUTHORS };
extern const char *const noise_rate_estimators[]; /* "margin", "mlp", "mlp-authors", NULL */

enum { NOISE_RATE_FEWEST = 20 /* rounds */ };
enum { NOISE_RATE_TABLES = 6 }; /* of K columns and d rows, that margin takes while it estimates */

/* The network of the two mlp estimators.  A model names its layers only, so what it can ask for is
 * bounded: 2^22 weights between hidden layers, 256 times those of the default, take 100 MB while
 * they are learnt. */
enum {
    NOISE_RATE_MOST_LAYERS = 8,
    NOISE_RATE_MOST_UNITS = 1 << 16,
    NOISE_RATE_MOST_WEIGHTS = 1 << 22
};
struct noise_rate_network {
    int64_t layers, hidden[NOISE_RATE_MOST_LAYERS]; /* units in each hidden layer */
    double dropout;                                 /* of the hidden layers, 0 <= dropout < 1 */
    int64_t epochs;
};

/* `128,128` -> layers and hidden.  0; 1: malformed, or out of range. */
int noise_rate_parse_layers(const char *text, struct noise_rate_network *network);

/* The reverse.  text: out. */
enum { NOISE_RATE_LAYERS_TEXT = 64 };
void noise_rate_layers_text(const struct noise_rate_network *network,
                            char text[NOISE_RATE_LAYERS_TEXT]);

struct noise_rates {
    double rho[2];
    double said[2][2]; /* of margin: answers f = 0, 1 when another label than the best was shown,
                          and when the best was */
};

/* Estimate the rates.
 *
 * rounds    label[i]: the class shown, 0 .. classes-1; feedback[i].f: the answer; examples of
 *           features 1 .. d and, perhaps, a bias with index 0; scaled to unit length, in place
 * network   for the mlp estimators
 * rates     in: those of the last estimate, all zero before the first; out
 * Same rates for any number of threads.  0, or -1 with err (memory; too few rounds to split: at
 * least 20). */
int noise_rate_estimate(enum noise_rate_estimator estimator, struct problem *rounds,
                        int64_t classes, const struct noise_rate_network *network, int64_t seed,
                        int threads, struct noise_rates *rates, struct error *err);

#endif
