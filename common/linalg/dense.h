/* Dense matrices: products, linear systems, inverse, Cholesky, symmetric eigenvectors.
 *
 * A matrix is an array of doubles, if nothing else is said, row after row (a[i*n + j]).  Results
 * are the same, to the last bit, for any number of threads and any vector width: each number is
 * summed in one fixed order. The caller owns all arrays; workspace is allocated and freed inside.
 * Unless a function says otherwise it returns 0, or -1 when there is no memory.  threads >= 1.
 *
 *     dense_product.c   products              dense_triangular.c  triangular systems
 *     dense_gram.c      sums of a a'
 *     dense_lu.c        elimination, inverse  dense_cholesky.c    A = L L'
 *     dense_eigen.c     A = V' diag(values) V, with its steps in dense_eigen_*.c */
#ifndef COMMON_LINALG_DENSE_H
#define COMMON_LINALG_DENSE_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Results other than 0 and -1, of the functions that say so. */
enum { DENSE_SINGULAR = 1, DENSE_INDEFINITE = 2 };

/* Half of n or more, in whole blocks: where a matrix is cut.  Less than n if n > block. */
static inline int64_t dense_half(int64_t n, int64_t block)
{
    return ((n + block - 1) / block + 1) / 2 * block;
}

enum { DENSE_WORTH_THREADS = 1000000 }; /* operations; starting a thread takes as long as these */

/* A read-only view of a matrix or a part of one: element (i, j) is at[i*row + j*column].  The
 * transpose has row and column swapped. */
struct dense_view {
    const double *at;
    int64_t row, column;
};

/* C += alpha A B.
 *
 * a        m x k
 * b        k x n
 * c        m x n, its rows stride apart; must not overlap a or b
 * Each c[i][j] becomes ((c + alpha a[i][0] * b[0][j]) + alpha a[i][1] * b[1][j]) + ..., in this
 * order, alpha a rounded first: the same bits as the plain triple loop.  O(mnk) time, O(m + n)
 * memory, and with alpha = -1 and few columns a copy of b. */
int dense_add_product(int64_t m, int64_t n, int64_t k, double alpha, struct dense_view a,
                      struct dense_view b, double *c, int64_t stride, int threads,
                      struct error *err);

/* The same for the lower triangle of C alone, m = n, in half the time.  Numbers above the diagonal
 * are undefined. */
int dense_add_lower_product(int64_t n, int64_t k, double alpha, struct dense_view a,
                            struct dense_view b, double *c, int64_t stride, int threads,
                            struct error *err);

/* C += sum over i of weight[i] a_i a_i', the lower triangle, in single precision: half the time of
 * dense_add_lower_product.
 *
 * a        k x n: the a_i, floats
 * weight   k; weight[i] a_i in the range of floats
 * c        n x n; numbers above the diagonal are undefined
 * weight[i] a_i is rounded to floats, products and sums over 256 examples, in their order, are of
 * floats, and these sums are added to C: of one sign an error of up to 256 roundings, 1.5e-5 of the
 * sum, usually some 1e-7.  O(n^2 k) time, dense_gram_bytes(n) of workspace. */
int dense_add_gram(int64_t n, int64_t k, const float *a, const double *weight, double *c,
                   int threads, struct error *err);
double dense_gram_bytes(int64_t n);

/* C = A B.  a: m x k; b: k x n; c: m x n, out. */
int dense_product(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c,
                  int threads, struct error *err);

/* ---- linear systems ---- */

/* Solve T X = B in place, T triangular.
 *
 * t        n x n; only the triangle is read
 * lower    which triangle
 * unit     the diagonal is 1 and not read
 * b        n x m, its rows stride apart; out: X
 * No check for zeros on the diagonal.  O(n^2 m). */
int dense_solve_triangular(int64_t n, int64_t m, struct dense_view t, bool lower, bool unit,
                           double *b, int64_t stride, int threads, struct error *err);

/* Solve X L' = B in place, L lower triangular.
 *
 * l        n x n, its rows l_stride apart; only the lower triangle is read
 * b        m x n, its rows stride apart; out: X
 * No check for zeros on the diagonal.  O(n^2 m). */
int dense_solve_from_right(int64_t n, int64_t m, const double *l, int64_t l_stride, double *b,
                           int64_t stride, int threads, struct error *err);

/* Gaussian elimination with partial pivoting, P A = L U.
 *
 * a        n x n; out: U, and below the diagonal L, whose diagonal of ones is left out
 * pivot    out, n: in step i row i was swapped with row pivot[i] >= i
 * Returns also DENSE_SINGULAR: a pivot is zero or NaN; a is undefined then.  O(n^3).
 * Source: Golub and Van Loan, Matrix Computations, 3.4 (blocked: 3.2.11). */
int dense_lu(int64_t n, double *a, int64_t *pivot, int threads, struct error *err);

/* Solve A X = B with the output of dense_lu for A.  b: n x m; out: X. */
int dense_lu_solve(int64_t n, int64_t m, const double *lu, const int64_t *pivot, double *b,
                   int threads, struct error *err);

/* The inverse and its condition.
 *
 * a, inverse  n x n; inverse: out
 * rcond       out: 1 / (||A||_1 ||A^-1||_1) of the computed inverse (its norm is not estimated).
 *             Near 1: well conditioned; near 1e-16: no digit is right; 0: singular, which is not an
 *             error, but the inverse is undefined. */
int dense_invert(int64_t n, const double *a, double *inverse, double *rcond, int threads,
                 struct error *err);

/* A = L L'.
 *
 * a        n x n, symmetric, only the lower triangle is read; out: L in it; the rest is undefined
 * Returns also DENSE_INDEFINITE: a is not positive definite to working accuracy, and undefined
 * then.  O(n^3), half of dense_lu. */
int dense_cholesky(int64_t n, double *a, int threads, struct error *err);

/* Solve A X = B with the output of dense_cholesky for A.  b: n x m; out: X. */
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
 * ||A v - value v|| and the error of a value are below about 1e-14 ||A||, so an eigenvalue that is
 * small compared with ||A|| has fewer correct digits.  -1 also when an entry is not finite, or when
 * an eigenvalue does not converge, which is not known to happen.  O(n^3) time, hardly less for a
 * small m; the workspace is n x n numbers and some 6 KB a row. */
int dense_eigen(int64_t n, double *a, int64_t m, double *value, double *vector, int threads,
                struct error *err);

#endif
