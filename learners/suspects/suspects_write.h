/* What `suspects` writes: the list, the data without the suspects or with other labels, or the
 * score of every example.  A write that fails is found by output_commit. */
#ifndef LEARNERS_SUSPECTS_SUSPECTS_WRITE_H
#define LEARNERS_SUSPECTS_SUSPECTS_WRITE_H

#include "common/base/output.h"
#include "common/data/names.h"
#include "learners/suspects/suspects.h"

#include <stdbool.h>

/* Lines `line given suggested score`, the most suspicious first.
 *
 * count  so many lines; < 0: those of the suspects
 * name   K: of each class; NULL: labels are written as numbers */
void suspects_write_list(const struct suspects *s, int64_t count, const struct name *const *name,
                         struct output *out);

/* A line with the score of each example, in the order of the data.  Sorts the list by line. */
void suspects_write_weights(struct suspects *s, struct output *out);

/* Read the data again and write them without the suspects, or, with `relabel`, with the suggested
 * labels of these.  path: a file.  On several ranks the first writes.  Sorts the list
 * by line.  0, or -1 with err. */
int suspects_write_data(struct suspects *s, const char *path, bool relabel, struct output *out,
                        struct error *err);

#endif
