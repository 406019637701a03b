/* Groups of examples that belong together, as the frames of a film or all that was measured of one
 * patient do: from a file with the name of its group for each example, a line each in the order of
 * the data.
 *
 * Examples of one group are alike, and often share a wrong label.  A classifier that has learnt
 * from some of them is no judge of the others, so that folds have to keep them together (folds.h).
 */
#ifndef COMMON_DATA_GROUPS_H
#define COMMON_DATA_GROUPS_H

#include "common/base/findings.h"
#include "common/data/folds.h"

/* Those of n examples.
 *
 * path   "-": standard input
 * group  out: n numbers, of which those of two examples are the same where the names are: a hash of
 *        64 bits.  Free with memory_free, also after an error
 * O(n).  0, or -1 with FILE:LINE:COL. */
int groups_read(const char *path, int64_t n, uint64_t **group, struct error *err);

/* The place of the first example of each one's group.
 *
 * group  n
 * first  out: n; free with memory_free, also after an error
 * O(n log n).  0, or -1 with err: memory, or fewer groups than `folds`.  path: of the groups, for
 * the message. */
int groups_first(const uint64_t *group, int64_t n, int64_t folds, const char *path, int64_t **first,
                 struct error *err);

/* A note of the classes that have a group with more than half of their examples, as folds do not
 * keep these together (folds.h).  0 or -1 (memory). */
int groups_note_large(const struct fold_examples *examples, const struct labels *labels,
                      const struct findings *to, struct error *err);

#endif
