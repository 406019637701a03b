/* The confusion matrix of noisy labels by EM from given scores, those of any classifier: the search
 * of matrix_estimate.h without its fits.  Unlike there, the matrix is kept even where the identity
 * makes the labels likelier, and no classes are exchanged afterwards. */
#ifndef LEARNERS_ESTIMATE_SCORES_ESTIMATE_H
#define LEARNERS_ESTIMATE_SCORES_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* Estimate from scores.
 *
 * em        started (em_start) with folds 0 .. FOLDS_DEFAULT-1, for the choice of the prior, or
 *           without where the matrix is known; em->p: out, the probabilities that e belongs to
 * s         n x K: scores, the largest of each example 0
 * known     K x K: the matrix, where it is known; NULL: it is estimated
 * e         out, but for p, which stays NULL; free with estimate_free
 * progress  of rounds of EM; may be NULL
 * 0 or -1.  Measured where the matrix is not known: 540 to 900 steps of EM, and 62 to 80 passes
 * with n K exponentials. */
int estimate_from_scores(struct em *em, const double *s, const double *known, struct estimate *e,
                         struct progress *progress, struct error *err);

/* e->matrix anew by the scores of a better classifier, and e->share, misfit and unexplained with
 * it: EM from e->matrix.c on, then the prior.  em, s: as above.
 *
 * All stays as it was unless the matrix that EM ends with has less noise and makes the labels
 * likelier, both at their best temperatures, by two standard errors and 1e-3 in the mean.  Then
 * e->matrix.c goes towards it until that is not likelier by two standard errors, and
 * e->matrix.joint is by the scores that it ended with.  A better classifier shows which errors of
 * the one before were no noise; what it cannot fit itself would be added, and less sure
 * probabilities could take the place of noise.
 *
 * 0 or -1.  Measured: 500 to 600 steps of EM and 44 to 166 passes. */
int estimate_continue_from_scores(struct em *em, const double *s, struct estimate *e,
                                  struct error *err);

#endif
