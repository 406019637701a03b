/* How large are the features, and are they of one scale? */
#ifndef COMMON_DATA_FEATURE_SIZES_H
#define COMMON_DATA_FEATURE_SIZES_H

#include "common/data/problem.h"

/* Times the size of the median feature that the largest may have for all to be of one scale.
 * Measured: at most 6 on 17 sets, raw or scaled; 47, 313 and 4370 on three (glass, wine and breast
 * cancer of UCI) of which arow-train gets 6 to 28 points more where they are scaled. */
enum { FEATURE_SIZES_ONE_SCALE = 20 };

/* The size of a feature is the root mean square of its values that are not 0.  Where one is far
 * larger than the others, kernels and penalties see hardly anything else.
 *
 * Of the examples in memory: the feature that is the largest, and how many times the size of the
 * median feature it has.  Features without a value do not count, nor does the bias.  *ratio = 0
 * where it is not known: no feature has a value; the data are on disk; there are fewer than four
 * values a feature on average, so that the workspace, 24 d bytes, would be more than half of the
 * data's.  O(nnz + d log d).  0, or -1: memory; nothing is known then either. */
int feature_sizes_compare(const struct problem *problem, int32_t *largest, double *ratio,
                          struct error *err);

/* What each feature is to be multiplied by to have the size 1: 1 over its size.  Where that would
 * not be finite, as of a feature without a value, the least of all and of 1: other examples may
 * have large values there.  scale: out, d.  O(nnz), 24 d bytes.  0 or -1. */
int feature_sizes_scale(const struct problem *problem, double *scale, struct error *err);

/* The spread of the features: the sum of their variances, none of which counts for more than ten
 * times the median one.  Constant features, those whose squares are not finite, and the bias do not
 * count.  Of the examples in memory, on all ranks.
 *
 * weight  n: of this rank's examples; NULL: 1
 * spread  out; 0: no feature varies
 * O(nnz + d log d), 16 d bytes.  0 or -1. */
int feature_sizes_spread(const struct problem *problem, const double *weight, double *spread,
                         struct error *err);

/* The decades by which the spread is above 1, rounded; 0 where it is less or not finite. */
int feature_sizes_decades(const struct problem *problem, const double *weight, int64_t *decades,
                          struct error *err);

/* The decades, rounded, by which the variance of the examples (the sum of those of all features) is
 * below the mean square of their lengths, the bias apart: how little of the lengths is not what all
 * have in common.  As above; 0 where the variance is nothing but rounding, or the data are on disk.
 */
int feature_sizes_in_common(const struct problem *problem, const double *weight, int64_t *decades,
                            struct error *err);

#endif
