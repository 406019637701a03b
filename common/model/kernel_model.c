/* The values of a kernel model: kernel values of a block of examples, times the coefficients. */
#include "common/model/kernel_model.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <string.h>

int kernel_model_values(const struct kernel_model *m, const struct kernel_data *vectors,
                        const struct problem *examples, double *k, double *f, struct error *err)
{
    const int64_t n = m->sv.n, D = m->columns;
    const struct dense_view kernel_view = {k, n, 1}, coef_view = {m->coef, D, 1};
    struct kernel_data data;
    assert(vectors->problem->n == n);
    if (kernel_data_make(examples, vectors, &data, err) != 0)
        return -1;
    memset(f, 0, (size_t)(examples->n * D) * sizeof *f);
    int status = kernel_block(&m->kernel, kernel_all(&data), kernel_all(vectors), k, 1, err);
    if (status == 0)
        status = dense_add_product(examples->n, D, n, 1, kernel_view, coef_view, f, D, 1, err);
    kernel_data_free(&data);
    if (status != 0 || !m->rho)
        return status;
    for (int64_t i = 0; i < examples->n; i++)
        for (int64_t c = 0; c < D; c++)
            f[i * D + c] -= m->rho[c];
    return 0;
}

void kernel_model_free(struct kernel_model *model)
{
    memory_free(model->rho);
    memory_free(model->label);
    memory_free(model->coef);
    problem_free(&model->sv);
    *model = (struct kernel_model){0};
}
