/* Rows of a square kernel matrix: all of them if they fit into memory, else a cache of those used
 * last.  The numbers are the same in both cases and for any number of threads (see kernel.h). */
#ifndef COMMON_KERNEL_KERNEL_ROWS_H
#define COMMON_KERNEL_KERNEL_ROWS_H

#include "common/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_rows;

/* Rows of k(x_i, x_j) over all n examples of the data.
 *
 * data   borrowed
 * bytes  the most that rows may take; two rows are always allowed
 * The whole matrix is computed here if it fits: O(n^2 d), on all threads.  NULL with err: no
 * memory, or a value is not finite.  Free with kernel_rows_free. */
struct kernel_rows *kernel_rows_new(const struct kernel *kernel, const struct kernel_data *data,
                                    double bytes, int threads, struct error *err);

/* The rows and columns of some of the examples: the matrix of a smaller problem.  Where the whole
 * matrix is there, they are read from it; several threads may then have a part each.  A cache lends
 * its memory: rows of fewer examples are shorter, so that more of them fit, and are computed
 * sooner.  It holds no row any more, and must not be asked for one, nor for another part, before
 * this one is freed.
 *
 * rows    no part itself; borrowed
 * sample  count places of examples, upwards; borrowed
 * NULL with err: no memory, or a value is not finite.  Free with kernel_rows_free. */
struct kernel_rows *kernel_rows_part(struct kernel_rows *rows, const int64_t *sample, int64_t count,
                                     struct error *err);

/* Row i: n numbers, valid until the next call but one.  NULL with err. */
const double *kernel_rows_get(struct kernel_rows *rows, int64_t i, struct error *err);

/* How many of `threads` may ask for rows at once: one, unless the whole matrix is there, as they
 * cannot share a cache, nor the two rows that a part of the whole matrix keeps; all where there are
 * none (NULL). */
int kernel_rows_threads(const struct kernel_rows *rows, int threads);

/* k(x_i, x_i): n numbers. */
const double *kernel_rows_diagonal(const struct kernel_rows *rows);

/* Do two examples prove that the kernel is not positive semidefinite: k(u,u) < 0, or k(u,v)^2 >
 * k(u,u) k(v,v)?  A cache, and a part of the whole matrix, are searched for the first only.  i, j:
 * out, u and v; the same where k(u,u) < 0.  O(n^2). */
bool kernel_rows_negative(const struct kernel_rows *rows, int64_t *i, int64_t *j);

/* Bytes that the rows of n examples take when at most `bytes` are allowed. */
double kernel_rows_bytes(int64_t n, double bytes);

/* NULL is fine. */
void kernel_rows_free(struct kernel_rows *rows);

#endif
