/* One task per fold.  The counts are integers, and of several errors that of the first fold is
 * kept, so nothing depends on the order in which threads finish. */
#include "common/linear/cross_validation.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"

#include <pthread.h>
#include <string.h>

struct validate_task {
    const struct problem *problem;
    const int32_t *y;
    int64_t classes;
    const int64_t *fold;
    validate_fit *fit;
    const void *context;
    double *scores;       /* may be NULL */
    pthread_mutex_t lock; /* of the members below */
    int64_t correct;
    int64_t failed; /* the first fold that failed, -1: none */
    struct error *err;
};

/* The class with the largest score; with two classes, which have one score, class 1 if it is > 0.
 */
static int64_t validate_predict(const double *scores, int64_t classes)
{
    return classes == 2 ? scores[0] > 0 : weights_best(scores, classes);
}

/* Train on all folds but f, and count the correct predictions on f. */
static void validate_fold(void *context, int64_t f)
{
    struct validate_task *t = context;
    const struct problem *p = t->problem;
    struct error err = {0};
    struct weights w = {0};
    double *scores = NULL;
    int64_t n = 0, correct = 0, *subset = memory_new(p->n, sizeof *subset, &err);
    int status = -1;
    if (!subset)
        goto done;
    for (int64_t i = 0; i < p->n; i++)
        if (t->fold[i] != f)
            subset[n++] = i;
    if (t->fit(t->context, subset, n, &w, &err) != 0
        || !(scores = memory_new(w.stride, sizeof *scores, &err)))
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
done:
    pthread_mutex_lock(&t->lock);
    t->correct += correct;
    if (status != 0 && (t->failed < 0 || f < t->failed)) {
        t->failed = f;
        if (t->err)
            *t->err = err;
    }
    pthread_mutex_unlock(&t->lock);
    memory_free(scores);
    memory_free(subset);
    weights_free(&w);
}

int validate_linear(const struct problem *problem, const int32_t *y, int64_t classes, int64_t folds,
                    int64_t seed, int threads, validate_fit *fit, const void *context,
                    int64_t *correct, double *scores, struct error *err)
{
    int64_t *fold = memory_new(problem->n, sizeof *fold, err);
    if (!fold || folds_assign(y, problem->n, classes, folds, seed, fold, err) != 0) {
        memory_free(fold);
        return -1;
    }
    struct validate_task task = {.problem = problem,
                                 .y = y,
                                 .classes = classes,
                                 .fold = fold,
                                 .fit = fit,
                                 .context = context,
                                 .scores = scores,
                                 .failed = -1,
                                 .err = err};
    pthread_mutex_init(&task.lock, NULL);
    parallel_for(threads, folds, validate_fold, &task);
    pthread_mutex_destroy(&task.lock);
    memory_free(fold);
    *correct = task.correct;
    return task.failed < 0 ? 0 : -1;
}
