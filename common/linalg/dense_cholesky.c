/* A = L L' for symmetric positive definite A, by halves (Golub and Van Loan, Matrix Computations,
 * 4.2):
 *
 *   [A11     ]   L11 factors A11; L21 solves L21 L11' = A21; L22 factors A22 - L21 L21'
 *   [A21 A22 ]
 *
 * At most BLOCK columns are factored by plain loops.  Nearly all other operations are in products,
 * which are the faster the deeper they are (dense_product.c).  Each number's products are
 * subtracted in the order of the columns, wherever A is cut: the cuts change no bit. */
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>

enum { BLOCK = 64 }; /* columns; no reason but that it works */

/* dense_cholesky by plain loops.  a: its rows stride apart.  0 or DENSE_INDEFINITE. */
static int cholesky_factor_block(int64_t n, double *a, int64_t stride)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double sum = a[i * stride + j];
            for (int64_t k = 0; k < j; k++)
                sum -= a[i * stride + k] * a[j * stride + k];
            if (i > j)
                a[i * stride + j] = sum / a[j * stride + j];
            else if (sum > 0 && isfinite(sum))
                a[j * stride + j] = sqrt(sum);
            else
                return DENSE_INDEFINITE;
        }
    return 0;
}

/* dense_cholesky.  a: its rows stride apart. */
static int cholesky_factor(int64_t n, double *a, int64_t stride, int threads, struct error *err)
{
    if (n <= BLOCK)
        return cholesky_factor_block(n, a, stride);
    const int64_t half = dense_half(n, BLOCK), rest = n - half;
    double *below = a + half * stride, *right = below + half;
    const struct dense_view l21 = {below, stride, 1}, transposed = {below, 1, stride};
    const int status = cholesky_factor(half, a, stride, threads, err);
    if (status != 0)
        return status;
    if (dense_solve_from_right(half, rest, a, stride, below, stride, threads, err) != 0
        || dense_add_lower_product(rest, half, -1, l21, transposed, right, stride, threads, err)
               != 0)
        return -1;
    return cholesky_factor(rest, right, stride, threads, err);
}

int dense_cholesky(int64_t n, double *a, int threads, struct error *err)
{
    assert(n >= 0 && threads >= 1);
    return cholesky_factor(n, a, n, threads, err);
}

int dense_cholesky_solve(int64_t n, int64_t m, const double *l, double *b, int threads,
                         struct error *err)
{
    const struct dense_view lower = {l, n, 1}, upper = {l, 1, n};
    if (dense_solve_triangular(n, m, lower, true, false, b, m, threads, err) != 0)
        return -1;
    return dense_solve_triangular(n, m, upper, false, false, b, m, threads, err);
}
