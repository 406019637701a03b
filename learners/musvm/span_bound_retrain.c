/* The leave-one-out error itself: the solver is run without each sample in turn, from the solution
 * of all on. */
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "learners/musvm/span_bound_state.h"

#include <string.h>

struct span_bound_retraining {
    const struct musvm_task *task;
    const struct musvm_options *options;
    const struct musvm_point *point;
    bool *wrong; /* n */
};

/* to: out, a copy, to be freed also on failure.  0 or -1 (memory). */
static int span_bound_copy_point(const struct musvm_task *task, const struct musvm_point *from,
                                 struct musvm_point *to, struct error *err)
{
    const int64_t cells = (task->n + task->m) * task->classes;
    if (musvm_point_make(task, to, err) != 0)
        return -1;
    memcpy(to->alpha, from->alpha, (size_t)cells * sizeof *to->alpha);
    memcpy(to->f, from->f, (size_t)cells * sizeof *to->f);
    if (!task->rows)
        memcpy(to->w.w, from->w.w, (size_t)(from->w.rows * from->w.stride) * sizeof *to->w.w);
    return 0;
}

/* Is sample t wrong when the others are solved, from the point on?  A job of the threads.  0
 * or -1. */
static int span_bound_retrain_without(void *context, int64_t t, struct error *err)
{
    struct span_bound_retraining *s = context;
    const int64_t n = s->task->n, N = n + s->task->m, K = s->task->classes;
    struct musvm_options options = *s->options;
    struct musvm_point point = {0};
    struct musvm_result result;
    double *factor = NULL, *f = NULL;
    int status = -1;
    if (!(factor = memory_new(n, sizeof *factor, err)) || !(f = memory_new(K, sizeof *f, err))
        || span_bound_copy_point(s->task, s->point, &point, err) != 0)
        goto done;
    for (int64_t i = 0; i < n; i++)
        factor[i] = i == t ? 0 : musvm_factor(options.factor, i);
    options.factor = factor;
    if (musvm_solve(s->task, &options, &point, &result, err) != 0)
        goto done;
    for (int64_t l = 0; l < K; l++)
        f[l] = point.f[l * N + t];
    s->wrong[t] = span_bound_is_wrong(f, K, s->task->y[t]);
    status = 0;
done:
    musvm_point_free(&point);
    memory_free(factor);
    memory_free(f);
    return status;
}

int span_bound_retrain(const struct musvm_task *task, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, bool *wrong, int64_t *errors,
                       struct error *err)
{
    struct span_bound_retraining s = {.task = task, .options = options, .point = point};
    int status = -1;
    threads = kernel_rows_threads(task->rows, threads);
    if (!(s.wrong = memory_new(task->n, sizeof *s.wrong, err))
        || parallel_try(threads, task->n, span_bound_retrain_without, &s, err) != 0)
        goto done;
    *errors = 0;
    for (int64_t t = 0; t < task->n; t++)
        *errors += s.wrong[t];
    if (wrong)
        memcpy(wrong, s.wrong, (size_t)task->n * sizeof *wrong);
    status = 0;
done:
    memory_free(s.wrong);
    return status;
}
