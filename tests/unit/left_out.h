/* Scores of the examples of a fold by a fit to the others, for plain loops over folds.  An error is
 * a failed check. */
#ifndef TESTS_UNIT_LEFT_OUT_H
#define TESTS_UNIT_LEFT_OUT_H

#include "check.h"
#include "common/base/memory.h"
#include "learners/estimate/cross_scores.h"
#include "learners/noise/em.h"

/* fold: n; s: n x K, of which the rows of this fold are out. */
static inline void score_left_out(const struct cross_scores_task *task, const int64_t *fold,
                                  int64_t left_out, double *s)
{
    const int64_t n = task->data->problem->n, K = task->estimate->classes;
    struct weights w = weights_make(weights_columns(K), 0);
    struct error err = {0};
    double columns[16];
    int64_t *subset = memory_new(n, sizeof *subset, &err), others = 0;
    for (int64_t i = 0; subset && i < n; i++)
        if (fold[i] != left_out)
            subset[others++] = i;
    CHECK(subset && cross_scores_regress(task, subset, others, &w, &err) == 0, "%s", err.message);
    for (int64_t i = 0; i < n; i++) {
        const struct example x = problem_example(task->data->problem, i);
        if (fold[i] != left_out)
            continue;
        weights_scores(&w, &x, columns);
        em_put_scores(columns, K, s + i * K);
    }
    weights_free(&w);
    memory_free(subset);
}

#endif
