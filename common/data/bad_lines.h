/* Lines of data that cannot be read, where a run may skip some of them (--skip-bad). */
#ifndef COMMON_DATA_BAD_LINES_H
#define COMMON_DATA_BAD_LINES_H

#include "common/base/error.h"
#include "common/data/labels.h"

#include <stdint.h>

struct bad_lines {
    int64_t most;                /* how many of an input may be skipped; one more is an error */
    const struct labels *labels; /* a label outside makes a line bad, too; NULL: none does */
    void (*tell)(void *context, const struct error *why); /* of each line that is skipped, once */
    void *context;

    char file[256];   /* the input that was read last */
    int64_t skipped;  /* in its reading, so far */
    int64_t told;     /* the last line that was told of: an input may be read several times */
    int64_t all_told; /* lines, of all inputs */
};

/* An input is opened, perhaps again.  bad: may be NULL. */
void bad_lines_open(struct bad_lines *bad, const char *file);

/* The next bad line of the input: skip it, 0; or, where no more may be skipped, -1 with `why`,
 * which then says how many were.  bad: may be NULL. */
int bad_lines_skip(struct bad_lines *bad, struct error *why);

#endif
