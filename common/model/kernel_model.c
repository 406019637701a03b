#include "common/model/kernel_model.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/text.h"
#include "common/linalg/dense.h"

#include <math.h>
#include <string.h>

enum { LINES_A_TASK = 64 };

static const char classifier[] = "mu_svc", by_votes[] = "ovo_svc";

/* ---- reading ---- */

/* What a head may say, each once. */
enum keyword {
    SVM_TYPE,
    KERNEL_TYPE,
    DEGREE,
    GAMMA,
    COEF0,
    DIMENSIONS,
    NR_CLASS,
    TOTAL_SV,
    RHO,
    LABEL,
    UNIT_LENGTH,
    ZERO_BASED,
    KEYWORDS
};
static const char *const keywords[KEYWORDS] = {
    "svm_type", "kernel_type", "degree", "gamma", "coef0",       "dimensions",
    "nr_class", "total_sv",    "rho",    "label", "unit_length", "zero_based"};

struct reader {
    struct kernel_model *model;
    struct text text;
    int64_t total; /* total_sv; 0: not seen yet */
    bool seen[KEYWORDS];
    struct error *err;
};

/* The value behind a keyword, in lowest .. highest. */
static int read_int(struct reader *r, int64_t lowest, int64_t highest, int64_t *value)
{
    int got = text_int(&r->text, lowest, highest, value, r->err);
    return got > 0 ? 0 : got < 0 ? -1 : text_refuse(&r->text, r->err, "a whole number is missing");
}

/* The same for a count of things that take two bytes of the file each, at least: more than it has
 * room for is not believed. */
static int read_count(struct reader *r, int64_t *value)
{
    if (read_int(r, 1, INT32_MAX, value) != 0)
        return -1;
    return *value <= (r->text.end - r->text.line) / 2
               ? 0
               : text_refuse(&r->text, r->err, "more than the file has room for");
}

static int read_number(struct reader *r, double *value)
{
    int got = text_number(&r->text, value, r->err);
    return got > 0 ? 0 : got < 0 ? -1 : text_refuse(&r->text, r->err, "a number is missing");
}

static int read_flag(struct reader *r, bool *flag)
{
    int64_t value = 0;
    int status = read_int(r, 0, 1, &value);
    *flag = value;
    return status;
}

static int read_type(struct reader *r, const char *type)
{
    struct text *t = &r->text;
    char quoted[ERROR_QUOTE];
    text_token(t);
    r->model->votes = strcmp(type, classifier) == 0 && text_is(t, by_votes);
    if (r->model->votes || text_is(t, type))
        return 0;
    return text_refuse(t, r->err, "a model of \"%s\", which is another program's",
                       error_quote(t->token, (size_t)(t->p - t->token), quoted));
}

static int read_kernel_type(struct reader *r)
{
    struct kernel *kernel = &r->model->kernel;
    text_token(&r->text);
    for (kernel->type = 0; kernel->type < KERNELS; kernel->type++)
        if (text_is(&r->text, kernel_names[kernel->type]))
            return 0;
    return text_refuse(&r->text, r->err, "kernel_type must be linear, polynomial, rbf or sigmoid");
}

static int read_rho(struct reader *r)
{
    struct kernel_model *m = r->model;
    if (m->columns == 0)
        return text_refuse(&r->text, r->err, "rho must come behind dimensions");
    if (!(m->rho = memory_new(m->columns, sizeof *m->rho, r->err)))
        return -1;
    for (int64_t c = 0; c < m->columns; c++)
        if (read_number(r, &m->rho[c]) != 0)
            return -1;
    return 0;
}

static int read_label(struct reader *r)
{
    struct kernel_model *m = r->model;
    if (m->classes == 0)
        return text_refuse(&r->text, r->err, "label must come behind nr_class");
    if (!(m->label = memory_new(m->classes, sizeof *m->label, r->err)))
        return -1;
    for (int64_t c = 0; c < m->classes; c++) {
        int64_t label;
        if (read_int(r, c > 0 ? (int64_t)m->label[c - 1] + 1 : INT32_MIN, INT32_MAX, &label) != 0)
            return -1;
        m->label[c] = (int32_t)label;
    }
    return 0;
}

