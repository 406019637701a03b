/* How much less examples tell that are in groups (folds.h).
 *
 *   e_i   1 or 0, whether the label is the class with the largest p, less the probability of that
 *         (calibration.h), times the weight of the example
 *
 *   sum over groups (sum of their e_i)^2 / sum e_i^2,  at least 1
 *
 * is the design effect (Kish 1965): how many times the variance of a sum over the examples is what
 * it would be if all were drawn one by one.  It is 1 where labels of a group are wrong
 * independently of each other, and m where m copies are wrong together. */
#ifndef LEARNERS_NOISE_DESIGN_EFFECT_H
#define LEARNERS_NOISE_DESIGN_EFFECT_H

#include "learners/noise/em.h"

/* By em->p and em->first; 1 without groups.  c: K x K; effect: out.  O(n K).  0 or -1 (memory). */
int design_effect_find(const struct em *em, const double *c, double *effect, struct error *err);

#endif
