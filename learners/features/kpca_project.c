/* Projecting a stream of examples on kernel principal components: feature_file.h reads and writes,
 * here are the formula of kpca.h and its check. */
#include "common/base/memory.h"
#include "common/data/feature_file.h"
#include "learners/features/kpca.h"

#include <math.h>

struct kpca_projector {
    const struct kernel_model *model;
    struct kernel_data vectors;
};

/* y: out, some->n x D, y = k(x, x_i) coef - rho.  0 or -1. */
static int kpca_project(void *context, const struct problem *some, double *y, struct error *err)
{
    const struct kpca_projector *projector = context;
    const struct kernel_model *m = projector->model;
    int64_t D = m->columns;
    double *k = memory_resize(NULL, some->n * m->sv.n, sizeof *k, err);
    int status = k ? kernel_model_values(m, &projector->vectors, some, k, y, err) : -1;
    memory_free(k);
    if (status != 0)
        return -1;
    for (int64_t i = 0; i < some->n; i++)
        for (int64_t c = 0; c < D; c++)
            if (!isfinite(y[i * D + c]))
                return error_at(
                    err, NULL, some->line[i], 0,
                    "a projection is not finite: the values are too large for this model");
    return 0;
}

int kpca_project_file(const struct kernel_model *model, const char *data, const char *output,
                      const struct kpca_projection *options, struct error *err)
{
    struct kpca_projector projector = {.model = model};
    const struct feature_file map = {
        .columns = model->columns,
        .format = {.bias = -1,
                   .unit_length = model->unit_length,
                   .zero_based = model->zero_based || options->zero_based,
                   .cut = options->cut},
        .map = kpca_project,
        .context = &projector,
        .threads = options->threads,
        .quiet = options->quiet};
    int status = kernel_data_make(&model->sv, NULL, &projector.vectors, err) == 0
                     ? feature_file(&map, data, output, err)
                     : -1;
    kernel_data_free(&projector.vectors);
    return status;
}
