#include "musvm_model.h"

#include "../common/kernel_model.h"
#include "../common/memory.h"
#include "../common/model_writer.h"

#include <string.h>

static bool is_support(const struct musvm_task *task, const struct musvm_point *point, int64_t i)
{
    const double *a = point->alpha + i * task->classes;
    for (int64_t l = 0; l < task->classes; l++)
        if (a[l] < 0 || a[l] > 0)
            return true;
    return false;
}

struct musvm_support musvm_count_support(const struct musvm_task *task, const struct musvm_options *options, const struct musvm_point *point)
{
    struct musvm_support count = {0, 0, 0};
    for (int64_t i = 0; i < task->n + task->m; i++) {
        if (!is_support(task, point, i))
            continue;
        if (i >= task->n) {
            count.universum++;
            continue;
        }
        count.training++;
        count.bounded += !(point->alpha[i * task->classes + task->y[i]] < musvm_cap(task, options, i));
    }
    return count;
}

/* One column for two classes: the larger label's less the smaller's. */
static int put_weights(struct model_writer *writer, const struct musvm_point *point, int64_t classes, struct error *err)
{
    if (classes > 2)
        return model_put_table(writer, "w", &point->w, err);
    struct weights one;
    int status = weights_difference(&point->w, &one, err);
    if (status == 0)
        status = model_put_table(writer, "w", &one, err);
    weights_free(&one);
    return status;
}

static int save_linear(const struct musvm_task *task, const struct musvm_options *options, const struct musvm_point *point, const struct labels *labels,
                       const struct musvm_file *file, const char *path, int threads, struct error *err)
{
    struct model_writer writer;
    const int64_t K = task->classes;
    int status = model_begin(&writer, path, labels, K == 2 ? 1 : K, point->w.rows - 1, file->bias, threads, err);
    if (status == 0)
        status = put_weights(&writer, point, K, err);
    if (status == 0) {
        model_put_trailer(&writer);
        model_put_word(&writer, "learner", file->learner);
        model_put_int(&writer, "seed", file->seed);
        model_put_int(&writer, "unit_length", file->unit_length);
        model_put_int(&writer, "zero_based", file->zero_based);
        model_put_number(&writer, "C", options->C);
        model_put_number(&writer, "C_star", options->C_star);
        model_put_number(&writer, "delta", options->delta);
        status = model_finish(&writer, err);
    }
    model_abandon(&writer);
    return status;
}

static int save_kernel(const struct musvm_task *task, const struct musvm_point *point, const struct kernel *kernel, const struct labels *labels,
                       const struct musvm_file *file, const char *path, struct error *err)
{
    const int64_t K = task->classes;
    struct kernel_model model = {.kernel = *kernel, .columns = K, .unit_length = file->unit_length, .zero_based = file->zero_based};
    int64_t support = 0;
    for (int64_t i = 0; i < task->n + task->m; i++)
        support += is_support(task, point, i);
    model.label = memory_new(K, sizeof *model.label, err);
    model.coef = model.label ? memory_new((support > 0 ? support : 1) * K, sizeof *model.coef, err) : NULL;
    int status = model.coef ? 0 : -1;
    if (status == 0)
        memcpy(model.label, labels->value, (size_t)K * sizeof *model.label);
    for (int64_t i = 0; i < task->n + task->m && status == 0; i++) {
        /* A model has at least one vector; where none supports, the first does with coefficients of 0. */
        if (!is_support(task, point, i) && (support > 0 || i > 0))
            continue;
        struct example x = problem_example(task->samples, i);
        memcpy(model.coef + model.sv.n * K, point->alpha + i * K, (size_t)K * sizeof *model.coef);
        status = problem_append_example(&model.sv, &x, err);
    }
    if (status == 0)
        status = kernel_model_write(path, "mu_svc", &model, err);
    kernel_model_free(&model);
    return status;
}

int musvm_save(const struct musvm_task *task, const struct musvm_options *options, const struct musvm_point *point, const struct kernel *kernel,
               const struct labels *labels, const struct musvm_file *file, const char *path, int threads, struct error *err)
{
    return task->rows ? save_kernel(task, point, kernel, labels, file, path, err)
                      : save_linear(task, options, point, labels, file, path, threads, err);
}
