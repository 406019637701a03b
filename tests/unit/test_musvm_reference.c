/* The solver of learners/musvm/musvm.c against the plain reference on random problems of every kind
 * that it takes, with rows of the kernel matrix whole, two at a time and (linear kernel) as
 * weights; costs that are huge, an eps that is loose, a universum that is there twice. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/musvm/musvm.h"
#include "musvm_odd_sets.h"
#include "musvm_plain.h"

#include <string.h>

static const double EXACT = 1e-10; /* of the reference; EPS is that of the library */

enum { SWEEPS = 30000 };

/* ---- one set ---- */

static double total_cost(const struct musvm_plain *plain)
{
    double sum = 0;
    for (int64_t i = 0; i < plain->n; i++)
        sum += plain->cost[i];
    for (int64_t i = plain->n; i < plain->n + plain->m; i++)
        sum += (double)plain->K * plain->cost[i];
    return sum;
}

static void check_rows_of_alpha(const char *name, const struct musvm_plain *plain,
                                const double *alpha)
{
    for (int64_t i = 0; i < plain->n + plain->m; i++) {
        double sum = 0, size = 0;
        for (int64_t l = 0; l < plain->K; l++) {
            double a = alpha[i * plain->K + l],
                   cap = i < plain->n && l != plain->y[i] ? 0 : plain->cost[i];
            CHECK(a <= cap, "%s: alpha[%d][%d] = %.17g is above %.17g", name, (int)i, (int)l, a,
                  cap);
            sum += a;
            size += fabs(a);
        }
        CHECK(fabs(sum) <= 1e-13 * (1 + size), "%s: row %d of alpha sums to %g", name, (int)i, sum);
    }
}

/* What the library says of a point, and the point, by the reference's formulas; then the point
 * against the solution of the reference.  exact: solved; scratch: as it, its alpha anybody's. */
static void compare(const char *name, const struct musvm_point *point,
                    const struct musvm_result *result, double eps, const struct musvm_plain *exact,
                    struct musvm_plain *scratch)
{
    const int64_t N = exact->n + exact->m, K = exact->K;
    double f[MUSVM_PLAIN_CLASSES], want[MUSVM_PLAIN_CLASSES];
    memcpy(scratch->alpha, point->alpha, (size_t)(N * K) * sizeof *scratch->alpha);
    check_rows_of_alpha(name, exact, point->alpha);
    double objective = musvm_plain_objective(scratch), primal = musvm_plain_primal(scratch),
           violation = musvm_plain_violation(scratch);
    CHECK_NEAR(result->objective, objective, 1e-10, "%s: objective of its alpha", name);
    CHECK(fabs(result->primal - primal) <= 1e-10 * (fabs(primal) + total_cost(exact)),
          "%s: primal of its alpha: %.15g, not %.15g", name, result->primal, primal);
    CHECK(result->violation >= 0 && result->violation <= eps,
          "%s: it says that a violation of %g is left", name, result->violation);
    /* Two ways of summing f differ by some 1e-13 of its terms. */
    CHECK(violation <= eps + 1e-11, "%s: a violation of %g is left", name, violation);
    CHECK(primal - objective <= 2 * total_cost(exact) * (eps + 1e-11)
              && primal - objective >= -1e-10 * (1 + primal),
          "%s: primal %.15g, dual %.15g", name, primal, objective);
    for (int64_t i = 0; i < N; i++) {
        musvm_plain_f(scratch, i, f);
        for (int64_t l = 0; l < K; l++)
            CHECK_NEAR(point->f[l * N + i], f[l], 1e-10, "%s: f[%d][%d] of its alpha", name, (int)i,
                       (int)l);
    }
    if (eps > EPS)
        return;
    CHECK(fabs(objective - musvm_plain_objective(exact))
              <= 1e-8 * musvm_plain_objective(exact) + 1e-12,
          "%s: objective %.15g instead of %.15g", name, objective, musvm_plain_objective(exact));
    for (int64_t i = 0; i < N; i++) {
        musvm_plain_f(exact, i, want);
        for (int64_t l = 0; l < K; l++)
            CHECK(fabs(point->f[l * N + i] - want[l]) <= 1e-6,
                  "%s: f[%d][%d] is %.12g instead of %.12g", name, (int)i, (int)l,
                  point->f[l * N + i], want[l]);
    }
}

