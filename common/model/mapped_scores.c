/* Both steps of a score are products of matrices: kernel values of a block of examples (or their
 * Fourier features), then these times V. */
#include "common/model/mapped_scores.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"

#include <string.h>

int mapped_scores_make(struct model *model, int threads, struct mapped_scores *s, struct error *err)
{
    const struct weights *w = &model->w;
    const int64_t D = model->d, columns = w->columns;
    s->map = model_take_map(model);
    s->columns = columns;
    if (!(s->v = memory_new(D * columns, sizeof *s->v, err))
        || !(s->start = memory_new(columns, sizeof *s->start, err)))
        return -1;
    for (int64_t j = 0; j < D; j++)
        memcpy(s->v + j * columns, w->w + (j + 1) * w->stride, (size_t)columns * sizeof *s->v);
    if (model->bias >= 0)
        for (int64_t k = 0; k < columns; k++)
            s->start[k] = model->bias * w->w[k];
    if (feature_map_prepare(&s->map, threads, err) != 0
        || feature_map_fold(&s->map, columns, s->v, threads, err) != 0) {
        error_name(err, model->file);
        return -1;
    }
    return 0;
}

int mapped_scores_of(const void *context, const struct problem *some, double *scores,
                     struct error *err)
{
    struct mapped_scores *s = (struct mapped_scores *)context; /* a map grows, under its lock */
    const int64_t D = s->map.dims, n = some->n, columns = s->columns;
    double *basis = memory_resize(NULL, n * D, sizeof *basis, err);
    int status = basis ? feature_map_basis(&s->map, some, basis, err) : -1;
    if (status == 0) {
        const struct dense_view b = {basis, D, 1}, v = {s->v, columns, 1};
        for (int64_t i = 0; i < n; i++)
            memcpy(scores + i * columns, s->start, (size_t)columns * sizeof *scores);
        status = dense_add_product(n, columns, D, 1, b, v, scores, columns, 1, err);
    }
    memory_free(basis);
    return status;
}

void mapped_scores_free(struct mapped_scores *s)
{
    feature_map_free(&s->map);
    memory_free(s->v);
    memory_free(s->start);
}
