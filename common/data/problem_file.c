#include "common/data/problem_file.h"

#include "common/data/stream.h"

int problem_read(const char *path, const struct example_format *format, int threads,
                 double most_bytes, struct problem *problem, struct error *err)
{
    struct stream_options options = {.format = *format, .threads = threads};
    struct stream *stream = stream_open(path, &options, err);
    if (!stream)
        return -1;
    struct problem all = {0};
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        const int64_t lines = all.lines;
        all.lines = 0; /* a chunk's line numbers are the file's already */
        if ((status = problem_append(&all, &chunk->problem, err)) != 0)
            break;
        all.lines += lines;
        /* What the rest will need, judged by what came so far; growing once saves copying. */
        double grow = (double)stream_size(stream) / (double)stream_position(stream);
        double n = (double)all.n * grow, nnz = (double)all.nnz * grow;
        if (most_bytes > 0 && problem_bytes(n, nnz, all.log) > most_bytes) {
            status = PROBLEM_TOO_LARGE;
            break;
        }
        if (nnz > (double)all.entries_capacity && all.n > 0
            && (status = problem_reserve(&all, (int64_t)(n * 1.05) - all.n,
                                         (int64_t)(nnz * 1.05) - all.nnz, err))
                   != 0)
            break;
    }
    stream_close(stream);
    if (status == 0)
        *problem = all;
    else
        problem_free(&all);
    return status;
}

int problem_scan(const char *path, const struct example_format *format, int threads,
                 struct labels *labels, int64_t *n, struct error *err)
{
    int64_t examples = 0;
    struct stream_options options = {.format = *format, .threads = threads};
    options.format.labels_only = true;
    options.format.bias = -1;
    options.format.unit_length = false;
    struct stream *stream = stream_open(path, &options, err);
    if (!stream)
        return -1;
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        examples += chunk->problem.n;
        if ((status = problem_add_labels(&chunk->problem, labels, err)) != 0)
            break;
    }
    stream_close(stream);
    labels_settle(labels);
    if (status != 0)
        labels_free(labels);
    if (n)
        *n = examples;
    return status;
}
