/* The largest eigenvalues of a symmetric matrix and their eigenvectors, in three steps.
 *
 *   1  A = Q T Q', T tridiagonal, by reflectors (dense_eigen_reflectors.c)
 *   2  T = Z diag(values) Z' by the QL method (dense_eigen_ql.c)
 *   3  x = Q z
 *
 * Only the upper triangle of A is used. */
#include "common/base/memory.h"
#include "common/linalg/dense_eigen_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The largest magnitude in the upper triangle; infinite when an entry there is not finite. */
static double eigen_largest_entry(int64_t n, const double *a)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            if (!(fabs(a[i * n + j]) <= largest)) {
                largest = fabs(a[i * n + j]);
                if (!isfinite(largest))
                    return HUGE_VAL;
            }
    return largest;
}

/* Make the component of largest magnitude positive, the first of equals. */
static void eigen_fix_sign(int64_t n, double *x)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[largest]))
            largest = i;
    if (x[largest] < 0)
        eigen_scale(n, -1, x);
}

int dense_eigen(int64_t n, double *a, int64_t m, double *value, double *vector, int threads,
                struct error *err)
{
    double largest = eigen_largest_entry(n, a), *work;
    int exponent, status = -1;
    assert(0 <= m && m <= n && threads >= 1);
    if (m == 0)
        return 0;
    if (isinf(largest))
        return error_set(err, "an entry of the matrix is not finite");
    if (largest == 0) {
        memset(value, 0, (size_t)m * sizeof *value);
        memset(vector, 0, (size_t)(m * n) * sizeof *vector);
        for (int64_t k = 0; k < m; k++)
            vector[k * n + k] = 1;
        return 0;
    }
    /* Scale the largest entry to near 1, by a power of two, so that no square overflows or
     * vanishes. */
    frexp(largest, &exponent);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            a[i * n + j] = ldexp(a[i * n + j], -exponent);

    work = memory_resize(NULL, 3 * n, sizeof *work, err);
    if (!work)
        return -1;
    double *d = work, *e = work + n, *tau = work + 2 * n;
    if (dense_eigen_reduce(n, a, d, e, tau, threads, err) != 0
        || dense_eigen_ql(n, d, e, m, value, vector, threads, err) != 0
        || dense_eigen_back(n, a, tau, m, vector, threads, err) != 0)
        goto done;
    for (int64_t k = 0; k < m; k++) {
        value[k] = ldexp(value[k], exponent);
        eigen_fix_sign(n, vector + k * n);
    }
    status = 0;
done:
    memory_free(work);
    return status;
}
