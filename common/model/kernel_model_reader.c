/* Reading a kernel model file and checking its head.
 *
 * The head is read line by line; its keywords may come in nearly any order, so what depends on
 * several of them is checked at SV. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/model/kernel_model_state.h"

#include <string.h>

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
    struct text *text;
    int64_t total; /* total_sv; 0: not seen yet */
    bool seen[KEYWORDS];
    struct error *err;
};

/* ---- values of the keywords ---- */

/* The next number of the line, in lowest .. highest.  0 or -1, as all readers below. */
static int kernel_model_read_int(struct kernel_model_reader *r, int64_t lowest, int64_t highest,
                                 int64_t *value)
{
    const int got = text_int(r->text, lowest, highest, value, r->err);
    if (got == 0)
        return text_refuse(r->text, r->err, "a whole number is missing");
    return got < 0 ? -1 : 0;
}

/* The same for a count of things that take at least two bytes of the file each: what the rest of
 * the file cannot hold is refused before anything is allocated for it. */
static int kernel_model_read_count(struct kernel_model_reader *r, int64_t *value)
{
    if (kernel_model_read_int(r, 1, INT32_MAX, value) != 0)
        return -1;
    if (*value > (r->text->end - r->text->line) / 2)
        return text_refuse(r->text, r->err, "more than the file can hold");
    return 0;
}

static int kernel_model_read_number(struct kernel_model_reader *r, double *value)
{
    const int got = text_number(r->text, value, r->err);
    if (got == 0)
        return text_refuse(r->text, r->err, "a number is missing");
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
    if (text_is(t, KERNEL_MODEL_COMPONENTS))
        return "kpca-project reads it";
    return text_is(t, KERNEL_MODEL_CLASSIFIER) || text_is(t, KERNEL_MODEL_BY_VOTES)
               ? "musvm-predict reads it"
               : "svm-predict of LIBSVM may read it";
}

/* The svm_type, which must be `type`; for a classifier votes are accepted too. */
static int kernel_model_read_type(struct kernel_model_reader *r, const char *type)
{
    struct text *t = r->text;
    char quoted[ERROR_QUOTE];
    text_token(t);
    r->model->votes = strcmp(type, KERNEL_MODEL_CLASSIFIER) == 0
                      && text_is(t, KERNEL_MODEL_BY_VOTES);
    if (r->model->votes || text_is(t, type))
        return 0;
    return text_refuse(t, r->err, "a model of \"%s\": %s",
                       error_quote(t->token, (size_t)(t->p - t->token), quoted),
                       kernel_model_reader_of(t));
}

static int kernel_model_read_kernel_type(struct kernel_model_reader *r)
{
    struct kernel *kernel = &r->model->kernel;
    text_token(r->text);
    for (kernel->type = 0; kernel->type < KERNELS; kernel->type++)
        if (text_is(r->text, kernel_names[kernel->type]))
            return 0;
    return text_refuse(r->text, r->err, "kernel_type must be linear, polynomial, rbf or sigmoid");
}

static int kernel_model_read_rho(struct kernel_model_reader *r)
{
    struct kernel_model *m = r->model;
    if (m->columns == 0)
        return text_refuse(r->text, r->err, "rho must come after dimensions");
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
        return text_refuse(r->text, r->err, "label must come after nr_class");
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

/* ---- the head ---- */

/* A line of the head whose keyword is the current token. */
static int kernel_model_read_entry(struct kernel_model_reader *r, const char *type)
{
    struct kernel_model *m = r->model;
    struct text *t = r->text;
    int keyword = 0;
    while (keyword < KEYWORDS && !text_is(t, kernel_model_keywords[keyword]))
        keyword++;
    if (keyword == KEYWORDS && (text_is(t, "solver_type") || text_is(t, "map")))
        return text_refuse(t, r->err, "this is a linear model; a kernel model was expected");
    if (keyword == KEYWORDS)
        return text_refuse(t, r->err,
                           t->number == 1 ? "this is no kernel model: it begins with no keyword"
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
    const struct text *t = r->text;
    const bool *seen = r->seen;
    if (!seen[SVM_TYPE] || m->kernel.type == KERNELS || !m->rho == !m->label || r->total == 0
        || seen[NR_CLASS] != seen[LABEL] || seen[DIMENSIONS] != seen[RHO])
        return text_refuse(t, r->err,
                           "svm_type, kernel_type, total_sv, and dimensions and rho or nr_class "
                           "and label must come before SV");
    const bool has_gamma = kernel_has(&m->kernel, "gamma");
    if ((has_gamma && !seen[GAMMA]) || (kernel_has(&m->kernel, "degree") && !seen[DEGREE])
        || (kernel_has(&m->kernel, "coef0") && !seen[COEF0]))
        return text_refuse(t, r->err,
                           "a parameter of the kernel (gamma, degree, coef0) is missing");
    if (has_gamma && !(m->kernel.gamma > 0))
        return text_refuse(t, r->err, "gamma must be above 0");
    if (m->votes && m->classes < 2)
        return text_refuse(t, r->err, "votes between fewer than two classes");
    const bool labels_wanted = strcmp(type, KERNEL_MODEL_CLASSIFIER) == 0;
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
    struct text *t = r->text;
    m->kernel.type = KERNELS;
    for (bool vectors = false; !vectors;) {
        if (!text_line(t))
            return text_refuse(t, r->err,
                               t->number > 1 ? "this is not a kernel model: it ends before SV"
                                             : "this is no kernel model: the file is empty");
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

/* ---- the file ---- */

bool kernel_model_is(const struct text *text)
{
    const char *keyword = kernel_model_keywords[SVM_TYPE];
    return strncmp(text->next, keyword, strlen(keyword)) == 0;
}

int kernel_model_read_text(struct text *text, const char *type, int threads,
                           struct kernel_model *model, struct error *err)
{
    struct kernel_model_reader r = {.model = model, .text = text, .err = err};
    snprintf(model->file, sizeof model->file, "%s", text->name);
    int status = kernel_model_read_head(&r, type);
    if (status == 0)
        status = kernel_model_read_vectors(model, text, r.total, threads, err);
    if (status != 0)
        kernel_model_free(model);
    return status;
}

int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model,
                      struct error *err)
{
    struct text text;
    if (text_open(&text, path, err) != 0)
        return -1;
    const int status = kernel_model_read_text(&text, type, threads, model, err);
    text_close(&text);
    return status;
}
