/* The RBF kernel, its gamma and how it looks at the features, for labels that may be wrong: by the
 * squared error of ridge regression on held-out folds (kernel_trial.h). */
#ifndef LEARNERS_FEATURES_MAP_CHOICE_H
#define LEARNERS_FEATURES_MAP_CHOICE_H

#include "learners/features/kernel_trial.h"

/* The map of the kernel that is chosen.
 *
 * - Gamma: the best of 1/2, 1, 2, 4, 8 and 16 times 1 / (2 sum_j var x_j), or a smoother one that
 *   is nearly as good.
 * - Lengths: the examples as they are or, where the problem keeps the lengths that they had, as
 *   they were; whichever is better for 2000 of them or, if that is not by three standard errors,
 *   for all.  If there are no more, the other lengths have to be better by these three, with
 *   scales.
 * - Scales of the features: none, unless scales by standard deviations or by relevances
 *   (relevance.h) do better on these 2000: a squared error that is less by a standard error, and
 *   fewer examples whose class has not the largest score, by half of one.  A fold is judged with
 *   relevances that were found on the other folds.  None where landmarks are sparse.
 * - A metric by products of derivatives (relevance.h), in place of the scales, if it does better on
 *   all examples: less by a standard error each, judged in the same way.  None where it has more
 *   numbers than there are examples.
 *
 * examples  n of them
 * dims      of the map, 1 .. n; the choice is made with at most 500 of them
 * map       out: fitted and prepared; free with feature_map_free
 * lengthed  in: empty; out: all examples as they were, if the map is of these, else empty; free
 *           with problem_free, also after an error
 * For each gamma O(n D (d + D + K)), three times that with relevances or a metric; O(500 K d (D +
 * d)) for each of 4 of these.  0, FEATURE_MAP_UNFIT, or -1 with err: memory. */
int map_choose(const struct trial_examples *examples, int64_t dims, int64_t seed, int threads,
               struct feature_map *map, struct problem *lengthed, struct error *err);

/* Bytes that map_choose takes at most on one thread: what is decided by them must not depend on the
 * threads. */
double map_choice_bytes(const struct problem *problem, int64_t classes);

#endif