/* A line of the head, its keyword read. */
static int read_entry(struct reader *r, const char *type)
{
    struct kernel_model *m = r->model;
    struct text *t = &r->text;
    int keyword = 0;
    while (keyword < KEYWORDS && !text_is(t, keywords[keyword]))
        keyword++;
    if (keyword == KEYWORDS)
        return text_refuse(t, r->err,
                           text_is(t, "solver_type")
                               ? "this is a linear model; a kernel model was expected"
                               : "an unknown keyword before SV");
    if (r->seen[keyword])
        return text_refuse(t, r->err, "`%s` comes twice", keywords[keyword]);
    r->seen[keyword] = true;
    if ((keyword == DIMENSIONS || keyword == NR_CLASS) && (m->rho || m->label))
        return text_refuse(t, r->err, "dimensions must come before rho, nr_class before label");
    switch ((enum keyword)keyword) {
    case SVM_TYPE:
        return read_type(r, type);
    case KERNEL_TYPE:
        return read_kernel_type(r);
    case DEGREE:
        return read_int(r, 0, INT32_MAX, &m->kernel.degree);
    case GAMMA:
        return read_number(r, &m->kernel.gamma);
    case COEF0:
        return read_number(r, &m->kernel.coef0);
    case DIMENSIONS:
        return read_count(r, &m->columns);
    case NR_CLASS:
        return read_count(r, &m->classes);
    case TOTAL_SV:
        return read_count(r, &r->total);
    case RHO:
        return read_rho(r);
    case LABEL:
        return read_label(r);
    case UNIT_LENGTH:
        return read_flag(r, &m->unit_length);
    case ZERO_BASED:
        return read_flag(r, &m->zero_based);
    case KEYWORDS:
        break;
    }
    return -1;
}

/* To the line behind `SV`. */
static int read_head(struct reader *r, const char *type)
{
    struct kernel_model *m = r->model;
    struct text *t = &r->text;
    m->kernel.type = KERNELS;
    for (bool vectors = false; !vectors;) {
        if (!text_line(t))
            return text_refuse(t, r->err, "this is no kernel model: it ends before SV");
        text_token(t);
        vectors = text_is(t, "SV");
        if (!vectors && read_entry(r, type) != 0)
            return -1;
        if (text_token(t))
            return text_refuse(t, r->err, "unexpected text at the end of the line");
    }
    if (!r->seen[SVM_TYPE] || m->kernel.type == KERNELS || !m->rho == !m->label || r->total == 0
        || r->seen[NR_CLASS] != r->seen[LABEL] || r->seen[DIMENSIONS] != r->seen[RHO])
        return text_refuse(t, r->err,
                           "svm_type, kernel_type, total_sv, and dimensions and rho or nr_class "
                           "and label must come before SV");
    if ((m->kernel.type != KERNEL_LINEAR && !r->seen[GAMMA])
        || (m->kernel.type == KERNEL_POLYNOMIAL && !r->seen[DEGREE])
        || ((m->kernel.type == KERNEL_POLYNOMIAL || m->kernel.type == KERNEL_SIGMOID)
            && !r->seen[COEF0]))
        return text_refuse(t, r->err,
                           "a parameter of the kernel (gamma, degree, coef0) is missing");
    if (m->votes && m->classes < 2)
        return text_refuse(t, r->err, "votes between fewer than two classes");
    if (!m->label == (strcmp(type, classifier) == 0))
        return text_refuse(
            t, r->err, m->label ? "classes in a model of dimensions" : "the model has no labels");
    if (m->label)
        m->columns = m->votes ? m->classes * (m->classes - 1) / 2 : m->classes;
    return 0;
}

/* `count` numbers from p.  Returns the place behind them, or NULL. */
static const char *take_numbers(const char *p, int64_t count, double *number)
{
    for (int64_t c = 0; c < count; c++) {
        const char *end;
        p += strspn(p, " \t");
        if (number_read(p, &end, &number[c]) != NUMBER_OK
            || (*end != ' ' && *end != '\t' && *end != '\r' && *end != '\n'))
            return NULL;
        p = end;
    }
    return p + strspn(p, " \t");
}

