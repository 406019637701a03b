/* Dense matrices against plain loops: products bit for bit, systems, inverses and eigenvectors by
 * their residuals on matrices that are hard. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/dense_eigen.c"   /* so that a sweep can be given what sweeps hardly meet */
#include "common/linalg/dense_gram.c"    /* for every tile of this processor */
#include "common/linalg/dense_product.c" /* for every tile of this processor */
#include "jacobi.h"

#include <float.h>
#include <stdlib.h>

static double *new_matrix(int64_t n, int64_t m)
{
    double *a = calloc((size_t)(n * m) + 1, sizeof *a);
    if (!a)
        exit(1);
    return a;
}

static double *random_matrix(struct random *g, int64_t n, int64_t m)
{
    double *a = new_matrix(n, m);
    for (int64_t i = 0; i < n * m; i++)
        a[i] = random_uniform(g) - 0.5;
    return a;
}

static double *copy_matrix(const double *a, int64_t n, int64_t m)
{
    double *b = new_matrix(n, m);
    memcpy(b, a, (size_t)(n * m) * sizeof *b);
    return b;
}

static bool same(const double *a, const double *b, int64_t size)
{
    return memcmp(a, b, (size_t)size * sizeof *a) == 0;
}

/* The largest entry of |A B - C|, A being n x n. */
static double residual(int64_t n, int64_t m, const double *a, const double *b, const double *c)
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

static double largest(int64_t size, const double *a)
{
    double x = 0;
    for (int64_t i = 0; i < size; i++)
        x = fmax(x, fabs(a[i]));
    return x;
}

/* ---- sums of a a' ---- */

/* C += sum of v a a', its lower triangle, in floats over 256 examples. */
static void plain_gram(int64_t n, int64_t k, const float *a, const double *weight, double *c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            for (int64_t first = 0; first < k; first += 256) {
                float sum = 0;
                for (int64_t e = first; e < k && e < first + 256; e++)
                    sum += (float)(weight[e] * (double)a[e * n + i]) * a[e * n + j];
                c[i * n + j] += (double)sum;
            }
}

static void check_gram(int64_t n, int64_t k)
{
    struct random g = {5};
    check_group("sums of a a', %d examples of %d features", (int)k, (int)n);
    float *a = calloc((size_t)(n * k) + 1, sizeof *a);
    double *weight = random_matrix(&g, k, 1), *start = random_matrix(&g, n, n),
           *plain = copy_matrix(start, n, n), *exact = copy_matrix(start, n, n);
    for (int64_t cell = 0; a && cell < n * k; cell++)
        a[cell] = (float)(random_uniform(&g) - 0.5);
    plain_gram(n, k, a, weight, plain);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t e = 0; e < k; e++)
                exact[i * n + j] += weight[e] * (double)a[e * n + i] * (double)a[e * n + j];
            CHECK_NEAR(plain[i * n + j], exact[i * n + j], 1e-6 * (double)(k + 1), "%d, %d", (int)i,
                       (int)j);
        }
    for (int threads = 1; threads <= 3; threads++) {
        double *c = copy_matrix(start, n, n);
        CHECK(dense_add_gram(n, k, a, weight, c, threads, NULL) == 0, "memory");
        for (int64_t i = 0; i < n; i++)
            CHECK(same(c + i * n, plain + i * n, i + 1), "row %d on %d threads", (int)i, threads);
        free(c);
    }
    free(a);
    free(weight);
    free(start);
    free(plain);
    free(exact);
}

/* Every tile of this processor. */
static void check_gram_tiles(void)
{
    struct gram_tile tiles[3];
    float a[20], b[300], got[LARGEST_GRAM];
    struct random g = {6};
    const int count = gram_list_tiles(tiles);
    check_group("tiles of floats");
    for (int tile = 0; tile < count; tile++) {
        const int64_t R = tiles[tile].rows, S = tiles[tile].columns;
        for (int64_t i = 0; i < 2 * R; i++)
            a[i] = (float)random_uniform(&g);
        for (int64_t i = 0; i < 2 * S; i++)
            b[i] = (float)random_uniform(&g);
        memset(got, 0, sizeof got);
        tiles[tile].run(2, a, 1, R, b, S, got, S);
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++) {
                const float first = a[r] * b[s], second = a[R + r] * b[S + s], sum = first + second;
                CHECK(got[r * S + s] == sum, "tile %d at %d, %d", tile, (int)r, (int)s);
            }
    }
}

