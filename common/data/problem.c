/* Growing arrays of examples and entries.  Several arrays share a capacity, which is set only when
 * all of them have grown: after a failure some may be larger than it says, which does no harm. */
#include "common/data/problem.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/bad_lines.h"
#include "common/data/entry_file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Make space for `rows` more examples, in all arrays that have one element for each.  0 or -1. */
static int problem_reserve_rows(struct problem *p, int64_t rows, struct error *err)
{
    int64_t capacity = p->rows_capacity;
    int64_t *row_start = memory_reserve(p->row_start, &capacity, p->n + rows + 1, sizeof *row_start,
                                        err);
    if (!row_start)
        return -1;
    p->row_start = row_start;
    int64_t *label = memory_resize(p->label, capacity, sizeof *label, err);
    if (!label)
        return -1;
    p->label = label;
    int64_t *line = memory_resize(p->line, capacity, sizeof *line, err);
    if (!line)
        return -1;
    p->line = line;
    if (p->log) {
        struct feedback *feedback = memory_resize(p->feedback, capacity, sizeof *feedback, err);
        if (!feedback)
            return -1;
        p->feedback = feedback;
    }
    if (p->keeps_lengths) {
        double *length = memory_resize(p->length, capacity, sizeof *length, err);
        if (!length)
            return -1;
        p->length = length;
    }
    p->rows_capacity = capacity;
    if (p->n == 0)
        p->row_start[0] = 0;
    return 0;
}

/* The same for `entries` more entries. */
static int problem_reserve_entries(struct problem *p, int64_t entries, struct error *err)
{
    int64_t capacity = p->entries_capacity;
    int32_t *index = memory_reserve(p->index, &capacity, p->nnz + entries, sizeof *index, err);
    if (!index)
        return -1;
    p->index = index;
    double *value = memory_resize(p->value, capacity, sizeof *value, err);
    if (!value)
        return -1;
    p->value = value;
    p->entries_capacity = capacity;
    return 0;
}

/* Fence the arrays after space for `rows` more examples and `entries` more entries. */
static void problem_fence(struct problem *p, int64_t rows, int64_t entries)
{
    const int64_t n = p->n + rows, nnz = p->nnz + entries;
    memory_fence(p->row_start, n + 1, p->rows_capacity, sizeof *p->row_start);
    memory_fence(p->label, n, p->rows_capacity, sizeof *p->label);
    memory_fence(p->line, n, p->rows_capacity, sizeof *p->line);
    if (p->log)
        memory_fence(p->feedback, n, p->rows_capacity, sizeof *p->feedback);
    if (p->keeps_lengths)
        memory_fence(p->length, n, p->rows_capacity, sizeof *p->length);
    if (entries == 0)
        return; /* space that was made for entries before may still be unused */
    memory_fence(p->index, nnz, p->entries_capacity, sizeof *p->index);
    memory_fence(p->value, nnz, p->entries_capacity, sizeof *p->value);
}

int problem_reserve(struct problem *p, int64_t rows, int64_t entries, struct error *err)
{
    assert(!p->dense);
    if ((p->n + rows + 1 > p->rows_capacity || !p->row_start)
        && problem_reserve_rows(p, rows, err) != 0)
        return -1;
    if (p->disk)
        entries = 0;
    else if ((p->nnz + entries > p->entries_capacity || !p->index)
             && problem_reserve_entries(p, entries, err) != 0)
        return -1;
    problem_fence(p, rows, entries);
    return 0;
}

int problem_to_disk(struct problem *p, const char *folder, struct error *err)
{
    assert(!p->dense);
    struct entry_file *disk = entry_file_open(folder, err);
    if (!disk)
        return -1;
    if (p->nnz > 0 && entry_file_append(disk, p->index, p->value, p->nnz, err) != 0) {
        entry_file_free(disk);
        return -1;
    }
    memory_free(p->index);
    memory_free(p->value);
    p->index = NULL;
    p->value = NULL;
    p->entries_capacity = 0;
    p->disk = disk;
    return 0;
}

/* Add an example whose entries already stand after those of the others. */
static void problem_count_example(struct problem *problem, const struct example *x)
{
    assert(problem->n + 1 < problem->rows_capacity
           && problem->nnz + x->size <= problem->entries_capacity);
    if (example_largest_index(x) > problem->d)
        problem->d = example_largest_index(x);
    problem->label[problem->n] = x->label;
    problem->line[problem->n] = x->line;
    if (problem->log)
        problem->feedback[problem->n] = x->feedback;
    if (problem->keeps_lengths)
        problem->length[problem->n] = x->length;
    problem->n++;
    problem->nnz += x->size;
    problem->row_start[problem->n] = problem->nnz;
}

