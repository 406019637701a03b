/* MU-SVM against numbers from elsewhere: every case in tests/golden/musvm, by the plain reference
 * and by the library, whose rows of the kernel matrix are held whole, two at a time, or (linear
 * kernel) not at all.
 *
 * Decision values are unique, alpha is not always; but what kind of support vector a sample is, is
 * the same in these cases, as no element is near its cap or 0. */
#include "common/base/memory.h"
#include "musvm_golden.h"
#include "musvm_plain.h"

static const double DUAL = 1e-9, VALUE = 1e-7; /* 11 and 9 decimals are printed */

static const double EXACT = 1e-12; /* violation at which the plain reference stops */
enum { SWEEPS = 20000 };

/* What one way of solving leaves behind. */
struct found {
    const char *name;
    double dual;
    double f[GOLDEN_SAMPLES * GOLDEN_CLASSES]; /* a row for each sample */
    double f_test[GOLDEN_SAMPLES * GOLDEN_CLASSES];
    double w[GOLDEN_CLASSES][GOLDEN_FEATURES]; /* linear */
};

/* The lead of class k. */
static double lead(int64_t K, const double *f, int64_t k)
{
    double most = -HUGE_VAL;
    for (int64_t l = 0; l < K; l++) {
        if (l != k)
            most = fmax(most, f[l]);
    }
    return f[k] - most;
}

static int64_t largest(int64_t K, const double *f)
{
    int64_t best = 0;
    for (int64_t l = 1; l < K; l++) {
        if (f[l] > f[best])
            best = l;
    }
    return best;
}

/* Count the label of a universum sample; many lie where two classes or more are equally large, and
 * rounding decides. */
static void count_labels(int64_t K, const double *f, int64_t clear[GOLDEN_CLASSES],
                         int64_t tied[GOLDEN_CLASSES])
{
    for (int64_t k = 0; k < K; k++) {
        clear[k] += lead(K, f, k) > VALUE;
        tied[k] += fabs(lead(K, f, k)) <= VALUE;
    }
}

static void compare_table(const char *name, const char *table, int64_t rows, int64_t columns,
                          const double *got, const double *want, int64_t stride)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t l = 0; l < columns; l++)
            CHECK(fabs(got[i * columns + l] - want[i * stride + l]) <= VALUE,
                  "%s: %s[%d][%d] is %.12g instead of %.12g", name, table, (int)i, (int)l,
                  got[i * columns + l], want[i * stride + l]);
    }
}

static void compare(const struct golden *g, const struct found *found)
{
    const char *name = found->name;
    const int64_t K = g->K;
    const double *f_universum = found->f + g->n * K;
    int64_t clear[GOLDEN_CLASSES] = {0}, tied[GOLDEN_CLASSES] = {0};
    CHECK(fabs(found->dual - g->dual) <= DUAL * g->dual, "%s: dual %.14g instead of %.14g", name,
          found->dual, g->dual);
    compare_table(name, "f_train", g->n, K, found->f, g->f_train[0], GOLDEN_CLASSES);
    compare_table(name, "f_universum", g->m, K, f_universum, g->f_universum[0], GOLDEN_CLASSES);
    compare_table(name, "f_test", g->tests, K, found->f_test, g->f_test[0], GOLDEN_CLASSES);
    for (int64_t i = 0; i < g->tests; i++)
        CHECK_INT(largest(K, found->f_test + i * K) + 1, g->predicted[i],
                  "%s: label of test sample %d", name, (int)i);
    for (int64_t i = 0; i < g->n; i++)
        CHECK(fabs(lead(K, found->f + i * K, g->y[i]) - g->hop_train[i]) <= 2 * VALUE,
              "%s: projection of training sample %d", name, (int)i);
    for (int64_t i = 0; i < g->m; i++) {
        for (int64_t k = 0; k < K; k++)
            CHECK(fabs(lead(K, f_universum + i * K, k) - g->hop_universum[i][k]) <= 2 * VALUE,
                  "%s: projection of universum sample %d on class %d", name, (int)i, (int)k);
        count_labels(K, f_universum + i * K, clear, tied);
    }
    for (int64_t k = 0; k < K; k++)
        CHECK(clear[k] <= g->frequency[k] && g->frequency[k] <= clear[k] + tied[k],
              "%s: %d universum samples in class %d, %d more at its edge, instead of %d", name,
              (int)clear[k], (int)k, (int)tied[k], (int)g->frequency[k]);
    for (int64_t l = 0; l < g->w_read; l++)
        compare_table(name, "w", 1, g->d, found->w[l], g->w[l], GOLDEN_FEATURES);
}

static void compare_kinds(const struct golden *g, const char *name, const struct musvm_plain *plain)
{
    for (int64_t i = 0; i < g->n; i++)
        CHECK_INT(musvm_plain_kind(plain, i), g->kind_train[i], "%s: kind of training sample %d",
                  name, (int)i);
    for (int64_t i = 0; i < g->m; i++)
        CHECK_INT(musvm_plain_kind(plain, g->n + i), g->kind_universum[i],
                  "%s: kind of universum sample %d", name, (int)i);
}