static void check_w(const char *name, const struct set *set, const struct musvm_point *point)
{
    double w[MOST_FEATURES + 1][MUSVM_PLAIN_CLASSES] = {{0}};
    for (int64_t i = 0; i < set->n + set->m; i++) {
        struct example x = problem_example(&set->samples, i);
        for (int64_t e = 0; e < x.size; e++) {
            for (int64_t l = 0; l < set->K; l++)
                w[x.index[e]][l] += point->alpha[i * set->K + l] * x.value[e];
        }
    }
    CHECK_INT(point->w.columns, set->K, "%s: columns of w", name);
    for (int64_t j = 0; j <= set->samples.d; j++) {
        for (int64_t l = 0; l < set->K; l++)
            CHECK_NEAR(j < point->w.rows ? point->w.w[j * point->w.stride + l] : 0, w[j][l], 1e-10,
                       "%s: w of feature %d, class %d", name, (int)j, (int)l);
    }
}

struct way {
    const char *name;
    double bytes; /* for rows; < 0: weights */
    int threads;
};

/* One set, solved in each way from 0 and then, step by step, from what other costs left. */
static void run_set(const struct set *set, const struct kernel *kernel,
                    const struct musvm_options *steps, int64_t count)
{
    enum { WAYS = 3, STEPS = 4 };
    const struct way way[WAYS] = {{"whole", 1e9, 2}, {"two rows", 0, 1}, {"weights", -1, 1}};
    const int64_t N = set->n + set->m, ways = kernel->type == KERNEL_LINEAR ? 3 : 2;
    struct musvm_plain exact[STEPS] = {{.n = 0}}, scratch = {.n = 0};
    struct musvm_task task = {
        .n = set->n, .m = set->m, .classes = set->K, .y = set->y, .samples = &set->samples};
    struct kernel_data data = {.problem = NULL};
    struct error err = {.line = 0};
    int status = kernel_data_make(&set->samples, NULL, &data, &err);
    for (int64_t s = 0; status == 0 && s < count; s++) {
        status = musvm_plain_new(&task, kernel, &steps[s], &exact[s], &err);
        if (status == 0) {
            double left = musvm_plain_solve(&exact[s], EXACT, SWEEPS);
            CHECK(left <= EXACT, "step %d: the reference leaves a violation of %g", (int)s, left);
        }
    }
    status = status != 0 ? status : musvm_plain_new(&task, kernel, &steps[0], &scratch, &err);
    CHECK_INT(status, 0, "%s", err.message);
    double *bytes = memory_new(N * set->K, sizeof *bytes, &err); /* alpha of the first way */
    for (int64_t v = 0; status == 0 && bytes && v < ways; v++) {
        struct musvm_point point = {.alpha = NULL};
        struct musvm_result result;
        char name[64];
        task.rows = way[v].bytes < 0
                        ? NULL
                        : kernel_rows_new(kernel, &data, way[v].bytes, way[v].threads, &err);
        CHECK(task.rows || way[v].bytes < 0, "%s: rows: %s", way[v].name, err.message);
        CHECK_INT(musvm_point_make(&task, &point, &err), 0, "%s: %s", way[v].name, err.message);
        for (int64_t s = 0; s < count; s++) {
            snprintf(name, sizeof name, "%s, step %d", way[v].name, (int)s);
            if (!solve(name, &task, &steps[s], &point, &result))
                break;
            memcpy(scratch.cost, exact[s].cost, (size_t)N * sizeof *scratch.cost);
            scratch.delta = exact[s].delta;
            compare(name, &point, &result, steps[s].eps, &exact[s], &scratch);
            if (!task.rows)
                check_w(name, set, &point);
        }
        if (v == 0)
            memcpy(bytes, point.alpha, (size_t)(N * set->K) * sizeof *bytes);
        else if (v == 1)
            CHECK(memcmp(bytes, point.alpha, (size_t)(N * set->K) * sizeof *bytes) == 0,
                  "two rows and whole: bytes of alpha");
        musvm_point_free(&point);
        kernel_rows_free(task.rows);
    }
    memory_free(bytes);
    for (int64_t s = 0; s < STEPS; s++)
        musvm_plain_free(&exact[s]);
    musvm_plain_free(&scratch);
    kernel_data_free(&data);
}

