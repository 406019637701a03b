/* Are the features of one scale?
 *
 * The size of a feature is the root mean square of its values that are not 0.  Where one is far
 * larger than the others, kernels and penalties see hardly anything else. */
#ifndef COMMON_DATA_FEATURE_SIZES_H
#define COMMON_DATA_FEATURE_SIZES_H

#include "common/data/problem.h"

/* Of the examples in memory: the feature that is the largest, and how many times the size of the
 * median feature it has.  Features without a value do not count, nor does the bias.  *ratio = 0:
 * nothing is known: of no feature, of data on disk, where a feature has fewer than four values in
 * the mean, so that 24 d bytes are at most half of the data's, and where these are not to be had.
 * O(nnz + d log d). */
void feature_sizes_compare(const struct problem *problem, int32_t *largest, double *ratio);

#endif
