/* The table of `suspects`: for each class its examples, how many of its labels are expected to be
 * wrong, and how many scores are below the threshold; with a warning and a note. */
#ifndef LEARNERS_FORWARD_SUSPECTS_TABLE_H
#define LEARNERS_FORWARD_SUSPECTS_TABLE_H

#include "common/base/report.h"
#include "common/data/names.h"
#include "learners/forward/suspects.h"

#include <stdbool.h>
#include <stdio.h>

struct suspects_table {
    FILE *out;                 /* NULL: no table */
    const struct names *names; /* of labels; NULL: a table without them */
    struct report *found;
    bool cleans; /* are suspects left out of the data that are written? */
    bool lists;  /* are they listed, no other number being asked for? */

    /* Called for each warning, and for the note, with context. */
    void (*warn)(void *context, const char *text);
    void (*note)(void *context, const char *text);
    void *context;
};

/* Print and report the table.
 *
 * A warning:  with `cleans`, of a class of which less than a tenth of its estimated size is left.
 * A note:     with `lists`, if clearly more labels are expected to be wrong than are listed.
 * 0, or -1 (memory). */
int suspects_print_table(const struct suspects *s, const struct suspects_table *to,
                         struct error *err);

#endif
