/* Gaussian elimination with partial pivoting, and the inverse.
 *
 * Blocked (Golub and Van Loan, Matrix Computations, 3.2.11): BLOCK columns are eliminated by plain
 * loops, then one product updates everything to their right.  Nearly all operations are in that
 * product, which is fast (dense_product.c).  The inverse is the solution of A X = I: a third more
 * operations than a special algorithm, but nearly all of them products again. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/linalg/dense.h"
#include "common/linalg/vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* columns; no reason but that it works */

static void lu_swap_rows(double *a, int64_t columns, int64_t stride, int64_t i, int64_t p)
{
    double *x = a + i * stride, *y = a + p * stride;
    if (i == p)
        return;
    for (int64_t j = 0; j < columns; j++) {
        double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

/* Eliminate columns first .. first + size - 1 in the rows from `first` on, and set their pivots;
 * whole rows are swapped.  0 or DENSE_SINGULAR. */
static int lu_eliminate_columns(int64_t n, double *a, int64_t first, int64_t size, int64_t *pivot)
{
    for (int64_t j = first; j < first + size; j++) {
        int64_t p = j;
        for (int64_t i = j + 1; i < n; i++)
            if (fabs(a[i * n + j]) > fabs(a[p * n + j]))
                p = i;
        pivot[j] = p;
        if (!(fabs(a[p * n + j]) > 0))
            return DENSE_SINGULAR;
        lu_swap_rows(a, n, n, j, p);
        for (int64_t i = j + 1; i < n; i++) {
            double factor = a[i * n + j] /= a[j * n + j];
            if (factor < 0 || factor > 0)
                vector_add(first + size - j - 1, -factor, a + j * n + j + 1, a + i * n + j + 1);
        }
    }
    return 0;
}

int dense_lu(int64_t n, double *a, int64_t *pivot, int threads, struct error *err)
{
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t size = order_least(BLOCK, n - first), next = first + size, rest = n - next;
        if (lu_eliminate_columns(n, a, first, size, pivot) != 0)
            return DENSE_SINGULAR;
        double *right = a + first * n + next; /* becomes the block's rows of U */
        const struct dense_view block = {a + first * n + first, n, 1}, upper = {right, n, 1};
        const struct dense_view lower = {a + next * n + first, n, 1};
        if (dense_solve_triangular(size, rest, block, true, true, right, n, threads, err) != 0)
            return -1;
        if (dense_add_product(rest, rest, size, -1, lower, upper, a + next * n + next, n, threads,
                              err)
            != 0)
            return -1;
    }
    return 0;
}

int dense_lu_solve(int64_t n, int64_t m, const double *lu, const int64_t *pivot, double *b,
                   int threads, struct error *err)
{
    struct dense_view view = {lu, n, 1};
    for (int64_t i = 0; i < n; i++)
        lu_swap_rows(b, m, m, i, pivot[i]);
    if (dense_solve_triangular(n, m, view, true, true, b, m, threads, err) != 0)
        return -1;
    return dense_solve_triangular(n, m, view, false, false, b, m, threads, err);
}

/* ||A||_1, the largest sum of a column's magnitudes; NaN when one of them is.  sum: workspace for n
 * numbers. */
static double lu_norm(int64_t n, const double *a, double *sum)
{
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sum[j] += fabs(a[i * n + j]);
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        if (isnan(sum[j]))
            return sum[j];
        if (sum[j] > largest)
            largest = sum[j];
    }
    return largest;
}

int dense_invert(int64_t n, const double *a, double *inverse, double *rcond, int threads,
                 struct error *err)
{
    int status = -1;
    double *sum = NULL, *lu = NULL;
    int64_t *pivot = NULL;
    sum = memory_resize(NULL, n, sizeof *sum, err);
    if (!sum)
        goto done;
    pivot = memory_resize(NULL, n, sizeof *pivot, err);
    if (!pivot)
        goto done;
    lu = memory_resize(NULL, n * n, sizeof *lu, err);
    if (!lu)
        goto done;
    memcpy(lu, a, (size_t)(n * n) * sizeof *lu);
    *rcond = 0;
    status = dense_lu(n, lu, pivot, threads, err);
    if (status == DENSE_SINGULAR)
        status = 0;
    else if (status == 0) {
        memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
        for (int64_t i = 0; i < n; i++)
            inverse[i * n + i] = 1;
        status = dense_lu_solve(n, n, lu, pivot, inverse, threads, err);
        double product = lu_norm(n, a, sum) * lu_norm(n, inverse, sum);
        if (isfinite(product) && product > 0)
            *rcond = 1 / product;
    }
done:
    memory_free(sum);
    memory_free(pivot);
    memory_free(lu);
    return status;
}
