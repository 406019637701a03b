/* Linear systems (common/linalg/dense_lu.c, dense_triangular.c, dense_cholesky.c): elimination,
 * inverses and Cholesky by their residuals on matrices that are hard, triangles and Cholesky also
 * bit for bit against plain loops; what is singular, indefinite or not finite. */
#include "check.h"
#include "common/linalg/dense.h"
#include "dense_plain.h"

#include <float.h>

/* ---- elimination and inverses ---- */

static double *hilbert(int64_t n)
{
    double *a = new_matrix(n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] = 1 / (double)(i + j + 1);
    return a;
}

/* P A = L U and A X = B for one matrix, the same bytes for 1 to 4 threads. */
static void check_system(const char *name, int64_t n, const double *a)
{
    enum { M = 7 };
    check_group("elimination: %s, n = %lld", name, (long long)n);
    struct random g = {17};
    double *lu = copy_matrix(a, n, n), *l = new_matrix(n, n), *u = new_matrix(n, n),
           *pa = copy_matrix(a, n, n);
    double *b = random_matrix(&g, n, M), *x = copy_matrix(b, n, M), norm = largest(n * n, a);
    int64_t *pivot = calloc((size_t)n, sizeof *pivot);
    CHECK_INT(dense_lu(n, lu, pivot, 1, NULL), 0, "dense_lu");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            *(i > j ? &l[i * n + j] : &u[i * n + j]) = lu[i * n + j];
            l[i * n + i] = 1;
            CHECK(i <= j || fabs(lu[i * n + j]) <= 1, "a factor is larger than 1");
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double t = pa[i * n + j];
            pa[i * n + j] = pa[pivot[i] * n + j];
            pa[pivot[i] * n + j] = t;
        }
    CHECK(residual(n, n, l, u, pa) <= 4 * (double)n * DBL_EPSILON * norm, "P A - L U: %g of %g",
          residual(n, n, l, u, pa), norm);
    CHECK_INT(dense_lu_solve(n, M, lu, pivot, x, 1, NULL), 0, "dense_lu_solve");
    double bound = 8 * (double)n * DBL_EPSILON * norm * fmax(1, largest(n * M, x));
    CHECK(residual(n, M, a, x, b) <= bound, "A X - B: %g, bound %g", residual(n, M, a, x, b),
          bound);
    for (int threads = 2; threads <= 4; threads++) {
        double *again = copy_matrix(a, n, n), *y = copy_matrix(b, n, M);
        CHECK(dense_lu(n, again, pivot, threads, NULL) == 0 && same(lu, again, n * n),
              "L U on %d threads", threads);
        CHECK(dense_lu_solve(n, M, again, pivot, y, threads, NULL) == 0 && same(x, y, n * M),
              "X on %d threads", threads);
        free(again), free(y);
    }
    free(lu), free(l), free(u), free(pa), free(b), free(x), free(pivot);
}

static void check_elimination(void)
{
    static const int64_t sizes[] = {1, 2, 5, 63, 64, 65, 129, 300};
    struct random g = {23};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        double *a = random_matrix(&g, sizes[t], sizes[t]);
        check_system("random", sizes[t], a);
        free(a);
    }
    double *a = hilbert(10);
    check_system("Hilbert", 10, a);
    free(a);
    enum { N = 70 };
    a = random_matrix(&g, N, N); /* rows from 1 to 1e-14 */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            a[i * N + j] *= pow(10, -0.2 * (double)i);
    check_system("graded", N, a);
    memset(a, 0, N * N * sizeof *a); /* eliminates without a single plain pivot */
    for (int64_t i = 0; i < N; i++)
        a[i * N + N - 1 - i] = (double)(i + 1);
    check_system("reversed diagonal", N, a);
    for (int64_t i = 0; i < N; i++) /* Vandermonde on 0.5 .. 1 */
        for (int64_t j = 0; j < N; j++)
            a[i * N + j] = pow(0.5 + 0.5 * (double)i / N, (double)j);
    check_system("Vandermonde", N, a);
    free(a);
}

