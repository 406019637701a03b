/* Rows of a square kernel matrix: the whole of it when it fits, else the rows used last, computed
 * when they are asked for.  The numbers do not depend on which, nor on the number of threads (see
 * kernel.h). */
#ifndef COMMON_KERNEL_KERNEL_ROWS_H
#define COMMON_KERNEL_KERNEL_ROWS_H

#include "common/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_rows;

/* Rows of k(x_i, x_j) over all n examples of the data, which is borrowed.
 *
 * bytes  at most this much for rows, but always room for two
 * The whole matrix is computed at once when it fits: O(n^2 d), on all threads.  NULL with err:
 * memory, or a value that is not finite. */
struct kernel_rows *kernel_rows_new(const struct kernel *kernel, const struct kernel_data *data,
                                    double bytes, int threads, struct error *err);

/* Row i: n numbers, valid until the next call but one.  NULL with err. */
const double *kernel_rows_get(struct kernel_rows *rows, int64_t i, struct error *err);

/* Are all rows there?  Then rows may be asked for on several threads. */
bool kernel_rows_whole(const struct kernel_rows *rows);

/* k(x_i, x_i): n numbers. */
const double *kernel_rows_diagonal(const struct kernel_rows *rows);

/* Do two examples show that the kernel is not positive, k(u,u) < 0 or k(u,v)^2 > k(u,u) k(v,v)?
 * Only the first is looked for where not all rows are there.  i, j: out, which.  O(n^2). */
bool kernel_rows_negative(const struct kernel_rows *rows, int64_t *i, int64_t *j);

/* Bytes for n examples when at most `bytes` are allowed. */
double kernel_rows_bytes(int64_t n, double bytes);

void kernel_rows_free(struct kernel_rows *rows);

#endif
