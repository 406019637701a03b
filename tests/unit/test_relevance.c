/* Relevances beside differences of the function, and standard deviations. */
#include "check.h"
#include "common/base/random.h"
#include "learners/features/relevance.h"

#include <stdlib.h>
#include <string.h>

enum { N = 50, D = 12, WIDTH = 5, K = 3 };

/* Features of very different sizes; the last is always 0 and the one before it constant.  Of the
 * second, whose mean is not 0, every fourth value is 0, and left out. */
static struct problem make_examples(void)
{
    struct random g = random_seeded(4, 1);
    struct problem problem = {.n = 0};
    struct error err = {0};
    for (int i = 0; i < N; i++) {
        const int32_t index[] = {1, 2, 3, 4, 5};
        double value[] = {1000 * random_normal(&g), random_normal(&g), 0.01 * random_normal(&g), 7,
                          0};
        const struct example x = {.size = WIDTH, .index = index, .value = value, .line = i + 1};
        if (i % 4 == 0)
            value[1] = 0;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    return problem;
}

/* f_k at an example, one of whose features is moved. */
static double plain_function(struct feature_map *map, const struct example *x, int feature,
                             double by, const double *v, int k)
{
    double value[WIDTH], basis[D], f = 0;
    struct problem one = {0};
    struct error err = {0};
    struct example moved = *x;
    memcpy(value, x->value, sizeof value);
    value[feature] += by;
    moved.value = value;
    CHECK(problem_append_example(&one, &moved, &err) == 0
              && feature_map_basis(map, &one, basis, &err) == 0,
          "%s", err.message);
    for (int m = 0; m < D; m++)
        f += basis[m] * v[m * K + k];
    problem_free(&one);
    return f;
}

/* The sum over examples and classes of the products of two derivatives. */
static double plain_product(double (*slope)[WIDTH], int j, int l)
{
    double sum = 0;
    for (int i = 0; i < N * K; i++)
        sum += slope[i][j] * slope[i][l];
    return sum;
}

static void test_relevance(bool scaled)
{
    static const double size[WIDTH] = {1000, 1, 0.01, 1, 1};
    double scale[WIDTH] = {0.002, 1.5, 50, 1, 1};
    const struct feature_metric metric = {.d = scaled ? WIDTH : 0, .scale = scaled ? scale : NULL};
    struct problem problem = make_examples();
    struct feature_map map = feature_map_make(FEATURE_MAP_NYSTROM, D, scaled ? 0.3 : 0.2e-6, 2);
    struct random g = random_seeded(5, 1);
    struct error err = {0};
    static double slope[N * K][WIDTH];
    double v[D * K], got[WIDTH], again[WIDTH], want[WIDTH], largest = 0;
    double product[WIDTH * WIDTH], other[WIDTH * WIDTH];
    check_group("relevances%s", scaled ? ", scaled" : "");
    for (int cell = 0; cell < D * K; cell++)
        v[cell] = random_normal(&g);
    CHECK(feature_map_look(&map, &metric, &err) == 0 && feature_map_fit(&map, &problem, &err) == 0
              && feature_map_prepare(&map, 1, &err) == 0 && relevance_exists(&map),
          "%s", err.message);
    for (int j = 0; j < WIDTH; j++) {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < K; k++) {
                const struct example x = problem_example(&problem, i);
                const double step = (scaled ? 1e-4 : 1e-2) * size[j]
                                    / (scaled ? 1 : size[j] / 1000),
                             up = plain_function(&map, &x, j, step, v, k),
                             down = plain_function(&map, &x, j, -step, v, k);
                slope[i * K + k][j] = (up - down) / (2 * step);
            }
        want[j] = plain_product(slope, j, j);
        largest = fmax(largest, want[j]);
    }
    CHECK(relevance_of_features(&map, &problem, v, K, WIDTH, 1, got, product, &err) == 0
              && relevance_of_features(&map, &problem, v, K, WIDTH, 3, again, other, &err) == 0,
          "%s", err.message);
    for (int j = 0; j < WIDTH; j++) {
        CHECK_NEAR(got[j], sqrt(want[j] / largest), 1e-5, "feature %d", j + 1);
        for (int l = 0; l <= j; l++) {
            const double units = sqrt(want[j] / largest) * sqrt(want[l] / largest);
            CHECK_NEAR(product[j * WIDTH + l], plain_product(slope, j, l) / largest,
                       1e-5 * units + 1e-12, "features %d and %d", j + 1, l + 1);
            CHECK_NEAR(product[j * WIDTH + l], other[j * WIDTH + l], 0, "on three threads");
        }
    }
    CHECK(memcmp(got, again, sizeof got) == 0, "the same on three threads");
    for (int power = -30; power <= 30; power += 60) {
        double multiple[D * K];
        for (int cell = 0; cell < D * K; cell++)
            multiple[cell] = ldexp(v[cell], power);
        CHECK(relevance_of_features(&map, &problem, multiple, K, WIDTH, 1, again, NULL, &err) == 0,
              "%s", err.message);
        CHECK(memcmp(got, again, sizeof got) == 0, "the same of 2^%d times the function", power);
    }
    memset(v, 0, sizeof v);
    CHECK(relevance_of_features(&map, &problem, v, K, WIDTH, 1, got, product, &err) == 0, "%s",
          err.message);
    for (int j = 0; j < WIDTH; j++) {
        CHECK_NEAR(got[j], 0, 0, "feature %d of a constant", j + 1);
        CHECK_NEAR(product[j * WIDTH], 0, 0, "and its products");
    }
    feature_map_free(&map);
    problem_free(&problem);
}

static void test_deviations(void)
{
    struct problem problem = make_examples();
    struct error err = {0};
    double got[WIDTH];
    check_group("standard deviations");
    CHECK(relevance_unit_deviations(&problem, WIDTH, got, &err) == 0, "%s", err.message);
    for (int j = 0; j < WIDTH; j++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < N; i++)
            mean += problem.value[i * WIDTH + j] / N;
        for (int i = 0; i < N; i++)
            variance += pow(problem.value[i * WIDTH + j] - mean, 2) / N;
        CHECK_NEAR(got[j] * (j < 3 ? sqrt(variance) : 1), j < 3, 1e-12, "feature %d", j + 1);
    }
    problem_free(&problem);
}

/* Where a feature is absent it is 0: the first is 3, 5, 3, 5, the second 0, 4, 4, 0, and the third
 * always absent. */
static void test_absent(void)
{
    static const int32_t index[] = {1, 2};
    static const double value[][2] = {{3, 0}, {5, 4}, {3, 4}, {5, 0}}, want[] = {1, 0.5, 0};
    struct problem problem = {.n = 0};
    struct error err = {0};
    double got[] = {NAN, NAN, NAN};
    check_group("standard deviations of features that are absent");
    for (int i = 0; i < 4; i++) {
        const struct example x = {
            .size = value[i][1] > 0 ? 2 : 1, .index = index, .value = value[i]};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    CHECK(relevance_unit_deviations(&problem, 3, got, &err) == 0, "%s", err.message);
    for (int j = 0; j < 3; j++)
        CHECK_NEAR(got[j], want[j], 1e-15, "feature %d", j + 1);
    problem_free(&problem);
}

static void test_bytes(void)
{
    check_group("bytes of relevances");
    CHECK_NEAR(relevance_bytes(100, 20, 3), 8 * (2 * 100 * 20 + 100 * 3), 0,
               "basis and its multiple for a class, derivatives");
}

int main(void)
{
    test_relevance(false);
    test_relevance(true);
    test_deviations();
    test_absent();
    test_bytes();
    return check_finish();
}
