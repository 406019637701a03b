/* A line on the terminal that shows the progress of long work: phase, share done, how many of how
 * many items, items a second, time left.
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
    const char *phase;     /* of the run, "minimizing" (progress_phase); NULL: it has one only */
    double started, drawn; /* seconds of progress_clock; drawn is `started` before the first line */
    int64_t steps;         /* counted by progress_step, progress_step_expected */
    double first;          /* of progress_toward: the first value */
    int64_t most;          /* of progress_expect: steps of the phase, at most; 0: unknown */
    int64_t later; /* of these, those of later parts of the phase: for the caller to set; 0 when a
                      phase begins */
};

/* Nothing is drawn yet.  items: borrowed. */
struct progress progress_start(bool quiet, const char *items);

/* A new phase begins, of which the line now tells.  phase: borrowed. */
void progress_phase(struct progress *progress, const char *phase);

/* done: items so far; share: part of the whole in [0, 1], or < 0 when unknown; how many items there
 * are in all is reckoned from both.  Cheap enough for every few thousand items. */
void progress_update(struct progress *progress, int64_t done, double share);

/* For work whose number of items is unknown: it ends when `what` ("violation"), now at `value`, has
 * fallen to `stop`.  The share is that of its way down in logarithms, as solvers converge linearly,
 * roughly. */
void progress_toward(struct progress *progress, int64_t done, const char *what, double value,
                     double stop);

/* One more of `all` items is done; may be called on several threads at once. */
void progress_step(struct progress *progress, int64_t all);

/* At most `steps` more are to come in this part of the phase, which may end before: to be called
 * again when fewer are left.  progress: NULL: nothing is done; so below. */
void progress_expect(struct progress *progress, int64_t steps);

/* One more of them is done; may be called on several threads at once. */
void progress_step_expected(struct progress *progress);

/* Erase the line, so that something else can be printed; the next update draws it again. */
void progress_wipe(struct progress *progress);

double progress_clock(void); /* seconds, monotonic */

#endif
