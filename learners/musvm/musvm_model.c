#include "learners/musvm/musvm_model.h"

#include "common/base/memory.h"
#include "common/model/kernel_model.h"
#include "common/model/model_writer.h"

#include <string.h>

static bool is_support(const struct musvm_machine *machine, int64_t i)
{
    const double *coef = machine->coef + i * machine->columns;
    for (int64_t c = 0; c < machine->columns; c++)
        if (coef[c] < 0 || coef[c] > 0)
            return true;
    return false;
}

/* One column for two classes: the larger label's less the smaller's. */
static int put_weights(struct model_writer *writer, const struct weights *w, struct error *err)
{
    if (w->columns > 2)
        return model_put_table(writer, "w", w, err);
    struct weights one;
    int status = weights_difference(w, &one, err);
    if (status == 0)
        status = model_put_table(writer, "w", &one, err);
    weights_free(&one);
    return status;
}

static int save_linear(const struct musvm_machine *machine, const struct musvm_costs *costs,
                       const struct labels *labels, const struct musvm_file *file, const char *path,
                       int threads, struct error *err)
{
    struct model_writer writer;
    const struct weights *w = &machine->w;
    int status = model_begin(&writer, path, labels, w->columns == 2 ? 1 : w->columns, w->rows - 1,
                             file->bias, threads, err);
    if (status == 0)
        status = put_weights(&writer, w, err);
    if (status == 0) {
        model_put_trailer(&writer);
        model_put_word(&writer, "learner", file->learner);
        model_put_int(&writer, "seed", file->seed);
        model_put_int(&writer, "unit_length", file->unit_length);
        model_put_int(&writer, "zero_based", file->zero_based);
        model_put_number(&writer, "C", costs->C);
        if (costs->C_star >= 0)
            model_put_number(&writer, "C_star", costs->C_star);
        model_put_number(&writer, "delta", costs->delta);
        status = model_finish(&writer, err);
    }
    model_abandon(&writer);
    return status;
}

static int save_kernel(const struct musvm_task *task, const struct musvm_machine *machine,
                       const struct kernel *kernel, const struct labels *labels,
                       const struct musvm_file *file, const char *path, struct error *err)
{
    const int64_t D = machine->columns, support = machine->support + machine->universum_support;
    struct kernel_model model = {.kernel = *kernel,
                                 .classes = labels->count,
                                 .columns = D,
                                 .votes = machine->votes,
                                 .unit_length = file->unit_length,
                                 .zero_based = file->zero_based};
    model.label = memory_new(labels->count, sizeof *model.label, err);
    model.coef = model.label ? memory_new((support > 0 ? support : 1) * D, sizeof *model.coef, err)
                             : NULL;
    int status = model.coef ? 0 : -1;
    if (status == 0)
        memcpy(model.label, labels->value, (size_t)labels->count * sizeof *model.label);
    for (int64_t i = 0; i < task->n + task->m && status == 0; i++) {
        /* A model has at least one vector; where none supports, the first does with coefficients of
         * 0. */
        if (!is_support(machine, i) && (support > 0 || i > 0))
            continue;
        struct example x = problem_example(task->samples, i);
        memcpy(model.coef + model.sv.n * D, machine->coef + i * D, (size_t)D * sizeof *model.coef);
        status = problem_append_example(&model.sv, &x, err);
    }
    if (status == 0)
        status = kernel_model_write(path, "mu_svc", &model, err);
    kernel_model_free(&model);
    return status;
}

int musvm_save(const struct musvm_task *task, const struct musvm_machine *machine,
               const struct musvm_costs *costs, const struct kernel *kernel,
               const struct labels *labels, const struct musvm_file *file, const char *path,
               int threads, struct error *err)
{
    return machine->w.rows == 0 ? save_kernel(task, machine, kernel, labels, file, path, err)
                                : save_linear(machine, costs, labels, file, path, threads, err);
}
