/* Sums over long vectors. */
#include "common/linalg/vector.h"

#include "common/base/vectors.h"

#include <math.h>

/* Of sums side by side. */
static inline double vector_add_up(const vector4 sum[4])
{
    const vector4 all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return vector4_sum(&all);
}

/* Sixteen sums side by side, added up in a fixed order. */
WIDEST_VECTORS(double, vector_sum_products, (int64_t n, const double *a, const double *b),
               (n, a, b))
{
    vector4 sum[4] = {{0}};
    double rest = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int v = 0; v < 4; v++)
            sum[v] += *(const vector4 *)(const void *)(a + i + 4 * v)
                      * *(const vector4 *)(const void *)(b + i + 4 * v);
    for (; i < n; i++)
        rest += a[i] * b[i];
    return vector_add_up(sum) + rest;
}

WIDEST_VECTORS(double, vector_sum_single_products, (int64_t n, const double *a, const float *b),
               (n, a, b))
{
    vector4 sum[4] = {{0}};
    double rest = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int v = 0; v < 4; v++) {
            const float *four = b + i + 4 * v;
            const vector4 wide = {four[0], four[1], four[2], four[3]};
            sum[v] += *(const vector4 *)(const void *)(a + i + 4 * v) * wide;
        }
    for (; i < n; i++)
        rest += a[i] * (double)b[i];
    return vector_add_up(sum) + rest;
}

/* No fmax, on which gcc 12 fails for aarch64. */
static inline double vector_larger(double a, double b)
{
    return vectors_select(a > b, a, b);
}

/* Sixteen side by side.  Unrolled, they would not be vectorised. */
WIDEST_VECTORS(double, vector_find_largest,
               (int64_t n, double factor, const float *restrict a, const double *restrict b),
               (n, factor, a, b))
{
    double largest[16] = {0}, most = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        _Pragma("GCC unroll 1") for (int v = 0; v < 16; v++)
            largest[v] = vector_larger(fabs(factor * (double)a[i + v] - b[i + v]), largest[v]);
    for (; i < n; i++)
        most = vector_larger(fabs(factor * (double)a[i] - b[i]), most);
    for (int v = 0; v < 16; v++)
        most = vector_larger(largest[v], most);
    return most;
}

WIDEST_VECTORS(void, vector_add_multiple,
               (int64_t n, double factor, const double *restrict a, double *restrict to),
               (n, factor, a, to))
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

WIDEST_VECTORS(void, vector_add_single_multiple,
               (int64_t n, double factor, const float *restrict a, double *restrict to),
               (n, factor, a, to))
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * (double)a[i];
}

double vector_dot(int64_t n, const double *a, const double *b)
{
    return vector_sum_products(n, a, b);
}

double vector_largest(int64_t n, double factor, const float *a, const double *b)
{
    return vector_find_largest(n, factor, a, b);
}

double vector_dot_single(int64_t n, const double *a, const float *b)
{
    return vector_sum_single_products(n, a, b);
}

void vector_add(int64_t n, double factor, const double *restrict a, double *restrict to)
{
    vector_add_multiple(n, factor, a, to);
}

void vector_add_single(int64_t n, double factor, const float *restrict a, double *restrict to)
{
    vector_add_single_multiple(n, factor, a, to);
}