/* ---- sets ---- */

/* Costs out of a few that matter. */
static struct musvm_options draw_options(struct random *g, const double *factor)
{
    static const double C[] = {0.05, 1, 4}, C_star[] = {0, 0.02, 0.5, 5}, delta[] = {0, 0.05, 1};
    return (struct musvm_options){.C = C[random_below(g, 3)],
                                  .factor = random_below(g, 2) ? factor : NULL,
                                  .C_star = C_star[random_below(g, 4)],
                                  .delta = delta[random_below(g, 3)],
                                  .eps = EPS,
                                  .shrinking = random_below(g, 2) == 1,
                                  .seed = random_below(g, 100)};
}

static void test_random(void)
{
    static const int64_t K[] = {1, 2, 3, 5, 12};
    static const struct {
        const char *name;
        int odd;
    } kinds[] = {
        {"plain samples", 0},
        {"sparse samples", SPARSE},
        {"zero vectors, duplicates, conflicts", ZEROS | DUPLICATES | CONFLICTS},
        {"universum of training samples", COPIES},
        {"universum of training samples, with zeros and duplicates", COPIES | ZEROS | DUPLICATES},
        {"one class is there", ONE_CLASS}};
    double factor[MOST_SAMPLES];
    for (int64_t i = 0; i < MOST_SAMPLES; i++)
        factor[i] = 0.25 * (double)(i % 5); /* some are left out */
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (size_t c = 0; c < sizeof K / sizeof *K; c++) {
            check_group("%s, %d classes", kinds[kind].name, (int)K[c]);
            for (int64_t k = 0; k < 3; k++) {
                struct random g = random_seeded(14, (uint64_t)(100 * kind + 10 * c) + (uint64_t)k);
                struct musvm_options steps[3];
                struct set set;
                int64_t n = K[c] + 2 + random_below(&g, 6),
                        m = random_below(&g, 4) == 0 ? 0 : 1 + random_below(&g, 6);
                make_set(&g, n, m, K[c], 4 + random_below(&g, 3), kinds[kind].odd, &set);
                for (int s = 0; s < 3; s++)
                    steps[s] = draw_options(&g, factor);
                run_set(&set, &kernels[k], steps, 3);
                problem_free(&set.samples);
            }
        }
    }
}

static void test_small(void)
{
    const struct musvm_options options = {
        .C = 1, .C_star = 0.5, .eps = EPS, .shrinking = true, .seed = 1};
    check_group("one training sample, one universum sample");
    for (int64_t K = 1; K <= 3; K++) {
        for (int64_t m = 0; m <= 1; m++) {
            for (int64_t k = 0; k < 3; k++) {
                struct random g = random_seeded(2, (uint64_t)k);
                struct set set;
                make_set(&g, 1, m, K, 2, k == 2 ? ZEROS : 0, &set);
                run_set(&set, &kernels[k], &options, 1);
                problem_free(&set.samples);
            }
        }
    }
}

/* At a C* that no element reaches the universum is a constraint, max_l f_l - f_k <= Delta, and
 * where it started from does not matter. */
