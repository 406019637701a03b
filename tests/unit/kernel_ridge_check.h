/* What the library's kernel ridge regression finds, beside the plain loops of kernel_ridge_plain.h:
 * each part of it. */
#ifndef TESTS_UNIT_KERNEL_RIDGE_CHECK_H
#define TESTS_UNIT_KERNEL_RIDGE_CHECK_H

#include "kernel_ridge_plain.h"

static inline void check_reading(const struct kernel_ridge_reading *got,
                                 const struct regression *want, const struct table *table,
                                 const char *which)
{
    const int64_t K = table->classes;
    CHECK_NEAR(got->ridge, want->ridge, 1e-12, "the %s ridge", which);
    for (int64_t i = 0; i < table->n; i++) {
        CHECK_NEAR(got->weight[i], want->weight[i], 1e-8, "the %s weight %d", which, (int)i);
        for (int64_t k = 0; got->target && k < K; k++)
            CHECK_NEAR(got->target[i * K + k], want->target[i * K + k], 1e-8,
                       "the %s target %d of class %d", which, (int)i, (int)k);
    }
}

static inline void check_mapped(const struct problem *mapped, const struct table *table)
{
    CHECK_INT(mapped->n, table->n, "examples");
    CHECK_INT(mapped->d, table->dims, "features");
    for (int64_t i = 0; i < table->n; i++) {
        const struct example x = problem_example(mapped, i);
        CHECK_INT(x.size, table->dims, "the size of example %d", (int)i);
        for (int64_t j = 0; j < table->dims; j++)
            CHECK(x.index[j] == j + 1 && x.value[j] == table->phi[i * table->dims + j],
                  "feature %d of example %d", (int)j, (int)i);
    }
}

/* The temperature is one of a search with few steps, so that small differences of scores leave it
 * as it is. */
static inline void check_probabilities(const struct kernel_ridge *got, const struct plain *want)
{
    CHECK_NEAR(got->temperature, want->temperature, 1e-8, "the temperature");
    check_numbers(got->p, want->p, want->table.n * want->table.classes, 1e-8, "p");
}

/* The weights of a model: one column for two classes, their difference. */
static inline void check_model(const struct weights *w, const double *want,
                               const struct table *table)
{
    const int64_t K = table->classes, columns = K == 2 ? 1 : K;
    CHECK_INT(w->columns, columns, "columns");
    CHECK_INT(w->rows, table->dims + 1, "rows");
    for (int64_t k = 0; k < columns; k++)
        CHECK(w->w[k] == 0, "no bias of class %d", (int)k);
    for (int64_t j = 0; j < table->dims; j++)
        for (int64_t k = 0; k < columns; k++) {
            const double *row = want + j * K, one = K == 2 ? row[1] - row[0] : row[k];
            CHECK_NEAR(w->w[(j + 1) * w->stride + k], one, 1e-8, "weight %d of class %d",
                       (int)j + 1, (int)k);
        }
}

/* The mean of both W. */
static inline void check_mean(const struct kernel_ridge *ridge, const struct plain *plain)
{
    static struct table table;
    static double w[WIDTH * CLASSES], lenient[WIDTH * CLASSES];
    table = plain->table;
    table_tell(&table, &plain->strict);
    plain_solve(&table, 7, plain->strict.ridge, w);
    table_tell(&table, &plain->lenient);
    plain_solve(&table, 7, plain->lenient.ridge, lenient);
    for (int64_t cell = 0; cell < table.dims * table.classes; cell++)
        w[cell] = (w[cell] + lenient[cell]) / 2;
    check_model(&ridge->mean, w, &table);
}

static inline void check_map(const struct task *t, const struct kernel_ridge *ridge)
{
    const struct kernel_ridge_basis *b = &t->basis;
    struct feature_map map;
    CHECK(map_of_kernel(&t->problem, b->dims, b->kernel, b->seed, 1, &map, NULL) == 0
              && feature_map_equal(ridge->map, &map),
          "the map");
    feature_map_free(&map);
}

/* score: those that are compared with softmax regression. */
static inline void check_comparison(const struct task *t, const struct kernel_ridge *got,
                                    const struct decisions_result *want, const double *score,
                                    const char *what)
{
    CHECK_NEAR(got->likelihood, want->second, 1e-9, "the likelihood %s", what);
    CHECK_NEAR(got->softmax_likelihood, want->first, 1e-9, "that of softmax %s", what);
    CHECK_NEAR(got->lead, want->lead, 1e-6, "the lead %s", what);
    CHECK_NEAR(got->agreement, plain_agreement(t, score), 1e-9, "the agreement %s", what);
}

/* What is known after the first strict regression. */
static inline void check_first(const struct task *t, const struct kernel_ridge *got,
                               const struct plain *want)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    double level[CLASSES];
    check_comparison(t, got, &want->by_own, want->compared, "by matrices of their own");
    for (int64_t i = 0; i < n; i++) {
        memcpy(level, want->first.score + i * K, (size_t)K * sizeof *level);
        em_level_scores(K, level);
        check_numbers(got->scores + i * K, level, K, 1e-8, "a score");
    }
    CHECK(!got->p && got->mean.rows == 0, "no classifier yet");
}

/* Compared through the matrix that is given, by these rests or, without, as the first strict
 * regression is. */
static inline void check_given(const struct task *t, struct rest_of_fold *rest, bool known,
                               const struct decisions_result *want, const double *score,
                               const char *what)
{
    struct kernel_ridge_basis basis = t->basis;
    struct kernel_ridge got;
    struct error err = {0};
    basis.rest = rest;
    basis.matrix_known = known;
    const bool ready = kernel_ridge_begin(&basis, &got, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready)
        check_comparison(t, &got, want, score, what);
    kernel_ridge_free(&got);
}

/* Everything beside the plain loops, whose results are returned. */
static inline const struct plain *check_task(struct task *t)
{
    struct kernel_ridge got;
    struct error err = {0};
    struct random g = random_seeded(8, 2);
    task_make_rests(t, &g);
    const struct kernel_ridge_basis basis = t->basis;
    const struct plain *want = plain_make(t);
    t->basis = basis;
    const struct decisions_result alone = plain_judge(t, want->first.score);
    check_given(t, NULL, false, &alone, want->first.score, "without rests");
    check_given(t, t->rest, true, &want->by_c, want->compared,
                "of rests by a matrix that is known");
    int code = kernel_ridge_begin(&t->basis, &got, &err);
    if (code == 0) {
        check_first(t, &got, want);
        if (t->revises)
            revise(t);
        code = kernel_ridge_finish(&t->basis, &got, &err);
    }
    CHECK_INT(code, 0, "%s", err.message);
    if (code == 0) {
        check_map(t, &got);
        check_mapped(&got.mapped, &want->table);
        CHECK(got.lenient.target != NULL, "targets of the lenient reading");
        check_reading(&got.strict, &want->strict, &want->table, "strict");
        check_reading(&got.lenient, &want->lenient, &want->table, "lenient");
        CHECK(!got.scores, "the first scores are given back");
        check_probabilities(&got, want);
        check_mean(&got, want);
    }
    kernel_ridge_free(&got);
    return want;
}

#endif
