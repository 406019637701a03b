/* Stratified folds for cross-validation. */
#ifndef COMMON_DATA_FOLDS_H
#define COMMON_DATA_FOLDS_H

#include "common/base/error.h"

#include <stdint.h>

/* Assign each of n examples to a fold, at random by seed: each fold has its share of each class,
 * give or take one example, and the sizes of the folds differ by at most one.
 *
 * y      n: classes, 0 .. classes-1
 * folds  2 .. n
 * fold   out, n: 0 .. folds-1
 * 0, or -1 with err (memory, folds).  O(n). */
int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err);

#endif
