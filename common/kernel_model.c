#include "kernel_model.h"

#include "input.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 20, LINES_A_TASK = 64 };

/* ---- reading ---- */

struct reader {
    struct kernel_model *model;
    const char *type;
    char *text;          /* the whole file; it ends with a '\n' and NUMBER_PAD zeros */
    int64_t capacity;
    const char *p, *end; /* what is not used yet, and behind the last '\n' */
    bool cut;            /* the last line had no newline: one was added */
    int64_t line;        /* of p, 1-based */
    int64_t total;       /* total_sv; 0: not seen yet */
    bool has_degree, has_gamma, has_coef0;
    struct error *err;
};

static int refuse(const struct reader *r, const char *reason)
{
    return error_at(r->err, r->model->file, r->line, 0, "%s", reason);
}

static int read_text(struct reader *r, const char *path)
{
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY), status = 0;
    int64_t size = 0;
    if (fd < 0)
        return error_system(r->err, r->model->file);
    for (;;) {
        char *text = memory_reserve(r->text, &r->capacity, size + READ_AT_ONCE + 1 + NUMBER_PAD, 1, r->err);
        if (!text) {
            status = -1;
            break;
        }
        r->text = text;
        ssize_t got = read(fd, text + size, READ_AT_ONCE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = error_system(r->err, r->model->file);
        if (got <= 0)
            break;
        size += got;
    }
    if (fd > 0)
        close(fd);
    if (status != 0)
        return -1;
    r->cut = size > 0 && r->text[size - 1] != '\n';
    if (r->cut)
        r->text[size++] = '\n';
    memset(r->text + size, 0, NUMBER_PAD);
    r->p = r->text;
    r->end = r->text + size;
    return 0;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static const char *line_end(const struct reader *r, const char *p)
{
    return memchr(p, '\n', (size_t)(r->end - p));
}

/* Is the word at p this one?  Returns the place behind it and the blanks that follow, or NULL. */
static const char *take_word(const char *p, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(p, word, length) != 0 || (p[length] != ' ' && p[length] != '\t' && p[length] != '\r' && p[length] != '\n'))
        return NULL;
    return skip_blanks(p + length);
}

/* `count` numbers from p.  Returns the place behind them, or NULL. */
static const char *take_numbers(const char *p, int64_t count, double *number)
{
    for (int64_t c = 0; c < count; c++) {
        const char *end;
        p = skip_blanks(p);
        if (number_read(p, &end, &number[c]) != NUMBER_OK || (*end != ' ' && *end != '\t' && *end != '\r' && *end != '\n'))
            return NULL;
        p = end;
    }
    return skip_blanks(p);
}

static const char *take_int(const char *p, int64_t lowest, int64_t highest, int64_t *value)
{
    return number_read_int(p, &p, lowest, highest, value) == NUMBER_OK ? skip_blanks(p) : NULL;
}

static const char *take_flag(const char *p, bool *flag)
{
    int64_t value;
    p = take_int(p, 0, 1, &value);
    *flag = p && value;
    return p;
}

