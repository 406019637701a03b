/* The kernel matrix of both estimates: rows for a task that has none, and the Cholesky factor of a
 * part of it, with a ridge. */
#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/musvm/span_bound_state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the mean diagonal; without it, duplicates among SV1, or more of them than features of a linear
 * kernel, leave G singular.  d_t is then near its limit, 0.  No reason for the number but that it
 * works. */
static const double span_bound_ridge = 1e-10;

int span_bound_check_memory(double numbers, struct error *err)
{
    return memory_check(8 * numbers, "the leave-one-out error", err);
}

int span_bound_find_rows(const struct musvm_task *task, int threads, struct musvm_task *with,
                         struct span_bound_rows *own, struct error *err)
{
    const struct kernel linear = {.type = KERNEL_LINEAR};
    const double N = (double)(task->n + task->m);
    *own = (struct span_bound_rows){.rows = NULL};
    *with = *task;
    if (task->rows)
        return 0;
    if (memory_check(8 * N * N, "the kernel matrix for the leave-one-out error", err) != 0
        || kernel_data_make(task->samples, NULL, &own->data, err) != 0
        || !(own->rows = kernel_rows_new(&linear, &own->data, 8 * N * N, threads, err)))
        return -1;
    with->rows = own->rows;
    return 0;
}

void span_bound_free_rows(struct span_bound_rows *own)
{
    kernel_rows_free(own->rows);
    kernel_data_free(&own->data);
}

int span_bound_factor(int64_t n, const double *a, double *l, int threads, struct error *err)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += a[i * n + i] / (double)n;
    double ridge = span_bound_ridge * (mean > 0 ? mean : 1);
    for (ridge = ridge > DBL_MIN ? ridge : DBL_MIN; isfinite(ridge); ridge *= 10) {
        memcpy(l, a, (size_t)(n * n) * sizeof *l);
        for (int64_t i = 0; i < n; i++)
            l[i * n + i] += ridge;
        int status = dense_cholesky(n, l, threads, err);
        if (status != DENSE_INDEFINITE)
            return status;
    }
    return error_set(
        err, "the kernel matrix has no inverse in double precision: the values are too large");
}
