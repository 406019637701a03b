/* A = L L' for symmetric positive definite A, a block of columns at a time (Golub and Van Loan,
 * Matrix Computations, 4.2).
 *
 * For each block: factor its diagonal part by plain loops, solve X L' = A for the rows below it,
 * and subtract X X' from the rest of the lower triangle.  The last step is a product, and holds
 * nearly all operations. */
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>

/* Columns of a block; rows of a task of cholesky_solve_rows.  No reason but that they work. */
enum { BLOCK = 64, ROWS_A_TASK = 16 };

/* Replace the lower triangle of the diagonal block, size x size, its rows n apart, by its L.  0 or
 * DENSE_INDEFINITE. */
static int cholesky_factor_block(int64_t n, double *a, int64_t size)
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

/* The rows below a diagonal block of `size` columns. */
struct cholesky_below {
    int64_t n, size, rows;
    double *a;     /* rows x size, the rows n apart */
    double *upper; /* BLOCK x BLOCK: L' of the block, so that its rows are contiguous */
};

/* X L' = A for the rows of a task, each on its own: A becomes X. */
WIDEST_VECTORS(void, cholesky_solve_rows, (void *context, int64_t task), (context, task))
{
    const struct cholesky_below *s = context;
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

/* Subtract X X' from what is below and to the right of the block, X being the rows below it.  0 or
 * -1. */
static int cholesky_subtract_product(const struct cholesky_below *s, int threads, struct error *err)
{
    const struct dense_view left = {s->a, s->n, 1}, right = {s->a, 1, s->n};
    return dense_add_lower_product(s->rows, s->size, -1, left, right, s->a + s->size, s->n, threads,
                                   err);
}

/* The block that starts at `first`, and everything below and to the right of it.  s->upper:
 * workspace.  0, -1 or DENSE_INDEFINITE. */
static int cholesky_eliminate(int64_t n, double *a, int64_t first, struct cholesky_below *s,
                              int threads, struct error *err)
{
    const int64_t next = first + dense_least(BLOCK, n - first);
    double *block = a + first * n + first;
    s->size = next - first;
    s->rows = n - next;
    s->a = a + next * n + first;
    if (cholesky_factor_block(n, block, s->size) != 0)
        return DENSE_INDEFINITE;
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t j = 0; j <= i; j++)
            s->upper[j * BLOCK + i] = block[i * n + j];
    /* Few rows are not worth starting threads for. */
    parallel_for(s->rows < 4 * BLOCK ? 1 : threads, parallel_parts(s->rows, ROWS_A_TASK),
                 cholesky_solve_rows, s);
    return cholesky_subtract_product(s, threads, err);
}

int dense_cholesky(int64_t n, double *a, int threads, struct error *err)
{
    assert(n >= 0 && threads >= 1);
    struct cholesky_below s = {.n = n, .upper = memory_new(BLOCK * BLOCK, sizeof *s.upper, err)};
    if (!s.upper)
        return -1;
    int status = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        status = cholesky_eliminate(n, a, first, &s, threads, err);
        if (status != 0)
            break;
    }
    memory_free(s.upper);
    return status;
}

int dense_cholesky_solve(int64_t n, int64_t m, const double *l, double *b, int threads,
                         struct error *err)
{
    const struct dense_view lower = {l, n, 1}, upper = {l, 1, n};
    if (dense_solve_triangular(n, m, lower, true, false, b, m, threads, err) != 0)
        return -1;
    return dense_solve_triangular(n, m, upper, false, false, b, m, threads, err);
}
