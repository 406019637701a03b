/* Matrices of random numbers, how far a product is from what it should be, and inverses, by plain
 * loops.  Matrices are n x m, row-major, and freed by whoever asked for
 * them. */
#ifndef TESTS_UNIT_DENSE_PLAIN_H
#define TESTS_UNIT_DENSE_PLAIN_H

#include "common/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline double *new_matrix(int64_t n, int64_t m)
{
    double *a = calloc((size_t)(n * m) + 1, sizeof *a);
    if (!a)
        exit(1);
    return a;
}

static inline double *random_matrix(struct random *g, int64_t n, int64_t m)
{
    double *a = new_matrix(n, m);
    for (int64_t i = 0; i < n * m; i++)
        a[i] = random_uniform(g) - 0.5;
    return a;
}

static inline double *copy_matrix(const double *a, int64_t n, int64_t m)
{
    double *b = new_matrix(n, m);
    memcpy(b, a, (size_t)(n * m) * sizeof *b);
    return b;
}

static inline bool same(const double *a, const double *b, int64_t size)
{
    return memcmp(a, b, (size_t)size * sizeof *a) == 0;
}

/* The largest entry of |A B - C|, A being n x n. */
static inline double residual(int64_t n, int64_t m, const double *a, const double *b,
                              const double *c)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double sum = -c[i * m + j];
            for (int64_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * m + j];
            largest = fmax(largest, fabs(sum));
        }
    return largest;
}

/* inverse = a^-1, both n x n, by elimination with the largest pivot of each column; a is destroyed.
 * false: singular. */
static inline bool invert_plain(int64_t n, double *a, double *inverse)
{
    for (int64_t i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0 ? 1 : 0;
    for (int64_t column = 0; column < n; column++) {
        int64_t pivot = column;
        for (int64_t row = column; row < n; row++) {
            if (fabs(a[row * n + column]) > fabs(a[pivot * n + column]))
                pivot = row;
        }
        double divisor = a[pivot * n + column];
        if (divisor == 0)
            return false;
        for (int64_t k = 0; k < n; k++) {
            double c = a[pivot * n + k], v = inverse[pivot * n + k];
            a[pivot * n + k] = a[column * n + k];
            a[column * n + k] = c / divisor;
            inverse[pivot * n + k] = inverse[column * n + k];
            inverse[column * n + k] = v / divisor;
        }
        for (int64_t row = 0; row < n; row++) {
            double factor = a[row * n + column];
            for (int64_t k = 0; k < n && row != column; k++) {
                a[row * n + k] -= factor * a[column * n + k];
                inverse[row * n + k] -= factor * inverse[column * n + k];
            }
        }
    }
    return true;
}

static inline double largest(int64_t size, const double *a)
{
    double x = 0;
    for (int64_t i = 0; i < size; i++)
        x = fmax(x, fabs(a[i]));
    return x;
}

#endif
