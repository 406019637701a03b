/* The estimate of the matrix from the features that the examples have.
 *
 * The matrix is searched for (matrix_search.h) with a first lambda; through it lambda is chosen,
 * and where the search for the weights is stopped early the number of its steps (crossfit.h).  EM
 * then goes on from the matrix with the scores of that lambda, and the prior is chosen by held-out
 * likelihood: it is strong where all classes have similar noise (em_prior.h). */
#ifndef LEARNERS_ESTIMATE_MATRIX_ESTIMATE_H
#define LEARNERS_ESTIMATE_MATRIX_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* What is given of the matrix when an estimate begins. */
enum estimate_given {
    ESTIMATE_NOTHING, /* it is searched for (matrix_find) */
    ESTIMATE_START,   /* where a single climb starts (matrix_improve) */
    ESTIMATE_MATRIX   /* the matrix itself, which stays */
};

/* Shares of the classes, what is known of their noise, and how well.  has_joint: e->matrix.joint
 * has been found.  0 or -1. */
int estimate_summarise(const struct em *em, bool has_joint, struct estimate *e, struct error *err);

/* The estimate from the features of the examples.
 *
 * c  K x K: what is given; NULL: nothing
 * e  out, without a map; empty on failure.  From ESTIMATE_START by_chance is false and not tested:
 *    the estimate that the start comes from was not by chance
 * 0 or -1. */
int estimate_make(const struct labelled *data, const double *c, enum estimate_given given,
                  const struct crossfit_options *options, struct estimate *e, struct error *err);

#endif
