/* Chunks of a stream are mapped and formatted on the workers' threads; the consumer only writes
 * text.  FEATURE_ROWS examples at a time bound the memory that a chunk takes. */
#include "common/data/feature_file.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/output.h"
#include "common/base/progress.h"
#include "common/data/stream.h"

#include <assert.h>

enum { LABEL_TEXT = 16, INDEX_TEXT = 12 }; /* bytes: "-2147483648\n", " 2147483647:" at most */

/* Write `label 1:y1 2:y2 ...` and a newline at p.  Returns the place after it. */
static char *feature_file_example(char *p, int64_t label, const double *y, int64_t D)
{
    if (label == EXAMPLE_UNLABELLED)
        *p++ = '?';
    else
        p = number_write_int(p, label);
    for (int64_t c = 0; c < D; c++)
        p = number_write_entry(p, c + 1, y[c]);
    *p++ = '\n';
    return p;
}

/* Bytes of an example's text, at most. */
static int64_t feature_file_line(const struct feature_file *file)
{
    return LABEL_TEXT + file->columns * (NUMBER_TEXT + INDEX_TEXT);
}

/* Map some examples and append their text to the chunk's output.  y: workspace, examples x columns.
 * 0 or -1. */
static int feature_file_append(const struct feature_file *file, const struct problem *examples,
                               double *y, struct chunk *chunk, struct error *err)
{
    const int64_t D = file->columns;
    const int64_t most = chunk->output_size + examples->n * feature_file_line(file);
    char *output = memory_reserve(chunk->output, &chunk->output_capacity, most, 1, err);
    if (!output)
        return -1;
    chunk->output = output;
    if (file->map(file->context, examples, y, err) != 0)
        return -1;
    char *p = output + chunk->output_size;
    for (int64_t i = 0; i < examples->n; i++)
        p = feature_file_example(p, examples->label[i], y + i * D, D);
    chunk->output_size = p - output;
    assert(chunk->output_size <= most);
    return 0;
}

/* On a worker's thread: the output text for a chunk. */
static int feature_file_chunk(void *context, struct chunk *chunk, struct error *err)
{
    const struct feature_file *file = context;
    const struct problem *all = &chunk->problem;
    const int64_t rows = order_least(all->n, FEATURE_ROWS);
    int status = 0;
    chunk->output_size = 0;
    double *y = memory_resize(NULL, rows * file->columns, sizeof *y, err);
    if (!y)
        return -1;
    for (int64_t first = 0; first < all->n; first += rows) {
        const struct problem some = problem_part(all, first, order_least(all->n - first, rows));
        status = feature_file_append(file, &some, y, chunk, err);
        if (status != 0)
            break;
    }
    memory_free(y);
    return status;
}

int feature_file(const struct feature_file *file, const char *data, const char *output,
                 struct error *err)
{
    struct feature_file own = *file; /* the context of a stream is not const */
    struct output out = {.fd = -1};
    struct stream_options reading = {.format = file->format,
                                     .threads = file->threads,
                                     .made = feature_file_line(file),
                                     .process = feature_file_chunk,
                                     .context = &own};
    struct stream *stream = NULL;
    int64_t examples = 0;
    int status = -1;
    reading.format.unlabelled = true;
    if (output_open(&out, output, err) != 0)
        goto done;
    stream = stream_open(data, &reading, err);
    if (!stream)
        goto done;
    struct progress progress = progress_start(file->quiet, "examples");
    struct chunk *chunk;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        examples += chunk->problem.n;
        output_write(&out, chunk->output, chunk->output_size);
        /* A live reader of a pipe gets each chunk at once; a failed write ends the work. */
        if ((stream_size(stream) < 0 || out.failed) && output_flush(&out, err) != 0) {
            status = -1;
            break;
        }
        progress_update(&progress, examples, stream_share(stream));
    }
    progress_wipe(&progress);
    if (status == 0)
        status = output_commit(&out, err);
done:
    stream_close(stream);
    output_abandon(&out);
    return status;
}
