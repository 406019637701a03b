/* Stratified folds for cross-validation. */
#ifndef COMMON_DATA_FOLDS_H
#define COMMON_DATA_FOLDS_H

#include "common/base/error.h"

#include <stdint.h>

/* fold[i] = 0 .. folds-1 for each of n examples of classes y[i] = 0 .. classes-1: in every fold
 * each class has its share, give or take one, and the folds' sizes differ by at most one.  Random
 * by seed.  2 <= folds <= n.  0 or -1 (memory, folds). */
int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err);

#endif
