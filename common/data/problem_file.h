/* A data set from a file or a pipe, read with several threads. */
#ifndef COMMON_DATA_PROBLEM_FILE_H
#define COMMON_DATA_PROBLEM_FILE_H

#include "common/data/problem.h"

enum { PROBLEM_TOO_LARGE = 1 };

/* Read a whole file, or a pipe ("-": standard input), with up to `threads` threads.
 *
 * most_bytes  > 0: stop with PROBLEM_TOO_LARGE as soon as the examples of a regular file are
 *             estimated to need more, or those read from a pipe need more or find no memory;
 *             0: no limit
 * problem     out, zero before; free with problem_free
 * Returns 0, -1 (err) or PROBLEM_TOO_LARGE.  The data are the same for any number of threads.
 *
 * Several ranks (reduce.h) read together, each its part: the examples are those of the part, which
 * may be none; the largest index, and where in the file a line is, are those of all of it.  What
 * one of them cannot read is the error of all, and none returns PROBLEM_TOO_LARGE. */
int problem_read(const char *path, const struct example_format *format, int threads,
                 double most_bytes, struct problem *problem, struct error *err);

/* The same for a caller that can do nothing with data that do not fit in memory_budget(): they are
 * an error.  0 or -1. */
int problem_hold(const char *path, const struct example_format *format, int threads,
                 struct problem *problem, struct error *err);

/* As problem_read, but the entries go to a temporary file in `folder` (problem_to_disk) as soon as
 * the data need more than most_bytes: those of a file by an estimate of the whole, those of a pipe
 * when arrays of twice the size would.  most_bytes = 0: from the start.  One chunk more may be
 * held. 0 or -1. */
int problem_read_to_disk(const char *path, const struct example_format *format, int threads,
                         double most_bytes, const char *folder, struct problem *problem,
                         struct error *err);

/* The distinct labels of a file and the number of its examples.  Features are looked at only where
 * bad lines are skipped (format->bad), whose labels do not count, and where there are fewer than
 * two labels: then a line that cannot be read is the error.
 *
 * labels  out, empty before, settled; free with labels_free; empty after an error
 * n       out; may be NULL
 * 0 or -1. */
int problem_scan(const char *path, const struct example_format *format, int threads,
                 struct labels *labels, int64_t *n, struct error *err);

#endif
