/* Noisy softmax: a right-or-wrong answer as a coin whose odds a softmax gives (ours; no 1/p
 * anywhere, so no K/gamma variance).
 *
 *   P(f = 1 | x, shown) = q = rho0 + beta pi_shown,  pi = softmax(W x),  beta = 1 - rho0 - rho1
 *   gradient of -log P(f) by w_k:   g = c ([k = shown] - pi_k) x,   c = (q - f) / max(q (1 - q),
 *   1e-6) beta pi_shown AdaGrad:  s += g^2,  w -= eta g / sqrt(s),  s starts at NSM_SQUARES
 *
 * Valid for any way of choosing the label to show; the probability p is not needed. */
#ifndef LEARNERS_BANDIT_NSM_H
#define LEARNERS_BANDIT_NSM_H

#include "common/data/example.h"
#include "common/linear/weights.h"

#define NSM_SQUARES 1e-2

/* One round.
 *
 * w, s     tables of the same shape; s made with the initial value NSM_SQUARES
 * sum      as in average.h, `before` rounds were before this one; without rows: nobody wants the
 *          mean
 * scores   in: those of x (weights_scores); used as room.  stride of w numbers
 * O(size stride). */
void nsm_learn(struct weights *w, struct weights *s, struct weights *sum, int64_t before,
               const struct example *x, double *scores, int64_t shown, int f, const double rho[2],
               double eta);

#endif
