#include "common/data/feature_file.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/progress.h"
#include "common/data/stream.h"

enum { LABEL_TEXT = 16, INDEX_TEXT = 12 };

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
static int map_chunk(void *context, struct chunk *chunk, struct error *err)
{
    const struct feature_map *map = context;
    const struct problem *all = &chunk->problem;
    int64_t rows = all->n < FEATURE_ROWS ? all->n : FEATURE_ROWS, D = map->columns;
    int status = 0;
    chunk->output_size = 0;
    double *y = memory_resize(NULL, rows * D, sizeof *y, err);
    for (int64_t first = 0; y && first < all->n && status == 0; first += rows) {
        struct problem some = problem_part(all, first,
                                           all->n - first < rows ? all->n - first : rows);
        int64_t most = chunk->output_size + some.n * (LABEL_TEXT + D * (NUMBER_TEXT + INDEX_TEXT));
        char *output = memory_reserve(chunk->output, &chunk->output_capacity, most, 1, err);
        if (!output || map->map(map->context, &some, y, err) != 0) {
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
    memory_free(y);
    return status;
}

int feature_file(const struct feature_map *map, const char *data, const char *output,
                 struct error *err)
{
    struct feature_map own = *map;
    struct output out = {.fd = -1};
    struct stream_options reading = {
        .format = map->format, .threads = map->threads, .process = map_chunk, .context = &own};
    struct stream *stream = NULL;
    int64_t examples = 0;
    int status = -1;
    reading.format.unlabelled = true;
    if (output_open(&out, output, err) != 0 || !(stream = stream_open(data, &reading, err)))
        goto done;
    struct progress progress = progress_start(map->quiet, "examples");
    struct chunk *chunk;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        examples += chunk->problem.n;
        output_write(&out, chunk->output, chunk->output_size);
        /* A live reader behind a pipe gets what there is; a failed write ends the work. */
        if ((stream_size(stream) < 0 || out.failed) && output_flush(&out, err) != 0) {
            status = -1;
            break;
        }
        progress_update(&progress, examples,
                        stream_size(stream) > 0
                            ? (double)stream_position(stream) / (double)stream_size(stream)
                            : -1);
    }
    progress_wipe(&progress);
    if (status == 0)
        status = output_commit(&out, err);
done:
    stream_close(stream);
    output_abandon(&out);
    return status;
}
