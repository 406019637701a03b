/* A file that appears whole or not at all, and output whose every write is checked.
 *
 * A regular target is written to a temporary file in its folder (.libdoubt-PID-N.tmp), synchronised
 * with the disk, and renamed over the target by output_commit: a program that fails or is killed
 * leaves the old file or none, and one that ends by a signal removes its unfinished files.  A file
 * that is protected against writing is refused.  A pipe, a device or "-" (standard output) is
 * written directly.  Of several ranks (reduce.h) only the first writes; what the others write goes
 * nowhere.
 *
 *     output_open; output_write, output_text ...; output_commit, or output_abandon at any point */
#ifndef COMMON_BASE_OUTPUT_H
#define COMMON_BASE_OUTPUT_H

#include "common/base/error.h"

#include <stdint.h>

enum { OUTPUT_BUFFER = 256 * 1024 }; /* bytes; no reason but that it works */

struct output {
    char *path, *temporary;  /* of a regular target, else NULL */
    const char *name;        /* for messages */
    char *buffer;            /* OUTPUT_BUFFER bytes */
    int64_t used;            /* of the buffer */
    _Atomic int *registered; /* the file's slot among those that a signal removes, or NULL */
    int fd;
    int failed; /* errno of the first failed write; later writes do nothing */
};

/* Open a target.  0, or -1 with err and nothing left behind. */
int output_open(struct output *out, const char *path, struct error *err);

/* The name for messages: the path, or "<stdout>". */
const char *output_name(const char *path);

/* Can this path be written?  To find out before long work; nothing is left behind.  0 or -1. */
int output_check(const char *path, struct error *err);

/* Write bytes, or a text of at most 511 characters.  A failure is reported by output_flush and
 * output_commit. */
void output_write(struct output *out, const char *bytes, int64_t size);
void output_text(struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write line[0 .. size), a line of data, with its label replaced and every other byte unchanged. */
void output_relabelled(struct output *out, const char *line, int64_t size, int32_t label);

/* Pass what was written to the system.  0, or -1 with err. */
int output_flush(struct output *out, struct error *err);

/* Wait until what was written to fd is on the disk; returns at once where there is no disk (a pipe,
 * say).  0, or -1 with errno. */
int output_sync(int fd);

/* Flush, wait for the disk, close and rename: even a power failure leaves the old file or the new
 * one.  0, or -1 with err and nothing left behind.  Frees out in both cases. */
int output_commit(struct output *out, struct error *err);

/* Close and remove: the target stays as it was.  A no-op on a zeroed or committed output. */
void output_abandon(struct output *out);

/* Remove the temporary files of all open outputs: for the handler of a signal that ends the
 * program, and safe in one. */
void output_remove_unfinished(void);

#endif
