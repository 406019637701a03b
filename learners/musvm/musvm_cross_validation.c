/* Cross-validation as told in musvm_cross_validation.h.
 *
 * A job is one problem of the machine in one fold, for one of the costs (cold) or for all in turn.
 * Jobs write the decision values of what they left out to places of their own, and labels are
 * decided when all are done: a machine of several problems needs the values of all of them. */
#include "learners/musvm/musvm_cross_validation.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"
#include "common/model/predict.h"

#include <assert.h>
#include <string.h>

struct musvm_validation_run {
    const struct musvm_validation *how;
    const struct musvm_task *task;
    int64_t parts, columns;
    int64_t *fold; /* n */
    double *f;     /* count x n x columns: decision values of each sample, by the other folds */
};

/* Fill f with what a job finds: parts run fastest, then folds, then (cold) costs.
 * 0 or -1. */
static int musvm_validate_part(void *context, int64_t job, struct error *err)
{
    const struct musvm_validation_run *v = context;
    const struct musvm_validation *how = v->how;
    const int64_t n = v->task->n, part_index = job % v->parts, fold = job / v->parts % how->folds;
    const int64_t first = how->cold ? job / v->parts / how->folds : 0,
                  last = how->cold ? first + 1 : how->count;
    assert(last <= how->count);
    struct musvm_part part;
    int status = -1;
    double *factor = memory_new(n, sizeof *factor, err);
    if (!factor)
        return -1;
    for (int64_t i = 0; i < n; i++)
        factor[i] = v->fold[i] == fold ? 0 : musvm_factor(how->factor, i);
    if (musvm_part_make(how->plan, v->task, factor, part_index, &part, err) != 0)
        goto done;
    for (int64_t c = first; c < last; c++) {
        if (musvm_part_solve(&part, &how->costs[c], err) != 0)
            goto done;
        for (int64_t i = 0; i < n; i++)
            if (v->fold[i] == fold)
                musvm_part_values(&part, i, v->f + (c * n + i) * v->columns);
    }
    status = 0;
done:
    musvm_part_free(&part);
    memory_free(factor);
    if (how->progress)
        progress_step(how->progress, how->steps);
    return status;
}

/* wrong: out, for each of the costs.  0 or -1 (memory). */
static int musvm_count_wrong(const struct musvm_validation_run *v, int64_t *wrong,
                             struct error *err)
{
    const int64_t n = v->task->n, K = v->task->classes;
    double *votes = memory_new(K, sizeof *votes, err);
    if (!votes)
        return -1;
    for (int64_t c = 0; c < v->how->count; c++) {
        wrong[c] = 0;
        for (int64_t i = 0; i < n; i++)
            wrong[c] += musvm_decide(v->how->plan, K, v->f + (c * n + i) * v->columns, votes)
                        != v->task->y[i];
    }
    memory_free(votes);
    return 0;
}

/* Those of the first costs. */
static void musvm_keep_scores(const struct musvm_validation_run *v, double *scores)
{
    const int64_t K = v->task->classes;
    for (int64_t i = 0; i < v->task->n; i++) {
        const double *f = v->f + i * v->columns;
        if (musvm_votes(v->how->plan, K))
            predict_votes(f, K, scores + i * K);
        else
            memcpy(scores + i * K, f, (size_t)K * sizeof *f);
    }
}

int musvm_cross_validate(const struct musvm_validation *how, const struct musvm_task *task,
                         int64_t *wrong, double *scores, struct error *err)
{
    struct musvm_validation_run v = {.how = how,
                                     .task = task,
                                     .parts = musvm_parts(how->plan, task->classes),
                                     .columns = musvm_columns(how->plan, task->classes)};
    const int64_t n = task->n, jobs = how->folds * v.parts * (how->cold ? how->count : 1);
    const int threads = kernel_rows_threads(task->rows, how->threads);
    /* Copies are dealt out as LIBSVM does, with whose accuracies this one is compared. */
    const struct fold_examples all = {
        .n = n, .classes = task->classes, .y = task->y, .first = task->first};
    int status = -1;
    if (!(v.fold = memory_new(n, sizeof *v.fold, err))
        || !(v.f = memory_new(how->count * n * v.columns, sizeof *v.f, err))
        || folds_assign(&all, how->folds, how->plan->solver.seed, v.fold, err) != 0
        || parallel_try(threads, jobs, musvm_validate_part, &v, err) != 0)
        goto done;
    status = musvm_count_wrong(&v, wrong, err);
    if (scores)
        musvm_keep_scores(&v, scores);
done:
    memory_free(v.f);
    memory_free(v.fold);
    return status;
}
