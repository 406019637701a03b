#include "common/model/model.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 4 << 20, ROWS_AT_ONCE = 1 << 16, ROWS_PER_TASK = 64 };

/* Keywords in a trailer: ours have at most 25.  It bounds the search for one that comes twice. */
enum { MOST_KEYWORDS = 256 };

/* The text is read through a window of whole lines, so that a model of gigabytes takes no more
 * memory than its numbers. */
struct reader {
    struct model *model;
    int fd;
    char *text; /* the window; NUMBER_PAD bytes may be read behind what it holds */
    int64_t capacity;
    const char *p, *end; /* the lines not yet used; each ends with a '\n' */
    int64_t held;        /* bytes behind end: the first part of a line */
    double left;  /* bytes of the file that are not in the window yet; < 0: not known (a pipe, which
                     is read whole) */
    int at_end;   /* the window holds the end of the file ... */
    int cut;      /* ... and its last line had no newline: one was added */
    int64_t line; /* of p, 1-based */
    int threads;
    int keep_state; /* keep the blocks of the trailer, not only check them */
    struct error *err;
};

/* Is there another line?  Moves the window on when all its lines are used: 1; 0: the end of the
 *                         file; -1: err. */
static int more(struct reader *r)
{
    if (r->p < r->end)
        return 1;
    if (r->at_end)
        return 0;
    int64_t used = r->held, wanted = WINDOW, lines = 0; /* lines: bytes of whole lines */
    double rest = (double)used + r->left + 1;           /* one more, to meet the end of the file */
    if (r->left >= 0 && rest < WINDOW)
        wanted = (int64_t)rest;
    if (used > 0)
        memmove(r->text, r->end, (size_t)used);
    while (!r->at_end && lines == 0) {
        char *text = memory_reserve(r->text, &r->capacity, wanted + 1 + NUMBER_PAD, 1, r->err);
        if (!text)
            return -1;
        r->text = text;
        while (used < wanted && !r->at_end) {
            ssize_t got = read(r->fd, r->text + used, (size_t)(wanted - used));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return error_system(r->err, r->model->file);
            r->at_end = got == 0;
            used += got;
            if (r->left >= 0)
                r->left -= (double)got;
        }
        if (r->left >= 0)
            for (lines = used; lines > 0 && r->text[lines - 1] != '\n';)
                lines--;
        wanted = used * 2; /* a line longer than the window, or a pipe */
    }
    r->held = used - lines;
    if (r->at_end) {
        r->cut = used > 0 && r->text[used - 1] != '\n';
        if (r->cut)
            r->text[used++] = '\n';
        lines = used;
        r->held = 0;
        r->left = 0;
    }
    memset(r->text + used, 0, NUMBER_PAD);
    r->p = r->text;
    r->end = r->text + lines;
    return lines > 0;
}

/* Bytes of the file that are not used yet; what a head promises is held against them before
 * anything is allocated. */
static double remaining(const struct reader *r)
{
    return (double)(r->end - r->p) + (double)r->held + (r->left > 0 ? r->left : 0);
}

