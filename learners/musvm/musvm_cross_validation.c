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

struct musvm_validation {
    const struct musvm_plan *plan;
    const struct musvm_task *task;
    const double *factor;
    const struct musvm_costs *costs;
    int64_t parts, columns, count, folds;
    bool cold;
    int64_t *fold; /* n */
    double *f;     /* count x n x columns: decision values of each sample, by the other folds */
    struct progress *progress;
    int64_t steps;
    struct error *error; /* jobs; message "" when all is well */
};

/* Fill f with what a job finds: parts run fastest, then folds, then (cold) costs. */
static void musvm_validate_part(void *context, int64_t job)
{
    const struct musvm_validation *v = context;
    const int64_t n = v->task->n, part_index = job % v->parts, fold = job / v->parts % v->folds;
    const int64_t first = v->cold ? job / v->parts / v->folds : 0,
                  last = v->cold ? first + 1 : v->count;
    assert(last <= v->count);
    struct error *err = &v->error[job];
    struct musvm_part part;
    double *factor = memory_new(n, sizeof *factor, err);
    if (!factor)
        return;
    for (int64_t i = 0; i < n; i++)
        factor[i] = v->fold[i] == fold ? 0 : musvm_factor(v->factor, i);
    if (musvm_part_make(v->plan, v->task, factor, part_index, &part, err) != 0)
        goto done;
    for (int64_t c = first; c < last; c++) {
        if (musvm_part_solve(&part, &v->costs[c], err) != 0)
            goto done;
        for (int64_t i = 0; i < n; i++)
            if (v->fold[i] == fold)
                musvm_part_values(&part, i, v->f + (c * n + i) * v->columns);
    }
done:
    musvm_part_free(&part);
    memory_free(factor);
    if (v->progress)
        progress_step(v->progress, v->steps);
}

/* wrong: out, for each of the costs.  0 or -1 (memory). */
static int musvm_count_wrong(const struct musvm_validation *v, int64_t *wrong, struct error *err)
{
    const int64_t n = v->task->n, K = v->task->classes;
    double *votes = memory_new(K, sizeof *votes, err);
    if (!votes)
        return -1;
    for (int64_t c = 0; c < v->count; c++) {
        wrong[c] = 0;
        for (int64_t i = 0; i < n; i++)
            wrong[c] += musvm_decide(v->plan, K, v->f + (c * n + i) * v->columns, votes)
                        != v->task->y[i];
    }
    memory_free(votes);
    return 0;
}

/* Those of the first costs. */
static void musvm_keep_scores(const struct musvm_validation *v, double *scores)
{
    const int64_t K = v->task->classes;
    for (int64_t i = 0; i < v->task->n; i++) {
        const double *f = v->f + i * v->columns;
        if (musvm_votes(v->plan, K))
            predict_votes(f, K, scores + i * K);
        else
            memcpy(scores + i * K, f, (size_t)K * sizeof *f);
    }
}

int musvm_cross_validate(const struct musvm_plan *plan, const struct musvm_task *task,
                         const double *factor, const struct musvm_costs *costs, int64_t count,
                         bool cold, int64_t folds, int threads, struct progress *progress,
                         int64_t steps, int64_t *wrong, double *scores, struct error *err)
{
    struct musvm_validation v = {.plan = plan,
                                 .task = task,
                                 .factor = factor,
                                 .costs = costs,
                                 .count = count,
                                 .folds = folds,
                                 .cold = cold,
                                 .progress = progress,
                                 .steps = steps,
                                 .parts = musvm_parts(plan, task->classes),
                                 .columns = musvm_columns(plan, task->classes)};
    const int64_t n = task->n, jobs = folds * v.parts * (cold ? count : 1);
    int status = -1;
    if (!(v.fold = memory_new(n, sizeof *v.fold, err))
        || !(v.f = memory_new(count * n * v.columns, sizeof *v.f, err))
        || !(v.error = memory_new(jobs, sizeof *v.error, err))
        || folds_assign(task->y, n, task->classes, folds, plan->solver.seed, v.fold, err) != 0)
        goto done;
    if (task->rows && !kernel_rows_whole(task->rows))
        threads = 1;
    parallel_for(threads, jobs, musvm_validate_part, &v);
    for (int64_t job = 0; job < jobs; job++)
        if (error_take(&v.error[job], err) != 0)
            goto done;
    status = musvm_count_wrong(&v, wrong, err);
    if (scores)
        musvm_keep_scores(&v, scores);
done:
    memory_free(v.f);
    memory_free(v.error);
    memory_free(v.fold);
    return status;
}
