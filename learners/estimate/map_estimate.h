/* A classifier on features of an RBF kernel, through the matrix that was found without them or,
 * where that is doubtful, through one that is found with them; and the matrix anew by it. */
#ifndef LEARNERS_ESTIMATE_MAP_ESTIMATE_H
#define LEARNERS_ESTIMATE_MAP_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* Is a map to be tried?  By -t auto neither where the features are sparse and so many that fits
 * stop early, as a linear model does not misfit there (measured on r8, r52 and amazon_domain;
 * svm_estimate.h has what is tried instead), nor where the map would have one feature only. */
bool estimate_wants_map(const struct estimate_options *options, const struct problem *problem);

/* The number of features of the map, for n examples, and of that for kernel ridge regression. */
int64_t estimate_map_dims(const struct estimate_options *options, int64_t n);
int64_t estimate_ridge_dims(const struct estimate_options *options, int64_t n, int64_t classes);

/* The probabilities through a map, by the matrix in e or, where that is doubtful and was not given
 * (matrix_known), by one that is found through the map if that makes the labels likelier; then
 * those of kernel ridge regression, if its map is given or its decisions make the labels likelier;
 * by its scores a matrix that was not given is then estimated anew (scores_estimate.h).
 *
 * Softmax regression through a map is taken in place of a linear one only if it is better by
 * CROSSFIT_ERRORS standard errors: of few labels chance prefers either.
 *
 * e  in, out.  It gets the map (and e->input.mapped, unless options->matrix_only), and loses a
 *    lengthed input, where
 *
 *      -t rbf asks for the map;
 *      softmax regression through it makes the labels likelier; or
 *      kernel ridge regression is taken (options->ridge_map stays the caller's, and e without).
 *
 *    Else only e->ridge changes, which says what was tried
 * 0 or -1. */
int estimate_try_map(const struct labelled *data, bool matrix_known,
                     const struct estimate_options *options, struct estimate *e, struct error *err);

#endif