/* ---- products ---- */

static void check_products(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},      {1, 50, 70},     {50, 1, 70},  {3, 5, 7},
                                       {8, 24, 256},   {9, 25, 257},    {5, 7, 1000}, {97, 33, 65},
                                       {100, 390, 20}, {130, 400, 300}, {4, 4, 0},    {0, 3, 5}};
    struct random g = {3};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int64_t m = sizes[t][0], n = sizes[t][1], k = sizes[t][2];
        check_group("product, %lld x %lld x %lld", (long long)m, (long long)n, (long long)k);
        double *a = random_matrix(&g, m, k), *b = random_matrix(&g, k, n), *at = new_matrix(k, m),
               *bt = new_matrix(n, k);
        double *c = new_matrix(m, n), *plain = new_matrix(m, n + 3),
               *start = random_matrix(&g, m, n + 3);
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < k; l++)
                at[l * m + i] = a[i * k + l];
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                bt[j * k + l] = b[l * n + j];
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * n + j] += a[i * k + l] * b[l * n + j];
        for (int threads = 1; threads <= 4; threads++) {
            CHECK(dense_product(m, n, k, a, b, c, threads, NULL) == 0, "memory");
            CHECK(same(c, plain, m * n), "A B differs on %d threads", threads);
        }

        /* C += -0.3 A B for all ways to store A and B, rows of C apart, every tile. */
        memcpy(plain, start, (size_t)(m * (n + 3)) * sizeof *plain);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * (n + 3) + j] += (-0.3 * a[i * k + l]) * b[l * n + j];
        struct product_tile tiles[3];
        int count = product_list_tiles(tiles);
        for (int way = 0; way < 4 * count && m * n * k > 0; way++) {
            double *sum = copy_matrix(start, m, n + 3);
            struct product p = {.tile = tiles[way / 4],
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = -0.3,
                                .c = sum,
                                .stride = n + 3};
            p.a = way & 1 ? (struct dense_view){at, 1, m} : (struct dense_view){a, k, 1};
            p.b = way & 2 ? (struct dense_view){bt, 1, k} : (struct dense_view){b, n, 1};
            CHECK(product_multiply(&p, 1 + way % 3, NULL) == 0, "memory");
            CHECK(same(sum, plain, m * (n + 3)), "tile %d, transposed %d", way / 4, way % 4);
            memcpy(sum, start, (size_t)(m * (n + 3)) * sizeof *sum);
            p.lower = true;
            CHECK(product_multiply(&p, 1 + way % 3, NULL) == 0, "memory");
            for (int64_t i = 0; i < m; i++)
                CHECK(same(sum + i * (n + 3), plain + i * (n + 3), i < n ? i + 1 : n),
                      "lower triangle, tile %d, row %lld", way / 4, (long long)i);
            if (n > 2 * LARGEST_TILE)
                CHECK(same(sum + n - 1, start + n - 1, 1), "far above it nothing is computed");
            free(sum);
        }

        /* C += A B where they stand. */
        memcpy(plain, start, (size_t)(m * (n + 3)) * sizeof *plain);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * (n + 3) + j] += a[i * k + l] * b[l * n + j];
        for (int way = 0; way < 6 && m * n * k > 0; way++) {
            double *sum = copy_matrix(start, m, n + 3);
            struct product p = {.m = m, .n = n, .k = k, .alpha = 1, .c = sum, .stride = n + 3};
            p.a = way & 1 ? (struct dense_view){at, 1, m} : (struct dense_view){a, k, 1};
            p.b = (struct dense_view){b, n, 1};
            p.strips = product_list_strips(WIDEST >> way / 2, p.strip);
            for (int64_t task = 0; task < parallel_parts(m, BLOCK_ROWS); task++)
                product_narrow_task(&p, task);
            CHECK(same(sum, plain, m * (n + 3)), "narrow, way %d", way);
            free(sum);
        }
        free(a), free(b), free(at), free(bt), free(c), free(plain), free(start);
    }
}