/* Refuse a label that is not in the set, if there is one.  0, or -1 with err. */
static int problem_check_label(const struct example_format *format, const struct example *x,
                               struct error *err)
{
    const struct labels *labels = format->bad ? format->bad->labels : NULL;
    if (!labels || x->label == EXAMPLE_UNLABELLED)
        return 0;
    return labels_require(labels, x->label, NULL, 0, err) < 0 ? -1 : 0;
}

int problem_append_lines(struct problem *problem, const char **text, const char *end,
                         const struct example_format *format, struct error *err)
{
    /* No text has more entries than half its bytes (see example_parse).  Rounded up to large steps,
     * so that chunks of nearly the same size do not move the arrays.  No reason for 65536 but that
     * it works. */
    const int64_t step = 1 << 16;
    problem->log = format->log;
    problem->keeps_lengths = format->unit_length && format->keep_lengths;
    if (problem_reserve(problem, 0, ((end - *text) / 2 / step + 1) * step, err) != 0)
        return -1;
    for (const char *p = *text; p < end; *text = p) {
        struct example x;
        problem->lines++;
        if (problem_reserve(problem, 1, 0, err) != 0) /* entries have space already */
            return -1;
        int status = example_parse(&p, end, format, problem->index + problem->nnz,
                                   problem->value + problem->nnz, &x, err);
        if (status < 0 || (status > 0 && problem_check_label(format, &x, err) != 0)) {
            if (err)
                err->line = problem->lines;
            return -1;
        }
        if (status == 0)
            continue;
        x.index = problem->index + problem->nnz;
        x.line = problem->lines;
        problem_count_example(problem, &x);
    }
    return 0;
}

int problem_append_text(struct problem *problem, const char *text, const char *end,
                        const struct example_format *format, struct error *err)
{
    return problem_append_lines(problem, &text, end, format, err);
}

int problem_make_dense(struct problem *p, int64_t n, int64_t entries, struct error *err)
{
    int64_t capacity = p->entries_capacity;
    assert(p->n == 0 && (p->dense || !p->index));
    if (problem_reserve_rows(p, n, err) != 0)
        return -1;
    double *value = memory_reserve(p->value, &capacity, n * entries, sizeof *value, err);
    if (!value)
        return -1;
    p->value = value;
    p->entries_capacity = capacity;
    int32_t *index = memory_resize(p->index, entries, sizeof *index, err);
    if (!index)
        return -1;
    p->index = index;
    for (int64_t i = 0; i <= n; i++)
        p->row_start[i] = i * entries;
    p->dense = true;
    p->n = n;
    p->nnz = n * entries;
    return 0;
}

int problem_append_example(struct problem *problem, const struct example *x, struct error *err)
{
    if (problem_reserve(problem, 1, x->size, err) != 0)
        return -1;
    if (x->size > 0) { /* else the arrays may be NULL */
        memcpy(problem->index + problem->nnz, x->index, (size_t)x->size * sizeof *x->index);
        memcpy(problem->value + problem->nnz, x->value, (size_t)x->size * sizeof *x->value);
    }
    problem_count_example(problem, x);
    return 0;
}

int problem_append_at_length(struct problem *problem, const struct example *x, struct error *err)
{
    if (problem_append_example(problem, x, err) != 0)
        return -1;
    if (isfinite(x->length))
        for (int64_t e = problem->nnz - x->size; e < problem->nnz; e++)
            problem->value[e] *= x->length;
    return 0;
}

int problem_append_from(struct problem *problem, const struct problem *from, int64_t i,
                        bool at_length, struct error *err)
{
    assert(!at_length || from->keeps_lengths);
    const struct example x = problem_example(from, i);
    return at_length ? problem_append_at_length(problem, &x, err)
                     : problem_append_example(problem, &x, err);
}

int problem_append_bias(struct problem *problem, double bias, struct error *err)
{
    if (problem_reserve(problem, 0, 1, err) != 0)
        return -1;
    problem->index[problem->nnz] = 0;
    problem->value[problem->nnz] = bias;
    problem->row_start[problem->n] = ++problem->nnz;
    return 0;
}

/* Those of another problem in memory, for which there is space.  0, or -1 where they go to disk. */
static int problem_append_entries(struct problem *problem, const struct problem *from,
                                  struct error *err)
{
    if (problem->disk)
        return entry_file_append(problem->disk, from->index, from->value, from->nnz, err);
    memcpy(problem->index + problem->nnz, from->index, (size_t)from->nnz * sizeof *from->index);
    memcpy(problem->value + problem->nnz, from->value, (size_t)from->nnz * sizeof *from->value);
    return 0;
}