struct lines {
    const struct reader *r;
    int64_t number;       /* of the first line */
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
    int64_t last = dense_least((task + 1) * LINES_A_TASK, r->total);
    for (int64_t i = task * LINES_A_TASK; i < last; i++) {
        const char *p = take_numbers(lines->start[i], m->columns, m->coef + i * m->columns),
                   *features = p, *next = lines->start[i + 1];
        if (!p) {
            error_at(err, m->file, lines->number + i, 0, "%lld finite coefficients were expected",
                     (long long)m->columns);
            return;
        }
        if (problem_reserve(part, 1, (next - p) / 2 + 1, err) != 0)
            return;
        struct example x = {0};
        if (example_parse(&p, next, &format, part->index + part->nnz, part->value + part->nnz, &x,
                          err)
            < 0) {
            err->column += features - lines->start[i];
            err->line = lines->number + i;
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
    struct text *t = &r->text;
    if ((double)r->total * (double)m->columns * 2 > (double)(t->end - t->next))
        return text_refuse(t, r->err,
                           "the head promises %lld x %lld coefficients: more than the file holds",
                           (long long)r->total, (long long)m->columns);
    struct lines lines = {.r = r, .number = t->number + 1};
    if (!(lines.start = memory_new(r->total + 1, sizeof *lines.start, r->err))
        || !(lines.part = memory_new(tasks, sizeof *lines.part, r->err))
        || !(lines.error = memory_new(tasks, sizeof *lines.error, r->err))
        || !(m->coef = memory_new(r->total * m->columns, sizeof *m->coef, r->err)))
        goto done;
    while (count < r->total && text_line(t))
        lines.start[count++] = t->line;
    if (count < r->total) {
        status = text_refuse(t, r->err, "the model is cut short: fewer lines than total_sv says");
        goto done;
    }
    lines.start[count] = t->next;
    if (t->next < t->end ? text_line(t) : t->cut) {
        status = text_refuse(t, r->err,
                             t->line < lines.start[count]
                                 ? "the model is cut short: its last line has no end"
                                 : "unexpected text behind the last vector");
        goto done;
    }
    parallel_for(threads, tasks, parse_task, &lines);
    status = 0;
    for (int64_t task = 0; task < tasks && status == 0; task++) {
        status = error_take(&lines.error[task], r->err);
        if (status == 0)
            status = problem_append(&m->sv, &lines.part[task], r->err);
    }
done:
    for (int64_t task = 0; task < tasks && lines.part; task++)
        problem_free(&lines.part[task]);
    memory_free(lines.start);
    memory_free(lines.part);
    memory_free(lines.error);
    return status;
}

int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model,
                      struct error *err)
{
    struct reader r = {.model = model, .err = err};
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    int status = text_open(&r.text, path, err) != 0 || read_head(&r, type) != 0
                         || read_vectors(&r, threads) != 0
                     ? -1
                     : 0;
    text_close(&r.text);
    if (status != 0)
        kernel_model_free(model);
    return status;
}

bool kernel_model_is(const char *path)
{
    char first[8] = "";
    FILE *file = input_is_file(path) ? fopen(path, "r") : NULL;
    bool is = file && fread(first, 1, sizeof first, file) == sizeof first
              && memcmp(first, "svm_type", sizeof first) == 0;
    if (file)
        fclose(file);
    return is;
}

/* ---- values ---- */

int kernel_model_values(const struct kernel_model *m, const struct kernel_data *vectors,
                        const struct problem *examples, double *k, double *f, struct error *err)
{
    int64_t n = m->sv.n, D = m->columns;
    struct kernel_data data;
    if (kernel_data_make(examples, vectors, &data, err) != 0)
        return -1;
    memset(f, 0, (size_t)(examples->n * D) * sizeof *f);
    int status = kernel_block(&m->kernel, &data, 0, examples->n, vectors, 0, n, k, n, 1, err);
    if (status == 0)
        status = dense_add_product(examples->n, D, n, 1, (struct dense_view){k, n, 1},
                                   (struct dense_view){m->coef, D, 1}, f, D, 1, err);
    kernel_data_free(&data);
    for (int64_t i = 0; i < examples->n && status == 0 && m->rho; i++)
        for (int64_t c = 0; c < D; c++)
            f[i * D + c] -= m->rho[c];
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

int kernel_model_write(const char *path, const char *type, const struct kernel_model *m,
                       struct error *err)
{
    struct output out;
    const struct kernel *k = &m->kernel;
    if ((m->rho && !all_finite(m->rho, m->columns)) || !all_finite(m->coef, m->sv.n * m->columns))
        return error_set(err, "a number of the model is not finite; no model is written");
    if (output_open(&out, path, err) != 0)
        return -1;
    output_text(&out, "svm_type %s\nkernel_type %s", m->votes ? by_votes : type,
                kernel_names[k->type]);
    if (k->type == KERNEL_POLYNOMIAL)
        output_text(&out, "\ndegree %lld", (long long)k->degree);
    if (k->type != KERNEL_LINEAR)
        put_number(&out, "\ngamma ", k->gamma);
    if (k->type == KERNEL_POLYNOMIAL || k->type == KERNEL_SIGMOID)
        put_number(&out, "\ncoef0 ", k->coef0);
    output_text(&out, "\n%s %lld\ntotal_sv %lld\n%s", m->label ? "nr_class" : "dimensions",
                (long long)(m->label ? m->classes : m->columns), (long long)m->sv.n,
                m->label ? "label" : "rho");
    for (int64_t c = 0; c < m->classes && m->label; c++)
        output_text(&out, " %ld", (long)m->label[c]);
    for (int64_t c = 0; c < m->columns && m->rho; c++)
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
    memory_free(model->label);
    memory_free(model->coef);
    problem_free(&model->sv);
    *model = (struct kernel_model){0};
}
