#include "learners/musvm/musvm_validate.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"

struct validation {
    const struct musvm_plan *plan;
    const struct musvm_task *task;
    const double *factor;
    const struct musvm_costs *costs;
    int64_t parts, columns, count, folds;
    bool apart;
    const int64_t *fold; /* n */
    double *f;           /* count x n x columns */
    struct progress *progress;
    int64_t steps;
    struct error *error; /* a job; message "" when all is well */
};

static void validate_part(void *context, int64_t job)
{
    const struct validation *v = context;
    const int64_t n = v->task->n, part_index = job % v->parts, fold = job / v->parts % v->folds;
    const int64_t first = v->apart ? job / v->parts / v->folds : 0,
                  last = v->apart ? first + 1 : v->count;
    struct error *err = &v->error[job];
    struct musvm_part part;
    double *factor = memory_new(n, sizeof *factor, err);
    if (!factor)
        return;
    for (int64_t i = 0; i < n; i++)
        factor[i] = v->fold[i] == fold ? 0 : v->factor ? v->factor[i] : 1;
    int status = musvm_part_make(v->plan, v->task, factor, part_index, &part, err);
    for (int64_t c = first; c < last && status == 0; c++) {
        status = musvm_part_solve(&part, &v->costs[c], err);
        for (int64_t i = 0; i < n && status == 0; i++)
            if (v->fold[i] == fold)
                musvm_part_values(&part, i, v->f + (c * n + i) * v->columns);
    }
    musvm_part_free(&part);
    memory_free(factor);
    if (v->progress)
        progress_step(v->progress, v->steps);
}

static int count_wrong(const struct validation *v, int64_t *wrong, struct error *err)
{
    const int64_t n = v->task->n, K = v->task->classes;
    double *votes = memory_new(K, sizeof *votes, err);
    for (int64_t c = 0; c < v->count && votes; c++) {
        wrong[c] = 0;
        for (int64_t i = 0; i < n; i++)
            wrong[c] += musvm_decide(v->plan, K, v->f + (c * n + i) * v->columns, votes)
                        != v->task->y[i];
    }
    memory_free(votes);
    return votes ? 0 : -1;
}

int musvm_cross_validate(const struct musvm_plan *plan, const struct musvm_task *task,
                         const double *factor, const struct musvm_costs *costs, int64_t count,
                         bool apart, int64_t folds, int threads, struct progress *progress,
                         int64_t steps, int64_t *wrong, struct error *err)
{
    struct validation v = {.plan = plan,
                           .task = task,
                           .factor = factor,
                           .costs = costs,
                           .count = count,
                           .folds = folds,
                           .apart = apart,
                           .progress = progress,
                           .steps = steps,
                           .parts = musvm_parts(plan, task->classes),
                           .columns = musvm_columns(plan, task->classes)};
    int64_t *fold = memory_new(task->n, sizeof *fold, err);
    v.fold = fold;
    const int64_t jobs = folds * v.parts * (apart ? count : 1);
    v.f = fold ? memory_new(count * task->n * v.columns, sizeof *v.f, err) : NULL;
    v.error = v.f ? memory_new(jobs, sizeof *v.error, err) : NULL;
    int status = v.error ? folds_assign(task->y, task->n, task->classes, folds, plan->solver.seed,
                                        fold, err)
                         : -1;
    if (status == 0)
        parallel_for(task->rows && !kernel_rows_whole(task->rows) ? 1 : threads, jobs,
                     validate_part, &v);
    for (int64_t job = 0; job < jobs && status == 0; job++)
        status = error_take(&v.error[job], err);
    if (status == 0)
        status = count_wrong(&v, wrong, err);
    memory_free(v.f);
    memory_free(v.error);
    memory_free(fold);
    return status;
}
