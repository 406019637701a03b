/* One task per fold.  The counts are integers, so nothing depends on the order in which threads
 * finish. */
#include "common/linear/cross_validation.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"

#include <stdatomic.h>
#include <string.h>

struct validate_task {
    const struct problem *problem;
    const int32_t *y;
    int64_t classes;
    const int64_t *fold;
    cross_validate_fit *fit;
    const void *context;
    double *scores; /* may be NULL */
    _Atomic int64_t correct;
};

/* The class with the largest score; with two classes, which have one score, class 1 if it is > 0.
 */
static int64_t validate_predict(const double *scores, int64_t classes)
{
    return classes == 2 ? scores[0] > 0 : weights_best(scores, classes);
}

/* Train on all folds but f, and count the correct predictions on f.  0 or -1. */
static int validate_fold(void *context, int64_t f, struct error *err)
{
    struct validate_task *t = context;
    const struct problem *p = t->problem;
    struct weights w = {0};
    double *scores = NULL;
    int64_t correct = 0, *subset = memory_new(p->n, sizeof *subset, err);
    int status = -1;
    if (!subset)
        goto done;
    const int64_t n = folds_others(t->fold, p->n, f, subset);
    if (t->fit(t->context, subset, n, &w, err) != 0
        || !(scores = memory_new(w.stride, sizeof *scores, err)))
        goto done;
    for (int64_t i = 0; i < p->n; i++) {
        if (t->fold[i] != f)
            continue;
        struct example x = problem_example(p, i);
        weights_scores(&w, &x, scores);
        correct += validate_predict(scores, t->classes) == t->y[i];
        if (t->scores)
            memcpy(t->scores + i * w.columns, scores, (size_t)w.columns * sizeof *scores);
    }
    status = 0;
    atomic_fetch_add(&t->correct, correct);
done:
    memory_free(scores);
    memory_free(subset);
    weights_free(&w);
    return status;
}

int cross_validate_linear(const struct problem *problem, const struct fold_examples *examples,
                          int64_t folds, int64_t seed, int threads, cross_validate_fit *fit,
                          const void *context, int64_t *correct, double *scores, struct error *err)
{
    int64_t *fold = memory_new(problem->n, sizeof *fold, err);
    if (!fold || folds_assign(examples, folds, seed, fold, err) != 0) {
        memory_free(fold);
        return -1;
    }
    struct validate_task task = {.problem = problem,
                                 .y = examples->y,
                                 .classes = examples->classes,
                                 .fold = fold,
                                 .fit = fit,
                                 .context = context,
                                 .scores = scores};
    const int status = parallel_try(threads, folds, validate_fold, &task, err);
    memory_free(fold);
    *correct = atomic_load(&task.correct);
    return status;
}