/* Which strips are used does not show in the numbers. */
static void check_strips(void)
{
    struct product_strip strips[STRIP_WIDTHS];
    int wide = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    wide = __builtin_cpu_supports("avx512f") != 0;
#endif
    check_group("strips of a narrow product");
    CHECK_INT(product_list_strips(WIDEST, strips), 1 + wide, "as many as this processor has");
    CHECK_INT(strips[0].tile->columns, wide ? 8 : STRIP_EDGE, "the widest first");
    CHECK_INT(strips[wide].tile->columns, STRIP_EDGE, "the last");
    CHECK_INT(product_list_strips(WIDEST / 2, strips), 1, "without the widest");
}

/* ---- linear systems ---- */

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

/* ---- eigenvectors ---- */

/* All eigenvalues, descending; a is destroyed. */
static void plain_eigenvalues(int64_t n, double *a, double *value)
{
    jacobi(n, a, NULL);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && value[at - 1] < a[i * n + i]; at--)
            value[at] = value[at - 1];
        value[at] = a[i * n + i];
    }
}

/* The largest entries of |A v - value v| and of |V V' - I|, by products. */
static void measure(int64_t n, int64_t m, const double *a, const double *value, const double *v,
                    double *wrong, double *skew)
{
    double *va = new_matrix(m, n), *vv = new_matrix(m, m);
    dense_add_product(m, n, n, 1, (struct dense_view){v, n, 1}, (struct dense_view){a, n, 1}, va, n,
                      2, NULL);
    dense_add_product(m, m, n, 1, (struct dense_view){v, n, 1}, (struct dense_view){v, 1, n}, vv, m,
                      2, NULL);
    *wrong = *skew = 0;
    for (int64_t k = 0; k < m; k++) {
        for (int64_t i = 0; i < n; i++)
            *wrong = fmax(*wrong, fabs(va[k * n + i] - value[k] * v[k * n + i]));
        for (int64_t l = 0; l < m; l++)
            *skew = fmax(*skew, fabs(vv[k * m + l] - (k == l)));
    }
    free(va), free(vv);
}

