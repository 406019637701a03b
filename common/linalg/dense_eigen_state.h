/* The steps of dense_eigen: to tridiagonal form and back (dense_eigen_reflectors.c), and the
 * eigenvectors of that form (dense_eigen_ql.c).  Each returns 0 or -1. */
#ifndef COMMON_LINALG_DENSE_EIGEN_STATE_H
#define COMMON_LINALG_DENSE_EIGEN_STATE_H

#include "common/linalg/dense.h"

/* A square that is as good as 0 in a matrix whose largest entry is near 1; far below epsilon^2, and
 * far enough above the smallest double that larger squares have all their digits. */
#define EIGEN_NEGLIGIBLE 1e-280

static inline void eigen_scale(int64_t n, double f, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= f;
}

/* A = Q T Q', with T tridiagonal.
 *
 * a      n x n, the upper triangle is read; out: the reflectors, of which Q is the product
 * d, e   out, n each: T's diagonal, and what stands next to it, e[j] between d[j] and d[j + 1]
 * tau    out, n: of the reflectors
 * O(n^3), with a workspace of some 1 KB a row. */
int dense_eigen_reduce(int64_t n, double *a, double *d, double *e, double *tau, int threads,
                       struct error *err);

/* The m largest eigenvalues of T = (d, e), which is destroyed, and their vectors.  value: out, m;
 * z: out, m x n.  -1 also when one does not converge.  O(n^3), with a workspace of n x n numbers
 * and some 0.5 KB a row. */
int dense_eigen_ql(int64_t n, double *d, double *e, int64_t m, double *value, double *z,
                   int threads, struct error *err);

/* Each row z of the m x n matrix becomes x = Q z.  a, tau: the reflectors.  O(m n^2), with a
 * workspace of some 1 KB a row. */
int dense_eigen_back(int64_t n, const double *a, const double *tau, int64_t m, double *z,
                     int threads, struct error *err);

#endif