static int refuse(const struct reader *r, const char *reason)
{
    return error_at(r->err, r->model->file, r->line, 0, "%s", reason);
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

static void next_line(struct reader *r)
{
    r->p = line_end(r, r->p) + 1;
    r->line++;
}

/* The word at r->p (a keyword); p is moved behind it and the blanks that follow. */
static int read_keyword(struct reader *r, char word[32])
{
    int n = 0;
    r->p = skip_blanks(r->p);
    while (n < 31
           && (*r->p == '_' || (*r->p >= 'a' && *r->p <= 'z') || (*r->p >= 'A' && *r->p <= 'Z')
               || (n && *r->p >= '0' && *r->p <= '9')))
        word[n++] = *r->p++;
    word[n] = '\0';
    if (n == 0 || (*r->p != ' ' && *r->p != '\n' && *r->p != '\r'))
        return refuse(r, "a keyword was expected");
    r->p = skip_blanks(r->p);
    return 0;
}

/* One row of numbers from p: returns the place behind its newline, or NULL. */
static const char *parse_row(const char *p, int64_t columns, double *row)
{
    for (int64_t k = 0; k < columns; k++) {
        p = skip_blanks(p);
        const char *end;
        if (number_read(p, &end, &row[k]) != NUMBER_OK
            || (*end != ' ' && *end != '\n' && *end != '\t' && *end != '\r'))
            return NULL;
        p = end;
    }
    p = skip_blanks(p);
    return *p == '\n' ? p + 1 : NULL;
}

/* Does the line at p begin like a row of numbers? */
static int starts_row(const char *p)
{
    p = skip_blanks(p);
    return (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.';
}

struct rows {
    const char **start; /* count */
    int64_t first, count, columns;
    double *(*place)(void *context, int64_t i);
    void *context;
    _Atomic int64_t bad; /* the first of these rows that is malformed; count: none */
};

static void parse_task(void *argument, int64_t task)
{
    struct rows *rows = argument;
    int64_t last = (task + 1) * ROWS_PER_TASK < rows->count ? (task + 1) * ROWS_PER_TASK
                                                            : rows->count;
    for (int64_t i = task * ROWS_PER_TASK; i < last; i++)
        if (!parse_row(rows->start[i], rows->columns,
                       rows->place(rows->context, rows->first + i))) {
            int64_t bad = atomic_load(&rows->bad);
            while (i < bad && !atomic_compare_exchange_weak(&rows->bad, &bad, i))
                ;
            return;
        }
}

/* How many of `most` rows are taken at once. */
static int64_t rows_at_once(int64_t most)
{
    return most < ROWS_AT_ONCE ? most : ROWS_AT_ONCE;
}

/* Take up to `most` lines of the window, all or those that look like rows of numbers, into start; r
 * moves behind them.  Returns how many, or -1 when the last one is cut. */
static int64_t take_rows(struct reader *r, int64_t most, bool all, const char **start)
{
    int64_t n = 0;
    for (; n < most && r->p < r->end && (all || starts_row(r->p)); n++) {
        start[n] = r->p;
        next_line(r);
    }
    if (n > 0 && r->p == r->end && r->at_end && r->cut) {
        r->line--;
        return refuse(r, "the file ends in the middle of a block of numbers");
    }
    return n;
}

/* Parse the rows that were taken, on all threads. */
static int parse_rows(struct reader *r, struct rows *rows)
{
    rows->bad = rows->count;
    parallel_for(r->threads, (rows->count + ROWS_PER_TASK - 1) / ROWS_PER_TASK, parse_task, rows);
    if (rows->bad < rows->count)
        return error_at(r->err, r->model->file, r->line - rows->count + rows->bad, 0,
                        "a row of %lld finite numbers was expected", (long long)rows->columns);
    return 0;
}

static double *place_in_weights(void *context, int64_t i)
{
    struct weights *w = context;
    return w->w
           + (i + 1 < w->rows ? i + 1 : 0)
                 * w->stride; /* the bias comes last in the file and is row 0 here */
}

static double *place_in_block(void *context, int64_t i)
{
    struct model_block *block = context;
    return block->number + i * block->columns;
}

static int refuse_again(const struct reader *r, const char *keyword)
{
    return error_at(r->err, r->model->file, r->line, 0, "`%s` comes twice", keyword);
}

/* The head: keywords in any order, each once, but nr_class before the labels that it counts. */
static int read_head(struct reader *r)
{
    static const char *const solvers[] = {
        "L2R_LR",   "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
        "MCSVM_CS", "L1R_L2LOSS_SVC",      "L1R_LR",         "L2R_LR_DUAL"};
    struct model *m = r->model;
    int64_t features = -1;
    bool has_bias = false;
    m->bias = -1;
    for (;;) {
        char keyword[32];
        int status = more(r);
        if (status <= 0)
            return status < 0 ? -1
                              : refuse(r, "this is no linear model: it ends before the weights");
        if (read_keyword(r, keyword) != 0)
            return -1;
        const char *p = r->p;
        if (strcmp(keyword, "solver_type") == 0) {
            if (m->solver[0])
                return refuse_again(r, keyword);
            size_t length = strcspn(p, " \r\n");
            for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
                if (length == strlen(solvers[i]) && memcmp(p, solvers[i], length) == 0)
                    memcpy(m->solver, solvers[i], length);
            if (!m->solver[0])
                return refuse(r, "a solver_type that is no classifier");
        } else if (strcmp(keyword, "nr_class") == 0) {
            if (m->classes > 0)
                return refuse_again(r, keyword);
            if (number_read_int(p, &p, 1, (int64_t)remaining(r), &m->classes) != NUMBER_OK)
                return refuse(r, "nr_class must be a number that the file has room for");
        } else if (strcmp(keyword, "label") == 0) {
            if (m->label || m->classes == 0)
                return refuse(r, "label must come once and behind nr_class");
            m->label = memory_new(m->classes, sizeof *m->label, r->err);
            if (!m->label)
                return -1;
            struct labels seen = {0};
            for (int64_t k = 0; k < m->classes && status >= 0; k++) {
                int64_t label;
                p = skip_blanks(p);
                if (number_read_int(p, &p, INT32_MIN, INT32_MAX, &label) != NUMBER_OK)
                    status = refuse(r, "fewer labels than nr_class says");
                else if ((status = labels_add(&seen, (int32_t)label, r->err)) == 0)
                    m->label[k] = (int32_t)label;
            }
            if (status >= 0 && seen.count < m->classes)
                status = refuse(r, "a label stands there twice");
            labels_free(&seen);
            if (status < 0)
                return -1;
        } else if (strcmp(keyword, "nr_feature") == 0) {
            if (features >= 0)
                return refuse_again(r, keyword);
            if (number_read_int(p, &p, 0, INT32_MAX, &features) != NUMBER_OK)
                return refuse(r, "nr_feature must be in 0 .. 2147483647");
        } else if (strcmp(keyword, "bias") == 0) {
            if (has_bias)
                return refuse_again(r, keyword);
            has_bias = true;
            if (number_read(p, &p, &m->bias) != NUMBER_OK)
                return refuse(r, "bias must be a finite number");
            if (m->bias < 0)
                m->bias = -1;
        } else if (strcmp(keyword, "w") == 0) {
            break;
        } else if (strcmp(keyword, "svm_type") == 0) {
            return refuse(r, "this is a kernel model; a linear one was expected");
        } else {
            return refuse(r, "an unknown keyword before w");
        }
        if (strcmp(keyword, "solver_type") != 0 && *skip_blanks(p) != '\n')
            return refuse(r, "unexpected characters behind the value");
        next_line(r);
    }
    if (!m->solver[0] || m->classes == 0 || !m->label || features < 0)
        return refuse(r, "solver_type, nr_class, label and nr_feature must come before w");
    m->d = features;
    next_line(r);
    return 0;
}

/* Of two classes with a vector each, LIBLINEAR's programs look at the sign of the first score only;
 * the second is its mirror image. */
static int keep_first_column(struct weights *w, int64_t d, struct error *err)
{
    struct weights first = weights_make(1, 0);
    if (weights_grow(&first, d, err) != 0)
        return -1;
    for (int64_t j = 0; j <= d; j++)
        first.w[j] = w->w[j * w->stride];
    weights_free(w);
    *w = first;
    return 0;
}

static int read_weights(struct reader *r)
{
    struct model *m = r->model;
    int64_t columns = m->classes == 2 && strcmp(m->solver, "MCSVM_CS") != 0 ? 1 : m->classes;
    int64_t rows = m->d + (m->bias >= 0);
    if (more(r) < 0)
        return -1;
    if ((double)rows * (double)columns * 2 > remaining(r))
        return error_at(r->err, m->file, r->line, 0,
                        "the head promises %lld x %lld weights: more than the file holds",
                        (long long)rows, (long long)columns);
    m->w = weights_make(columns, 0);
    if (weights_grow(&m->w, m->d, r->err) != 0)
        return -1;
    struct rows part = {.columns = columns, .place = place_in_weights, .context = &m->w};
    part.start = memory_new(rows_at_once(rows), sizeof *part.start, r->err);
    int status = part.start ? 0 : -1;
    for (; part.first < rows && status == 0; part.first += part.count) {
        status = more(r);
        if (status == 0)
            status = refuse(r, "the file ends in the middle of a block of numbers");
        if (status > 0)
            status = (part.count = take_rows(r, rows_at_once(rows - part.first), true, part.start))
                             < 0
                         ? -1
                         : parse_rows(r, &part);
    }
    memory_free(part.start);
    if (status != 0)
        return -1;
    return m->classes == 2 && columns == 2 ? keep_first_column(&m->w, m->d, r->err) : 0;
}

/* The numbers of the first row of a block. */
static int64_t count_columns(const char *p)
{
    int64_t columns = 0;
    for (p = skip_blanks(p); *p != '\n'; p = skip_blanks(p)) {
        columns++;
        while (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
            p++;
    }
    return columns;
}

static int read_block(struct reader *r, const char *keyword, int64_t line)
{
    struct model *m = r->model;
    struct model_block *block = memory_reserve(m->block, &m->blocks_capacity, m->blocks + 1,
                                               sizeof *block, r->err);
    if (!block)
        return -1;
    m->block = block;
    block += m->blocks++;
    *block = (struct model_block){.line = line};
    memcpy(block->keyword, keyword, sizeof block->keyword);
    struct rows part = {.place = place_in_block, .context = block};
    int64_t capacity = 0,
            most = rows_at_once((int64_t)(remaining(r) / 2) + 1); /* a row has two bytes */
    part.start = memory_new(most, sizeof *part.start, r->err);
    int status = part.start ? 1 : -1;
    while (status >= 0 && (status = more(r)) > 0 && starts_row(r->p)) {
        const char *before = r->p;
        if (block->rows == 0)
            block->columns = part.columns = count_columns(r->p);
        if ((part.count = take_rows(r, most, false, part.start)) < 0) {
            status = -1;
            break;
        }
        /* A row has at least two bytes a number: that bounds what is allocated for these. */
        if ((double)part.count * (double)part.columns * 2 > (double)(r->p - before)) {
            r->line -= part.count;
            status = refuse(r, "the rows of a block differ in length");
            break;
        }
        part.first = r->keep_state ? block->rows : 0;
        double *number = memory_reserve(block->number, &capacity,
                                        (part.first + part.count) * part.columns, sizeof(double),
                                        r->err);
        if (!number) {
            status = -1;
            break;
        }
        block->number = number;
        block->rows += part.count;
        status = parse_rows(r, &part);
    }
    memory_free(part.start);
    return status < 0 ? -1 : 0;
}

/* A keyword of the trailer that no line before has had. */
static int check_new(const struct reader *r, const char *keyword)
{
    const struct model *m = r->model;
    if (m->entries + m->blocks >= MOST_KEYWORDS)
        return refuse(r, "more keywords than a model has");
    for (int64_t i = 0; i < m->entries; i++)
        if (strcmp(m->entry[i].keyword, keyword) == 0)
            return refuse_again(r, keyword);
    for (int64_t i = 0; i < m->blocks; i++)
        if (strcmp(m->block[i].keyword, keyword) == 0)
            return refuse_again(r, keyword);
    return 0;
}

static int read_trailer(struct reader *r)
{
    struct model *m = r->model;
    int status;
    while ((status = more(r)) > 0 && *skip_blanks(r->p) == '\n')
        next_line(r);
    if (status <= 0)
        return status; /* the end: LIBLINEAR's own */
    char keyword[32];
    if (read_keyword(r, keyword) != 0)
        return -1;
    if (strcmp(keyword, "libdoubt") != 0)
        return refuse(r, "`libdoubt 1` was expected behind the weights");
    if (*r->p != '1' || *skip_blanks(r->p + 1) != '\n')
        return refuse(r, "written by a newer version: its trailer is not `libdoubt 1`");
    next_line(r);
    for (;;) {
        if ((status = more(r)) <= 0)
            return status < 0 ? -1 : refuse(r, "the model is cut short: no `end`");
        int64_t line = r->line;
        if (read_keyword(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "end") == 0) {
            next_line(r);
            return (status = more(r)) > 0 ? refuse(r, "unexpected text behind `end`") : status;
        }
        if (check_new(r, keyword) != 0)
            return -1;
        if (*r->p == '\n') {
            next_line(r);
            if (read_block(r, keyword, line) != 0)
                return -1;
            continue;
        }
        struct model_entry *entry = memory_reserve(m->entry, &m->entries_capacity, m->entries + 1,
                                                   sizeof *entry, r->err);
        if (!entry)
            return -1;
        m->entry = entry;
        entry += m->entries;
        int64_t length = line_end(r, r->p) - r->p;
        while (length > 0 && (r->p[length - 1] == '\r' || r->p[length - 1] == ' '))
            length--;
        entry->text = memory_new(length + 1, 1, r->err);
        if (!entry->text)
            return -1;
        memcpy(entry->text, r->p, (size_t)length);
        memcpy(entry->keyword, keyword, sizeof keyword);
        entry->line = line;
        m->entries++;
        next_line(r);
    }
}

int model_read(const char *path, int threads, int keep_state, struct model *model,
               struct error *err)
{
    struct stat st;
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    struct reader r = {
        .model = model, .line = 1, .threads = threads, .keep_state = keep_state, .err = err};
    r.fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    if (r.fd < 0)
        return error_system(err, model->file);
    r.left = fstat(r.fd, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : -1;
    int status = read_head(&r) || read_weights(&r) || read_trailer(&r) ? -1 : 0;
    if (r.fd > 0)
        close(r.fd);
    memory_free(r.text);
    if (status != 0)
        model_free(model);
    return status;
}

static const struct model_entry *find_entry(const struct model *model, const char *keyword,
                                            struct error *err)
{
    for (int64_t i = 0; i < model->entries; i++)
        if (strcmp(model->entry[i].keyword, keyword) == 0)
            return &model->entry[i];
    if (model->entries == 0)
        error_at(err, model->file, 0, 0,
                 "there is no LIBDOUBT trailer in this model: it can be predicted with, not gone "
                 "on from");
    else
        error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

static int refuse_entry(const struct model *model, const struct model_entry *entry,
                        struct error *err)
{
    return error_at(err, model->file, entry->line, 0,
                    "the value of `%s` is malformed or out of range", entry->keyword);
}

int model_word(const struct model *model, const char *keyword, const char **word, struct error *err)
{
    const struct model_entry *entry = find_entry(model, keyword, err);
    if (!entry)
        return -1;
    *word = entry->text;
    return 0;
}

int model_int(const struct model *model, const char *keyword, int64_t lowest, int64_t highest,
              int64_t *value, struct error *err)
{
    const struct model_entry *entry = find_entry(model, keyword, err);
    if (!entry)
        return -1;
    return number_int_from_word(entry->text, lowest, highest, value) == 0
               ? 0
               : refuse_entry(model, entry, err);
}

int model_number(const struct model *model, const char *keyword, double lowest, double highest,
                 double *value, struct error *err)
{
    const struct model_entry *entry = find_entry(model, keyword, err);
    double v;
    if (!entry)
        return -1;
    if (number_from_word(entry->text, &v) != 0 || v < lowest || v > highest)
        return refuse_entry(model, entry, err);
    *value = v;
    return 0;
}

int model_flag(const struct model *model, const char *keyword, bool *flag, struct error *err)
{
    int64_t value;
    if (model_int(model, keyword, 0, 1, &value, err) != 0)
        return -1;
    *flag = value;
    return 0;
}

int model_choice(const struct model *model, const char *keyword, const char *const *choices,
                 int64_t *value, struct error *err)
{
    const char *word;
    if (model_word(model, keyword, &word, err) != 0)
        return -1;
    for (*value = 0; choices[*value]; ++*value)
        if (strcmp(word, choices[*value]) == 0)
            return 0;
    return error_at(err, model->file, 0, 0, "`%s %.40s` is not known here", keyword, word);
}

int model_form(const struct model *model, struct data_form *form, struct error *err)
{
    form->bias = model->bias;
    if (model_flag(model, "unit_length", &form->unit_length, err) != 0
        || model_flag(model, "zero_based", &form->zero_based, err) != 0)
        return -1;
    return model_int(model, "seed", 0, INT64_C(1) << 53, &form->seed, err);
}

int model_labels(const struct model *model, struct labels *labels, struct error *err)
{
    if (labels_from(model->label, model->classes, labels, err) != 0)
        return -1;
    for (int64_t k = 0; k < model->classes; k++)
        if (model->label[k] != labels->value[model->classes == 2 ? 1 - k : k]) {
            labels_free(labels);
            return error_at(err, model->file, 0, 0,
                            "the labels are not in the order of our models (ascending; of two, the "
                            "larger first)");
        }
    return 0;
}

const struct model_block *model_find_block(const struct model *model, const char *keyword,
                                           int64_t rows, int64_t columns, struct error *err)
{
    for (int64_t i = 0; i < model->blocks; i++) {
        const struct model_block *block = &model->block[i];
        if (strcmp(block->keyword, keyword) != 0)
            continue;
        if (block->rows == rows && (block->columns == columns || rows == 0))
            return block;
        error_at(err, model->file, block->line, 0, "`%s` has %lld x %lld numbers, not %lld x %lld",
                 keyword, (long long)block->rows, (long long)block->columns, (long long)rows,
                 (long long)columns);
        return NULL;
    }
    error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

int model_read_table(const struct model *model, const char *keyword, struct weights *table,
                     struct error *err)
{
    int64_t rows = model->d + (model->bias >= 0);
    const struct model_block *block = model_find_block(model, keyword, rows, table->columns, err);
    if (!block || weights_grow(table, model->d, err) != 0)
        return -1;
    for (int64_t i = 0; i < rows; i++)
        memcpy(place_in_weights(table, i), block->number + i * block->columns,
               (size_t)block->columns * sizeof(double));
    return 0;
}

void model_free(struct model *model)
{
    for (int64_t i = 0; i < model->entries; i++)
        memory_free(model->entry[i].text);
    for (int64_t i = 0; i < model->blocks; i++)
        memory_free(model->block[i].number);
    memory_free(model->entry);
    memory_free(model->block);
    memory_free(model->label);
    memory_free(model->w.block);
    *model = (struct model){0};
}