/* w_l = sum of a_il x_i */
static void sum_w(const struct golden *g, const double *alpha,
                  double w[GOLDEN_CLASSES][GOLDEN_FEATURES])
{
    memset(w, 0, GOLDEN_CLASSES * sizeof *w);
    for (int64_t i = 0; i < g->n + g->m; i++) {
        struct example x = problem_example(&g->samples, i);
        for (int64_t e = 0; e < x.size; e++) {
            for (int64_t l = 0; l < g->K; l++)
                w[l][x.index[e] - 1] += alpha[i * g->K + l] * x.value[e];
        }
    }
}

/* ---- the plain reference ---- */

static void compare_bounds(const struct golden *g, const struct musvm_plain *plain)
{
    double s2[GOLDEN_SAMPLES], rhs[GOLDEN_SAMPLES], f[GOLDEN_SAMPLES * GOLDEN_CLASSES];
    bool wrong[GOLDEN_SAMPLES];
    int64_t local = 0, local_alpha = 0;
    struct error err = {.line = 0};
    if (musvm_plain_theorem(plain, s2, rhs, wrong, &err) != 0) {
        CHECK(false, "theorem 4: memory");
        return;
    }
    for (int64_t i = 0; i < g->n; i++) {
        if (g->condition < 1e8)
            CHECK(fabs(s2[i] - g->s2[i]) <= 1e-5 * fabs(g->s2[i]) + 2e-8,
                  "theorem 4, sample %d: S^2 %.10g instead of %.10g", (int)i, s2[i], g->s2[i]);
        CHECK(fabs(rhs[i] - g->rhs[i]) <= 1e-7, "theorem 4, sample %d: a.f %.10g instead of %.10g",
              (int)i, rhs[i], g->rhs[i]);
        CHECK_INT(wrong[i], g->wrong_theorem[i], "theorem 4, sample %d: wrong", (int)i);
    }
    if (musvm_plain_local(plain, f, &err) != 0) {
        CHECK(false, "element-wise: memory");
        return;
    }
    for (int64_t i = 0; i < g->n; i++) {
        double sum = 0;
        for (int64_t l = 0; l < g->K; l++)
            sum += plain->alpha[i * g->K + l] * f[i * g->K + l];
        local += musvm_plain_wrong(g->K, f + i * g->K, g->y[i]);
        local_alpha += sum < 0;
    }
    CHECK_INT(local, g->errors_local, "element-wise: wrong");
    CHECK_INT(local_alpha, g->errors_local_alpha, "element-wise: a.f < 0");
    if (musvm_plain_retrain(plain, 1e-7, SWEEPS, f, &err) != 0) {
        CHECK(false, "left out: memory");
        return;
    }
    for (int64_t i = 0; i < g->n; i++)
        CHECK_INT(musvm_plain_wrong(g->K, f + i * g->K, g->y[i]), g->wrong_retrained[i],
                  "left out, sample %d: wrong", (int)i);
}

static void run_plain(const struct golden *g, struct musvm_plain *plain)
{
    struct found found = {.name = "plain"};
    double violation = musvm_plain_solve(plain, EXACT, SWEEPS);
    CHECK(violation <= EXACT, "plain: a violation of %g is left", violation);
    found.dual = musvm_plain_objective(plain);
    CHECK_NEAR(musvm_plain_primal(plain), found.dual, 1e-10, "plain: primal");
    for (int64_t i = 0; i < g->n + g->m; i++)
        musvm_plain_f(plain, i, found.f + i * g->K);
    for (int64_t t = 0; t < g->tests; t++) {
        struct example x = problem_example(&g->test_data, t);
        for (int64_t i = 0; i < g->n + g->m; i++) {
            struct example sample = problem_example(&g->samples, i);
            double k = musvm_plain_kernel(&g->kernel, &sample, &x);
            for (int64_t l = 0; l < g->K; l++)
                found.f_test[t * g->K + l] += plain->alpha[i * g->K + l] * k;
        }
    }
    sum_w(g, plain->alpha, found.w);
    compare(g, &found);
    compare_kinds(g, "plain", plain);
    compare_bounds(g, plain);
}

/* ---- the library ---- */

