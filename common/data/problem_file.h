/* A data set from a file or a pipe, read by all threads. */
#ifndef COMMON_DATA_PROBLEM_FILE_H
#define COMMON_DATA_PROBLEM_FILE_H

#include "common/data/problem.h"

/* Read a whole file, or a pipe ("-": standard input), with up to `threads` threads.
 *
 * most_bytes  > 0: give up with PROBLEM_TOO_LARGE as soon as it is clear that the examples would
 *             need more (a regular file only)
 * problem     out, zero before; free with problem_free
 * Returns 0, -1 (err) or PROBLEM_TOO_LARGE.  Result independent of the number of threads. */
enum { PROBLEM_TOO_LARGE = 1 };
int problem_read(const char *path, const struct example_format *format, int threads,
                 double most_bytes, struct problem *problem, struct error *err);

/* The distinct labels of a file and the number of its examples, the features not looked at.
 * labels: out, empty before; n: out, may be NULL. */
int problem_scan(const char *path, const struct example_format *format, int threads,
                 struct labels *labels, int64_t *n, struct error *err);

#endif
