/* How far an estimated confusion matrix can be trusted, class by class. */
#ifndef LEARNERS_FORWARD_RELIABILITY_H
#define LEARNERS_FORWARD_RELIABILITY_H

#include "learners/forward/em.h"

#include <stdbool.h>

/* The largest entry of column k but its diagonal: how likely the likeliest wrong label is. */
double reliability_rival(const double *c, int64_t K, int64_t k);

/* Standard errors of the noise rates 1 - c[k][k], from the Fisher information of the labels and the
 * prior about all rates together; the wrong labels of a column keep their proportions, and em->p is
 * taken as known.  share: K, of the true classes.  deviation: out, K; 1 where nothing is known.
 * O(n K^2).  0 or -1. */
int reliability_deviations(const struct em *em, const double *c, const double *share,
                           double *deviation, struct error *err);

/* Is the noise of class k not identifiable: is there a rival label within two standard errors of
 * the right one?  deviation: of the rate. */
bool reliability_is_rivalled(const double *c, int64_t K, int64_t k, double deviation);

#endif