static void test_huge(void)
{
    enum { n = 10, m = 3, K = 3 };
    check_group("huge costs");
    for (int64_t seed = 0; seed < 6; seed++) {
        struct random g = random_seeded(9, (uint64_t)seed);
        const double delta = 0.05 * (double)(seed % 3);
        const struct musvm_options steps[] = {
            {.C = 1e6, .C_star = 1e6, .delta = delta, .eps = EPS, .shrinking = true, .seed = 1},
            {.C = 1, .C_star = 0, .delta = delta, .eps = EPS, .shrinking = true, .seed = 1},
            {.C = 1e10, .C_star = 0, .delta = delta, .eps = EPS, .shrinking = true, .seed = 1},
            {.C = 1, .C_star = 1e6, .delta = delta, .eps = EPS, .shrinking = false, .seed = 1}};
        struct set set;
        struct musvm_plain plain;
        struct error err = {.line = 0};
        make_set(&g, n, m, K, 5, seed % 2 == 0 ? 0 : DUPLICATES, &set);
        run_set(&set, &kernels[1], steps, 4);
        const struct musvm_task task = {
            .n = n, .m = m, .classes = K, .y = set.y, .samples = &set.samples};
        if (musvm_plain_new(&task, &kernels[1], &steps[3], &plain, &err) == 0) {
            musvm_plain_solve(&plain, EXACT, SWEEPS);
            for (int64_t i = n; i < n + m; i++) {
                double f[MUSVM_PLAIN_CLASSES];
                musvm_plain_f(&plain, i, f);
                for (int64_t k = 0; k < K; k++)
                    CHECK(fmax(f[0], fmax(f[1], f[2])) - f[k] <= delta + 1e-9,
                          "seed %d: universum sample %d, class %d", (int)seed, (int)i, (int)k);
            }
            musvm_plain_free(&plain);
        }
        problem_free(&set.samples);
    }
}

/* At a loose eps too nothing worse than eps may be left, with and without shrinking, whatever was
 * put aside on the way. */
static void test_loose(void)
{
    check_group("eps is kept, with and without shrinking");
    for (int64_t k = 0; k < 3; k++) {
        for (int64_t seed = 0; seed < 4; seed++) {
            struct random g = random_seeded(3, (uint64_t)(10 * k + seed));
            struct musvm_options steps[4];
            struct set set;
            make_set(&g, 28, 12, 3, 4, 0, &set);
            for (int s = 0; s < 4; s++)
                steps[s] = (struct musvm_options){.C = s == 0 ? 10 : 0.3,
                                                  .C_star = 0.2,
                                                  .delta = 0.05 * s,
                                                  .eps = s == 1 ? 0.1 : 1e-3,
                                                  .shrinking = seed % 2 == 0,
                                                  .seed = seed};
            run_set(&set, &kernels[k], steps, 4);
            problem_free(&set.samples);
        }
    }
}

/* The universum twice at half its cost is the same problem. */
static void test_twice(void)
{
    enum { n = 9, m = 5, K = 3 };
    double f[2][n * K] = {{0}};
    check_group("a universum twice at half its cost");
    for (int twice = 0; twice < 2; twice++) {
        struct random g = random_seeded(4, 0);
        struct set set;
        make_set(&g, n, m, K, 3, 0, &set);
        for (int64_t i = n; twice && i < n + m; i++) {
            int32_t index[MOST_FEATURES];
            double value[MOST_FEATURES];
            struct example x = problem_example(&set.samples, i);
            memcpy(index, x.index, (size_t)x.size * sizeof *index);
            memcpy(value, x.value, (size_t)x.size * sizeof *value);
            x.index = index;
            x.value = value;
            append(&set.samples, &x);
        }
        const struct musvm_task task = {
            .n = n, .m = m * (twice + 1), .classes = K, .y = set.y, .samples = &set.samples};
        const struct musvm_options options = {.C = 2,
                                              .C_star = 0.6 / (twice + 1),
                                              .delta = 0.05,
                                              .eps = EPS,
                                              .shrinking = true,
                                              .seed = 1};
        struct musvm_point point = {.alpha = NULL};
        struct musvm_result result;
        struct error err = {.line = 0};
        CHECK_INT(musvm_point_make(&task, &point, &err), 0, "%s", err.message);
        if (solve("weights", &task, &options, &point, &result)) {
            for (int64_t i = 0; i < n; i++) {
                for (int64_t l = 0; l < K; l++)
                    f[twice][i * K + l] = point.f[l * (task.n + task.m) + i];
            }
        }
        musvm_point_free(&point);
        problem_free(&set.samples);
    }
    for (int64_t i = 0; i < n * K; i++)
        CHECK_NEAR(f[1][i], f[0][i], 1e-7, "f %d", (int)i);
}

/* ---- what cannot be ---- */

