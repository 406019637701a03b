/* Reading the vectors of a kernel model, which are nearly all of its file: lines are found by their
 * newlines and parsed on several threads, LINES_A_TASK at a time. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/model/kernel_model_state.h"

#include <assert.h>
#include <string.h>

enum { LINES_A_TASK = 64 }; /* no reason but that it works */

/* The lines of vectors and what the tasks make of them. */
struct kernel_model_lines {
    struct kernel_model *model;
    int64_t total;        /* of lines */
    int64_t number;       /* of the first line */
    const char **start;   /* total + 1: of each line, and the end of the last */
    int64_t tasks;        /* of LINES_A_TASK lines */
    struct problem *part; /* tasks: the vectors of each */
};

/* Parse line i: its coefficients into the model, its vector into `part`.  0, or -1 with err. */
static int kernel_model_parse_line(const struct kernel_model_lines *lines, int64_t i,
                                   struct problem *part, struct error *err)
{
    const struct kernel_model *m = lines->model;
    const struct example_format format = {.no_label = true, .bias = -1};
    const char *start = lines->start[i], *next = lines->start[i + 1];
    const char *features = number_read_row(start, m->columns, m->coef + i * m->columns);
    if (!features)
        return error_at(err, m->file, lines->number + i, 0,
                        "%lld finite coefficients were expected", (long long)m->columns);
    /* The whole line, which is never too short for one entry: part->index must not be NULL. */
    if (problem_reserve(part, 1, (next - start) / 2, err) != 0)
        return -1;
    struct example x = {0};
    const char *p = features;
    if (example_parse(&p, next, &format, part->index + part->nnz, part->value + part->nnz, &x, err)
        < 0) {
        err->column += features - start;
        err->line = lines->number + i;
        memcpy(err->file, m->file, sizeof err->file);
        return -1;
    }
    /* For a line without features example_parse returns 0 and sets nothing: the zero vector. */
    x.index = part->index + part->nnz;
    if (example_largest_index(&x) > part->d)
        part->d = example_largest_index(&x);
    part->label[part->n] = EXAMPLE_UNLABELLED;
    part->line[part->n] = ++part->lines;
    part->nnz += x.size;
    part->row_start[++part->n] = part->nnz;
    return 0;
}

/* Parse the lines of one task, up to the first faulty one.  0 or -1. */
static int kernel_model_parse_task(void *context, int64_t task, struct error *err)
{
    const struct kernel_model_lines *lines = context;
    const int64_t last = order_least((task + 1) * LINES_A_TASK, lines->total);
    for (int64_t i = task * LINES_A_TASK; i < last; i++)
        if (kernel_model_parse_line(lines, i, &lines->part[task], err) != 0)
            return -1;
    return 0;
}

/* Find the start of each line and check that there are neither fewer nor more than there should
 * be. */
static int kernel_model_find_lines(struct text *t, int64_t total, const char **start,
                                   struct error *err)
{
    for (int64_t i = 0; i < total; i++) {
        if (!text_line(t))
            return text_refuse(t, err, "the model is cut short: fewer lines than total_sv says");
        start[i] = t->line;
    }
    start[total] = t->next;
    if (t->next < t->end) {
        text_line(t);
        return text_refuse(t, err, "unexpected text after the last vector");
    }
    if (t->cut)
        return text_refuse(t, err, "the model is cut short: its last line has no newline");
    return 0;
}

/* Allocate for the lines.  0 or -1; the caller frees in both cases. */
static int kernel_model_allocate(struct kernel_model_lines *lines, struct error *err)
{
    struct kernel_model *m = lines->model;
    lines->start = memory_new(lines->total + 1, sizeof *lines->start, err);
    if (!lines->start)
        return -1;
    lines->part = memory_new(lines->tasks, sizeof *lines->part, err);
    if (!lines->part)
        return -1;
    m->coef = memory_new(lines->total * m->columns, sizeof *m->coef, err);
    return m->coef ? 0 : -1;
}

/* Parse all lines in parallel and join the vectors.  0 or -1. */
static int kernel_model_parse_lines(struct kernel_model_lines *lines, int threads,
                                    struct error *err)
{
    if (parallel_try(threads, lines->tasks, kernel_model_parse_task, lines, err) != 0)
        return -1;
    for (int64_t task = 0; task < lines->tasks; task++)
        if (problem_append(&lines->model->sv, &lines->part[task], err) != 0)
            return -1;
    assert(lines->model->sv.n == lines->total);
    return 0;
}

int kernel_model_read_vectors(struct kernel_model *m, struct text *t, int64_t total, int threads,
                              struct error *err)
{
    if ((double)total * (double)m->columns * 2 > (double)(t->end - t->next))
        return text_refuse(
            t, err, "the header promises %lld x %lld coefficients: more than the file can hold",
            (long long)total, (long long)m->columns);
    struct kernel_model_lines lines = {.model = m,
                                       .total = total,
                                       .number = t->number + 1,
                                       .tasks = parallel_parts(total, LINES_A_TASK)};
    int status = kernel_model_allocate(&lines, err);
    if (status != 0)
        goto done;
    status = kernel_model_find_lines(t, total, lines.start, err);
    if (status != 0)
        goto done;
    status = kernel_model_parse_lines(&lines, threads, err);
done:
    if (lines.part)
        for (int64_t task = 0; task < lines.tasks; task++)
            problem_free(&lines.part[task]);
    memory_free(lines.start);
    memory_free(lines.part);
    return status;
}
