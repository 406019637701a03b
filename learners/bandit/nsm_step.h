/* Noisy softmax (nsm_step.c): a step by the likelihood of noisy feedback.  The bandit rule `nsm`,
 * and what the margin estimator of noise rates fits. */
#ifndef LEARNERS_BANDIT_NSM_STEP_H
#define LEARNERS_BANDIT_NSM_STEP_H

#include "common/data/example.h"
#include "common/linear/weights.h"

/* Initial value of the sums of squares, which bounds the first steps.  No reason but that it works.
 */
#define NSM_SQUARES 1e-2

/* One round.
 *
 * w, s     tables of the same shape; s made with the initial value NSM_SQUARES
 * sum      as in average.h, `before` rounds were before this one; without rows: nobody wants the
 *          mean
 * scores   in: those of x (weights_scores); overwritten.  stride of w numbers
 * f        feedback to the label shown
 * rho      rho0, rho1
 * O(size stride). */
void nsm_learn(struct weights *w, struct weights *s, struct weights *sum, int64_t before,
               const struct example *x, double *scores, int64_t shown, int f, const double rho[2],
               double eta);

#endif
