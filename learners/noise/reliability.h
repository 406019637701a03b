/* How far an estimated confusion matrix can be trusted, class by class. */
#ifndef LEARNERS_NOISE_RELIABILITY_H
#define LEARNERS_NOISE_RELIABILITY_H

#include "learners/noise/em.h"

#include <stdbool.h>

/* The largest off-diagonal entry of column k: the probability of the likeliest wrong label. */
double reliability_rival(const double *c, int64_t K, int64_t k);

/* Standard errors of the noise rates 1 - c[k][k], from the joint Fisher information of all rates in
 * labels and prior; the proportions among the wrong labels of a column, and em->p, are taken as
 * known.  share: K, of the true classes.  standard_error: out, K; 1 where nothing is known.
 * O(n K + K^3) where few classes compete for an example, at most O(n K^2 + K^3).  0 or -1. */
int reliability_standard_errors(const struct em *em, const double *c, const double *share,
                                double *standard_error, struct error *err);

/* Is the noise of class k not identifiable, that is: is a rival label within two standard errors of
 * the right one?  standard_error: of the noise rate. */
bool reliability_is_rivalled(const double *c, int64_t K, int64_t k, double standard_error);

#endif
