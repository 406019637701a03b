/* The RBF kernel, its gamma and factors of the features, for labels that may be wrong: by the
 * squared error of ridge regression on held-out folds (kernel_trial.h). */
#ifndef LEARNERS_FEATURES_MAP_CHOICE_H
#define LEARNERS_FEATURES_MAP_CHOICE_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"

/* The map of the kernel that is chosen.
 *
 * - Gamma: the best of 1/2, 1, 2, 4, 8 and 16 times 1 / (2 sum_j var x_j), or a smoother one that
 *   is nearly as good.
 * - Lengths: the examples as they are or, where the problem keeps the lengths that they had, as
 *   they were; whichever is better for 2000 of them.
 * - Scales of the features: none, unless for these 2000 those by standard deviations or by
 *   relevances (relevance.h) have an error less by a standard error, and more examples with the
 *   largest score for their class, by half a standard error.  Relevances that are judged on a fold
 *   are those of the other folds.  Not where landmarks are sparse.
 *
 * y      n: classes, 0 .. classes-1
 * weight n: of the examples; NULL: 1
 * dims   of the map; the choice is made with at most 500 of them
 * map    out: fitted and prepared; free with feature_map_free
 * raw    in: empty; out: all examples as they were, if the map is of these, else empty; free with
 *        problem_free, also after an error
 * O(n D (d + D)) for each gamma, and O(500 K D d) for each of 4 relevances.  0, FEATURE_MAP_UNFIT,
 * or -1 with err: memory. */
int map_choose(const struct problem *problem, const int32_t *y, const double *weight,
               int64_t classes, int64_t dims, int64_t seed, int threads, struct feature_map *map,
               struct problem *raw, struct error *err);

/* Bytes that map_choose takes at most. */
double map_choice_bytes(const struct problem *problem, int64_t classes);

#endif
