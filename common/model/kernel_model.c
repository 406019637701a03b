/* Kernel model files: reading, checking, evaluating, writing.
 *
 * The head is read line by line; its keywords may come in nearly any order, so what depends on
 * several of them is checked at SV.  The lines of vectors, which are nearly all of the file, are
 * then found by their newlines and parsed on several threads, LINES_A_TASK at a time. */
#include "common/model/kernel_model.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/text.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LINES_A_TASK = 64 }; /* no reason but that it works */

/* The svm_type of classifiers: by scores of classes, by votes between pairs. */
static const char kernel_model_classifier[] = "mu_svc", kernel_model_by_votes[] = "ovo_svc";

/* ---- reading ---- */

/* The keywords of a head, each at most once. */
enum kernel_model_keyword {
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
static const char *const kernel_model_keywords[KEYWORDS] = {[SVM_TYPE] = "svm_type",
                                                            [KERNEL_TYPE] = "kernel_type",
                                                            [DEGREE] = "degree",
                                                            [GAMMA] = "gamma",
                                                            [COEF0] = "coef0",
                                                            [DIMENSIONS] = "dimensions",
                                                            [NR_CLASS] = "nr_class",
                                                            [TOTAL_SV] = "total_sv",
                                                            [RHO] = "rho",
                                                            [LABEL] = "label",
                                                            [UNIT_LENGTH] = "unit_length",
                                                            [ZERO_BASED] = "zero_based"};

struct kernel_model_reader {
    struct kernel_model *model;
    struct text text;
    int64_t total; /* total_sv; 0: not seen yet */
    bool seen[KEYWORDS];
    struct error *err;
};

/* The next number of the line, in lowest .. highest.  0 or -1, as all readers below. */
static int kernel_model_read_int(struct kernel_model_reader *r, int64_t lowest, int64_t highest,
                                 int64_t *value)
{
    const int got = text_int(&r->text, lowest, highest, value, r->err);
    if (got == 0)
        return text_refuse(&r->text, r->err, "a whole number is missing");
    return got < 0 ? -1 : 0;
}

/* The same for a count of things that take at least two bytes of the file each: what the rest of
 * the file cannot hold is refused before anything is allocated for it. */
static int kernel_model_read_count(struct kernel_model_reader *r, int64_t *value)
{
    if (kernel_model_read_int(r, 1, INT32_MAX, value) != 0)
        return -1;
    if (*value > (r->text.end - r->text.line) / 2)
        return text_refuse(&r->text, r->err, "more than the file can hold");
    return 0;
}

static int kernel_model_read_number(struct kernel_model_reader *r, double *value)
{
    const int got = text_number(&r->text, value, r->err);
    if (got == 0)
        return text_refuse(&r->text, r->err, "a number is missing");
    return got < 0 ? -1 : 0;
}

static int kernel_model_read_flag(struct kernel_model_reader *r, bool *flag)
{
    int64_t value = 0;
    int status = kernel_model_read_int(r, 0, 1, &value);
    *flag = value;
    return status;
}

/* Who reads models of this svm_type. */
static const char *kernel_model_reader_of(const struct text *t)
{
    if (text_is(t, "kpca"))
        return "kpca-project reads it";
    return text_is(t, kernel_model_classifier) || text_is(t, kernel_model_by_votes)
               ? "musvm-predict reads it"
               : "svm-predict of LIBSVM may read it";
}

/* The svm_type, which must be `type`; for a classifier votes are accepted too. */
static int kernel_model_read_type(struct kernel_model_reader *r, const char *type)
{
    struct text *t = &r->text;
    char quoted[ERROR_QUOTE];
    text_token(t);
    r->model->votes = strcmp(type, kernel_model_classifier) == 0
                      && text_is(t, kernel_model_by_votes);
    if (r->model->votes || text_is(t, type))
        return 0;
    return text_refuse(t, r->err, "a model of \"%s\": %s",
                       error_quote(t->token, (size_t)(t->p - t->token), quoted),
                       kernel_model_reader_of(t));
}

static int kernel_model_read_kernel_type(struct kernel_model_reader *r)
{
    struct kernel *kernel = &r->model->kernel;
    text_token(&r->text);
    for (kernel->type = 0; kernel->type < KERNELS; kernel->type++)
        if (text_is(&r->text, kernel_names[kernel->type]))
            return 0;
    return text_refuse(&r->text, r->err, "kernel_type must be linear, polynomial, rbf or sigmoid");
}

static int kernel_model_read_rho(struct kernel_model_reader *r)
{
    struct kernel_model *m = r->model;
    if (m->columns == 0)
        return text_refuse(&r->text, r->err, "rho must come after dimensions");
    if (!(m->rho = memory_new(m->columns, sizeof *m->rho, r->err)))
        return -1;
    for (int64_t c = 0; c < m->columns; c++)
        if (kernel_model_read_number(r, &m->rho[c]) != 0)
            return -1;
    return 0;
}

/* The labels, which must ascend. */
static int kernel_model_read_label(struct kernel_model_reader *r)
{
    struct kernel_model *m = r->model;
    if (m->classes == 0)
        return text_refuse(&r->text, r->err, "label must come after nr_class");
    if (!(m->label = memory_new(m->classes, sizeof *m->label, r->err)))
        return -1;
    for (int64_t c = 0; c < m->classes; c++) {
        int64_t label;
        if (kernel_model_read_int(r, c > 0 ? (int64_t)m->label[c - 1] + 1 : INT32_MIN, INT32_MAX,
                                  &label)
            != 0)
            return -1;
        m->label[c] = (int32_t)label;
    }
    return 0;
}

/* A line of the head whose keyword is the current token. */
static int kernel_model_read_entry(struct kernel_model_reader *r, const char *type)
{
    struct kernel_model *m = r->model;
    struct text *t = &r->text;
    int keyword = 0;
    while (keyword < KEYWORDS && !text_is(t, kernel_model_keywords[keyword]))
        keyword++;
    if (keyword == KEYWORDS)
        return text_refuse(t, r->err,
                           text_is(t, "solver_type")
                               ? "this is a linear model; a kernel model was expected"
                               : "an unknown keyword before SV");
    if (r->seen[keyword])
        return text_refuse(t, r->err, "`%s` comes twice", kernel_model_keywords[keyword]);
    r->seen[keyword] = true;
    if ((keyword == DIMENSIONS || keyword == NR_CLASS) && (m->rho || m->label))
        return text_refuse(t, r->err, "dimensions must come before rho, nr_class before label");
    switch ((enum kernel_model_keyword)keyword) {
    case SVM_TYPE:
        return kernel_model_read_type(r, type);
    case KERNEL_TYPE:
        return kernel_model_read_kernel_type(r);
    case DEGREE:
        return kernel_model_read_int(r, 0, INT32_MAX, &m->kernel.degree);
    case GAMMA:
        return kernel_model_read_number(r, &m->kernel.gamma);
    case COEF0:
        return kernel_model_read_number(r, &m->kernel.coef0);
    case DIMENSIONS:
        return kernel_model_read_count(r, &m->columns);
    case NR_CLASS:
        return kernel_model_read_count(r, &m->classes);
    case TOTAL_SV:
        return kernel_model_read_count(r, &r->total);
    case RHO:
        return kernel_model_read_rho(r);
    case LABEL:
        return kernel_model_read_label(r);
    case UNIT_LENGTH:
        return kernel_model_read_flag(r, &m->unit_length);
    case ZERO_BASED:
        return kernel_model_read_flag(r, &m->zero_based);
    case KEYWORDS:
        break;
    }
    return -1;
}

/* Check that the head has everything that its kernel and its functions need. */
static int kernel_model_check_head(struct kernel_model_reader *r, const char *type)
{
    const struct kernel_model *m = r->model;
    const struct text *t = &r->text;
    const bool *seen = r->seen;
    if (!seen[SVM_TYPE] || m->kernel.type == KERNELS || !m->rho == !m->label || r->total == 0
        || seen[NR_CLASS] != seen[LABEL] || seen[DIMENSIONS] != seen[RHO])
        return text_refuse(t, r->err,
                           "svm_type, kernel_type, total_sv, and dimensions and rho or nr_class "
                           "and label must come before SV");
    const bool polynomial = m->kernel.type == KERNEL_POLYNOMIAL;
    if ((m->kernel.type != KERNEL_LINEAR && !seen[GAMMA]) || (polynomial && !seen[DEGREE])
        || ((polynomial || m->kernel.type == KERNEL_SIGMOID) && !seen[COEF0]))
        return text_refuse(t, r->err,
                           "a parameter of the kernel (gamma, degree, coef0) is missing");
    if (m->votes && m->classes < 2)
        return text_refuse(t, r->err, "votes between fewer than two classes");
    const bool labels_wanted = strcmp(type, kernel_model_classifier) == 0;
    if (labels_wanted && !m->label)
        return text_refuse(t, r->err, "the model has no labels");
    if (!labels_wanted && m->label)
        return text_refuse(t, r->err, "a model of dimensions cannot have labels");
    return 0;
}

/* Everything up to and including the line `SV`. */
static int kernel_model_read_head(struct kernel_model_reader *r, const char *type)
{
    struct kernel_model *m = r->model;
    struct text *t = &r->text;
    m->kernel.type = KERNELS;
    for (bool vectors = false; !vectors;) {
        if (!text_line(t))
            return text_refuse(t, r->err, "this is not a kernel model: it ends before SV");
        text_token(t);
        vectors = text_is(t, "SV");
        if (!vectors && kernel_model_read_entry(r, type) != 0)
            return -1;
        if (text_token(t))
            return text_refuse(t, r->err, "unexpected text at the end of the line");
    }
    if (kernel_model_check_head(r, type) != 0)
        return -1;
    if (m->label)
        m->columns = m->votes ? m->classes * (m->classes - 1) / 2 : m->classes;
    return 0;
}

/* Read `count` numbers at p, and the blanks after them.  Returns the place after those, or NULL. */
static const char *kernel_model_take_numbers(const char *p, int64_t count, double *number)
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

/* The lines of vectors and what the tasks make of them. */
struct kernel_model_lines {
    const struct kernel_model_reader *r;
    int64_t number;       /* of the first line */
    const char **start;   /* total + 1: of each line, and the end of the last */
    int64_t tasks;        /* of LINES_A_TASK lines */
    struct problem *part; /* tasks: the vectors of each */
    struct error *error;  /* tasks; message "" when there was none */
};

/* Parse line i: its coefficients into the model, its vector into `part`.  0, or -1 with err. */
static int kernel_model_parse_line(const struct kernel_model_lines *lines, int64_t i,
                                   struct problem *part, struct error *err)
{
    const struct kernel_model *m = lines->r->model;
    const struct example_format format = {.no_label = true, .bias = -1};
    const char *start = lines->start[i], *next = lines->start[i + 1];
    const char *features = kernel_model_take_numbers(start, m->columns, m->coef + i * m->columns);
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

/* Parse the lines of one task, up to the first faulty one. */
static void kernel_model_parse_task(void *context, int64_t task)
{
    const struct kernel_model_lines *lines = context;
    const int64_t last = dense_least((task + 1) * LINES_A_TASK, lines->r->total);
    for (int64_t i = task * LINES_A_TASK; i < last; i++)
        if (kernel_model_parse_line(lines, i, &lines->part[task], &lines->error[task]) != 0)
            return;
}

/* Find the start of each line and check that there are neither fewer nor more than there should
 * be. */
static int kernel_model_find_lines(struct kernel_model_reader *r, const char **start)
{
    struct text *t = &r->text;
    for (int64_t i = 0; i < r->total; i++) {
        if (!text_line(t))
            return text_refuse(t, r->err, "the model is cut short: fewer lines than total_sv says");
        start[i] = t->line;
    }
    start[r->total] = t->next;
    if (t->next < t->end) {
        text_line(t);
        return text_refuse(t, r->err, "unexpected text after the last vector");
    }
    if (t->cut)
        return text_refuse(t, r->err, "the model is cut short: its last line has no newline");
    return 0;
}

/* Allocate for the lines.  0 or -1; the caller frees in both cases. */
static int kernel_model_allocate(struct kernel_model_reader *r, struct kernel_model_lines *lines)
{
    struct kernel_model *m = r->model;
    lines->start = memory_new(r->total + 1, sizeof *lines->start, r->err);
    if (!lines->start)
        return -1;
    lines->part = memory_new(lines->tasks, sizeof *lines->part, r->err);
    if (!lines->part)
        return -1;
    lines->error = memory_new(lines->tasks, sizeof *lines->error, r->err);
    if (!lines->error)
        return -1;
    m->coef = memory_new(r->total * m->columns, sizeof *m->coef, r->err);
    return m->coef ? 0 : -1;
}

/* Parse all lines in parallel and join the vectors.  The first error in the order of the file
 * counts. */
static int kernel_model_parse_lines(struct kernel_model_lines *lines, int threads)
{
    const struct kernel_model_reader *r = lines->r;
    parallel_for(threads, lines->tasks, kernel_model_parse_task, lines);
    for (int64_t task = 0; task < lines->tasks; task++) {
        if (error_take(&lines->error[task], r->err) != 0)
            return -1;
        if (problem_append(&r->model->sv, &lines->part[task], r->err) != 0)
            return -1;
    }
    assert(r->model->sv.n == r->total);
    return 0;
}

/* Everything after the line `SV`. */
static int kernel_model_read_vectors(struct kernel_model_reader *r, int threads)
{
    const struct kernel_model *m = r->model;
    const struct text *t = &r->text;
    if ((double)r->total * (double)m->columns * 2 > (double)(t->end - t->next))
        return text_refuse(
            t, r->err, "the header promises %lld x %lld coefficients: more than the file can hold",
            (long long)r->total, (long long)m->columns);
    struct kernel_model_lines lines = {
        .r = r, .number = t->number + 1, .tasks = parallel_parts(r->total, LINES_A_TASK)};
    int status = kernel_model_allocate(r, &lines);
    if (status != 0)
        goto done;
    status = kernel_model_find_lines(r, lines.start);
    if (status != 0)
        goto done;
    status = kernel_model_parse_lines(&lines, threads);
done:
    if (lines.part)
        for (int64_t task = 0; task < lines.tasks; task++)
            problem_free(&lines.part[task]);
    memory_free(lines.start);
    memory_free(lines.part);
    memory_free(lines.error);
    return status;
}

int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model,
                      struct error *err)
{
    struct kernel_model_reader r = {.model = model, .err = err};
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    int status = text_open(&r.text, path, err);
    if (status == 0)
        status = kernel_model_read_head(&r, type);
    if (status == 0)
        status = kernel_model_read_vectors(&r, threads);
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
    const int64_t n = m->sv.n, D = m->columns;
    const struct dense_view kernel_view = {k, n, 1}, coef_view = {m->coef, D, 1};
    struct kernel_data data;
    assert(vectors->problem->n == n);
    if (kernel_data_make(examples, vectors, &data, err) != 0)
        return -1;
    memset(f, 0, (size_t)(examples->n * D) * sizeof *f);
    int status = kernel_block(&m->kernel, &data, 0, examples->n, vectors, 0, n, k, n, 1, err);
    if (status == 0)
        status = dense_add_product(examples->n, D, n, 1, kernel_view, coef_view, f, D, 1, err);
    kernel_data_free(&data);
    if (status != 0 || !m->rho)
        return status;
    for (int64_t i = 0; i < examples->n; i++)
        for (int64_t c = 0; c < D; c++)
            f[i * D + c] -= m->rho[c];
    return 0;
}

/* ---- writing ---- */

/* Write a text and a number. */
static void kernel_model_put_number(struct output *out, const char *before, double value)
{
    char text[NUMBER_TEXT];
    output_write(out, before, (int64_t)strlen(before));
    output_write(out, text, number_write(text, value) - text);
}

static bool kernel_model_all_finite(const double *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return false;
    return true;
}

static void kernel_model_write_head(struct output *out, const char *type,
                                    const struct kernel_model *m)
{
    const struct kernel *k = &m->kernel;
    output_text(out, "svm_type %s\nkernel_type %s", m->votes ? kernel_model_by_votes : type,
                kernel_names[k->type]);
    if (k->type == KERNEL_POLYNOMIAL)
        output_text(out, "\ndegree %lld", (long long)k->degree);
    if (k->type != KERNEL_LINEAR)
        kernel_model_put_number(out, "\ngamma ", k->gamma);
    if (k->type == KERNEL_POLYNOMIAL || k->type == KERNEL_SIGMOID)
        kernel_model_put_number(out, "\ncoef0 ", k->coef0);
    output_text(out, "\n%s %lld\ntotal_sv %lld\n%s", m->label ? "nr_class" : "dimensions",
                (long long)(m->label ? m->classes : m->columns), (long long)m->sv.n,
                m->label ? "label" : "rho");
    if (m->label)
        for (int64_t c = 0; c < m->classes; c++)
            output_text(out, " %ld", (long)m->label[c]);
    if (m->rho)
        for (int64_t c = 0; c < m->columns; c++)
            kernel_model_put_number(out, " ", m->rho[c]);
    output_text(out, "\nunit_length %d\nzero_based %d\nSV\n", m->unit_length, m->zero_based);
}

/* Vector i: its coefficients and its features. */
static void kernel_model_write_vector(struct output *out, const struct kernel_model *m, int64_t i)
{
    const struct example x = problem_example(&m->sv, i);
    for (int64_t c = 0; c < m->columns; c++)
        kernel_model_put_number(out, c ? " " : "", m->coef[i * m->columns + c]);
    for (int64_t j = 0; j < x.size; j++) {
        char text[NUMBER_TEXT];
        output_write(out, " ", 1);
        output_write(out, text, number_write_int(text, x.index[j]) - text);
        kernel_model_put_number(out, ":", x.value[j]);
    }
    output_write(out, "\n", 1);
}

int kernel_model_write(const char *path, const char *type, const struct kernel_model *m,
                       struct error *err)
{
    struct output out;
    if ((m->rho && !kernel_model_all_finite(m->rho, m->columns))
        || !kernel_model_all_finite(m->coef, m->sv.n * m->columns))
        return error_set(err, "a number of the model is not finite; no model is written");
    if (output_open(&out, path, err) != 0)
        return -1;
    kernel_model_write_head(&out, type, m);
    for (int64_t i = 0; i < m->sv.n; i++) {
        if (out.failed) /* output_commit reports it; the rest would be formatted in vain */
            break;
        kernel_model_write_vector(&out, m, i);
    }
    return output_commit(&out, err);
}

void kernel_model_free(struct kernel_model *model)
{
    memory_free(model->rho);
    memory_free(model->label);
    memory_free(model->coef);
    problem_free(&model->sv);
    *model = (struct kernel_model){0};
}
