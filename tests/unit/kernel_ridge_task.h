/* Noisy labels of points in the plane, what is known of them, and kernel ridge regression told of
 * it: what the tests test_kernel_ridge*.c share.  An error is a failed check. */
#ifndef TESTS_UNIT_KERNEL_RIDGE_TASK_H
#define TESTS_UNIT_KERNEL_RIDGE_TASK_H

#include "common/base/memory.h"
#include "learners/estimate/kernel_ridge.h"
#include "learners/estimate/rest_of_fold.h"
#include "learners/features/ridge_folds.h"
#include "ridge_plain.h"

/* Noisy labels of points in the plane and what is known of them. */
struct task {
    struct problem problem;
    int32_t y[MOST];
    int64_t fold[MOST], fine[MOST];
    double weight[MOST], c[CLASSES * CLASSES], share[CLASSES], p[MOST * CLASSES];
    double other_c[CLASSES * CLASSES], other_share[CLASSES]; /* found after the first regression, */
    bool revises;                                            /* if this is true */
    struct rest_of_fold rest[FOLDS_DEFAULT];                 /* by random probabilities, */
    double rest_p[FOLDS_DEFAULT][MOST * CLASSES];            /* here those of all examples, */
    bool vague;                                              /* whatever the labels are */
    struct kernel_ridge_basis basis;
};

/* Add a point of a true class, which lie around corners of a polygon. */
static inline void task_add(struct task *t, struct random *g, int64_t class)
{
    const int64_t i = t->problem.n, K = t->basis.classes;
    const int32_t index[] = {1, 2};
    double value[2], score[CLASSES], cumulated = 0;
    for (int axis = 0; axis < 2; axis++)
        value[axis] = 0.9 * random_normal(g);
    value[0] += 1.5 * cos(6.28 * (double)class / (double)K);
    value[1] += 1.5 * sin(6.28 * (double)class / (double)K);
    for (int64_t k = 0; k < K; k++) {
        const double u = value[0] - 1.5 * cos(6.28 * (double)k / (double)K),
                     v = value[1] - 1.5 * sin(6.28 * (double)k / (double)K);
        score[k] = -0.5 * (u * u + v * v) + 0.5 * random_normal(g);
    }
    softmax(K, score, 1, t->p + i * K);
    const double u = random_uniform(g);
    t->y[i] = 0;
    while (t->y[i] < K - 1 && (cumulated += t->c[t->y[i] * K + class]) < u)
        t->y[i]++;
    t->weight[i] = i % 5 == 0 ? 0 : 2 * random_uniform(g);
    t->fold[i] = random_below(g, FOLDS_DEFAULT);
    const struct example x = {.index = index, .value = value, .size = 2, .label = t->y[i]};
    CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
}

/* Probabilities of true classes by which the rest of each fold is read: in the rest one after the
 * other, in rest_p each at its example. */
static inline void task_make_rests(struct task *t, struct random *g)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    const struct rest_source all = {n, t->y, t->basis.weight, t->fold};
    for (int fold = 0; fold < FOLDS_DEFAULT; fold++) {
        struct rest_of_fold *rest = &t->rest[fold];
        rest_free(rest);
        CHECK(rest_make(&all, fold, rest, NULL) == 0
                  && (rest->p = memory_new(n * K, sizeof *rest->p, NULL)),
              "memory");
        for (int64_t place = 0; place < rest->n; place++) {
            double *p = t->rest_p[fold] + rest->example[place] * K, score[CLASSES];
            for (int64_t k = 0; k < K; k++)
                score[k] = 2 * random_normal(g)
                           + (t->vague ? 0 : 3) * (k == t->y[rest->example[place]]);
            softmax(K, score, 1, p);
            memcpy(rest->p + place * K, p, (size_t)K * sizeof *p);
            rest->fold[place] = random_below(g, FOLDS_DEFAULT);
        }
    }
    t->basis.rest = t->rest;
}

static inline void task_free(struct task *t)
{
    for (int fold = 0; fold < FOLDS_DEFAULT; fold++)
        rest_free(&t->rest[fold]);
    problem_free(&t->problem);
}

static inline void random_shares(struct random *g, int64_t K, double *share)
{
    double all = 0;
    for (int64_t q = 0; q < K; q++)
        all += share[q] = 0.1 + random_uniform(g);
    for (int64_t q = 0; q < K; q++)
        share[q] /= all;
}

static inline struct task *task_make(int64_t n, int64_t K, int64_t dims, uint64_t seed)
{
    static struct task t;
    struct random g = random_seeded(seed, 2);
    memset(&t, 0, sizeof t);
    random_matrix(&g, K, t.c);
    random_shares(&g, K, t.share);
    t.basis = (struct kernel_ridge_basis){.problem = &t.problem,
                                          .y = t.y,
                                          .fold = t.fold,
                                          .classes = K,
                                          .c = t.c,
                                          .share = t.share,
                                          .p = t.p,
                                          .unexplained = 0.4,
                                          .kernel = {.gamma = 0.8},
                                          .dims = dims,
                                          .seed = 3,
                                          .threads = 1};
    for (int64_t i = 0; i < n; i++)
        task_add(&t, &g, random_below(&g, K));
    random_matrix(&g, K, t.other_c);
    random_shares(&g, K, t.other_share);
    return &t;
}

enum { NO_FOLD = -1 };

/* Over the mean of all that are not in a fold. */
static inline double weight_without(const struct task *t, int64_t left_out, int64_t i)
{
    double total = 0, count = 0;
    if (!t->basis.weight)
        return 1;
    for (int64_t j = 0; j < t->problem.n; j++)
        if (t->fold[j] != left_out) {
            total += t->basis.weight[j];
            count++;
        }
    return t->basis.weight[i] * (count / total);
}

static inline double own_weight(const struct task *t, int64_t i)
{
    return weight_without(t, NO_FOLD, i);
}

/* The folds, from the first on, that have 1500 examples; or all. */
static inline int folds_that_judge(const struct task *t)
{
    int64_t judged = 0;
    int judges = 0;
    while (judges < FOLDS_DEFAULT && judged < 1500) {
        for (int64_t i = 0; i < t->problem.n; i++)
            judged += t->fold[i] == judges;
        judges++;
    }
    return judges;
}

/* Both parts of the library's regression, one after the other. */
static inline int choose(const struct kernel_ridge_basis *basis, struct kernel_ridge *ridge,
                         struct error *err)
{
    return kernel_ridge_begin(basis, ridge, err) == 0 ? kernel_ridge_finish(basis, ridge, err) : -1;
}

#endif
