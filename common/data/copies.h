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
 * y        problem->n: the classes of the labels
 * first    out, of all n examples: the place of the first example with the same features and
 *          label, its own where no earlier one has them or there are no features; to be freed with
 *          memory_free.  NULL: none is repeated, or too many of those that are differ in
 *          their labels
 *
 * Features are the same where a hash of 64 bits is, of those that are not 0, rounded to 40 bits.
 * O(n log n + nnz).  0 or -1. */
int copies_find(const struct problem *problem, const int32_t *y, int64_t **first,
                struct error *err);

/* What folds keep together: groups (groups.h), or copies where there are none.
 *
 * groups  n, of each example the first of its group; NULL: none are given
 * copies  out: as `first` above, also to be freed where it is NULL
 * first   out: the one of the two
 * 0 or -1. */
int copies_unless_groups(const int64_t *groups, const struct problem *problem, const int32_t *y,
                         int64_t **copies, const int64_t **first, struct error *err);

/* The same among m of the n examples that `first` is of, without looking for copies again.  first:
 * n, or NULL; example: m, ascending; among: out, m, or NULL as `first` is; to be freed with
 * memory_free, also after an error.  O(n).  0 or -1. */
int copies_among(const int64_t *first, int64_t n, const int64_t *example, int64_t m,
                 int64_t **among, struct error *err);

/* Bytes that looking for them takes for a time. */
double copies_bytes(int64_t n);

#endif
