/* Small random sets of several classes with a universum, and what a machine is told of them: what
 * the tests of machines, of S3VM and of their selection share.  An error is a failed check. */
#ifndef TESTS_UNIT_MUSVM_SETS_H
#define TESTS_UNIT_MUSVM_SETS_H

#include "check.h"
#include "common/base/random.h"
#include "learners/musvm/musvm_machine.h"
#include "musvm_plain.h"

static const double EPS = 1e-9;
enum { MOST = 40, MOST_CLASSES = 4, FEATURES = 4, MOST_COLUMNS = 6 };

struct set {
    int64_t n, m, K;
    struct problem samples;
    int32_t y[MOST];
    double factor[MOST];
    struct kernel kernel;
    struct kernel_data data;
    double k[MOST * MOST]; /* (n + m) x (n + m) */
};

static const struct kernel linear = {.type = KERNEL_LINEAR},
                           rbf = {.type = KERNEL_RBF, .gamma = 0.4};

static inline void append(struct set *set, const double *x)
{
    static const int32_t index[FEATURES] = {1, 2, 3, 4};
    struct example example = {.index = index, .value = x, .size = FEATURES};
    struct error err = {.line = 0};
    CHECK_INT(problem_append_example(&set->samples, &example, &err), 0, "%s", err.message);
}

/* When all samples are there. */
static inline void finish(struct set *set, struct kernel kernel)
{
    const int64_t N = set->n + set->m;
    struct error err = {.line = 0};
    set->kernel = kernel;
    CHECK_INT(kernel_data_make(&set->samples, NULL, &set->data, &err), 0, "%s", err.message);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++) {
            struct example u = problem_example(&set->samples, i),
                           v = problem_example(&set->samples, j);
            set->k[i * N + j] = musvm_plain_kernel(&kernel, &u, &v);
        }
    }
}

/* Classes around the axes, `apart` from 0; the universum around 0; factors of 0.25, 0.5, ... and
 * some of 0. */
static inline void make_set(uint64_t seed, int64_t n, int64_t m, int64_t K, double apart,
                            struct kernel kernel, struct set *set)
{
    struct random g = random_seeded(21, seed);
    *set = (struct set){.n = n, .m = m, .K = K};
    for (int64_t i = 0; i < n + m; i++) {
        double x[FEATURES];
        if (i < n) {
            set->y[i] = (int32_t)(i % K);
            set->factor[i] = 0.25 * (double)((i / K) % 5);
        }
        for (int64_t j = 0; j < FEATURES; j++)
            x[j] = random_normal(&g) + (i < n && j == set->y[i] ? apart : 0);
        append(set, x);
    }
    finish(set, kernel);
}

static inline void free_set(struct set *set)
{
    kernel_data_free(&set->data);
    problem_free(&set->samples);
}

static inline struct musvm_task task_of(const struct set *set, struct kernel_rows *rows)
{
    return (struct musvm_task){.n = set->n,
                               .m = set->m,
                               .classes = set->K,
                               .y = set->y,
                               .rows = rows,
                               .samples = &set->samples};
}

/* bytes < 0: weights in place of rows */
static inline struct kernel_rows *rows_of(const struct set *set, double bytes)
{
    struct error err = {.line = 0};
    struct kernel_rows *rows = bytes < 0
                                   ? NULL
                                   : kernel_rows_new(&set->kernel, &set->data, bytes, 1, &err);
    CHECK(rows || bytes < 0, "%s", err.message);
    return rows;
}

static inline struct musvm_plan plan_of(enum musvm_scheme scheme, const struct set *set, double eps)
{
    return (struct musvm_plan){.scheme = scheme,
                               .linear = set->kernel.type == KERNEL_LINEAR,
                               .solver = {.eps = eps, .shrinking = true, .seed = 1}};
}

static inline bool train(const char *name, const struct musvm_plan *plan,
                         const struct musvm_task *task, const double *factor,
                         const struct musvm_costs *costs, int threads,
                         struct musvm_machine *machine)
{
    struct error err = {.line = 0};
    int status = musvm_machine_train(plan, task, factor, costs, threads, NULL, machine, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    return status == 0;
}

#endif
