/* A = L L' for symmetric positive definite A, block of columns after block of columns (Golub and Van Loan, Matrix Computations, 4.2). */
#include "dense.h"

#include "parallel.h"
#include "vectors.h"

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
    double *a;                    /* the rows below the diagonal block, n apart */
    double upper[BLOCK * BLOCK];  /* the block's L', its rows together in memory */
};

/* X L' = A for some rows of X, each alone. */
WIDEST_VECTORS
static void solve_rows(void *context, int64_t task)
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

int dense_cholesky(int64_t n, double *a, int threads, struct error *err)
{
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t size = dense_least(BLOCK, n - first), next = first + size;
        double *block = a + first * n + first;
        if (factor_block(n, block, size) != 0)
            return DENSE_INDEFINITE;
        struct below s = {.n = n, .size = size, .rows = n - next, .a = a + next * n + first};
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j <= i; j++)
                s.upper[j * BLOCK + i] = block[i * n + j];
        parallel_for(s.rows < 4 * BLOCK ? 1 : threads, (s.rows + ROWS_A_TASK - 1) / ROWS_A_TASK, solve_rows, &s);
        /* Strips of rows up to the diagonal: little more than the lower triangle. */
        for (int64_t i = next; i < n; i += ROWS_AT_ONCE) {
            int64_t rows = dense_least(ROWS_AT_ONCE, n - i);
            struct dense_view left = {a + i * n + first, n, 1}, right = {a + next * n + first, 1, n};
            if (dense_add_product(rows, i - next + rows, size, -1, left, right, a + i * n + next, n, threads, err) != 0)
                return -1;
        }
    }
    return 0;
}

int dense_cholesky_solve(int64_t n, int64_t m, const double *l, double *b, int threads, struct error *err)
{
    if (dense_solve_triangular(n, m, (struct dense_view){l, n, 1}, true, false, b, m, threads, err) != 0)
        return -1;
    return dense_solve_triangular(n, m, (struct dense_view){l, 1, n}, false, false, b, m, threads, err);
}
