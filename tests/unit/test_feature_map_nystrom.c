/* Nystrom features (common/kernel/feature_map_nystrom.c) beside plain loops: a Cholesky factor of
 * the landmarks' kernel matrix; factors of features, which examples are landmarks, and equal
 * examples. */
#include "check.h"
#include "common/kernel/feature_map.h"
#include "feature_map_cases.h"

#include <stdlib.h>
#include <string.h>

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
    const struct feature_metric metric = {.d = (int64_t)KNOWN * spread, .scale = scale};
    for (int j = 0; j < KNOWN * spread; j++)
        scale[j] = j / spread == 2 ? 0 : 0.3 + j / spread;
    for (int64_t e = 0; e < problem.nnz; e++) {
        const int j = problem.index[e] * spread;
        problem.index[e] = scaled.index[e] = j;
        scaled.value[e] *= j <= KNOWN * spread ? scale[j - 1] : 0;
    }
    problem.d = scaled.d = WIDTH * spread;
    CHECK(feature_map_look(&map, &metric, &err) == 0 && feature_map_fit(&map, &problem, &err) == 0
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
    CHECK(feature_map_look(&other, &metric, &err) == 0
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

/* By a metric the map is that of what the kernel sees. */
static void test_metric(void)
{
    enum { N = 300, D = 40, WIDTH = 5 };
    check_group("a metric");
    static double triangle[] = {2, 1, 0.5, 0, 0, 0, -1, 0.3, 0, 0.7}, phi[N * D], want[N * D];
    static int32_t index[] = {1, 2, 4, 5};
    const struct feature_metric metric = {4, NULL, index, triangle};
    struct problem problem = problem_make(N, WIDTH, 0.7, 3), seen = {0};
    struct feature_map map = feature_map_make(FEATURE_MAP_NYSTROM, D, 0, 5), plain = map;
    struct error err = {0};
    CHECK(feature_metric_see(&metric, &problem, &seen, &err) == 0, "memory");
    CHECK(feature_map_look(&map, &metric, &err) == 0 && feature_map_fit(&map, &problem, &err) == 0
              && feature_map_prepare(&map, 2, &err) == 0
              && feature_map_rows(&map, &problem, phi, &err) == 0,
          "by a metric: %s", err.message);
    CHECK(feature_map_fit(&plain, &seen, &err) == 0 && feature_map_prepare(&plain, 1, &err) == 0
              && feature_map_rows(&plain, &seen, want, &err) == 0,
          "plain: %s", err.message);
    CHECK_NEAR(map.gamma, plain.gamma, 0, "gamma");
    CHECK(memcmp(phi, want, sizeof phi) == 0, "the same features");
    CHECK(!feature_map_equal(&map, &plain), "another map");
    CHECK(feature_map_bytes(&map, WIDTH, 1) - feature_map_bytes(&plain, WIDTH, 1)
              >= problem_bytes(256, 256 * 4, false),
          "bytes of a block as it is seen");
    feature_map_free(&map);
    feature_map_free(&plain);
    problem_free(&problem);
    problem_free(&seen);
}

/* A landmark with one value in seven is dense, but has no table, of which 39 columns in 40 would be
 * padding; with few values it has one.  Both are counted. */
static void test_table(int64_t entries)
{
    const bool small = entries < 1000;
    const double table = 40 * 8 * (7. * (double)entries + 1);
    struct problem problem = {.n = 0};
    struct feature_map map = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0.5, 1);
    struct error err = {0};
    double phi;
    check_group("a table of a landmark with %d values", (int)entries);
    int32_t *index = malloc((size_t)entries * sizeof *index);
    double *value = calloc((size_t)entries, sizeof *value);
    for (int64_t e = 0; e < entries; e++)
        index[e] = (int32_t)(7 * e + 7);
    const struct example z = {.index = index, .value = value, .size = entries};
    CHECK(problem_append_example(&problem, &z, &err) == 0
              && feature_map_fit(&map, &problem, &err) == 0
              && feature_map_prepare(&map, 1, &err) == 0,
          "%s", err.message);
    value[entries - 1] = 1;
    problem_clear(&problem);
    CHECK(problem_append_example(&problem, &z, &err) == 0
              && feature_map_rows(&map, &problem, &phi, &err) == 0,
          "%s", err.message);
    CHECK_NEAR(phi, exp(-0.5) / sqrt(1 + 1e-4), 1e-15, "the feature");
    CHECK((map.table != NULL) == small, "is there a table");
    const double bytes = feature_map_bytes(&map, 7 * entries, 1);
    CHECK(small ? bytes > table : bytes < table / 4, "%g bytes, %g for a table", bytes, table);
    feature_map_free(&map);
    problem_free(&problem);
    free(index);
    free(value);
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

int main(void)
{
    test_nystrom(40, 12, 5, 1);
    test_nystrom(40, 12, 5, 20);
    test_nystrom(30, 30, 40, 1);
    test_nystrom(9, 100, 3, 1);
    test_nystrom(300, 130, 17, 1);
    test_nystrom(300, 130, 17, 2000);
    test_scales(1);
    test_scales(1000);
    test_metric();
    test_table(400);
    test_table(6000);
    test_landmarks();
    test_equal_examples();
    return check_finish();
}
