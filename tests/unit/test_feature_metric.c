/* How kernels look at features: distances beside their definition, and rows of a file. */
#include "check.h"
#include "common/base/random.h"
#include "common/kernel/feature_metric.h"

#include <stdlib.h>
#include <string.h>

enum { D = 6, N = 40 };

/* M of `rank` random directions, in these units; the fourth feature tells nothing. */
static void make_product(int rank, const double *unit, double m[D][D])
{
    struct random g = random_seeded(7, 1);
    memset(m, 0, sizeof(double[D][D]));
    for (int r = 0; r < rank; r++) {
        double way[D];
        for (int j = 0; j < D; j++)
            way[j] = j == 3 ? 0 : random_normal(&g) * unit[j];
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                m[i][j] += way[i] * way[j];
    }
}

/* Examples of features 1 .. D + 1, of which some are absent, and a bias. */
static struct problem make_examples(const double *unit)
{
    struct random g = random_seeded(8, 1);
    struct problem problem = {.n = 0};
    struct error err = {0};
    for (int i = 0; i < N; i++) {
        int32_t index[D + 2];
        double value[D + 2];
        int size = 0;
        for (int j = 0; j <= D; j++)
            if (random_uniform(&g) < 0.8) {
                index[size] = j + 1;
                value[size++] = random_normal(&g) / (j < D && unit[j] > 0 ? unit[j] : 1);
            }
        index[size] = 0;
        value[size++] = 100 + i;
        const struct example x = {
            .label = i, .line = i + 1, .size = size, .index = index, .value = value};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    return problem;
}

/* The values of features 1 .. D. */
static void spread(const struct problem *problem, int64_t i, double *x)
{
    const struct example e = problem_example(problem, i);
    memset(x, 0, D * sizeof *x);
    for (int64_t k = 0; k < e.size; k++)
        if (e.index[k] > 0 && e.index[k] <= D)
            x[e.index[k] - 1] = e.value[k];
}

/* (u - v)' M (u - v) beside the distance of what is seen. */
static void check_distances(const struct feature_metric *metric, double m[D][D],
                            const struct problem *problem)
{
    struct problem seen = {0};
    struct error err = {0};
    CHECK(feature_metric_see(metric, problem, &seen, &err) == 0, "%s", err.message);
    CHECK_INT(seen.n, N, "all examples");
    CHECK_INT(seen.label[5], 5, "labels");
    CHECK_INT(seen.line[5], 6, "lines");
    for (int64_t i = 1; i < N; i++) {
        double u[D], v[D], a[D], b[D], want = 0, got = 0;
        spread(problem, i, u);
        spread(problem, i - 1, v);
        spread(&seen, i, a);
        spread(&seen, i - 1, b);
        for (int j = 0; j < D; j++) {
            got += (a[j] - b[j]) * (a[j] - b[j]);
            for (int l = 0; l < D; l++)
                want += (u[j] - v[j]) * m[j][l] * (u[l] - v[l]);
        }
        CHECK_NEAR(got, want, 1e-6 * (1 + want), "examples %d and %d", (int)i, (int)i - 1);
    }
    problem_free(&seen);
}

static void test_product(int rank, const double *unit)
{
    double m[D][D], again[D][D], copy[D][D];
    struct feature_metric metric, other, same;
    struct problem problem = make_examples(unit), rows = {0};
    struct error err = {0};
    check_group("a product of rank %d, unit %g", rank, unit[0]);
    make_product(rank, unit, m);
    memcpy(again, m, sizeof m);
    for (int i = 0; i < D; i++) /* not read */
        for (int j = i + 1; j < D; j++)
            again[i][j] = NAN;
    memcpy(copy, again, sizeof m);
    CHECK_INT(feature_metric_of_product(again[0], D, 1, &metric, &err), 0, "%s", err.message);
    CHECK_INT(feature_metric_of_product(copy[0], D, 3, &other, &err), 0, "%s", err.message);
    CHECK(feature_metric_equal(&metric, &other), "the same on three threads");
    check_distances(&metric, m, &problem);
    for (int j = 0; j <= 3; j++)
        CHECK_NEAR(metric.triangle[feature_metric_numbers(3) + j], 0, 0, "nothing told");
    for (int j = 0; j < D; j++) {
        const struct example row = {.size = j + 1,
                                    .index = metric.index,
                                    .value = metric.triangle + feature_metric_numbers(j)};
        CHECK(problem_append_example(&rows, &row, &err) == 0, "memory");
    }
    CHECK_INT(feature_metric_of_rows(&rows, &same, &err), 0, "%s", err.message);
    CHECK(feature_metric_equal(&metric, &same), "its rows");
    same.triangle[7] += 1e-9;
    CHECK(!feature_metric_equal(&metric, &same), "another number");
    same.triangle[7] = metric.triangle[7];
    same.index[D - 1]++;
    CHECK(!feature_metric_equal(&metric, &same), "another feature");
    feature_metric_free(&same);
    CHECK(feature_metric_copy(&metric, &same, &err) == 0 && feature_metric_equal(&metric, &same),
          "a copy");
    CHECK_NEAR(feature_metric_bytes(&metric), 4 * D + 8 * D * (D + 1) / 2, 0, "bytes");
    CHECK(feature_metric_seen_bytes(&metric, N, 1) >= problem_bytes(N, N * D, false), "seen");
    feature_metric_free(&metric);
    feature_metric_free(&other);
    feature_metric_free(&same);
    problem_free(&problem);
    problem_free(&rows);
}

/* Of no metric: features that are more alike than the same one. */
static void test_indefinite(void)
{
    double m[D][D] = {{0}};
    struct feature_metric metric;
    struct error err = {0};
    check_group("a product that is not semidefinite");
    for (int i = 0; i < D; i++)
        m[i][i] = 1;
    m[4][2] = 1.001;
    CHECK_INT(feature_metric_of_product(m[0], D, 1, &metric, &err), FEATURE_METRIC_UNFIT, "it is");
    feature_metric_free(&metric);
}

static void test_scale(void)
{
    static const double ones[D] = {1, 1, 1, 1, 1, 1}, scale[] = {2, 0, 0.5, 3};
    double m[D][D] = {{0}};
    struct feature_metric metric, copy, none = {.d = 0}, nothing;
    struct problem problem = make_examples(ones);
    struct error err = {0};
    check_group("factors");
    for (int j = 0; j < 4; j++)
        m[j][j] = scale[j] * scale[j];
    CHECK(feature_metric_of_scale(scale, 4, &metric, &err) == 0, "memory");
    check_distances(&metric, m, &problem);
    CHECK_NEAR(feature_metric_factor(&metric, 4), 3, 0, "of the last feature");
    CHECK_NEAR(feature_metric_factor(&metric, 5), 0, 0, "of one that has none");
    CHECK_NEAR(feature_metric_factor(&metric, 0), 1, 0, "of a bias");
    CHECK_NEAR(feature_metric_factor(&none, 5), 1, 0, "where there are none");
    CHECK(feature_metric_copy(&metric, &copy, &err) == 0 && feature_metric_equal(&metric, &copy),
          "a copy");
    copy.scale[3] = 4;
    CHECK(!feature_metric_equal(&metric, &copy), "another factor");
    CHECK(feature_metric_copy(&none, &nothing, &err) == 0 && nothing.d == 0
              && feature_metric_equal(&none, &nothing) && !feature_metric_equal(&none, &metric),
          "none");
    feature_metric_free(&metric);
    feature_metric_free(&copy);
    problem_free(&problem);
}

/* Rows of a file that are not those of a triangle. */
static void test_rows(void)
{
    static const struct {
        const char *text, *what;
        int status;
    } cases[] = {{"3:1\n3:2 7:1\n", "two features", 0},
                 {"3:1\n4:2 7:1\n", "another feature above", FEATURE_METRIC_UNFIT},
                 {"3:1\n3:2 7:1 9:1\n", "a row too long", FEATURE_METRIC_UNFIT},
                 {"3:1\n3:2\n", "a row too short", FEATURE_METRIC_UNFIT},
                 {"3:1 7:1\n3:1 7:1\n", "a square", FEATURE_METRIC_UNFIT},
                 {"3:1\n3:1 7:1\n3:1\n", "a last row too short", FEATURE_METRIC_UNFIT},
                 {"3:1\n3:1 7:1\n3:1 7:1 8:1 9:1\n", "a last row too long", FEATURE_METRIC_UNFIT}};
    static const struct example_format format = {.no_label = true, .bias = -1};
    check_group("rows");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        struct problem rows = {0};
        struct feature_metric metric = {0};
        struct error err = {0};
        memset(text, 0, sizeof text);
        memcpy(text, cases[i].text, strlen(cases[i].text));
        CHECK(problem_append_text(&rows, text, text + strlen(text), &format, &err) == 0, "%s",
              err.message);
        CHECK_INT(feature_metric_of_rows(&rows, &metric, &err), cases[i].status, "%s",
                  cases[i].what);
        feature_metric_free(&metric);
        problem_free(&rows);
    }
}

int main(void)
{
    static const double ones[D] = {1, 1, 1, 1, 1, 1}, units[D] = {1e-9, 1e9, 1, 1, 1e-100, 1e60};
    test_product(9, ones);
    test_product(1, ones);
    test_product(9, units);
    test_indefinite();
    test_scale();
    test_rows();
    return check_finish();
}
