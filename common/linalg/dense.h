/* Dense matrices: products, linear systems, inverse, Cholesky, symmetric eigenvectors.
 *
 * A matrix is an array of doubles, row after row (a[i*n + j]).  Bytes are the same for any number
 * of threads and any vector width: each number is summed in one fixed order.  Memory is the
 * caller's; what a function needs for itself comes from common/base/memory.  Unless a function says
 * otherwise it returns 0, or -1 when there is no memory.  threads >= 1.
 *
 *     dense_product.c   products          dense_lu.c      elimination, triangular systems, inverse
 *     dense_cholesky.c  A = L L'          dense_eigen.c   A = V' diag(values) V */
#ifndef COMMON_LINALG_DENSE_H
#define COMMON_LINALG_DENSE_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What may stand behind a plain 0 or -1. */
enum { DENSE_SINGULAR = 1, DENSE_INDEFINITE = 2 };

/* The lesser: how far a block reaches that may stick out of its matrix. */
static inline int64_t dense_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A matrix, or a part of one, to be read: element (i, j) is at[i*row + j*column].  Its transpose
 * has row and column swapped. */
struct dense_view {
    const double *at;
    int64_t row, column;
};

/* C += alpha A B, by blocks that are packed so that the innermost loop walks through memory.
 *
 * a        m x k;  b: k x n;  neither may overlap c
 * c        m x n, its rows stride apart
 * Each c[i][j] becomes ((c + alpha a[i][0] * b[0][j]) + alpha a[i][1] * b[1][j]) + ..., in this
 * order, alpha a rounded first: the bytes of the plain triple loop.  O(mnk) time, O(m + n)
 * memory. */
int dense_add_product(int64_t m, int64_t n, int64_t k, double alpha, struct dense_view a,
                      struct dense_view b, double *c, int64_t stride, int threads,
                      struct error *err);

/* C = A B; a: m x k, b: k x n, c: m x n, out. */
int dense_product(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c,
                  int threads, struct error *err);

/* ---- linear systems ---- */

/* Solve T X = B in place, T triangular.
 *
 * n, m     B is n x m, its rows stride apart; out: X
 * t        n x n; only the triangle is read
 * lower    which triangle; unit: its diagonal is 1 and not read
 * No check for zeros on the diagonal.  O(n n m). */
int dense_solve_triangular(int64_t n, int64_t m, struct dense_view t, bool lower, bool unit,
                           double *b, int64_t stride, int threads, struct error *err);

/* Gaussian elimination with partial pivoting, P A = L U.
 *
 * a        n x n; out: U, and below its diagonal L without its diagonal of ones
 * pivot    out, n: in step i row i was swapped with row pivot[i] >= i
 * Returns also DENSE_SINGULAR: a pivot is zero (or not a number); a is of no use then.  O(n^3).
 * Source: Golub and Van Loan, Matrix Computations, 3.4 (blocked: 3.2.11). */
int dense_lu(int64_t n, double *a, int64_t *pivot, int threads, struct error *err);

/* Solve A X = B with what dense_lu made of A.  b: n x m; out: X. */
int dense_lu_solve(int64_t n, int64_t m, const double *lu, const int64_t *pivot, double *b,
                   int threads, struct error *err);

/* The inverse and how far it can be trusted.
 *
 * a, inverse  n x n; inverse: out
 * rcond       out: 1 / (||A||_1 ||A^-1||_1) of the computed inverse, its norm not estimated.  Near
 *             1: harmless; near 1e-16: no digit is right; 0: singular, and the inverse is undefined
 *             (this is no error). */
int dense_invert(int64_t n, const double *a, double *inverse, double *rcond, int threads,
                 struct error *err);

/* A = L L'.
 *
 * a        n x n, symmetric, only the lower triangle is read; out: L in it; above it, nothing to
 *          rely on
 * Returns also DENSE_INDEFINITE: a is not positive definite to working accuracy, and of no use
 * then.  O(n^3), half of dense_lu. */
int dense_cholesky(int64_t n, double *a, int threads, struct error *err);

/* Solve A X = B with what dense_cholesky made of A.  b: n x m; out: X. */
int dense_cholesky_solve(int64_t n, int64_t m, const double *l, double *b, int threads,
                         struct error *err);

/* ---- eigenvectors ---- */

/* The m largest eigenvalues of a symmetric matrix, and orthonormal eigenvectors.
 *
 * a        n x n, symmetric, only the upper triangle is read; destroyed
 * m        0 .. n
 * value    out, m: descending
 * vector   out, m x n: row k belongs to value[k]; its component of largest magnitude (the first of
 *          equals) is positive
 * To the accuracy of the whole matrix: ||A v - value v|| and the error of a value are below about
 * 1e-14 ||A||, so an eigenvalue that is small against ||A|| has fewer digits.  -1 also when an
 * entry is not finite (or when an eigenvalue does not converge, which is not known to happen).
 * O(n^3) time, hardly less for a small m; besides a and vector n x n numbers and some 6 KB a row of
 * memory. */
int dense_eigen(int64_t n, double *a, int64_t m, double *value, double *vector, int threads,
                struct error *err);

#endif