/* A line of the head, not `SV`. */
static int read_head_line(struct reader *r)
{
    struct kernel_model *m = r->model;
    int64_t left = r->end - r->p;
    const char *line = r->p, *p, *q;
    if ((p = take_word(line, "svm_type")) != NULL) {
        if (!(q = take_word(p, r->type))) {
            char quoted[ERROR_QUOTE];
            size_t length = strcspn(p, " \t\r\n");
            return error_at(r->err, m->file, r->line, 0, "a model of \"%s\", which is another program's", error_quote(p, length, quoted));
        }
        p = q;
        r->type = ""; /* seen; it cannot come again */
    } else if ((p = take_word(line, "kernel_type")) != NULL) {
        for (m->kernel.type = 0; m->kernel.type < KERNELS && !(q = take_word(p, kernel_names[m->kernel.type])); m->kernel.type++)
            ;
        if (m->kernel.type == KERNELS)
            return refuse(r, "kernel_type must be linear, polynomial, rbf or sigmoid");
        p = q;
    } else if ((p = take_word(line, "degree")) != NULL) {
        if (!(p = take_int(p, 0, INT32_MAX, &m->kernel.degree)))
            return refuse(r, "degree must be a whole number of at least 0");
        r->has_degree = true;
    } else if ((p = take_word(line, "gamma")) != NULL) {
        if (!(p = take_numbers(p, 1, &m->kernel.gamma)))
            return refuse(r, "gamma must be a finite number");
        r->has_gamma = true;
    } else if ((p = take_word(line, "coef0")) != NULL) {
        if (!(p = take_numbers(p, 1, &m->kernel.coef0)))
            return refuse(r, "coef0 must be a finite number");
        r->has_coef0 = true;
    } else if ((p = take_word(line, "dimensions")) != NULL) {
        if (m->rho || !(p = take_int(p, 1, left / 2, &m->columns)))
            return refuse(r, m->rho ? "dimensions must come before rho" : "dimensions must be a number that the file has room for");
    } else if ((p = take_word(line, "total_sv")) != NULL) {
        if (!(p = take_int(p, 1, left / 2, &r->total)))
            return refuse(r, "total_sv must be a number that the file has room for");
    } else if ((p = take_word(line, "rho")) != NULL) {
        if (m->rho || m->columns == 0)
            return refuse(r, "rho must come once and behind dimensions");
        if (!(m->rho = memory_new(m->columns, sizeof *m->rho, r->err)))
            return -1;
        if (!(p = take_numbers(p, m->columns, m->rho)))
            return error_at(r->err, m->file, r->line, 0, "rho: %lld finite numbers were expected", (long long)m->columns);
    } else if ((p = take_word(line, "unit_length")) != NULL) {
        if (!(p = take_flag(p, &m->unit_length)))
            return refuse(r, "unit_length must be 0 or 1");
    } else if ((p = take_word(line, "zero_based")) != NULL) {
        if (!(p = take_flag(p, &m->zero_based)))
            return refuse(r, "zero_based must be 0 or 1");
    } else if (take_word(line, "solver_type")) {
        return refuse(r, "this is a linear model; a kernel model was expected");
    } else {
        return refuse(r, "an unknown keyword before SV");
    }
    if (*p != '\n')
        return refuse(r, "unexpected text at the end of the line");
    r->p = p + 1;
    r->line++;
    return 0;
}

static int read_head(struct reader *r)
{
    struct kernel_model *m = r->model;
    m->kernel.type = KERNELS;
    for (;;) {
        if (r->p == r->end)
            return refuse(r, "this is no kernel model: it ends before SV");
        r->p = skip_blanks(r->p);
        const char *p = take_word(r->p, "SV");
        if (p && *p == '\n') {
            r->p = p + 1;
            break;
        }
        if (read_head_line(r) != 0)
            return -1;
    }
    if (r->type[0] || m->kernel.type == KERNELS || !m->rho || r->total == 0)
        return refuse(r, "svm_type, kernel_type, dimensions, total_sv and rho must come before SV");
    if ((m->kernel.type != KERNEL_LINEAR && !r->has_gamma) || (m->kernel.type == KERNEL_POLYNOMIAL && !r->has_degree)
        || ((m->kernel.type == KERNEL_POLYNOMIAL || m->kernel.type == KERNEL_SIGMOID) && !r->has_coef0))
        return refuse(r, "a parameter of the kernel (gamma, degree, coef0) is missing");
    r->line++;
    return 0;
}

struct lines {
    const struct reader *r;
    const char **start;   /* total + 1: of each line */
    struct problem *part; /* a task */
    struct error *error;  /* a task; message "" when all is well */
};

static void parse_task(void *context, int64_t task)
{
    const struct lines *lines = context;
    const struct reader *r = lines->r;
    const struct kernel_model *m = r->model;
    const struct example_format format = {.no_label = true, .bias = -1};
    struct problem *part = &lines->part[task];
    struct error *err = &lines->error[task];
    int64_t last = (task + 1) * LINES_A_TASK < r->total ? (task + 1) * LINES_A_TASK : r->total;
    for (int64_t i = task * LINES_A_TASK; i < last; i++) {
        const char *p = take_numbers(lines->start[i], m->columns, m->coef + i * m->columns), *features = p, *next = lines->start[i + 1];
        if (!p) {
            error_at(err, m->file, r->line + i, 0, "%lld finite coefficients were expected", (long long)m->columns);
            return;
        }
        if (problem_reserve(part, 1, (next - p) / 2 + 1, err) != 0)
            return;
        struct example x = {0};
        if (example_parse(&p, next, &format, part->index + part->nnz, part->value + part->nnz, &x, err) < 0) {
            err->column += features - lines->start[i];
            err->line = r->line + i;
            memcpy(err->file, m->file, sizeof err->file);
            return;
        }
        x.index = part->index + part->nnz; /* no features: the zero vector */
        if (example_largest_index(&x) > part->d)
            part->d = example_largest_index(&x);
        part->label[part->n] = EXAMPLE_UNLABELLED;
        part->line[part->n] = ++part->lines;
        part->nnz += x.size;
        part->row_start[++part->n] = part->nnz;
    }
}