static double norm_inf(int64_t n, const double *a)
{
    double norm = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += fabs(a[i * n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* One symmetric matrix, all eigenvectors and some of them; frees it. */
static void check_symmetric(const char *name, int64_t n, double *a)
{
    check_group("eigenvectors: %s, n = %lld", name, (long long)n);
    double norm = norm_inf(n, a), wrong, skew, *value = new_matrix(n, 1), *v = new_matrix(n, n),
           *exact = new_matrix(n, 1);
    if (n <= 70) {
        double *copy = copy_matrix(a, n, n);
        plain_eigenvalues(n, copy, exact);
        free(copy);
    }
    int64_t counts[] = {n, (n + 2) / 3, 1};
    for (int c = 0; c < 3; c++) {
        int64_t m = counts[c];
        struct error err = {0};
        double *copy = copy_matrix(a, n, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++)
                copy[i * n + j] = NAN; /* not to be read */
        CHECK(dense_eigen(n, copy, m, value, v, 2, &err) == 0, "m = %lld: %s", (long long)m,
              err.message);
        measure(n, m, a, value, v, &wrong, &skew);
        CHECK(wrong <= 1e-13 * norm, "m = %lld: A v - value v: %g ||A||", (long long)m,
              wrong / norm);
        CHECK(skew <= 1e-13, "m = %lld: V V' - I: %g", (long long)m, skew);
        for (int64_t k = 0; k < m; k++) {
            CHECK(k == 0 || value[k] <= value[k - 1], "values descend");
            CHECK(n > 70 || fabs(value[k] - exact[k]) <= 1e-13 * norm,
                  "value %lld: %.17g, Jacobi %.17g", (long long)k, value[k], exact[k]);
            int64_t at = 0;
            for (int64_t i = 1; i < n; i++)
                if (fabs(v[k * n + i]) > fabs(v[k * n + at]))
                    at = i;
            CHECK(v[k * n + at] > 0, "sign of vector %lld", (long long)k);
        }
        free(copy);
    }
    free(a), free(value), free(v), free(exact);
}

/* Q diag(value) Q', Q being a product of random reflectors. */
static double *with_eigenvalues(struct random *g, int64_t n, const double *value)
{
    double *a = new_matrix(n, n), *h = new_matrix(n, 1), *ah = new_matrix(n, 1);
    for (int64_t i = 0; i < n; i++)
        a[i * n + i] = value[i];
    for (int r = 0; r < 4; r++) {
        double square = 0, hah = 0;
        for (int64_t i = 0; i < n; i++) {
            h[i] = random_uniform(g) - 0.5;
            square += h[i] * h[i];
        }
        for (int64_t i = 0; i < n; i++) {
            ah[i] = 0;
            for (int64_t j = 0; j < n; j++)
                ah[i] += a[i * n + j] * h[j];
            hah += h[i] * ah[i];
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                a[i * n + j] -= 2 / square * (h[i] * ah[j] + ah[i] * h[j])
                                - 4 * hah / (square * square) * (h[i] * h[j]);
    }
    free(h), free(ah);
    return a;
}

/* T with diagonal d(i) and ones beside it, but `glue` between pieces of `piece` rows. */
static double *wilkinson(int64_t n, int64_t piece, double glue)
{
    double *a = new_matrix(n, n);
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] = fabs((double)(i % piece) - (double)(piece / 2));
        if (i + 1 < n)
            a[i * n + i + 1] = a[(i + 1) * n + i] = (i + 1) % piece ? 1 : glue;
    }
    return a;
}

/* exp(-gamma |x - y|^2) of points on a line, `copies` of each. */
static double *kernel_matrix(struct random *g, int64_t n, int64_t copies, double gamma)
{
    double *a = new_matrix(n, n), *x = new_matrix(n, 1);
    for (int64_t i = 0; i < n; i++)
        x[i] = i % copies ? x[i - 1] : random_uniform(g);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] = exp(-gamma * (x[i] - x[j]) * (x[i] - x[j]));
    free(x);
    return a;
}

static double *symmetric(struct random *g, int64_t n)
{
    double *a = random_matrix(g, n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
    return a;
}

static void check_eigen(void)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 34, 64, 65, 66, 150};
    struct random g = {37};
    double value[150];
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int64_t n = sizes[t];
        check_symmetric("random", n, symmetric(&g, n));
        check_symmetric("zero", n, new_matrix(n, n));
        for (int64_t i = 0; i < n; i++)
            value[i] = 1;
        check_symmetric("identity, turned", n, with_eigenvalues(&g, n, value));
        double *a = new_matrix(n, n);
        for (int64_t i = 0; i < n; i++)
            a[i * n + i] = 1;
        check_symmetric("identity", n, a);
        a = new_matrix(n, n);
        for (int64_t i = 0; i < n; i++)
            a[i * n + i] = (double)(i % 5 - 2);
        check_symmetric("diagonal", n, a);
        a = new_matrix(n, n);
        for (int64_t i = 0; i < n * n; i++)
            a[i] = 1;
        check_symmetric("ones", n, a);
        for (int64_t i = 0; i < n; i++)
            value[i] = i % 3 == 0   ? 1 + 1e-15 * (double)i
                       : i % 3 == 1 ? -1 + 1e-12 * (double)i
                                    : 1e-9 * (double)i;
        check_symmetric("clustered", n, with_eigenvalues(&g, n, value));
        for (int64_t i = 0; i < n; i++)
            value[i] = i < 3 ? (double)(i + 1) : 0;
        check_symmetric("rank 3", n, with_eigenvalues(&g, n, value));
        for (int64_t i = 0; i < n; i++)
            value[i] = pow(10, -0.3 * (double)i);
        check_symmetric("geometric", n, with_eigenvalues(&g, n, value));
        for (int up = 0; up < 2; up++) {
            a = symmetric(&g, n);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++)
                    a[i * n + j] *= pow(10, -0.3 * (double)(up ? 2 * n - i - j : i + j));
            check_symmetric(up ? "graded upwards" : "graded", n, a);
        }
        for (int up = 0; up < 2; up++) {
            a = symmetric(&g, n);
            for (int64_t i = 0; i < n * n; i++)
                a[i] *= up ? 1e305 : 1e-305;
            check_symmetric(up ? "huge" : "tiny", n, a);
        }
        a = symmetric(&g, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                a[i * n + j] *= i + 2 >= n && j + 2 >= n ? 1e305 : 1e-305;
        check_symmetric("huge in the last rows only", n, a);
        check_symmetric("kernel of a line", n, kernel_matrix(&g, n, 1, 0.5));
        check_symmetric("kernel of points that repeat", n, kernel_matrix(&g, n, 4, 50));
        check_symmetric("kernel, nearly the identity", n, kernel_matrix(&g, n, 1, 1e6));
        a = symmetric(&g, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                a[i * n + j] = (i == j)
                               + a[i * n + j] * 1e-159; /* whose squares have lost digits */
        check_symmetric("identity and a trace of others", n, a);
    }
    check_symmetric("Wilkinson's W21+", 21, wilkinson(21, 21, 1));
    check_symmetric("Wilkinson's W63+", 63, wilkinson(63, 63, 1));
    check_symmetric("W21+, glued with 1e-14", 147, wilkinson(147, 21, 1e-14));
    check_symmetric("W21+, glued with 1e-7", 147, wilkinson(147, 21, 1e-7));
    check_symmetric("W21+, side by side", 105, wilkinson(105, 21, 0));
    check_symmetric("W21+, glued with 1e-13", 630, wilkinson(630, 21, 1e-13));
    check_symmetric("kernel of points that repeat", 600, kernel_matrix(&g, 600, 3, 1e5));

    check_group("eigenvalues of 1, -2, 1");
    enum { N = 40 };
    double *a = new_matrix(N, N), *v = new_matrix(N, N);
    for (int64_t i = 0; i < N; i++) {
        a[i * N + i] = -2;
        if (i + 1 < N)
            a[i * N + i + 1] = 1;
    }
    CHECK_INT(dense_eigen(N, a, N, value, v, 1, NULL), 0, "dense_eigen");
    for (int64_t k = 0; k < N; k++)
        CHECK_NEAR(value[k], -2 + 2 * cos((double)(k + 1) * acos(-1) / (N + 1)), 1e-14,
                   "value %lld", (long long)k);
    a[3] = NAN;
    struct error err;
    CHECK(dense_eigen(N, a, 1, value, v, 1, &err) == -1
              && strcmp(err.message, "an entry of the matrix is not finite") == 0,
          "not a number is refused: %s", err.message);
    a[3] = -INFINITY;
    CHECK(dense_eigen(N, a, 1, value, v, 1, &err) == -1, "an infinite entry is refused");
    a[3] = 0;
    a[N * N - 1] = NAN;
    CHECK(dense_eigen(N, a, 1, value, v, 1, &err) == -1, "not a number in the last row is refused");
    CHECK(dense_eigen(N, a, 0, value, v, 1, &err) == 0
              && dense_eigen(0, a, 0, value, v, 1, &err) == 0,
          "none wanted");
    free(a), free(v);

    /* Behind the first rotation there is nothing to rotate with: rows 2 and 3 are done. */
    check_group("a sweep in which T falls into two");
    const double far = 0x1p60;
    double d[] = {1, 1, 0, far}, e[] = {1, 0, 1, 7}, cosine[4], sine[4];
    struct eigen_rotations r = {.n = 4, .cosine = cosine, .sine = sine};
    eigen_sweep_once(&r, d, e, 0, 3);
    CHECK(d[0] == 1 && d[1] == 1 && d[2] == -1 / far && d[3] == far, "%g %g %g %g", d[0], d[1],
          d[2], d[3]);
    CHECK(e[0] == 1 && e[1] == 0 && e[2] == 0 && e[3] == 0, "beside them %g %g %g %g", e[0], e[1],
          e[2], e[3]);
    CHECK(r.sweeps == 1 && r.sweep[0].high == 3 && r.sweep[0].low == 2 && r.sweep[0].at == 0,
          "a sweep of one rotation");
    CHECK(r.count == 1 && cosine[0] == 1 && sine[0] == 1 / far, "%g %g", cosine[0], sine[0]);

    check_group("eigenvectors, threads");
    enum { LARGE = 600, M = 90 };
    a = kernel_matrix(&g, LARGE, 1, 100);
    double *one = new_matrix(M + 1, LARGE), *more = new_matrix(M + 1, LARGE);
    for (int threads = 1; threads <= 4; threads++) {
        double *copy = copy_matrix(a, LARGE, LARGE), *out = threads == 1 ? one : more;
        CHECK_INT(dense_eigen(LARGE, copy, M, out + M * LARGE, out, threads, NULL), 0, "%d threads",
                  threads);
        CHECK(threads == 1 || same(one, more, M * LARGE + M), "%d threads give other bytes",
              threads);
        free(copy);
    }
    free(a), free(one), free(more);
}

