/* Feature maps beside plain loops with libm's functions, the kernel that they stand for, and the
 * same numbers whatever else is mapped, for any number of threads. */
#include "check.h"
#include "common/base/random.h"
#include "common/kernel/feature_map.h"
#include "learners/online/online.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double two_pi = 6.283185307179586;

/* n sparse examples with features up to d, the first and the last of them in the first example. */
static struct problem problem_make(int n, int d, double scale, uint64_t seed)
{
    struct random g = random_seeded(seed, 1);
    struct problem problem = {.n = 0};
    int32_t *index = malloc((size_t)d * sizeof *index);
    double *value = malloc((size_t)d * sizeof *value);
    for (int i = 0; i < n; i++) {
        int size = 0;
        for (int j = 1; j <= d; j++) {
            if (random_uniform(&g) < 0.5 || (i == 0 && (j == 1 || j == d))) {
                index[size] = j;
                value[size++] = scale * random_normal(&g);
            }
        }
        struct example x = {.label = i % 3 ? i : EXAMPLE_UNLABELLED,
                            .line = 2 * i + 1,
                            .size = size,
                            .index = index,
                            .value = value};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    free(index);
    free(value);
    return problem;
}

/* phi of one example.  0 or -1. */
static int map_one(struct feature_map *map, const struct example *x, double *phi, struct error *err)
{
    struct problem one = {0};
    int status = problem_append_example(&one, x, err);
    if (status == 0)
        status = feature_map_rows(map, &one, phi, err);
    problem_free(&one);
    return status;
}

/* A Fourier map that has directions for features up to d. */
static bool fourier_ready(int64_t dims, double gamma, int64_t seed, int d, struct feature_map *f)
{
    struct error err = {0};
    *f = feature_map_make(FEATURE_MAP_FOURIER, dims, gamma, seed);
    const int32_t index = d;
    const double value = 0;
    const struct example x = {.size = 1, .index = &index, .value = &value};
    double *z = malloc((size_t)dims * sizeof *z);
    bool ready = feature_map_prepare(f, 1, &err) == 0 && map_one(f, &x, z, &err) == 0;
    CHECK(ready, "a map: %s", err.message);
    free(z);
    return ready;
}

/* z_j = sqrt(2/D) cos(a_j.x + b_j) with the a and b of the map, which are drawn as they should
 * be. */
static void test_plain(int dims, double gamma)
{
    enum { N = 40, D = 12 };
    check_group("a plain loop, %d features, gamma %g", dims, gamma);
    struct feature_map f;
    struct problem problem = problem_make(N, D, 1, 1), mapped = {.n = 0};
    struct error err = {0};
    double *z = malloc((size_t)(N * dims) * sizeof *z);
    if (fourier_ready(dims, gamma, 3, D, &f)) {
        CHECK(feature_map_rows(&f, &problem, z, &err) == 0, "mapping: %s", err.message);
        CHECK(feature_map_problem(&f, &problem, -1, 2, &mapped, &err) == 0, "mapping a problem: %s",
              err.message);
        CHECK_INT(mapped.n, N, "examples");
        CHECK_INT(mapped.d, dims, "features");
        for (int i = 0; i < N; i++) {
            struct example x = problem_example(&problem, i), y = problem_example(&mapped, i);
            CHECK(y.label == x.label && y.line == x.line && y.size == dims,
                  "label, line and size of example %d", i);
            for (int j = 0; j < dims; j++) {
                double angle = f.phase[j];
                for (int64_t e = 0; e < x.size; e++)
                    angle += x.value[e] * f.table[x.index[e] * f.stride + j];
                CHECK_NEAR(z[i * dims + j], sqrt(2.0 / dims) * cos(angle), 1e-12,
                           "example %d, feature %d", i, j);
                CHECK(y.index[j] == j + 1 && y.value[j] == z[i * dims + j],
                      "example %d, feature %d of a problem", i, j);
            }
        }
    }
    feature_map_free(&f);
    problem_free(&problem);
    problem_free(&mapped);
    free(z);
}

static void test_numbers(void)
{
    enum { DIMS = 400, D = 50 };
    const double gamma = 0.3;
    check_group("what a and b are drawn from");
    struct feature_map f;
    double sum = 0, square = 0, fourth = 0, phases = 0;
    if (fourier_ready(DIMS, gamma, 1, D, &f)) {
        const double count = (double)DIMS * D;
        for (int j = 1; j <= D; j++)
            for (int k = 0; k < DIMS; k++) {
                double a = f.table[j * f.stride + k] / sqrt(2 * gamma);
                sum += a / count;
                square += a * a / count;
                fourth += a * a * a * a / count;
            }
        for (int k = 0; k < DIMS; k++) {
            CHECK(f.phase[k] >= 0 && f.phase[k] < two_pi, "phase %d", k);
            phases += f.phase[k] / DIMS;
        }
        CHECK(fabs(sum) < 0.03 && fabs(square - 1) < 0.05 && fabs(fourth - 3) < 0.3,
              "moments %g, %g, %g", sum, square, fourth);
        CHECK(fabs(phases - two_pi / 2) < 0.4, "the mean phase is %g", phases);
    }
    feature_map_free(&f);
}

/* The error falls as 1/sqrt(D). */
static void test_kernel(void)
{
    enum { N = 30, D = 6 };
    static const int dims[] = {100, 10000};
    double squares[2] = {0};
    check_group("inner products are near the kernel");
    struct problem problem = problem_make(N, D, 1, 2);
    for (int size = 0; size < 2; size++) {
        const double gamma = 0.25;
        struct feature_map f;
        double *z = malloc((size_t)(N * dims[size]) * sizeof *z), worst = 0;
        if (fourier_ready(dims[size], gamma, 1, D, &f)
            && feature_map_rows(&f, &problem, z, NULL) == 0) {
            for (int u = 0; u < N; u++) {
                for (int v = 0; v <= u; v++) {
                    struct example x[] = {problem_example(&problem, u),
                                          problem_example(&problem, v)};
                    double dense[2][D + 1] = {{0}}, distance = 0, product = 0;
                    for (int s = 0; s < 2; s++)
                        for (int64_t e = 0; e < x[s].size; e++)
                            dense[s][x[s].index[e]] = x[s].value[e];
                    for (int j = 1; j <= D; j++)
                        distance += (dense[0][j] - dense[1][j]) * (dense[0][j] - dense[1][j]);
                    for (int j = 0; j < dims[size]; j++)
                        product += z[u * dims[size] + j] * z[v * dims[size] + j];
                    double off = product - exp(-gamma * distance);
                    squares[size] += off * off / (N * (N + 1) / 2);
                    worst = fmax(worst, fabs(off));
                }
            }
            CHECK(worst < 6 / sqrt(dims[size]), "%d features: the worst is off by %g", dims[size],
                  worst);
        }
        feature_map_free(&f);
        free(z);
    }
    CHECK(squares[1] < squares[0] / 30 && squares[1] > squares[0] / 300, "mean squares %g and %g",
          squares[0], squares[1]);
    problem_free(&problem);
}

/* The row of a feature depends on the seed and the feature only. */
static void test_order(void)
{
    enum { DIMS = 37, D = 200 };
    check_group("the same map in any order");
    struct feature_map at_once, slowly, other;
    if (fourier_ready(DIMS, 0.5, 7, D, &at_once) && fourier_ready(DIMS, 0.5, 7, 3, &slowly)
        && fourier_ready(DIMS, 0.5, 8, D, &other)) {
        const int32_t index[] = {5, 44, D};
        for (int i = 0; i < 3; i++) {
            const double value = 0;
            const struct example x = {.size = 1, .index = &index[i], .value = &value};
            double z[DIMS];
            CHECK(map_one(&slowly, &x, z, NULL) == 0, "growing to %d", (int)index[i]);
        }
        CHECK_INT(slowly.rows, D + 1, "rows");
        for (int64_t j = 1; j <= D; j++) {
            const double *row = at_once.table + j * at_once.stride;
            CHECK(memcmp(row, slowly.table + j * slowly.stride, DIMS * sizeof *row) == 0, "row %d",
                  (int)j);
            CHECK(memcmp(row, other.table + j * other.stride, DIMS * sizeof *row) != 0,
                  "row %d with another seed", (int)j);
            CHECK(memcmp(row, row - at_once.stride, DIMS * sizeof *row) != 0, "rows %d", (int)j);
        }
        CHECK(memcmp(at_once.phase, slowly.phase, DIMS * sizeof(double)) == 0
                  && memcmp(at_once.phase, other.phase, DIMS * sizeof(double)) != 0,
              "phases");
    }
    feature_map_free(&at_once);
    feature_map_free(&slowly);
    feature_map_free(&other);
}

/* ---- nystrom, and what both have in common ---- */

/* A map of either kind that is fitted and prepared. */
static bool map_ready(int64_t kind, int64_t dims, double gamma, const struct problem *data,
                      struct feature_map *map)
{
    struct error err = {0};
    *map = feature_map_make(kind, dims, gamma, 5);
    bool ready = feature_map_fit(map, data, &err) == 0 && feature_map_prepare(map, 2, &err) == 0;
    CHECK(ready, "a map: %s", err.message);
    return ready;
}

/* exp(-gamma |u - v|^2) by merging. */
static double plain_kernel(double gamma, const struct example *u, const struct example *v)
{
    double distance = 0;
    int64_t a = 0, b = 0;
    while (a < u->size || b < v->size) {
        const int32_t i = a < u->size ? u->index[a] : INT32_MAX,
                      j = b < v->size ? v->index[b] : INT32_MAX;
        const double off = (i <= j ? u->value[a] : 0) - (j <= i ? v->value[b] : 0);
        distance += off * off;
        a += i <= j;
        b += j <= i;
    }
    return exp(-gamma * distance);
}

/* K + 1e-4 I of the landmarks = R R' in place, by the plain loop. */
static double *plain_factor(const struct feature_map *map)
{
    const int64_t D = map->dims;
    double *r = malloc((size_t)(D * D) * sizeof *r);
    for (int64_t i = 0; i < D; i++)
        for (int64_t j = 0; j <= i; j++) {
            const struct example u = problem_example(&map->landmarks, i),
                                 v = problem_example(&map->landmarks, j);
            double sum = plain_kernel(map->gamma, &u, &v) + (i == j ? 1e-4 : 0);
            for (int64_t k = 0; k < j; k++)
                sum -= r[i * D + k] * r[j * D + k];
            r[i * D + j] = i == j ? sqrt(sum) : sum / r[j * D + j];
        }
    return r;
}

/* phi(x) = R^-1 k_m(x). */
static void plain_nystrom(const struct feature_map *map, const double *r, const struct example *x,
                          double *phi)
{
    for (int64_t i = 0; i < map->dims; i++) {
        const struct example z = problem_example(&map->landmarks, i);
        phi[i] = plain_kernel(map->gamma, &z, x);
        for (int64_t j = 0; j < i; j++)
            phi[i] -= r[i * map->dims + j] * phi[j];
        phi[i] /= r[i * map->dims + i];
    }
}

/* spread: indices are multiples of it; with a large one the data are kept sparse. */
static void test_nystrom(int64_t n, int64_t dims, int d, int spread)
{
    check_group("nystrom beside plain loops: %d examples, %d landmarks, %d features, spread %d",
                (int)n, (int)dims, d, spread);
    struct problem problem = problem_make((int)n, d, 0.7, 3);
    struct feature_map map;
    struct error err = {0};
    for (int64_t e = 0; e < problem.nnz; e++)
        problem.index[e] *= spread;
    problem.d *= spread;
    if (map_ready(FEATURE_MAP_NYSTROM, dims, 0.2, &problem, &map)) {
        const int64_t D = n < dims ? n : dims;
        CHECK_INT(map.dims, D, "landmarks");
        CHECK(!map.table == (spread > 1), "dense or sparse");
        double *phi = malloc((size_t)(n * D) * sizeof *phi), *r = plain_factor(&map),
               *plain = malloc((size_t)D * sizeof *plain), worst = 0;
        CHECK(feature_map_rows(&map, &problem, phi, &err) == 0, "mapping: %s", err.message);
        for (int64_t i = 0; i < n; i++) {
            const struct example x = problem_example(&problem, i);
            plain_nystrom(&map, r, &x, plain);
            for (int64_t j = 0; j < D; j++)
                CHECK_NEAR(phi[i * D + j], plain[j], 1e-8, "example %d, feature %d", (int)i,
                           (int)j);
        }
        CHECK(feature_map_rows(&map, &map.landmarks, phi, &err) == 0, "mapping: %s", err.message);
        for (int64_t u = 0; u < D; u++)
            for (int64_t v = 0; v <= u; v++) {
                const struct example x = problem_example(&map.landmarks, u),
                                     y = problem_example(&map.landmarks, v);
                double product = 0;
                for (int64_t j = 0; j < D; j++)
                    product += phi[u * D + j] * phi[v * D + j];
                worst = fmax(worst, fabs(product - plain_kernel(map.gamma, &x, &y)));
            }
        CHECK(worst > 0 && worst < 1.0001e-4, "inner products of landmarks are off by %g", worst);
        free(phi);
        free(r);
        free(plain);
    }
    feature_map_free(&map);
    problem_free(&problem);
}

/* Factors of features are as if the data had been multiplied by them; what has none is 0. */
static void test_scales(int spread)
{
    enum { N = 300, D = 40, WIDTH = 7, KNOWN = WIDTH - 1 };
    check_group("factors of features, spread %d", spread);
    struct problem problem = problem_make(N, WIDTH, 0.7, 3),
                   scaled = problem_make(N, WIDTH, 0.7, 3);
    struct feature_map map = feature_map_make(FEATURE_MAP_NYSTROM, D, 0, 5), plain = map, other;
    struct error err = {0};
    double *scale = malloc((size_t)(KNOWN * spread) * sizeof *scale),
           *phi = malloc(sizeof(double) * N * D), *want = malloc(sizeof(double) * N * D);
    for (int j = 0; j < KNOWN * spread; j++)
        scale[j] = j / spread == 2 ? 0 : 0.3 + j / spread;
    for (int64_t e = 0; e < problem.nnz; e++) {
        const int j = problem.index[e] * spread;
        problem.index[e] = scaled.index[e] = j;
        scaled.value[e] *= j <= KNOWN * spread ? scale[j - 1] : 0;
    }
    problem.d = scaled.d = WIDTH * spread;
    CHECK(feature_map_scale(&map, scale, (int64_t)KNOWN * spread, &err) == 0
              && feature_map_fit(&map, &problem, &err) == 0
              && feature_map_prepare(&map, 2, &err) == 0
              && feature_map_rows(&map, &problem, phi, &err) == 0,
          "scaled: %s", err.message);
    CHECK(feature_map_fit(&plain, &scaled, &err) == 0 && feature_map_prepare(&plain, 1, &err) == 0
              && feature_map_rows(&plain, &scaled, want, &err) == 0,
          "plain: %s", err.message);
    CHECK(!map.table == (spread > 1), "dense or sparse");
    CHECK_NEAR(map.gamma, plain.gamma, 1e-14 * plain.gamma, "gamma");
    for (int64_t cell = 0; cell < N * D; cell++)
        CHECK_NEAR(phi[cell], want[cell], 1e-10, "number %d", (int)cell);
    CHECK(feature_map_equal(&map, &map) && !feature_map_equal(&map, &plain), "equal to itself");
    scale[0] = 0.4;
    other = feature_map_make(FEATURE_MAP_NYSTROM, D, map.gamma, 5);
    CHECK(feature_map_scale(&other, scale, (int64_t)KNOWN * spread, &err) == 0
              && feature_map_fit(&other, &problem, &err) == 0 && !feature_map_equal(&map, &other),
          "another factor is another map");
    feature_map_free(&map);
    feature_map_free(&plain);
    feature_map_free(&other);
    problem_free(&problem);
    problem_free(&scaled);
    free(scale);
    free(phi);
    free(want);
}

/* Landmarks are examples, each once, in the order of the data. */
static void test_landmarks(void)
{
    enum { N = 50, D = 20, SEEDS = 200 };
    int64_t count[N] = {0};
    check_group("landmarks");
    struct problem problem = problem_make(N, 6, 1, 1);
    for (int seed = 0; seed < SEEDS; seed++) {
        struct feature_map map = feature_map_make(FEATURE_MAP_NYSTROM, D, 1, seed);
        CHECK(feature_map_fit(&map, &problem, NULL) == 0 && map.landmarks.n == D, "drawn");
        int64_t i = 0;
        for (int64_t l = 0; l < D; l++) {
            const struct example z = problem_example(&map.landmarks, l);
            bool found = false;
            for (; i < N && !found; i++) {
                const struct example x = problem_example(&problem, i);
                found = x.size == z.size
                        && memcmp(x.value, z.value, (size_t)z.size * sizeof *z.value) == 0
                        && memcmp(x.index, z.index, (size_t)z.size * sizeof *z.index) == 0;
                count[i] += found;
            }
            CHECK(found, "seed %d, landmark %d is an example", seed, (int)l);
        }
        feature_map_free(&map);
    }
    for (int i = 0; i < N; i++) /* 5 standard deviations */
        CHECK(fabs((double)count[i] - SEEDS * D / (double)N) < 5 * sqrt(SEEDS * .24),
              "example %d was drawn %d times", i, (int)count[i]);
    problem_free(&problem);
}

/* One example, blocks, a table, a problem, any number of threads: the same numbers. */
static void test_same(int64_t kind)
{
    enum { N = 700, D = 75 };
    check_group("the same numbers, %s", feature_map_names[kind]);
    struct problem problem = problem_make(N, 9, 1, 4), mapped = {.n = 0};
    struct feature_map map;
    double *phi = malloc(sizeof(double) * N * D), one[D];
    float *table = malloc(sizeof(float) * N * D);
    if (map_ready(kind, D, 0.1, &problem, &map)
        && feature_map_rows(&map, &problem, phi, NULL) == 0) {
        for (int64_t i = 0; i < N; i += 13) {
            const struct example x = problem_example(&problem, i);
            CHECK(map_one(&map, &x, one, NULL) == 0 && memcmp(one, phi + i * D, sizeof one) == 0,
                  "example %d alone", (int)i);
        }
        for (int threads = 1; threads <= 5; threads += 2) {
            bool same = feature_map_table(&map, &problem, table, threads, NULL) == 0;
            for (int64_t c = 0; c < N * D; c++)
                same &= !(table[c] < (float)phi[c] || table[c] > (float)phi[c]);
            CHECK(same, "a table by %d threads", threads);
            CHECK(feature_map_problem(&map, &problem, 2, threads, &mapped, NULL) == 0,
                  "a problem by %d threads", threads);
            CHECK(mapped.n == N && mapped.nnz == N * (D + 1) && mapped.d == D, "its size");
            for (int64_t i = 0; i < N; i++) {
                const struct example x = problem_example(&mapped, i);
                CHECK(x.size == D + 1 && x.index[0] == 1 && x.index[D - 1] == D && x.index[D] == 0
                          && x.value[D] == 2 && x.label == problem.label[i]
                          && x.line == problem.line[i]
                          && memcmp(x.value, phi + i * D, D * sizeof *phi) == 0,
                      "example %d by %d threads", (int)i, threads);
            }
        }
    }
    feature_map_free(&map);
    problem_free(&mapped);
    problem_free(&problem);
    free(table);
    free(phi);
}

/* The memory of mapped examples is used again, for fewer and for more. */
static void test_memory_again(void)
{
    enum { D = 5 };
    static const int n[] = {20, 3, 25, 40, 21};
    check_group("memory used again");
    struct problem mapped = {.n = 0};
    for (size_t t = 0; t < sizeof n / sizeof *n; t++) {
        struct problem problem = problem_make(n[t], 9, 1, t + 1);
        struct feature_map map;
        double phi[D];
        if (map_ready(FEATURE_MAP_FOURIER, D, 0.1, &problem, &map)
            && feature_map_problem(&map, &problem, -1, 1, &mapped, NULL) == 0) {
            const struct example last = problem_example(&problem, n[t] - 1);
            const struct example x = problem_example(&mapped, n[t] - 1);
            CHECK(map_one(&map, &last, phi, NULL) == 0 && mapped.n == n[t] && x.line == last.line
                      && memcmp(x.value, phi, sizeof phi) == 0,
                  "%d examples", n[t]);
        }
        feature_map_free(&map);
        problem_free(&problem);
    }
    problem_free(&mapped);
}

/* W'phi = V'basis. */
static void test_fold(int64_t kind)
{
    enum { N = 40, D = 30, K = 3 };
    check_group("folding, %s", feature_map_names[kind]);
    struct problem problem = problem_make(N, 5, 1, 6);
    struct feature_map map;
    struct random g = random_seeded(1, 1);
    double phi[N * D], basis[N * D], w[D * K], v[D * K];
    for (int c = 0; c < D * K; c++)
        v[c] = w[c] = random_normal(&g);
    if (map_ready(kind, D, 0.3, &problem, &map) && feature_map_rows(&map, &problem, phi, NULL) == 0
        && feature_map_basis(&map, &problem, basis, NULL) == 0) {
        CHECK(feature_map_fold(&map, K, v, 2, NULL) == 0, "folded");
        for (int i = 0; i < N; i++)
            for (int k = 0; k < K; k++) {
                double score = 0, folded = 0;
                for (int j = 0; j < D; j++) {
                    score += phi[i * D + j] * w[j * K + k];
                    folded += basis[i * D + j] * v[j * K + k];
                }
                CHECK_NEAR(folded, score, 1e-10, "example %d, class %d", i, k);
            }
    }
    feature_map_free(&map);
    problem_free(&problem);
}

/* What is chosen where nothing is said. */
static void test_defaults(void)
{
    enum { N = 31, D = 7 };
    check_group("defaults");
    struct problem problem = problem_make(N, D, 3, 2);
    double x[N][D + 1] = {{0}}, variance = 0;
    for (int i = 0; i < N; i++) {
        const struct example e = problem_example(&problem, i);
        for (int64_t j = 0; j < e.size; j++)
            x[i][e.index[j]] = e.value[j];
    }
    for (int j = 1; j <= D; j++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += x[i][j] / N;
        for (int i = 0; i < N; i++)
            variance += (x[i][j] - mean) * (x[i][j] - mean) / N;
    }
    struct feature_map nystrom = feature_map_make(FEATURE_MAP_NYSTROM, 0, 0, 1),
                       fourier = feature_map_make(FEATURE_MAP_FOURIER, 0, 0, 1);
    CHECK(feature_map_needs_data(&nystrom) && feature_map_needs_data(&fourier), "open");
    CHECK(feature_map_fit(&nystrom, &problem, NULL) == 0
              && feature_map_fit(&fourier, &problem, NULL) == 0,
          "fitted");
    CHECK(!feature_map_needs_data(&nystrom) && !feature_map_needs_data(&fourier), "fitted");
    CHECK_NEAR(nystrom.gamma, 1 / variance, 1e-12, "gamma");
    CHECK(fourier.gamma == nystrom.gamma, "the same gamma");
    CHECK_INT(nystrom.dims, N / 2, "landmarks");
    CHECK_INT(fourier.dims, FEATURE_MAP_USUAL_DIMS, "features");
    CHECK(feature_map_equal(&nystrom, &nystrom) && !feature_map_equal(&nystrom, &fourier),
          "equal to itself only");
    struct feature_map other = feature_map_make(FEATURE_MAP_NYSTROM, 0, 0, 2);
    CHECK(feature_map_fit(&other, &problem, NULL) == 0 && !feature_map_equal(&nystrom, &other),
          "other landmarks");
    struct feature_map known = feature_map_make(FEATURE_MAP_FOURIER, 3, 0.5, 1);
    CHECK(!feature_map_needs_data(&known), "all is said");
    CHECK(feature_map_most_features(&known, 1e6) > 100
              && feature_map_most_features(&known, 1e6) < 100000
              && feature_map_most_features(&nystrom, 1) == INT32_MAX,
          "what fits");
    feature_map_free(&nystrom);
    feature_map_free(&fourier);
    feature_map_free(&other);
    feature_map_free(&known);
    problem_free(&problem);
}

/* Equal examples, and ones without an entry. */
static void test_equal_examples(void)
{
    check_group("equal examples");
    static const int32_t index[] = {2};
    static const double value[] = {1};
    const struct example some = {.size = 1, .index = index, .value = value},
                         none = {.size = 0, .index = index, .value = value};
    struct problem problem = {.n = 0}, same = {.n = 0};
    for (int i = 0; i < 6; i++)
        CHECK(problem_append_example(&problem, i % 2 ? &some : &none, NULL) == 0
                  && problem_append_example(&same, &some, NULL) == 0,
              "memory");
    struct feature_map map, flat = feature_map_make(FEATURE_MAP_FOURIER, 2, 0, 1);
    struct error err = {0};
    double phi[36], product = 0, square = 0;
    if (map_ready(FEATURE_MAP_NYSTROM, 6, 0, &problem, &map)) {
        CHECK_NEAR(map.gamma, 4, 1e-12, "1 / (1 / 4)");
        CHECK(feature_map_rows(&map, &problem, phi, &err) == 0, "%s", err.message);
        for (int j = 0; j < 6; j++) {
            product += phi[j] * phi[6 + j];
            square += phi[j] * phi[j];
        }
        CHECK(fabs(product - exp(-4)) < 1e-4 && fabs(square - 1) < 1e-4, "%g, %g", product, square);
    }
    CHECK(feature_map_fit(&flat, &same, &err) != 0 && strstr(err.message, "is 0"),
          "no variance: %s", err.message);
    feature_map_free(&map);
    feature_map_free(&flat);
    problem_free(&problem);
    problem_free(&same);
}

static void test_too_large(void)
{
    check_group("values too large");
    struct feature_map f;
    struct error err = {0};
    struct problem huge = problem_make(600, 3, 1e308, 1), small = problem_make(5, 3, 1, 1);
    double *z = malloc(600 * 4 * sizeof *z);
    if (fourier_ready(4, 100, 1, 3, &f))
        CHECK(feature_map_rows(&f, &huge, z, &err) != 0 && err.message[0] && err.line == 1,
              "refused, with its line: %s, %d", err.message, (int)err.line);
    feature_map_free(&f);
    f = feature_map_make(FEATURE_MAP_NYSTROM, 4, 1, 1);
    CHECK(feature_map_fit(&f, &huge, &err) == 0 && feature_map_prepare(&f, 1, &err) != 0
              && strstr(err.message, "landmarks"),
          "landmarks: %s", err.message);
    feature_map_free(&f);
    f = feature_map_make(FEATURE_MAP_NYSTROM, 4, 0, 1);
    CHECK(feature_map_fit(&f, &huge, &err) != 0 && strstr(err.message, "too large"), "gamma: %s",
          err.message);
    feature_map_free(&f);
    if (map_ready(FEATURE_MAP_NYSTROM, 4, 1, &small, &f)) {
        struct problem mapped = {.n = 0};
        err = (struct error){0};
        CHECK(feature_map_problem(&f, &huge, -1, 3, &mapped, &err) != 0 && err.line == 1,
              "the first line in error: %d", (int)err.line);
        problem_free(&mapped);
    }
    feature_map_free(&f);
    problem_free(&huge);
    problem_free(&small);
    free(z);
}

/* A learner of mapped features must not take the features of the data for these: without its map a
 * model is refused. */
static void test_model(void)
{
    check_group("a model with a map is loaded with it or not at all");
    char path[] = "/tmp/test_feature_map.XXXXXX";
    const int fd = mkstemp(path);
    struct labels labels = {0};
    struct error err = {0};
    struct model model = {0};
    struct feature_map made = feature_map_make(FEATURE_MAP_FOURIER, 3, 1, 7);
    struct data_form form = {.bias = -1, .seed = 1, .map = &made.base}, again;
    CHECK(fd >= 0 && close(fd) == 0 && labels_parse("1-3", &labels, NULL) == 0, "a file");
    struct online *o = online_new(&(struct online_options){.rule = ONLINE_PERCEPTRON}, &labels,
                                  NULL);
    const struct example x = {
        .line = 1, .size = 1, .index = (int32_t[]){3}, .value = (double[]){1}};
    CHECK(o && online_learn(o, &x, 0, 1, NULL) == 0, "a learner");
    CHECK(online_save(o, &form, path, 1, &err) == 0, "saved: %s", err.message);
    online_free(o);
    o = online_load_file(path, 1, &again, &err);
    CHECK(!o && strstr(err.message, "has a map") && strcmp(err.file, path) == 0, "%s: %s", err.file,
          err.message);
    online_free(o);
    CHECK(model_read(path, 1, true, &model, &err) == 0, "%s", err.message);
    struct feature_map taken = model_take_map(&model);
    CHECK(feature_map_equal(&taken, &made), "the map");
    CHECK((o = online_load(&model, &again, &err)) && !again.map, "without it: %s", err.message);
    online_free(o);
    feature_map_free(&taken);
    model_free(&model);
    labels_free(&labels);
    remove(path);
}

int main(void)
{
    test_model();
    test_plain(1, 0.5);
    test_plain(7, 0.01);
    test_plain(300, 2);
    test_numbers();
    test_kernel();
    test_order();
    test_nystrom(40, 12, 5, 1);
    test_nystrom(40, 12, 5, 20);
    test_nystrom(30, 30, 40, 1);
    test_nystrom(9, 100, 3, 1);
    test_nystrom(300, 130, 17, 1);
    test_nystrom(300, 130, 17, 2000);
    test_scales(1);
    test_scales(1000);
    test_landmarks();
    test_same(FEATURE_MAP_NYSTROM);
    test_same(FEATURE_MAP_FOURIER);
    test_memory_again();
    test_fold(FEATURE_MAP_NYSTROM);
    test_fold(FEATURE_MAP_FOURIER);
    test_defaults();
    test_equal_examples();
    test_too_large();
    return check_finish();
}
