/* A = L L' for symmetric positive definite A, block of columns after block of columns (Golub and
 * Van Loan, Matrix Computations, 4.2). */
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <math.h>

enum { BLOCK = 64, ROWS_A_TASK = 16, ROWS_AT_ONCE = 256 };

/* The diagonal block, size x size, its rows n apart. */
static int factor_block(int64_t n, double *a, int64_t size)
{
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = j; i < size; i++) {
            double sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i > j)
                a[i * n + j] = sum / a[j * n + j];
            else if (sum > 0 && isfinite(sum))
                a[j * n + j] = sqrt(sum);
            else
                return DENSE_INDEFINITE;
        }
    return 0;
}

struct below {
    int64_t n, size, rows;
    double *a;     /* the rows below the diagonal block, n apart */
    double *upper; /* BLOCK x BLOCK: the block's L', its rows together in memory */
};

/* X L' = A for some rows of X, each alone. */
WIDEST_VECTORS(void, solve_rows, (void *context, int64_t task), (context, task))
{
    const struct below *s = context;
    int64_t last = dense_least((task + 1) * ROWS_A_TASK, s->rows);
    for (int64_t i = task * ROWS_A_TASK; i < last; i++) {
        double *x = s->a + i * s->n;
        for (int64_t j = 0; j < s->size; j++) {
            const double *u = s->upper + j * BLOCK;
            x[j] /= u[j];
            for (int64_t k = j + 1; k < s->size; k++)
                x[k] -= x[j] * u[k];
        }
    }
}

/* Take X X' from what is below and to the right of the block, X the rows below it: in strips of
 * rows up to the diagonal, little more than the lower triangle. */
static int subtract_product(const struct below *s, int threads, struct error *err)
{
    const struct dense_view right = {s->a, 1, s->n};
    for (int64_t i = 0; i < s->rows; i += ROWS_AT_ONCE) {
        int64_t rows = dense_least(ROWS_AT_ONCE, s->rows - i);
        double *strip = s->a + i * s->n;
        if (dense_add_product(rows, i + rows, s->size, -1, (struct dense_view){strip, s->n, 1},
                              right, strip + s->size, s->n, threads, err)
            != 0)
            return -1;
    }
    return 0;
}

int dense_cholesky(int64_t n, double *a, int threads, struct error *err)
{
    struct below s = {.n = n, .upper = memory_new(BLOCK * BLOCK, sizeof *s.upper, err)};
    int status = s.upper ? 0 : -1;
    for (int64_t first = 0; status == 0 && first < n; first += BLOCK) {
        int64_t next = first + dense_least(BLOCK, n - first);
        double *block = a + first * n + first;
        s.size = next - first;
        s.rows = n - next;
        s.a = a + next * n + first;
        status = factor_block(n, block, s.size);
        if (status != 0)
            break;
        for (int64_t i = 0; i < s.size; i++)
            for (int64_t j = 0; j <= i; j++)
                s.upper[j * BLOCK + i] = block[i * n + j];
        parallel_for(s.rows < 4 * BLOCK ? 1 : threads, (s.rows + ROWS_A_TASK - 1) / ROWS_A_TASK,
                     solve_rows, &s);
        status = subtract_product(&s, threads, err);
    }
    memory_free(s.upper);
    return status;
}

int dense_cholesky_solve(int64_t n, int64_t m, const double *l, double *b, int threads,
                         struct error *err)
{
    if (dense_solve_triangular(n, m, (struct dense_view){l, n, 1}, true, false, b, m, threads, err)
        != 0)
        return -1;
    return dense_solve_triangular(n, m, (struct dense_view){l, 1, n}, false, false, b, m, threads,
                                  err);
}
