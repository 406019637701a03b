/* Eigenvalues and eigenvectors of symmetric matrices (common/linalg/dense_eigen.c): residuals and
 * orthogonality on matrices that are hard, eigenvalues against Jacobi's rotations and a formula,
 * one sweep by hand, and the same bytes by any number of threads. */
#include "check.h"
#include "common/linalg/dense_eigen_ql.c" /* so that a sweep can be given what sweeps hardly meet */
#include "dense_plain.h"
#include "jacobi.h"

/* ---- one matrix ---- */

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

/* ---- matrices ---- */

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

static void check_matrices(void)
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
}

/* ---- the rest ---- */

static void check_known_values(void)
{
    enum { N = 40 };
    double value[N];
    check_group("eigenvalues of 1, -2, 1");
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
}

/* Behind the first rotation there is nothing to rotate with: rows 2 and 3 are done. */
static void check_divided_sweep(void)
{
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
}

static void check_threads(void)
{
    enum { LARGE = 600, M = 90 };
    struct random g = {37};
    check_group("eigenvectors, threads");
    double *a = kernel_matrix(&g, LARGE, 1, 100), *one = new_matrix(M + 1, LARGE),
           *more = new_matrix(M + 1, LARGE);
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

int main(void)
{
    check_matrices();
    check_known_values();
    check_divided_sweep();
    check_threads();
    return check_finish();
}
