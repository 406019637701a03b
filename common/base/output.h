/* A file that appears whole or not at all, and output whose every write is checked.
 *
 * A regular target is written to a temporary file beside it (.libdoubt-PID-N.tmp), checked, and
 * renamed over it by output_commit: a failed or killed program leaves the old file or none, and one
 * that a signal ends removes what is unfinished.  A pipe, a device or "-" (standard output) is
 * written directly. */
#ifndef COMMON_BASE_OUTPUT_H
#define COMMON_BASE_OUTPUT_H

#include "common/base/error.h"

#include <stdint.h>

struct output {
    char *path, *temporary; /* temporary: NULL when written directly */
    const char *name;       /* for messages */
    char *buffer;
    int64_t used;
    _Atomic int *registered; /* with the files that a signal removes; NULL: not one of them */
    int fd;
    int failed; /* errno of the first failed write; later writes do nothing */
};

enum { OUTPUT_BUFFER = 256 * 1024 };

/* 0 or -1. */
int output_open(struct output *out, const char *path, struct error *err);

/* Can this path be written?  Found out before long work, and nothing is left behind.  0 or -1. */
int output_check(const char *path, struct error *err);

/* Errors are kept and reported by output_flush and output_commit. */
void output_write(struct output *out, const char *bytes, int64_t size);
void output_text(struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of data, `size` bytes, with another label in front; everything else as it is. */
void output_relabelled(struct output *out, const char *line, int64_t size, int32_t label);

/* Hand what was written to the system. */
int output_flush(struct output *out, struct error *err);

/* Wait until what was written to fd is on the disk; what has none, a pipe say, needs no waiting.
 * 0, or -1 with errno. */
int output_sync(int fd);

/* Flush, wait for the disk, close and rename: also a power cut leaves the old file or the new one.
 * 0, or -1 with err; nothing is left behind then.  Frees out in both cases. */
int output_commit(struct output *out, struct error *err);

/* Remove the temporary files of all outputs that are open: for a signal handler that ends the
 * program.  Safe in one. */
void output_remove_unfinished(void);

/* Close and remove: the target stays as it was.  A no-op on a zeroed or committed output. */
void output_abandon(struct output *out);

#endif
