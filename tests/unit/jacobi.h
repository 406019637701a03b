/* Eigenvalues of a symmetric matrix by Jacobi's rotations, written plainly: what the tests hold the
 * library against. */
#ifndef TESTS_UNIT_JACOBI_H
#define TESTS_UNIT_JACOBI_H

#include <math.h>
#include <stdint.h>

/* a: n x n; out: the eigenvalues on its diagonal, in no order.  v: n x n, zero before; out: a
 * column a vector; NULL: not wanted. */
static inline void jacobi(int64_t n, double *a, double *v)
{
    for (int64_t i = 0; v && i < n; i++)
        v[i * n + i] = 1;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double apq = a[p * n + q];
                if (apq == 0)
                    continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)),
                       c = 1 / sqrt(t * t + 1), s = t * c;
                for (int64_t k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int64_t k = 0; v && k < n; k++) {
                    double x = v[k * n + p], y = v[k * n + q];
                    v[k * n + p] = c * x - s * y;
                    v[k * n + q] = s * x + c * y;
                }
                for (int64_t k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
                a[p * n + q] = a[q * n + p] = 0;
            }
}

#endif
