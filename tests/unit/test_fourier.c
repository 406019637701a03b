/* Random Fourier features: a plain loop with libm's cosine, the kernel that they stand for, the
 * same map whatever comes first. */
#include "check.h"
#include "common/base/random.h"
#include "learners/features/fourier.h"

#include <stdlib.h>
#include <string.h>

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

static bool fourier_ready(int64_t dims, double gamma, int64_t seed, int64_t d, struct fourier *f)
{
    struct error err = {0};
    bool ready = fourier_make(dims, gamma, seed, f, &err) == 0 && fourier_grow(f, d, &err) == 0;
    CHECK(ready, "a map: %s", err.message);
    return ready;
}

/* z_j = sqrt(2/D) cos(a_j.x + b_j) with the a and b of the map, which are drawn as they should
 * be. */
static void test_plain(int dims, double gamma)
{
    enum { N = 40, D = 12 };
    check_group("a plain loop, %d features, gamma %g", dims, gamma);
    struct fourier f;
    struct problem problem = problem_make(N, D, 1, 1), mapped = {.n = 0};
    struct error err = {0};
    double *z = malloc((size_t)(N * dims) * sizeof *z);
    if (fourier_ready(dims, gamma, 3, D, &f)) {
        CHECK(fourier_map(&f, &problem, z, &err) == 0, "mapping: %s", err.message);
        CHECK(fourier_problem(&f, &problem, &mapped, &err) == 0, "mapping a problem: %s",
              err.message);
        CHECK_INT(mapped.n, N, "examples");
        CHECK_INT(mapped.d, dims, "features");
        for (int i = 0; i < N; i++) {
            struct example x = problem_example(&problem, i), y = problem_example(&mapped, i);
            CHECK(y.label == x.label && y.line == x.line && y.size == dims,
                  "label, line and size of example %d", i);
            for (int j = 0; j < dims; j++) {
                double angle = f.b[j];
                for (int64_t e = 0; e < x.size; e++)
                    angle += x.value[e] * f.a.w[x.index[e] * f.a.stride + j];
                CHECK_NEAR(z[i * dims + j], sqrt(2.0 / dims) * cos(angle), 1e-12,
                           "example %d, feature %d", i, j);
                CHECK(y.index[j] == j + 1 && y.value[j] == z[i * dims + j],
                      "example %d, feature %d of a problem", i, j);
            }
        }
    }
    fourier_free(&f);
    problem_free(&problem);
    problem_free(&mapped);
    free(z);
}

static void test_numbers(void)
{
    enum { DIMS = 400, D = 50 };
    const double gamma = 0.3;
    check_group("what a and b are drawn from");
    struct fourier f;
    double sum = 0, square = 0, fourth = 0, phases = 0;
    if (fourier_ready(DIMS, gamma, 1, D, &f)) {
        const double count = (double)DIMS * D;
        for (int j = 1; j <= D; j++)
            for (int k = 0; k < DIMS; k++) {
                double a = f.a.w[j * f.a.stride + k] / sqrt(2 * gamma);
                sum += a / count;
                square += a * a / count;
                fourth += a * a * a * a / count;
            }
        for (int k = 0; k < DIMS; k++) {
            CHECK(f.b[k] >= 0 && f.b[k] < two_pi, "phase %d", k);
            phases += f.b[k] / DIMS;
        }
        CHECK(fabs(sum) < 0.03 && fabs(square - 1) < 0.05 && fabs(fourth - 3) < 0.3,
              "moments %g, %g, %g", sum, square, fourth);
        CHECK(fabs(phases - two_pi / 2) < 0.4, "the mean phase is %g", phases);
    }
    fourier_free(&f);
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
        struct fourier f;
        double *z = malloc((size_t)(N * dims[size]) * sizeof *z), worst = 0;
        if (fourier_ready(dims[size], gamma, 1, D, &f) && fourier_map(&f, &problem, z, NULL) == 0) {
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
        fourier_free(&f);
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
    struct fourier at_once, slowly, other;
    if (fourier_ready(DIMS, 0.5, 7, D, &at_once) && fourier_ready(DIMS, 0.5, 7, 3, &slowly)
        && fourier_ready(DIMS, 0.5, 8, D, &other)) {
        for (int64_t d = 5; d <= D; d += 13)
            CHECK(fourier_grow(&slowly, d, NULL) == 0, "growing to %d", (int)d);
        CHECK(fourier_grow(&slowly, D, NULL) == 0 && fourier_grow(&slowly, 2, NULL) == 0,
              "growing, and nothing to do");
        CHECK_INT(slowly.a.rows, D + 1, "rows");
        for (int64_t j = 1; j <= D; j++) {
            CHECK(memcmp(at_once.a.w + j * at_once.a.stride, slowly.a.w + j * slowly.a.stride,
                         DIMS * sizeof(double))
                      == 0,
                  "row %d", (int)j);
            CHECK(memcmp(at_once.a.w + j * at_once.a.stride, other.a.w + j * other.a.stride,
                         DIMS * sizeof(double))
                      != 0,
                  "row %d with another seed", (int)j);
            CHECK(j == 1
                      || memcmp(at_once.a.w + j * at_once.a.stride,
                                at_once.a.w + (j - 1) * at_once.a.stride, DIMS * sizeof(double))
                             != 0,
                  "rows %d", (int)j);
        }
        CHECK(memcmp(at_once.b, slowly.b, DIMS * sizeof(double)) == 0
                  && memcmp(at_once.b, other.b, DIMS * sizeof(double)) != 0,
              "phases");
    }
    fourier_free(&at_once);
    fourier_free(&slowly);
    fourier_free(&other);
}

static void test_too_large(void)
{
    check_group("values too large");
    struct fourier f;
    struct error err = {0};
    struct problem problem = problem_make(2, 3, 1e308, 1);
    double z[2 * 4];
    if (fourier_ready(4, 100, 1, 3, &f)) {
        CHECK(fourier_map(&f, &problem, z, &err) != 0 && err.message[0] && err.line == 1,
              "refused, with its line: %s, %d", err.message, (int)err.line);
    }
    fourier_free(&f);
    problem_free(&problem);
}

int main(void)
{
    test_plain(1, 0.5);
    test_plain(7, 0.01);
    test_plain(300, 2);
    test_numbers();
    test_kernel();
    test_order();
    test_too_large();
    return check_finish();
}
