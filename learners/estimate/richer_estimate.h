/* Examples changed so that a linear model may predict their labels better: random Fourier features,
 * or the lengths that they had, with a bias. */
#ifndef LEARNERS_ESTIMATE_RICHER_ESTIMATE_H
#define LEARNERS_ESTIMATE_RICHER_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* The estimate through options->features random features: from the matrix in e on or, where that is
 * doubtful, from nothing on, as it may be wrong altogether.  Nothing is tried where their gamma is
 * not finite, or where the bias is so large beside the lengths of the examples, more than 3.5e11
 * times their root mean square, that it would take their digits.  e: in; out, the likelier of the
 * two.  Lambda and steps stay those of the examples as they are, fitted through the new matrix.  0
 * or -1. */
int estimate_try_features(const struct labelled *data, const struct estimate_options *options,
                          struct estimate *e, struct error *err);

/* wants: out: are examples at their lengths to be tried?  Not where -l says what they are; where
 * the search is stopped early, as with text, unless their features are of many scales; or where
 * squares of these lengths might not be finite.  0 or -1. */
int estimate_wants_lengths(const struct estimate_options *options, const struct problem *problem,
                           bool *wants, struct error *err);

/* The examples at the lengths that they had, with a bias as large as their features, if softmax
 * regression of these is preferred by held-out labels (crossfit_prefers) to that of the examples as
 * they are; else empty.  Where the search is stopped early, features are brought to one scale: in
 * few steps the largest ones alone would be learnt.
 *
 * known     K x K: the matrix, where it is known; NULL: the labels are taken as right, since two
 *           estimates differ in what they explain by noise, too (measured: on 300 to 600 letters it
 *           is then the worse one that is likelier)
 * input     in: empty; out: lengthed, bias and scale
 * 0 or -1. */
int estimate_choose_lengths(const struct labelled *data, const double *known,
                            const struct estimate_options *options, struct estimate_input *input,
                            struct error *err);

/* The input of a sample becomes that of the problem it was drawn from, in memory or on disk.  0 or
 * -1. */
int estimate_lengthen_all(const struct problem *problem, struct estimate_input *input,
                          struct error *err);

/* Bytes that the choice takes, beside those of an estimate. */
double estimate_lengths_bytes(const struct problem *problem, int64_t classes);

#endif
