/* Examples that repeat others, labels included: a rare class that was copied to balance a file, or
 * lines that several sources have.  A classifier that has learnt from one copy is no judge of
 * another one's label, so that folds have to keep them together (folds.h).
 *
 * Where labels of equal features often differ, each was probably given anew, as where features take
 * few values: one says something of the other, and there are no copies in this sense.  Nothing
 * tells these cases apart where few labels are wrong. */
#ifndef COMMON_DATA_COPIES_H
#define COMMON_DATA_COPIES_H

#include "common/data/problem.h"

/* Which example each one repeats.
 *
 * problem  in memory or on disk; with several ranks (reduce.h) all of them call this, each with its
 *          part
 * example  m: which of the problem, ascending (on one rank); NULL: all
 * y        m: the classes of the labels, with several ranks those of all
 * m        examples, with several ranks of all
 * first    out, m: the place of the first example with the same features and label; its own where
 *          no earlier one has them, there are no features, or too many labels in the file differ
 * count    out: how many have the place of another
 * Features are the same where a hash of 64 bits, of those that are not 0, is.  O(m log m + nnz).
 * 0 or -1. */
int copies_find(const struct problem *problem, const int64_t *example, const int32_t *y, int64_t m,
                int64_t *first, int64_t *count, struct error *err);

/* Bytes that this takes for a time. */
double copies_bytes(int64_t m);

#endif
