/* The RBF kernel, its gamma and factors of the features, for labels that may be wrong: ridge
 * regression of the labels (one column for each class, 1 where the label is that class) on Nystrom
 * features, by the squared error of three folds.
 *
 *   error of fold f = sum v |t - W'phi|^2 = sum v - 2 tr W'R_f + tr W'G_f W
 *
 * with v the weights of the examples, and G, R and W of ridge_folds.h, so that no ridge costs a
 * pass over the examples.  Regression needs no confusion matrix: noise of the class changes what a
 * column predicts, not which kernel predicts it best. */
#ifndef LEARNERS_FEATURES_MAP_CHOICE_H
#define LEARNERS_FEATURES_MAP_CHOICE_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"

/* The kernel of a map: exp(-gamma sum_j (scale_j (u_j - v_j))^2). */
struct map_kernel {
    double gamma;
    const double *scale; /* factors of features 1 .. scales, borrowed; NULL: 1 */
    int64_t scales;
};

/* That of a map.  It lives as long. */
static inline struct map_kernel map_kernel_of(const struct feature_map *map)
{
    return (struct map_kernel){map->gamma, map->scale, map->scales};
}

/* The map of the kernel that is chosen.
 *
 *   gamma    the best of 1/2, 1, 2, 4, 8 and 16 times 1 / (2 sum_j var x_j), or a smoother one that
 * is nearly as good lengths  the examples as they are or, where the problem keeps the lengths that
 * they had, as they were; whichever is better for 2000 of them scales   of the features: none,
 * unless for these 2000 those by standard deviations or by relevances (relevance.h) have an error
 * less by a standard error, and more examples with the largest score for their class, by half a
 * standard error.  Relevances that are judged on a fold are those of the other folds.  Not where
 * landmarks are sparse
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

/* A prepared map of this kernel.  Returns the same. */
int map_of_kernel(const struct problem *problem, int64_t dims, struct map_kernel kernel,
                  int64_t seed, int threads, struct feature_map *map, struct error *err);

/* Bytes that map_choose takes at most. */
double map_choice_bytes(const struct problem *problem, int64_t classes);

#endif