int problem_append(struct problem *problem, const struct problem *from, struct error *err)
{
    if (from->n > 0) {
        problem->log = from->log;
        problem->keeps_lengths = from->keeps_lengths;
        if (problem_reserve(problem, from->n, from->nnz, err) != 0)
            return -1;
        if (problem_append_entries(problem, from, err) != 0)
            return -1;
        memcpy(problem->label + problem->n, from->label, (size_t)from->n * sizeof *from->label);
        if (problem->log)
            memcpy(problem->feedback + problem->n, from->feedback,
                   (size_t)from->n * sizeof *from->feedback);
        if (problem->keeps_lengths)
            memcpy(problem->length + problem->n, from->length,
                   (size_t)from->n * sizeof *from->length);
        for (int64_t i = 0; i < from->n; i++) {
            problem->line[problem->n + i] = problem->lines + from->line[i];
            problem->row_start[problem->n + i + 1] = problem->nnz + from->row_start[i + 1];
        }
    }
    problem->n += from->n;
    problem->nnz += from->nnz;
    problem->lines += from->lines;
    if (from->d > problem->d)
        problem->d = from->d;
    return 0;
}

void problem_drop(struct problem *problem, const double *weight)
{
    const struct problem all = *problem;
    problem->n = problem->nnz = 0;
    problem->d = 0;
    for (int64_t i = 0; i < all.n; i++) {
        struct example x = problem_example(&all, i); /* at or after where it goes */
        if (!(weight[i] > 0))
            continue;
        if (!all.dense) { /* else there is one row of indices, which is that of all */
            memmove(problem->index + problem->nnz, x.index, (size_t)x.size * sizeof *x.index);
            x.index = problem->index + problem->nnz;
        }
        memmove(problem->value + problem->nnz, x.value, (size_t)x.size * sizeof *x.value);
        problem_count_example(problem, &x);
    }
}

void problem_clear(struct problem *problem)
{
    problem->n = problem->nnz = problem->lines = 0;
    problem->d = 0;
}

static double problem_row_bytes(bool log)
{
    return (double)(3 * sizeof(int64_t) + (log ? sizeof(struct feedback) : 0));
}

double problem_bytes(double n, double nnz, bool log)
{
    return n * problem_row_bytes(log) + nnz * (double)(sizeof(int32_t) + sizeof(double));
}

double problem_dense_bytes(double n, double entries, bool log)
{
    return n * (problem_row_bytes(log) + entries * (double)sizeof(double));
}

double problem_bytes_like(const struct problem *problem, double n, double nnz)
{
    const double lengths = problem->keeps_lengths ? n * (double)sizeof *problem->length : 0;
    if (problem->dense && n > 0)
        return problem_dense_bytes(n, nnz / n, problem->log) + lengths;
    return problem_bytes(n, nnz, problem->log) + lengths;
}

double problem_bytes_held(const struct problem *problem)
{
    return problem_bytes_like(problem, (double)problem->n,
                              problem->disk ? 0 : (double)problem->nnz);
}

int problem_add_labels(const struct problem *problem, struct labels *labels, struct error *err)
{
    for (int64_t i = 0; i < problem->n; i++)
        if (problem->label[i] != EXAMPLE_UNLABELLED
            && labels_add(labels, (int32_t)problem->label[i], err) != 0)
            return -1;
    return 0;
}

int problem_labels(const struct problem *problem, struct labels *labels, struct error *err)
{
    int status = problem_add_labels(problem, labels, err);
    labels_settle(labels);
    return status == 0 && reduce_ranks() > 1 ? labels_share(labels, err) : status;
}

int problem_classes(const struct problem *problem, const struct labels *labels, const char *file,
                    int32_t *y, struct error *err)
{
    for (int64_t i = 0; i < problem->n; i++) {
        y[i] = (int32_t)labels_require(labels, problem->label[i], file, problem->line[i], err);
        if (y[i] < 0)
            return reduce_agree(-1, err);
    }
    return reduce_agree(0, err);
}

void problem_free(struct problem *problem)
{
    memory_free(problem->label);
    memory_free(problem->line);
    memory_free(problem->row_start);
    memory_free(problem->index);
    memory_free(problem->value);
    memory_free(problem->feedback);
    memory_free(problem->length);
    entry_file_free(problem->disk);
    *problem = (struct problem){0};
}
