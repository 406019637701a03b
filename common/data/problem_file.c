/* A whole data set from a stream of chunks.  For a regular file each chunk gives an estimate of
 * what the rest will need, so that the arrays usually grow once; for a pipe they double. */
#include "common/data/problem_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/stream.h"

static const double problem_file_spare = 1.05; /* times the estimate: no reason but that it works */

/* What becomes of data that are too large. */
struct problem_limit {
    double most_bytes;
    bool some;          /* is there a limit? */
    const char *folder; /* of a temporary file; NULL: they are refused */
};

/* Will the examples be too large?  grow: size of the input / what has been read of it; negative:
 * unknown. */
static bool problem_file_is_large(const struct problem *all, double grow,
                                  const struct problem_limit *limit)
{
    double n = (double)all->n * grow, nnz = (double)all->nnz * grow;
    if (!limit->some || all->disk)
        return false;
    if (grow < 0 && limit->folder) { /* the arrays double when they are full */
        n = 2 * (double)all->rows_capacity;
        nnz = 2 * (double)all->entries_capacity;
    } else if (grow < 0) { /* this may be all */
        n = (double)all->n;
        nnz = (double)all->nnz;
    }
    return problem_bytes_like(all, n, nnz) > limit->most_bytes;
}

/* Append a chunk.  0, -1 or PROBLEM_TOO_LARGE. */
static int problem_file_append(struct problem *all, const struct problem *chunk, double grow,
                               const struct problem_limit *limit, struct error *err)
{
    const int64_t lines = all->lines;
    all->lines = 0; /* the chunk's line numbers are those of the file already */
    if (problem_append(all, chunk, err) != 0) /* there is no memory for it */
        return grow < 0 && limit->some && !limit->folder ? PROBLEM_TOO_LARGE : -1;
    all->lines += lines;
    if (problem_file_is_large(all, grow, limit)) {
        if (!limit->folder)
            return PROBLEM_TOO_LARGE;
        if (problem_to_disk(all, limit->folder, err) != 0)
            return -1;
    }
    const double n = (double)all->n * grow, nnz = (double)all->nnz * grow;
    if (all->n == 0 || (!all->disk && nnz <= (double)all->entries_capacity)
        || (all->disk && n < (double)all->rows_capacity))
        return 0;
    return problem_reserve(all, (int64_t)(n * problem_file_spare) - all->n,
                           (int64_t)(nnz * problem_file_spare) - all->nnz, err);
}

/* What this rank has read, of a file of which the others have read their parts: the status is that
 * of all, the largest index, too, and lines are counted from the start of the file.  0, -1 or
 * PROBLEM_TOO_LARGE. */
static int problem_file_join(const char *path, int status, struct problem *problem,
                             struct error *err)
{
    const int64_t lines = reduce_has_shards() ? 0 : reduce_before(problem->lines);
    const int64_t n = reduce_count(problem->n);
    struct error too_large = {0};
    if (status == PROBLEM_TOO_LARGE)
        error_at(&too_large, path, 0, 0, "rank %d cannot hold its part: more ranks are needed",
                 reduce_rank());
    struct error *why = status == PROBLEM_TOO_LARGE ? &too_large : err;
    if (status < 0 && why->line > 0)
        why->line += lines;
    if (reduce_agree(status, why) != 0) {
        *err = *why;
        return -1;
    }
    if (n == 0)
        return error_at(err, path, 0, 0, "no examples found");
    problem->d = (int32_t)reduce_most(problem->d);
    for (int64_t i = 0; i < problem->n; i++)
        problem->line[i] += lines;
    return 0;
}

static int problem_file_read(const char *path, const struct example_format *format, int threads,
                             const struct problem_limit *limit, struct problem *problem,
                             struct error *err)
{
    struct stream_options options = {.format = *format, .threads = threads, .shared = true};
    struct stream *stream = stream_open(path, &options, err);
    struct problem all = {0};
    struct chunk *chunk;
    int status = stream ? 1 : -1;
    while (stream && (status = stream_next(stream, &chunk, err)) > 0) {
        const double grow = (double)stream_size(stream) / (double)stream_position(stream);
        status = problem_file_append(&all, &chunk->problem, grow, limit, err);
        if (status != 0)
            break;
    }
    stream_close(stream);
    if (reduce_ranks() > 1)
        status = problem_file_join(input_name(path), status, &all, err);
    if (status == 0)
        *problem = all;
    else
        problem_free(&all);
    return status;
}

int problem_read(const char *path, const struct example_format *format, int threads,
                 double most_bytes, struct problem *problem, struct error *err)
{
    const struct problem_limit limit = {.most_bytes = most_bytes, .some = most_bytes > 0};
    return problem_file_read(path, format, threads, &limit, problem, err);
}

int problem_hold(const char *path, const struct example_format *format, int threads,
                 struct problem *problem, struct error *err)
{
    char text[32];
    const double most = memory_budget();
    const int status = problem_read(path, format, threads, most, problem, err);
    if (status != PROBLEM_TOO_LARGE)
        return status;
    return error_at(err, input_name(path), 0, 0,
                    "out of memory: all examples are held, in %s at most: take a part of the lines",
                    memory_text(most, text));
}

int problem_read_to_disk(const char *path, const struct example_format *format, int threads,
                         double most_bytes, const char *folder, struct problem *problem,
                         struct error *err)
{
    const struct problem_limit limit = {.most_bytes = most_bytes, .some = true, .folder = folder};
    return problem_file_read(path, format, threads, &limit, problem, err);
}

/* problem_scan, of the lines as the options have them; examples: out. */
static int problem_scan_lines(const char *path, const struct stream_options *options,
                              struct labels *labels, int64_t *examples, struct error *err)
{
    struct stream *stream = stream_open(path, options, err);
    *examples = 0;
    if (!stream)
        return -1;
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        *examples += chunk->problem.n;
        status = problem_add_labels(&chunk->problem, labels, err);
        if (status != 0)
            break;
    }
    stream_close(stream);
    labels_settle(labels);
    if (status != 0)
        labels_free(labels);
    return status;
}

int problem_scan(const char *path, const struct example_format *format, int threads,
                 struct labels *labels, int64_t *n, struct error *err)
{
    int64_t examples;
    struct stream_options options = {.format = *format, .threads = threads};
    options.format.labels_only = !format->bad; /* a line that is skipped has no label */
    options.format.bias = -1;
    options.format.unit_length = false;
    options.format.map = NULL;
    int status = problem_scan_lines(path, &options, labels, &examples, err);
    if (status == 0 && labels->count < 2 && options.format.labels_only) {
        /* Too few classes to learn from: a line that cannot be read may be why, and comes first. */
        options.format.labels_only = false;
        labels_free(labels);
        status = problem_scan_lines(path, &options, labels, &examples, err);
    }
    if (n)
        *n = examples;
    return status;
}
