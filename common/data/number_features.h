/* Number the features that occur in a data set anew. */
#ifndef COMMON_DATA_NUMBER_FEATURES_H
#define COMMON_DATA_NUMBER_FEATURES_H

#include "common/data/feature_numbers.h"
#include "common/data/problem.h"

/* problem->d becomes the number of features that occur, and its indices their numbers.  Where its
 * entries are on disk, it borrows *numbers for that.  Where all features up to d occur, or none, it
 * stays as it is and *numbers is empty.  The same on all ranks (reduce.h), which call this
 * together.
 *
 * numbers  out; free with feature_numbers_free
 * O(nnz + d / 64).  0, or -1; the problem is then unchanged. */
int number_features(struct problem *problem, struct feature_numbers *numbers, struct error *err);

#endif
