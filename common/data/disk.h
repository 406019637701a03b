/* Data that do not fit in memory.
 *
 * Their entries go to a temporary file while the text is read, from a file or a pipe, and are read
 * again in every pass; in memory there are 28 bytes for each example, 36 where lengths are kept.
 * Where the examples are then taken at their lengths (rows_lengthen), there is a second file, with
 * 12 bytes more for each example, and 24 bytes more in memory.  What is estimated from data in
 * memory is then estimated from a sample. */
#ifndef COMMON_DATA_DISK_H
#define COMMON_DATA_DISK_H

#include "common/data/problem.h"

#include <stdio.h>

enum { DISK_FOLDER = 4096 };

/* The folder for the entries: as given, else $TMPDIR, else that of the file `beside` (NULL: the
 * current one).  out: DISK_FOLDER bytes. */
void disk_choose_folder(const char *given, const char *beside, char *out);

/* Read the data and, if a folder is given, or where they take more than half of the memory, put
 * their entries into the folder `chosen`, which is that given if there is one.  Several ranks
 * (reduce.h) hold their parts in memory: what does not fit is refused.  0 or -1. */
int disk_read(const char *path, const struct example_format *format, int threads, const char *given,
              const char *chosen, struct problem *problem, struct error *err);

/* Read the data into memory for what needs them there, `option`.  0, or -1 with err: a usage error
 * where they do not fit. */
int disk_hold(const char *path, const struct example_format *format, int threads,
              const char *option, struct problem *problem, struct error *err);

/* Put the entries into the folder `chosen` if, together with `more` bytes, the data are more than
 * the memory allows; not on several ranks.  0 or -1. */
int disk_make_room(struct problem *problem, double more, const char *chosen, struct error *err);

/* "; 98.7 MB on disk in FOLDER, read again in every pass", or "" for data in memory. */
enum { DISK_TEXT = DISK_FOLDER + 96 };
const char *disk_text(const struct problem *problem, char out[DISK_TEXT]);

/* Say that `what` is estimated from `count` of n examples, unless that is all.  out: may be NULL.
 */
void disk_say_sample(FILE *out, const char *what, int64_t count, int64_t n);

#endif
