/* The steepest directions against the eigenvectors of the mean of x x', written out. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/linalg/dense.h"
#include "learners/forward/steep_directions.h"

#include <string.h>

enum { FEATURES = 40, ROWS = FEATURES + 1, EXAMPLES = 500, M = STEEP_DIRECTIONS };

/* Feature j has 0.6 times the deviation of feature j - 1, all of them mixed with their neighbour.
 */
static void make_problem(struct problem *problem)
{
    struct error err = {0};
    struct random g = random_seeded(3, 0);
    *problem = (struct problem){.n = 0};
    for (int64_t i = 0; i < EXAMPLES; i++) {
        int32_t index[ROWS];
        double value[ROWS], deviation = 1, last = 0;
        for (int32_t j = 0; j < FEATURES; j++, deviation *= 0.6) {
            const double own = deviation * random_normal(&g);
            index[j] = j + 1;
            value[j] = own + last / 3;
            last = own;
        }
        index[FEATURES] = 0;
        value[FEATURES] = 2;
        const struct example x = {.line = i + 1, .size = ROWS, .index = index, .value = value};
        CHECK(problem_append_example(problem, &x, &err) >= 0, "an example: %s", err.message);
    }
}

/* The largest eigenvalues of the sum of x x', which is `moment`, from the largest down. */
static void find_eigenvalues(const struct problem *problem, double *eigenvalue, double *moment)
{
    struct error err = {0};
    double a[ROWS * ROWS], vectors[ROWS * M];
    memset(moment, 0, ROWS * ROWS * sizeof *moment);
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        for (int64_t r = 0; r < x.size; r++)
            for (int64_t c = 0; c < x.size; c++)
                moment[x.index[r] * ROWS + x.index[c]] += x.value[r] * x.value[c];
    }
    memcpy(a, moment, sizeof a);
    CHECK(dense_eigen(ROWS, a, M, eigenvalue, vectors, 1, &err) == 0, "eigenvalues: %s",
          err.message);
}

static void test_directions(const struct problem *problem, const struct steep_directions *steep)
{
    double eigenvalue[M], moment[ROWS * ROWS];
    find_eigenvalues(problem, eigenvalue, moment);
    check_group("orthonormal directions");
    CHECK_INT(steep->rows, ROWS, "rows");
    for (int a = 0; a < M; a++)
        for (int b = 0; b <= a; b++) {
            double product = 0;
            for (int j = 0; j < ROWS; j++)
                product += steep->v[j * M + a] * steep->v[j * M + b];
            CHECK_NEAR(product, a == b, 1e-12, "directions %d and %d", a, b);
        }
    check_group("the leading eigenvectors, roughly");
    for (int c = 0; c < M / 2; c++) {
        double along = 0;
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++)
                along += steep->v[i * M + c] * moment[i * ROWS + j] * steep->v[j * M + c];
        CHECK_NEAR(along / eigenvalue[c], 1, 0.01, "the curvature along direction %d", c);
    }
    for (int c = 0; c < M; c++)
        CHECK_NEAR(steep->share[c] / (eigenvalue[M - 1] / eigenvalue[c]), 1, 0.4,
                   "how far direction %d is shrunk", c);
    CHECK(steep->share[M - 1] == 1, "the last one stays");
    CHECK_NEAR(steep->eigenvalue / (eigenvalue[M - 1] / EXAMPLES), 1, 0.2, "its eigenvalue");
}

/* M on tables of several widths, against M written out, for any number of threads. */
static void test_apply(const struct steep_directions *steep, int64_t stride)
{
    check_group("the metric, stride %d", (int)stride);
    struct random g = random_seeded(5, (uint64_t)stride);
    double table[ROWS * 12], was[ROWS * 12], *workspace;
    struct error err = {0};
    if (!(workspace = memory_new(steep_workspace(steep, stride), sizeof *workspace, &err)))
        return;
    for (int64_t i = 0; i < ROWS * stride; i++)
        was[i] = table[i] = random_normal(&g);
    const double less = steep_apply(steep, table, stride, workspace, 1);
    double squares = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < stride; k++) {
            double want = was[i * stride + k];
            for (int c = 0; c < M; c++)
                for (int64_t j = 0; j < ROWS; j++)
                    want -= (1 - steep->share[c]) * steep->v[i * M + c] * steep->v[j * M + c]
                            * was[j * stride + k];
            CHECK_NEAR(table[i * stride + k], want, 1e-12, "row %d, column %d", (int)i, (int)k);
            squares += was[i * stride + k] * (was[i * stride + k] - want);
        }
    CHECK_NEAR(less, squares, 1e-12, "the sum of squares less that in the metric");
    steep_apply(steep, was, stride, workspace, 2);
    CHECK(memcmp(table, was, (size_t)(ROWS * stride) * sizeof *table) == 0, "by two threads");
    memory_free(workspace);
}

/* Fewer independent examples than directions: what is left is not divided by. */
static void test_few(void)
{
    check_group("two examples");
    struct error err = {0};
    struct steep_directions steep;
    struct problem problem = {.n = 0};
    const int32_t index[] = {1, 2};
    const double value[] = {3, 4};
    for (int64_t i = 0; i < 2; i++) {
        const struct example x = {.line = i + 1, .size = i + 1, .index = index, .value = value};
        problem_append_example(&problem, &x, &err);
    }
    CHECK(steep_find(&problem, NULL, &steep, &err) == 0, "directions: %s", err.message);
    for (int c = 0; c < M; c++) {
        CHECK(steep.share[c] >= 1e-6 && steep.share[c] <= 1, "direction %d, %g", c, steep.share[c]);
        CHECK(c < 2 || steep.share[c] == 1, "direction %d is there", c);
        for (int j = 0; j < 3; j++)
            CHECK(isfinite(steep.v[j * M + c]), "direction %d, row %d", c, j);
    }
    steep_free(&steep);
    problem_free(&problem);
}

int main(void)
{
    struct error err = {0};
    struct problem problem;
    struct steep_directions steep;
    make_problem(&problem);
    CHECK(steep_find(&problem, NULL, &steep, &err) == 0, "directions: %s", err.message);
    test_directions(&problem, &steep);
    for (int64_t stride = 1; stride <= 12; stride = stride < 4 ? 2 * stride : stride + 4)
        test_apply(&steep, stride);
    steep_free(&steep);
    problem_free(&problem);
    test_few();
    return check_finish();
}
