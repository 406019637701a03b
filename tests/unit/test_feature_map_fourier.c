/* Fourier features (common/kernel/feature_map_fourier.c) beside a plain loop with libm's functions,
 * what their numbers are drawn from, the kernel that they stand for, and the same numbers whatever
 * else is mapped. */
#include "check.h"
#include "common/kernel/feature_map.h"
#include "feature_map_cases.h"

#include <stdlib.h>
#include <string.h>

/* z_j = sqrt(2/D) cos(a_j.x + b_j) with the a and b of the map, which are drawn as they should be.
 */
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

static const double two_pi = 6.283185307179586;

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

int main(void)
{
    test_plain(1, 0.5);
    test_plain(7, 0.01);
    test_plain(300, 2);
    test_numbers();
    test_kernel();
    test_order();
    return check_finish();
}
