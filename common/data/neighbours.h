/* Are examples that stand next to each other alike, as frames of a film and moments of a series
 * are?
 *
 * Of up to NEIGHBOURS_ASKED examples, drawn at random, the next one in the file is compared with
 * NEIGHBOURS_OTHERS others of its label.  If the file is in no order the next one is the nearest of
 * these once in NEIGHBOURS_OTHERS + 1 times.  Others have the same label because files may be in
 * the order of their classes; pairs that are equal, as where several people have labelled each
 * line, say nothing. */
#ifndef COMMON_DATA_NEIGHBOURS_H
#define COMMON_DATA_NEIGHBOURS_H

#include "common/data/labelled.h"

enum { NEIGHBOURS_ASKED = 500, NEIGHBOURS_OTHERS = 19 };

struct neighbours {
    int64_t asked, nearest; /* pairs, and those in which the next one is the nearest */
};

/* data   in memory, on one rank
 * found  out
 * O(n + NEIGHBOURS_ASKED NEIGHBOURS_OTHERS nnz / n).  0 or -1 (memory). */
int neighbours_find(const struct labelled *data, int64_t seed, struct neighbours *found,
                    struct error *err);

/* More often than not, of a hundred pairs or more? */
bool neighbours_are_alike(const struct neighbours *found);

#endif
