#include "musvm_validate.h"

#include "../common/folds.h"
#include "../common/memory.h"
#include "../common/parallel.h"

double musvm_default_c_star(const struct musvm_task *task, double C, int64_t n)
{
    return task->m > 0 ? C * (double)n / ((double)task->m * (double)task->classes) : 0;
}

struct validation {
    const struct musvm_task *task;
    const struct musvm_options *options;
    bool own_c_star;
    const int64_t *fold; /* n */
    int64_t *correct;    /* a fold */
    struct error *error; /* a fold; message "" when all is well */
};

static int64_t count_correct(const struct musvm_task *task, const struct musvm_point *point, const int64_t *fold, int64_t at)
{
    const int64_t N = task->n + task->m;
    int64_t correct = 0;
    for (int64_t i = 0; i < task->n; i++) {
        int64_t best = 0;
        for (int64_t l = 1; l < task->classes; l++)
            if (point->f[l * N + i] > point->f[best * N + i])
                best = l;
        correct += fold[i] == at && best == task->y[i];
    }
    return correct;
}

static void validate_fold(void *context, int64_t fold)
{
    const struct validation *v = context;
    const struct musvm_task *task = v->task;
    struct musvm_options options = *v->options;
    struct musvm_point point = {0};
    struct musvm_result result;
    struct error *err = &v->error[fold];
    int64_t left = 0;
    double *factor = memory_new(task->n, sizeof *factor, err);
    if (!factor)
        return;
    for (int64_t i = 0; i < task->n; i++) {
        factor[i] = v->fold[i] == fold ? 0 : options.factor ? options.factor[i] : 1;
        left += v->fold[i] != fold;
    }
    options.factor = factor;
    if (!v->own_c_star)
        options.C_star = musvm_default_c_star(task, options.C, left);
    if (musvm_point_make(task, &point, err) == 0 && musvm_solve(task, &options, &point, &result, err) == 0)
        v->correct[fold] = count_correct(task, &point, v->fold, fold);
    musvm_point_free(&point);
    memory_free(factor);
}

int musvm_cross_validate(const struct musvm_task *task, const struct musvm_options *options, bool own_c_star, int64_t folds, int threads, int64_t *correct,
                         struct error *err)
{
    int64_t *fold = memory_new(task->n, sizeof *fold, err);
    if (!fold || folds_assign(task->y, task->n, task->classes, folds, options->seed, fold, err) != 0) {
        memory_free(fold);
        return -1;
    }
    struct validation v = {.task = task, .options = options, .own_c_star = own_c_star, .fold = fold};
    v.correct = memory_new(folds, sizeof *v.correct, err);
    v.error = v.correct ? memory_new(folds, sizeof *v.error, err) : NULL;
    int status = v.error ? 0 : -1;
    if (status == 0)
        parallel_for(task->rows && !kernel_rows_whole(task->rows) ? 1 : threads, folds, validate_fold, &v);
    *correct = 0;
    for (int64_t f = 0; f < folds && status == 0; f++) {
        *correct += v.correct[f];
        if (v.error[f].message[0]) {
            status = -1;
            if (err)
                *err = v.error[f];
        }
    }
    memory_free(v.correct);
    memory_free(v.error);
    memory_free(fold);
    return status;
}