static void compare_point(const struct golden *g, const struct musvm_task *task,
                          const struct kernel_data *data, const struct musvm_point *point,
                          const struct musvm_result *result, struct musvm_plain *plain,
                          struct found *found)
{
    const int64_t N = g->n + g->m, K = g->K;
    struct kernel_data test;
    struct error err = {.line = 0};
    double *block = memory_new(N * g->tests, sizeof *block, &err);
    int status = block && kernel_data_make(&g->test_data, data, &test, &err) == 0 ? 0 : -1;
    if (status == 0) {
        status = kernel_block(&g->kernel, kernel_all(data), kernel_all(&test), block, 1, &err);
        kernel_data_free(&test);
    }
    CHECK_INT(status, 0, "%s: kernel of test samples: %s", found->name, err.message);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t l = 0; l < K; l++) {
            found->f[i * K + l] = point->f[l * N + i];
            for (int64_t t = 0; status == 0 && t < g->tests; t++)
                found->f_test[t * K + l] += point->alpha[i * K + l] * block[i * g->tests + t];
        }
    }
    memory_free(block);
    sum_w(g, point->alpha, found->w);
    for (int64_t l = 0; !task->rows && l < K; l++) {
        for (int64_t j = 1; j <= g->d; j++)
            found->w[l][j - 1] = j < point->w.rows ? point->w.w[j * point->w.stride + l] : 0;
    }
    found->dual = result->objective;
    compare(g, found);
    CHECK(result->violation <= g->options.eps, "%s: a violation of %g is left", found->name,
          result->violation);
    CHECK_NEAR(result->primal, result->objective, 1e-7, "%s: primal", found->name);
    memcpy(plain->alpha, point->alpha, (size_t)(N * K) * sizeof *plain->alpha);
    compare_kinds(g, found->name, plain);
}

/* rows: NULL: through weights */
static bool run_library(const struct golden *g, const char *name, struct kernel_rows *rows,
                        const struct kernel_data *data, struct musvm_plain *plain,
                        struct musvm_point *point, struct musvm_result *result)
{
    const struct musvm_task task = {
        .n = g->n, .m = g->m, .classes = g->K, .y = g->y, .rows = rows, .samples = &g->samples};
    struct found found = {.name = name};
    struct error err = {.line = 0};
    int status = musvm_point_make(&task, point, &err);
    if (status == 0)
        status = musvm_solve(&task, &g->options, point, result, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status == 0)
        compare_point(g, &task, data, point, result, plain, &found);
    return status == 0;
}

static void same_bytes(const struct golden *g, const struct musvm_point *a,
                       const struct musvm_result *of_a, const struct musvm_point *b,
                       const struct musvm_result *of_b)
{
    const size_t bytes = (size_t)((g->n + g->m) * g->K) * sizeof *a->alpha;
    CHECK(memcmp(a->alpha, b->alpha, bytes) == 0, "alpha of whole rows and of two at a time");
    CHECK(memcmp(a->f, b->f, bytes) == 0, "f of whole rows and of two at a time");
    CHECK(memcmp(&of_a->objective, &of_b->objective, sizeof of_a->objective) == 0,
          "objective of whole rows and of two at a time");
    CHECK(memcmp(&of_a->primal, &of_b->primal, sizeof of_a->primal) == 0,
          "primal of whole rows and of two at a time");
    CHECK(memcmp(&of_a->violation, &of_b->violation, sizeof of_a->violation) == 0,
          "violation of whole rows and of two at a time");
    CHECK_INT(of_b->updates, of_a->updates, "updates of whole rows and of two at a time");
    CHECK_INT(of_b->sweeps, of_a->sweeps, "sweeps of whole rows and of two at a time");
}

static void run_case(const struct golden *g)
{
    const struct musvm_task task = {
        .n = g->n, .m = g->m, .classes = g->K, .y = g->y, .samples = &g->samples};
    struct musvm_plain plain;
    struct kernel_data data;
    struct error err = {.line = 0};
    if (musvm_plain_new(&task, &g->kernel, &g->options, &plain, &err) != 0
        || kernel_data_make(&g->samples, NULL, &data, &err) != 0) {
        CHECK(false, "memory");
        return;
    }
    run_plain(g, &plain);
    struct musvm_point point[3] = {{.alpha = NULL}, {.alpha = NULL}, {.alpha = NULL}};
    struct musvm_result result[3];
    struct kernel_rows *whole = kernel_rows_new(&g->kernel, &data, 1e9, 2, &err),
                       *two = kernel_rows_new(&g->kernel, &data, 0, 1, &err);
    CHECK(whole && two, "rows: %s", err.message);
    if (whole && two && run_library(g, "whole", whole, &data, &plain, &point[0], &result[0])
        && run_library(g, "two rows", two, &data, &plain, &point[1], &result[1]))
        same_bytes(g, &point[0], &result[0], &point[1], &result[1]);
    if (g->kernel.type == KERNEL_LINEAR)
        run_library(g, "weights", NULL, &data, &plain, &point[2], &result[2]);
    for (int p = 0; p < 3; p++)
        musvm_point_free(&point[p]);
    kernel_rows_free(whole);
    kernel_rows_free(two);
    kernel_data_free(&data);
    musvm_plain_free(&plain);
}

int main(void)
{
    golden_each(run_case);
    return check_finish();
}