static int read_vectors(struct reader *r, int threads)
{
    struct kernel_model *m = r->model;
    int64_t count = 0, tasks = (r->total + LINES_A_TASK - 1) / LINES_A_TASK;
    int status = -1;
    if ((double)r->total * (double)m->columns * 2 > (double)(r->end - r->p))
        return error_at(r->err, m->file, r->line, 0, "the head promises %lld x %lld coefficients: more than the file holds", (long long)r->total,
                        (long long)m->columns);
    struct lines lines = {.r = r};
    if (!(lines.start = memory_new(r->total + 1, sizeof *lines.start, r->err)) || !(lines.part = memory_new(tasks, sizeof *lines.part, r->err))
        || !(lines.error = memory_new(tasks, sizeof *lines.error, r->err))
        || !(m->coef = memory_new(r->total * m->columns, sizeof *m->coef, r->err)))
        goto done;
    for (const char *p = r->p; p < r->end && count <= r->total; p = line_end(r, p) + 1)
        if (count++ < r->total)
            lines.start[count - 1] = p;
    if (count > r->total || count < r->total) {
        r->line += count < r->total ? count : r->total;
        status = refuse(r, count < r->total ? "the model is cut short: fewer lines than total_sv says" : "unexpected text behind the last vector");
        goto done;
    }
    if (r->cut) {
        r->line += count - 1;
        status = refuse(r, "the model is cut short: its last line has no end");
        goto done;
    }
    lines.start[count] = r->end;
    parallel_for(threads, tasks, parse_task, &lines);
    status = 0;
    for (int64_t t = 0; t < tasks && status == 0; t++) {
        if (lines.error[t].message[0]) {
            if (r->err)
                *r->err = lines.error[t];
            status = -1;
        } else {
            status = problem_append(&m->sv, &lines.part[t], r->err);
        }
    }
done:
    for (int64_t t = 0; t < tasks && lines.part; t++)
        problem_free(&lines.part[t]);
    memory_free(lines.start);
    memory_free(lines.part);
    memory_free(lines.error);
    return status;
}

int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model, struct error *err)
{
    struct reader r = {.model = model, .type = type, .line = 1, .err = err};
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    int status = read_text(&r, path) != 0 || read_head(&r) != 0 || read_vectors(&r, threads) != 0 ? -1 : 0;
    memory_free(r.text);
    if (status != 0)
        kernel_model_free(model);
    return status;
}

/* ---- writing ---- */

static void put_number(struct output *out, const char *before, double value)
{
    char text[NUMBER_TEXT];
    output_write(out, before, (int64_t)strlen(before));
    output_write(out, text, number_write(text, value) - text);
}

static bool all_finite(const double *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return false;
    return true;
}

int kernel_model_write(const char *path, const char *type, const struct kernel_model *m, struct error *err)
{
    struct output out;
    const struct kernel *k = &m->kernel;
    if (!all_finite(m->rho, m->columns) || !all_finite(m->coef, m->sv.n * m->columns))
        return error_set(err, "a number of the model is not finite; no model is written");
    if (output_open(&out, path, err) != 0)
        return -1;
    output_text(&out, "svm_type %s\nkernel_type %s", type, kernel_names[k->type]);
    if (k->type == KERNEL_POLYNOMIAL)
        output_text(&out, "\ndegree %lld", (long long)k->degree);
    if (k->type != KERNEL_LINEAR)
        put_number(&out, "\ngamma ", k->gamma);
    if (k->type == KERNEL_POLYNOMIAL || k->type == KERNEL_SIGMOID)
        put_number(&out, "\ncoef0 ", k->coef0);
    output_text(&out, "\ndimensions %lld\ntotal_sv %lld\nrho", (long long)m->columns, (long long)m->sv.n);
    for (int64_t c = 0; c < m->columns; c++)
        put_number(&out, " ", m->rho[c]);
    output_text(&out, "\nunit_length %d\nzero_based %d\nSV\n", m->unit_length, m->zero_based);
    for (int64_t i = 0; i < m->sv.n && !out.failed; i++) {
        struct example x = problem_example(&m->sv, i);
        for (int64_t c = 0; c < m->columns; c++)
            put_number(&out, c ? " " : "", m->coef[i * m->columns + c]);
        for (int64_t j = 0; j < x.size; j++) {
            char text[NUMBER_TEXT];
            output_write(&out, " ", 1);
            output_write(&out, text, number_write_int(text, x.index[j]) - text);
            put_number(&out, ":", x.value[j]);
        }
        output_write(&out, "\n", 1);
    }
    int status = output_commit(&out, err);
    output_abandon(&out);
    return status;
}

void kernel_model_free(struct kernel_model *model)
{
    memory_free(model->rho);
    memory_free(model->coef);
    problem_free(&model->sv);
    *model = (struct kernel_model){0};
}