/* ---- the bytes ---- */

/* FNV-1a, of doubles by their bits. */
static uint64_t hash_numbers(uint64_t hash, const double *a, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        for (int b = 0; b < 64; b += 8)
            hash = (hash ^ (bits >> b & 255)) * 0x100000001b3u;
    }
    return hash;
}

/* Sums are made in one order on every machine: what leaves all residuals small, but changes a last
 * place, is noticed here. */
static void check_bytes(void)
{
    enum { M = 3 };
    static const struct {
        int64_t n;
        uint64_t elimination, cholesky, eigen, ties;
    } known[] = {
        {1, 0xbc3c3a8c60ec5ce9u, 0x70cecbf00df8a036u, 0xa2d17b2cdc31b5dbu, 0xf4e56aa01a11b840u},
        {7, 0xf853bed0bbbdcc35u, 0x86d14fbc33df1746u, 0x26673e4f0a721b6eu, 0xaa697677d8c20fu},
        {40, 0x4260c9032e580853u, 0x3b2d732ca29286eu, 0xd240740f88a16d84u, 0x693068b71751c25fu},
        {97, 0x7af9be84b66bfa1au, 0x21b518933b1287c8u, 0x8b4f9c50b7f2484du, 0x5c7192da9b2cf2a9u},
        {290, 0xab23efaf18e8fcf2u, 0x815f75e18cbc008cu, 0xf90166bde795ebb2u, 0x67a7a7445cc26642u},
        {530, 0xc0783cb1ccef2984u, 0xdec56f14dfaba016u, 0x3ff64839e0433c67u, 0xd865bf9386283b92u},
    };
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        struct random g = {43};
        int64_t n = known[t].n;
        check_group("the same bytes on every machine, n = %lld", (long long)n);
        double *a = random_matrix(&g, n, n), *lu = copy_matrix(a, n, n),
               *b = random_matrix(&g, n, M), *x = copy_matrix(b, n, M);
        double *l = new_matrix(n, n), *value = new_matrix(n, 1), *v = new_matrix(n, n);
        int64_t *pivot = calloc((size_t)n, sizeof *pivot), m = n < 300 ? n : 5;
        CHECK(dense_lu(n, lu, pivot, 2, NULL) == 0
                  && dense_lu_solve(n, M, lu, pivot, x, 2, NULL) == 0,
              "elimination");
        uint64_t hash = hash_numbers(hash_numbers(0, lu, n * n), x, n * M);
        CHECK(hash == known[t].elimination, "elimination: %#llx", (unsigned long long)hash);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                l[i * n + j] = a[i * n + j] + (i == j ? (double)n : 0);
        memcpy(x, b, (size_t)(n * M) * sizeof *x);
        CHECK(dense_cholesky(n, l, 2, NULL) == 0 && dense_cholesky_solve(n, M, l, x, 2, NULL) == 0,
              "Cholesky");
        hash = hash_numbers(0, x, n * M);
        for (int64_t i = 0; i < n; i++)
            hash = hash_numbers(hash, l + i * n, i + 1);
        CHECK(hash == known[t].cholesky, "Cholesky: %#llx", (unsigned long long)hash);
        CHECK_INT(dense_eigen(n, a, m, value, v, 2, NULL), 0, "eigenvectors");
        hash = hash_numbers(hash_numbers(0, value, m), v, m * n);
        CHECK(hash == known[t].eigen, "eigenvectors: %#llx", (unsigned long long)hash);
        for (int64_t i = 0; i < n * n; i++) /* falls into pieces, some of them alike */
            a[i] = random_uniform(&g) < 1.5 / (double)n;
        CHECK_INT(dense_eigen(n, a, m, value, v, 2, NULL), 0, "eigenvectors of few ones");
        hash = hash_numbers(hash_numbers(0, value, m), v, m * n);
        CHECK(hash == known[t].ties, "eigenvectors of few ones: %#llx", (unsigned long long)hash);
        free(a), free(lu), free(b), free(x), free(l), free(value), free(v), free(pivot);
    }
}

int main(void)
{
    check_gram(1, 1);
    check_gram(49, 257);
    check_gram(100, 600);
    check_gram(391, 30);
    check_gram_tiles();
    check_products();
    check_strips();
    check_elimination();
    check_inverses();
    check_lower_triangles();
    check_cholesky();
    check_eigen();
    check_bytes();
    return check_finish();
}