static void check_inverses(void)
{
    static const double condition[] = {
        1, 27, 748, 28375, 943656, 29070279}; /* ||H|| ||H^-1|| in the 1-norm, known numbers */
    double rcond, inverse[64];
    check_group("inverse");
    for (int64_t n = 1; n <= 6; n++) {
        double *a = hilbert(n);
        CHECK_INT(dense_invert(n, a, inverse, &rcond, 2, NULL), 0, "Hilbert %lld", (long long)n);
        CHECK(fabs(rcond * condition[n - 1] - 1) < 1e-15 * condition[n - 1],
              "rcond of Hilbert %lld: 1 / %.10g", (long long)n, 1 / rcond);
        free(a);
    }
    const double h3[] = {9, -36, 30, -36, 192, -180, 30, -180, 180};
    double *a = hilbert(3);
    dense_invert(3, a, inverse, &rcond, 1, NULL);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(inverse[i], h3[i], 1e-12, "entry %d of the inverse of Hilbert 3", i);
    free(a);

    const double singular[][4] = {
        {0, 0, 0, 0}, {1, 2, 2, 4}, {1, 0, 5, 0}, {1, NAN, 2, 3}, {INFINITY, 1, 1, 1}};
    for (size_t i = 0; i < sizeof singular / sizeof *singular; i++) {
        CHECK_INT(dense_invert(2, singular[i], inverse, &rcond, 1, NULL), 0, "singular %zu", i);
        CHECK(rcond == 0, "rcond of singular %zu: %g", i, rcond);
    }
    double beside[] = {1, INFINITY, 0, 1};
    int64_t pivot[2];
    CHECK_INT(dense_lu(2, beside, pivot, 1, NULL), 0, "a zero below a pivot");
    CHECK(beside[3] == 1, "what is not finite is not taken zero times: %g", beside[3]);
    const double far[] = {1e-200, 0, 0, 1e200}, tiny[] = {1e-310, 0, 0, 1};
    CHECK(dense_invert(2, far, inverse, &rcond, 1, NULL) == 0 && rcond == 0,
          "a condition beyond all doubles: %g", rcond);
    const double mixed[16] = {
        1, 0, 1,      0, 0, 1, 0, 0,
        0, 0, 1e-310, 0, 0, 0, 0, 1}; /* one column of the inverse is no number, the others are */
    CHECK(dense_invert(4, mixed, inverse, &rcond, 1, NULL) == 0 && rcond == 0,
          "a column of the inverse beyond all doubles: %g", rcond);
    CHECK(dense_invert(2, tiny, inverse, &rcond, 1, NULL) == 0 && rcond == 0,
          "an inverse beyond all doubles: %g", rcond);
    a = hilbert(30);
    double *large = new_matrix(30, 30);
    CHECK(dense_invert(30, a, large, &rcond, 1, NULL) == 0 && rcond < 1e-15,
          "numerically singular: rcond %g", rcond);
    free(a), free(large);

    enum { N = 200 };
    struct random g = {29};
    a = random_matrix(&g, N, N);
    double *one = new_matrix(N, N), *x = new_matrix(N, N), *y = new_matrix(N, N);
    for (int64_t i = 0; i < N; i++)
        one[i * N + i] = 1;
    CHECK_INT(dense_invert(N, a, x, &rcond, 1, NULL), 0, "random");
    CHECK(residual(N, N, a, x, one) <= 100 * DBL_EPSILON / rcond, "A A^-1 - I: %g, rcond %g",
          residual(N, N, a, x, one), rcond);
    for (int threads = 2; threads <= 4; threads++)
        CHECK(dense_invert(N, a, y, &rcond, threads, NULL) == 0 && same(x, y, N * N),
              "inverse on %d threads", threads);
    CHECK(dense_invert(N, one, x, &rcond, 1, NULL) == 0 && rcond == 1 && same(x, one, N * N),
          "the identity's");
    free(a), free(one), free(x), free(y);
}

/* ---- triangles and Cholesky ---- */

/* Row after row.  t: lower triangular, its rows stride apart; b: n x m, in place. */
static void plain_lower(int64_t n, int64_t m, const double *t, int64_t stride, double *b)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            for (int64_t k = 0; k < i; k++)
                b[i * m + j] -= t[i * stride + k] * b[k * m + j];
            b[i * m + j] /= t[i * stride + i];
        }
}

/* A matrix with NAN between its rows. */
static double *wide_matrix(int64_t n, int64_t stride)
{
    double *a = new_matrix(n, stride);
    for (int64_t i = 0; i < n * stride; i++)
        a[i] = NAN;
    return a;
}

/* What halves and blocks solve is bit for bit what plain loops solve, and they touch nothing else.
 */