static void test_not_finite(void)
{
    static const struct kernel huge = {
        .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1e200, .coef0 = 0};
    static const int32_t index[] = {1, 2};
    const double value[2][2] = {{1e200, 1}, {1, -1e200}};
    const int32_t y[] = {0, 1};
    struct problem samples = {.n = 0};
    struct kernel_data data;
    struct error err = {.line = 0};
    check_group("numbers that are not finite");
    for (int i = 0; i < 2; i++) {
        struct example x = {.size = 2, .index = index, .value = value[i]};
        append(&samples, &x);
    }
    const struct musvm_task task = {.n = 2, .classes = 2, .y = y, .samples = &samples};
    const struct musvm_options options = {.C = 1, .eps = 1e-3, .seed = 1};
    struct musvm_point point = {.alpha = NULL};
    struct musvm_result result;
    CHECK_INT(musvm_point_make(&task, &point, &err), 0, "%s", err.message);
    CHECK_INT(musvm_solve(&task, &options, &point, &result, &err), -1, "weights");
    CHECK(err.message[0] != 0, "weights: no message");
    musvm_point_free(&point);
    if (kernel_data_make(&samples, NULL, &data, &err) == 0) {
        for (int room = 0; room < 2; room++) {
            err.message[0] = 0;
            struct kernel_rows *rows = kernel_rows_new(&huge, &data, room * 1e6, 1, &err);
            CHECK(!rows || !kernel_rows_get(rows, 0, &err), "a row that is not finite");
            CHECK(err.message[0] != 0, "rows: no message");
            kernel_rows_free(rows);
        }
        kernel_data_free(&data);
    }
    problem_free(&samples);
}

/* More samples than a block of the solver holds: by the formulas of the reference, and the same
 * bytes with two rows of the kernel matrix. */
static void test_blocks(void)
{
    enum { n = 1150, m = 70, K = 3, N = n + m, D = 2 };
    static int32_t y[n];
    static double alpha[N * K];
    const struct kernel kernel = {.type = KERNEL_RBF, .gamma = 0.3};
    const struct musvm_options options = {
        .C = 5, .C_star = 0.5, .delta = 0.1, .eps = 1e-3, .shrinking = true, .seed = 1};
    struct random g = random_seeded(5, 0);
    struct problem samples = {0};
    struct kernel_data data;
    struct error err = {.line = 0};
    struct musvm_plain exact = {0}, scratch = {0};
    check_group("more samples than a block holds");
    for (int64_t i = 0; i < N; i++) {
        static const int32_t index[D] = {1, 2};
        double value[D];
        if (i < n)
            y[i] = (int32_t)(i % K);
        for (int64_t j = 0; j < D; j++)
            value[j] = random_normal(&g) + (i < n && j == y[i] ? 1.5 : 0);
        append(&samples, &(struct example){.size = D, .index = index, .value = value});
    }
    struct musvm_task task = {.n = n, .m = m, .classes = K, .y = y, .samples = &samples};
    CHECK(musvm_plain_new(&task, &kernel, &options, &exact, &err) == 0
              && musvm_plain_new(&task, &kernel, &options, &scratch, &err) == 0
              && kernel_data_make(&samples, NULL, &data, &err) == 0,
          "%s", err.message);
    for (int whole = 1; whole >= 0; whole--) {
        const char *name = whole ? "whole" : "two rows";
        struct musvm_point point = {.alpha = NULL};
        struct musvm_result result;
        task.rows = kernel_rows_new(&kernel, &data, whole ? 1e9 : 0, 1, &err);
        CHECK(task.rows && musvm_point_make(&task, &point, &err) == 0, "%s", err.message);
        if (solve(name, &task, &options, &point, &result))
            compare(name, &point, &result, options.eps, &exact, &scratch);
        if (whole)
            memcpy(alpha, point.alpha, sizeof alpha);
        CHECK(memcmp(alpha, point.alpha, sizeof alpha) == 0, "%s: other bytes of alpha", name);
        musvm_point_free(&point);
        kernel_rows_free(task.rows);
    }
    musvm_plain_free(&exact);
    musvm_plain_free(&scratch);
    kernel_data_free(&data);
    problem_free(&samples);
}

int main(void)
{
    test_random();
    test_small();
    test_huge();
    test_loose();
    test_blocks();
    test_twice();
    test_not_finite();
    return check_finish();
}
