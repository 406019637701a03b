/* Projections of a stream of examples: each chunk on a worker's thread, ROWS_AT_ONCE examples at a time so that the products are large. */
#include "kpca.h"

#include "../common/memory.h"
#include "../common/number.h"
#include "../common/output.h"
#include "../common/stream.h"

#include <math.h>
#include <string.h>

enum { ROWS_AT_ONCE = 256, LABEL_TEXT = 16, INDEX_TEXT = 12 };

struct projector {
    const struct kernel_model *model;
    struct kernel_data vectors;
};

/* y = k(x, x_i) coef - rho for all examples of `some`.  k: rows x n, scratch; y: rows x D, out. */
static int project_rows(const struct projector *projector, const struct problem *some, double *k, double *y, struct error *err)
{
    int64_t D = projector->model->columns;
    if (kernel_model_values(projector->model, &projector->vectors, some, k, y, err) != 0)
        return -1;
    for (int64_t i = 0; i < some->n; i++)
        for (int64_t c = 0; c < D; c++)
            if (!isfinite(y[i * D + c]))
                return error_at(err, NULL, some->line[i], 0, "a projection is not finite: the values are too large for this model");
    return 0;
}

static char *write_example(char *p, int64_t label, const double *y, int64_t D)
{
    if (label == EXAMPLE_UNLABELLED)
        *p++ = '?';
    else
        p = number_write_int(p, label);
    for (int64_t c = 0; c < D; c++) {
        *p++ = ' ';
        p = number_write_int(p, c + 1);
        *p++ = ':';
        p = number_write(p, y[c]);
    }
    *p++ = '\n';
    return p;
}

/* On a worker's thread: the output text for a chunk. */
static int project_chunk(void *context, struct chunk *chunk, struct error *err)
{
    const struct projector *projector = context;
    const struct kernel_model *m = projector->model;
    const struct problem *all = &chunk->problem;
    int64_t rows = all->n < ROWS_AT_ONCE ? all->n : ROWS_AT_ONCE, D = m->columns;
    int status = 0;
    chunk->output_size = 0;
    double *k = memory_resize(NULL, rows * m->sv.n, sizeof *k, err), *y = k ? memory_resize(NULL, rows * D, sizeof *y, err) : NULL;
    for (int64_t first = 0; y && first < all->n && status == 0; first += rows) {
        struct problem some = problem_part(all, first, all->n - first < rows ? all->n - first : rows);
        int64_t most = chunk->output_size + some.n * (LABEL_TEXT + D * (NUMBER_TEXT + INDEX_TEXT));
        char *output = memory_reserve(chunk->output, &chunk->output_capacity, most, 1, err);
        if (!output || project_rows(projector, &some, k, y, err) != 0) {
            chunk->output = output ? output : chunk->output;
            status = -1;
            break;
        }
        chunk->output = output;
        char *p = output + chunk->output_size;
        for (int64_t i = 0; i < some.n; i++)
            p = write_example(p, some.label[i], y + i * D, D);
        chunk->output_size = p - output;
    }
    status = y ? status : -1;
    memory_free(k);
    memory_free(y);
    return status;
}

int kpca_project_file(const struct kernel_model *model, const char *data, const char *output, const struct kpca_projection *options,
                      struct error *err)
{
    struct projector projector = {.model = model};
    struct output out = {.fd = -1};
    struct stream_options reading = {.threads = options->threads, .process = project_chunk, .context = &projector};
    reading.format = (struct example_format){
        .unlabelled = true, .bias = -1, .unit_length = model->unit_length, .zero_based = model->zero_based || options->zero_based};
    struct stream *stream = NULL;
    int64_t examples = 0;
    int status = -1;
    if (kernel_data_make(&model->sv, NULL, &projector.vectors, err) != 0 || output_open(&out, output, err) != 0
        || !(stream = stream_open(data, &reading, err)))
        goto done;
    struct progress progress = progress_start(options->quiet, "examples");
    struct chunk *chunk;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        examples += chunk->problem.n;
        output_write(&out, chunk->output, chunk->output_size);
        /* A live reader behind a pipe gets what there is; a failed write ends the work. */
        if ((stream_size(stream) < 0 || out.failed) && output_flush(&out, err) != 0) {
            status = -1;
            break;
        }
        progress_update(&progress, examples, stream_size(stream) > 0 ? (double)stream_position(stream) / (double)stream_size(stream) : -1);
    }
    progress_wipe(&progress);
    if (status == 0)
        status = output_commit(&out, err);
done:
    stream_close(stream);
    output_abandon(&out);
    kernel_data_free(&projector.vectors);
    return status;
}
