/* One task per fold.  The counts are integers, so nothing depends on the order in which threads
 * finish. */
#include "common/linear/cross_validation.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"

#include <stdatomic.h>
#include <string.h>

struct validate_task {
    const struct cross_validation *validation;
    const int64_t *fold; /* of each example */
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
    const struct cross_validation *v = t->validation;
    const struct problem *p = v->problem;
    struct weights w = {0};
    double *scores = NULL;
    int64_t correct = 0, *subset = memory_new(p->n, sizeof *subset, err);
    int status = -1;
    if (!subset)
        goto done;
    const int64_t n = folds_others(t->fold, p->n, f, subset);
    if (v->fit(v->context, subset, n, &w, err) != 0
        || !(scores = memory_new(w.stride, sizeof *scores, err)))
        goto done;
    for (int64_t i = 0; i < p->n; i++) {
        if (t->fold[i] != f)
            continue;
        struct example x = problem_example(p, i);
        weights_scores(&w, &x, scores);
        correct += validate_predict(scores, v->examples.classes) == v->examples.y[i];
        if (v->scores)
            memcpy(v->scores + i * w.columns, scores, (size_t)w.columns * sizeof *scores);
    }
    status = 0;
    atomic_fetch_add(&t->correct, correct);
done:
    memory_free(scores);
    memory_free(subset);
    weights_free(&w);
    return status;
}

int cross_validate_linear(const struct cross_validation *validation, int64_t *correct,
                          struct error *err)
{
    const struct cross_validation *v = validation;
    int64_t *fold = memory_new(v->problem->n, sizeof *fold, err);
    if (!fold || folds_assign(&v->examples, v->folds, v->seed, fold, err) != 0) {
        memory_free(fold);
        return -1;
    }
    struct validate_task task = {.validation = v, .fold = fold};
    const int status = parallel_try(v->threads, v->folds, validate_fold, &task, err);
    memory_free(fold);
    *correct = atomic_load(&task.correct);
    return status;
}