static void check_lower_triangle(struct random *g, int64_t n, int64_t m)
{
    const int64_t t_stride = n + 3, stride = m + 5, across_stride = n + 2;
    double *t = wide_matrix(n, t_stride), *b = wide_matrix(n, stride),
           *across = wide_matrix(m, across_stride), *want = random_matrix(g, n, m);
    check_group("lower triangle, n = %lld, m = %lld", (long long)n, (long long)m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++)
            t[i * t_stride + k] = random_uniform(g) - 0.5 + (k == i ? 3 : 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            b[i * stride + j] = across[j * across_stride + i] = want[i * m + j];
    plain_lower(n, m, t, t_stride, want);
    const struct dense_view lower = {t, t_stride, 1};
    CHECK_INT(dense_solve_triangular(n, m, lower, true, false, b, stride, 2, NULL), 0, "memory");
    CHECK_INT(dense_solve_from_right(n, m, t, t_stride, across, across_stride, 2, NULL), 0,
              "memory");
    for (int64_t i = 0; i < n; i++) {
        CHECK(same(b + i * stride, want + i * m, m), "row %d of T X = B", (int)i);
        for (int64_t j = m; j < stride; j++)
            CHECK(isnan(b[i * stride + j]), "beside row %d", (int)i);
    }
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < n; i++)
            CHECK(same(&across[j * across_stride + i], &want[i * m + j], 1),
                  "X L' = B, number %d of row %d", (int)i, (int)j);
        CHECK(isnan(across[j * across_stride + n]), "beside row %d of X", (int)j);
    }
    free(t), free(b), free(want), free(across);
}

static void check_lower_triangles(void)
{
    static const int64_t sizes[][2] = {{0, 5},    {5, 0},    {1, 1},    {64, 17},
                                       {65, 300}, {130, 33}, {300, 70}, {300, 1}};
    struct random g = {41};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_lower_triangle(&g, sizes[i][0], sizes[i][1]);
}

/* Column after column.  a: in place. */
static void plain_cholesky(int64_t n, double *a)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            for (int64_t k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i > j ? a[i * n + j] / a[j * n + j] : sqrt(a[j * n + j]);
        }
}

static void check_cholesky(void)
{
    static const int64_t sizes[] = {1, 2, 63, 64, 65, 200, 400};
    enum { M = 3 };
    struct random g = {31};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int64_t n = sizes[t];
        check_group("Cholesky, n = %lld", (long long)n);
        double *b = random_matrix(&g, n, n), *a = new_matrix(n, n), *l = new_matrix(n, n),
               *lt = new_matrix(n, n);
        dense_add_product(n, n, n, 1, (struct dense_view){b, n, 1}, (struct dense_view){b, 1, n}, a,
                          n, 1, NULL);
        double *factor = copy_matrix(a, n, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++)
                factor[i * n + j] = NAN; /* not to be read */
        CHECK_INT(dense_cholesky(n, factor, 1, NULL), 0, "positive definite");
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                l[i * n + j] = lt[j * n + i] = factor[i * n + j];
        double norm = largest(n * n, a);
        CHECK(residual(n, n, l, lt, a) <= 4 * (double)n * DBL_EPSILON * norm, "L L' - A: %g of %g",
              residual(n, n, l, lt, a), norm);
        double *y = random_matrix(&g, n, M), *x = copy_matrix(y, n, M);
        CHECK_INT(dense_cholesky_solve(n, M, factor, x, 1, NULL), 0, "solve");
        double bound = 16 * (double)n * DBL_EPSILON * norm * largest(n * M, x);
        CHECK(residual(n, M, a, x, y) <= bound, "A X - B: %g, bound %g", residual(n, M, a, x, y),
              bound);
        double *plain = copy_matrix(a, n, n);
        plain_cholesky(n, plain);
        for (int64_t i = 0; i < n; i++)
            CHECK(same(l + i * n, plain + i * n, i + 1), "row %lld by plain loops", (long long)i);
        free(plain);
        for (int threads = 2; threads <= 4; threads++) {
            double *again = copy_matrix(a, n, n);
            CHECK_INT(dense_cholesky(n, again, threads, NULL), 0, "%d threads", threads);
            for (int64_t i = 0; i < n; i++)
                CHECK(same(again + i * n, l + i * n, i + 1), "row %lld on %d threads", (long long)i,
                      threads);
            free(again);
        }
        const int64_t negative[] = {0, n / 2, n - 1};
        for (int i = 0; i < 3; i++) {
            double *again = copy_matrix(a, n, n);
            again[negative[i] * n + negative[i]] = -1e-3;
            CHECK_INT(dense_cholesky(n, again, 2, NULL), DENSE_INDEFINITE,
                      "number %d on the diagonal is negative", (int)negative[i]);
            free(again);
        }
        free(a), free(b), free(l), free(lt), free(factor), free(x), free(y);
    }
    check_group("Cholesky of what it must refuse");
    double bad[][4] = {{0, 0, 0, 0}, {1, 2, 2, 1},   {-1, 0, 0, 1},
                       {1, 1, 1, 1}, {1, 0, NAN, 1}, {INFINITY, 0, 0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(dense_cholesky(2, bad[i], 1, NULL), DENSE_INDEFINITE, "matrix %zu", i);
}

int main(void)
{
    check_elimination();
    check_inverses();
    check_lower_triangles();
    check_cholesky();
    return check_finish();
}
