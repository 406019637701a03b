/* The table of `suspects`: for each class its examples, how many of its labels are expected to be
 * wrong, and how many scores are below the threshold; with a warning and a note. */
#ifndef LEARNERS_SUSPECTS_SUSPECTS_TABLE_H
#define LEARNERS_SUSPECTS_SUSPECTS_TABLE_H

#include "common/base/findings.h"
#include "common/data/names.h"
#include "learners/suspects/suspects.h"

#include <stdbool.h>

struct suspects_table {
    const struct names *names; /* of labels; NULL: a table without them */
    bool cleans;               /* are suspects left out of the data that are written? */
    bool lists;                /* are they listed, no other number being asked for? */
};

/* Print and report the table.
 *
 * A warning:  with `cleans`, of a class of which less than a tenth of its estimated size is left.
 * A note:     with `lists`, if clearly more labels are expected to be wrong than are listed.
 * 0, or -1 (memory). */
int suspects_report_table(const struct suspects *s, const struct suspects_table *table,
                          const struct findings *to, struct error *err);

#endif
