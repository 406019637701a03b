/* Writing MU-SVM's models, by model_writer.h or kernel_model.h.  Nothing is read here: prediction
 * reads any learner's linear or kernel model. */
#include "learners/musvm/musvm_model.h"

#include "common/base/memory.h"
#include "common/model/kernel_model.h"
#include "common/model/model_writer.h"

#include <assert.h>
#include <string.h>

/* Has sample i a coefficient that is not 0? */
static bool musvm_is_support(const struct musvm_machine *machine, int64_t i)
{
    const double *coef = machine->coef + i * machine->columns;
    for (int64_t c = 0; c < machine->columns; c++)
        if (coef[c] < 0 || coef[c] > 0)
            return true;
    return false;
}

/* The weights, and in the trailer how they were learnt.  0 or -1. */
static int musvm_save_linear(const struct musvm_machine *machine, const struct musvm_costs *costs,
                             const struct labels *labels, const char *learner,
                             const struct data_form *form, const char *path, int threads,
                             struct error *err)
{
    struct model_writer writer;
    const struct weights *w = &machine->w;
    const int64_t columns = weights_columns(w->columns);
    int status = -1;
    if (model_begin(&writer, path, labels, columns, w->rows - 1, form, threads, err) != 0
        || model_put_weights(&writer, w, err) != 0)
        goto done;
    model_put_trailer(&writer);
    model_put_word(&writer, "learner", learner);
    model_put_form(&writer, form);
    model_put_number(&writer, "C", costs->C);
    if (costs->C_star >= 0)
        model_put_number(&writer, "C_star", costs->C_star);
    model_put_number(&writer, "delta", costs->delta);
    status = model_finish(&writer, err);
done:
    model_abandon(&writer);
    return status;
}

/* The samples with a coefficient, in their order.  0 or -1. */
static int musvm_save_kernel(const struct musvm_task *task, const struct musvm_machine *machine,
                             const struct kernel *kernel, const struct labels *labels,
                             const struct data_form *form, const char *path, struct error *err)
{
    const int64_t D = machine->columns, support = machine->support + machine->universum_support;
    struct kernel_model model = {.kernel = *kernel,
                                 .classes = labels->count,
                                 .columns = D,
                                 .votes = machine->votes,
                                 .unit_length = form->unit_length,
                                 .zero_based = form->zero_based};
    /* A model has at least one vector: where none supports, the first with coefficients of 0. */
    const int64_t vectors = support > 0 ? support : 1;
    int status = -1;
    if (!(model.label = memory_new(labels->count, sizeof *model.label, err))
        || !(model.coef = memory_new(vectors * D, sizeof *model.coef, err)))
        goto done;
    memcpy(model.label, labels->value, (size_t)labels->count * sizeof *model.label);
    for (int64_t i = 0; i < task->n + task->m; i++) {
        if (!musvm_is_support(machine, i) && (support > 0 || i > 0))
            continue;
        struct example x = problem_example(task->samples, i);
        memcpy(model.coef + model.sv.n * D, machine->coef + i * D, (size_t)D * sizeof *model.coef);
        if (problem_append_example(&model.sv, &x, err) != 0)
            goto done;
    }
    assert(model.sv.n == vectors);
    status = kernel_model_write(path, KERNEL_MODEL_CLASSIFIER, &model, err);
done:
    kernel_model_free(&model);
    return status;
}

int musvm_save(const struct musvm_task *task, const struct musvm_machine *machine,
               const struct musvm_costs *costs, const struct kernel *kernel,
               const struct labels *labels, const char *learner, const struct data_form *form,
               const char *path, int threads, struct error *err)
{
    if (machine->w.rows == 0)
        return musvm_save_kernel(task, machine, kernel, labels, form, path, err);
    return musvm_save_linear(machine, costs, labels, learner, form, path, threads, err);
}
