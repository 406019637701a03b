/* Starting points of EM for the confusion matrix, from the probabilities of the true classes.
 *
 *   confident joint  (Northcutt, Jiang and Chuang 2021)  an example counts for the likeliest of the
 *                    classes whose p is at least the mean p of that class among the examples
 *                    labelled with it: J[y][t] += 1; then the prior, and columns normalised.  It
 *                    inherits the errors of the classifier.
 *   even noise       all wrong labels equally likely; the noise rate is the share of examples whose
 *                    label is not the likeliest class.  It has no structure.
 *   anchors          (Patrini et al. 2017)  the column of a class: the labels of the fifth of its
 *                    examples with the largest p, and the prior.  It does not depend on a previous
 *                    matrix, so it can lead away from a wrong one. */
#ifndef LEARNERS_NOISE_START_H
#define LEARNERS_NOISE_START_H

#include "learners/noise/em.h"

/* Each sets c, K x K numbers of the caller. */

/* From em->p and em->prior.  O(n K).  0, or -1 with err (memory). */
int start_confident_joint(const struct em *em, double *c, struct error *err);

/* From em->p, without a prior.  O(n K). */
void start_even_noise(const struct em *em, double *c);

/* From em->p and em->prior.  O(K n log n).  0, or -1 with err (memory). */
int start_anchors(const struct em *em, double *c, struct error *err);

/* No label is wrong. */
void start_identity(double *c, int64_t K);

#endif
