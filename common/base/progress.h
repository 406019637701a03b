/* A line on the terminal that tells how far long work is: share done, items a second, time left.
 *
 * Shown only when standard error is a terminal and the program is not quiet; drawn at most 10 times
 * a second; to be wiped before anything else is printed. */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;
    const char *items;     /* what is counted: "examples" */
    double started, drawn; /* seconds of progress_clock; drawn is `started` before the first line */
    int64_t steps;         /* counted by progress_step */
};

/* Nothing is drawn yet.  items: borrowed. */
struct progress progress_start(bool quiet, const char *items);

/* done: items so far; share: part of the whole in [0, 1], or < 0 when unknown.  Cheap enough for
 * every few thousand items. */
void progress_update(struct progress *progress, int64_t done, double share);

/* For work whose number of items is unknown: it ends when `what` ("violation"), now at `value`, has
 * fallen to `stop`. */
void progress_toward(struct progress *progress, int64_t done, const char *what, double value,
                     double stop);

/* One more of `all` items is done; may be called on several threads at once. */
void progress_step(struct progress *progress, int64_t all);

/* Erase the line, so that something else can be printed; the next update draws it again. */
void progress_wipe(struct progress *progress);

double progress_clock(void); /* seconds, monotonic */

#endif
