#include "model.h"

#include "input.h"
#include "memory.h"
#include "number.h"
#include "parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_PER_TASK = 64 };

struct reader {
    struct model *model;
    const char *p, *end; /* the rest of the text; a '\n' and padding follow at end */
    int64_t line;        /* of p, 1-based */
    int threads;
    struct error *err;
};

/* The whole file, with a newline and NUMBER_PAD zeros behind it.  size: out, without those. */
static char *read_all(const char *path, const char *name, int64_t *size, struct error *err)
{
    char *text = NULL;
    int64_t capacity = 0, used = 0;
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    if (fd < 0) {
        error_system(err, name);
        return NULL;
    }
    for (;;) {
        char *bigger = memory_reserve(text, &capacity, used + 65536 + 1 + NUMBER_PAD, 1, err);
        if (!bigger)
            break;
        text = bigger;
        ssize_t got = read(fd, text + used, (size_t)(capacity - used - 1 - NUMBER_PAD));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_system(err, name);
            break;
        }
        used += got;
        if (got == 0) {
            text[used] = '\n';
            memset(text + used + 1, 0, NUMBER_PAD);
            *size = used;
            if (fd > 0)
                close(fd);
            return text;
        }
    }
    if (fd > 0)
        close(fd);
    memory_free(text);
    return NULL;
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
    return memchr(p, '\n', (size_t)(r->end - p) + 1);
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
    while (n < 31 && (*r->p == '_' || (*r->p >= 'a' && *r->p <= 'z') || (*r->p >= 'A' && *r->p <= 'Z') || (n && *r->p >= '0' && *r->p <= '9')))
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
        if (number_read(p, &end, &row[k]) != NUMBER_OK || (*end != ' ' && *end != '\n' && *end != '\t' && *end != '\r'))
            return NULL;
        p = end;
    }
    p = skip_blanks(p);
    return *p == '\n' ? p + 1 : NULL;
}

struct rows {
    const char **start; /* rows */
    int64_t rows, columns;
    double *(*place)(void *context, int64_t i);
    void *context;
    _Atomic int64_t bad; /* the first row that is malformed; rows: none */
};

static void parse_task(void *argument, int64_t task)
{
    struct rows *rows = argument;
    int64_t last = (task + 1) * ROWS_PER_TASK < rows->rows ? (task + 1) * ROWS_PER_TASK : rows->rows;
    for (int64_t i = task * ROWS_PER_TASK; i < last; i++)
        if (!parse_row(rows->start[i], rows->columns, rows->place(rows->context, i))) {
            int64_t bad = atomic_load(&rows->bad);
            while (i < bad && !atomic_compare_exchange_weak(&rows->bad, &bad, i))
                ;
            return;
        }
}

/* Parse `rows` lines from r->p on, all threads at once; r moves behind them. */
static int parse_rows(struct reader *r, int64_t rows, int64_t columns, double *(*place)(void *, int64_t), void *context)
{
    struct rows all = {.rows = rows, .columns = columns, .place = place, .context = context, .bad = rows};
    all.start = memory_new(rows, sizeof *all.start, r->err);
    if (!all.start)
        return -1;
    int64_t first = r->line;
    for (int64_t i = 0; i < rows; i++) {
        all.start[i] = r->p;
        if (line_end(r, r->p) == r->end) { /* no newline of the file's own: it is cut, perhaps within a number */
            refuse(r, "the file ends in the middle of a block of numbers");
            memory_free(all.start);
            return -1;
        }
        next_line(r);
    }
    parallel_for(r->threads, (rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK, parse_task, &all);
    memory_free(all.start);
    if (all.bad < rows)
        return error_at(r->err, r->model->file, first + all.bad, 0, "a row of %lld finite numbers was expected", (long long)columns);
    return 0;
}

static double *place_in_weights(void *context, int64_t i)
{
    struct weights *w = context;
    return w->w + (i + 1 < w->rows ? i + 1 : 0) * w->stride; /* the bias comes last in the file and is row 0 here */
}

static double *place_in_block(void *context, int64_t i)
{
    struct model_block *block = context;
    return block->number + i * block->columns;
}

static int read_head(struct reader *r)
{
    static const char *const solvers[] = {"L2R_LR",          "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
                                          "MCSVM_CS",        "L1R_L2LOSS_SVC",      "L1R_LR",         "L2R_LR_DUAL"};
    struct model *m = r->model;
    int64_t features = -1;
    m->bias = -1;
    for (;;) {
        char keyword[32];
        if (r->p >= r->end)
            return refuse(r, "this is no linear model: it ends before the weights");
        if (read_keyword(r, keyword) != 0)
            return -1;
        const char *p = r->p;
        if (strcmp(keyword, "solver_type") == 0) {
            size_t length = strcspn(p, " \r\n");
            for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
                if (length == strlen(solvers[i]) && memcmp(p, solvers[i], length) == 0)
                    memcpy(m->solver, solvers[i], length);
            if (!m->solver[0])
                return refuse(r, "a solver_type that is no classifier");
        } else if (strcmp(keyword, "nr_class") == 0) {
            if (number_read_int(p, &p, 1, r->end - p, &m->classes) != NUMBER_OK)
                return refuse(r, "nr_class must be a number that the file has room for");
        } else if (strcmp(keyword, "label") == 0) {
            if (m->label || m->classes == 0)
                return refuse(r, "label must come once and behind nr_class");
            m->label = memory_new(m->classes, sizeof *m->label, r->err);
            if (!m->label)
                return -1;
            struct labels seen = {0};
            int status = 0;
            for (int64_t k = 0; k < m->classes && status == 0; k++) {
                int64_t label;
                p = skip_blanks(p);
                if (number_read_int(p, &p, INT32_MIN, INT32_MAX, &label) != NUMBER_OK)
                    status = refuse(r, "fewer labels than nr_class says");
                else if ((status = labels_add(&seen, (int32_t)label, r->err)) == 0)
                    m->label[k] = (int32_t)label;
            }
            if (status == 0 && seen.count < m->classes)
                status = refuse(r, "a label stands there twice");
            labels_free(&seen);
            if (status != 0)
                return -1;
        } else if (strcmp(keyword, "nr_feature") == 0) {
            if (number_read_int(p, &p, 0, INT32_MAX, &features) != NUMBER_OK)
                return refuse(r, "nr_feature must be in 0 .. 2147483647");
        } else if (strcmp(keyword, "bias") == 0) {
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

/* Of two classes with a vector each, LIBLINEAR's programs look at the sign of the first score only; the second is its mirror image. */
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
    if ((double)rows * (double)columns * 2 > (double)(r->end - r->p) + 1)
        return error_at(r->err, m->file, r->line, 0, "the head promises %lld x %lld weights: more than the file holds", (long long)rows,
                        (long long)columns);
    m->w = weights_make(columns, 0);
    if (weights_grow(&m->w, m->d, r->err) != 0)
        return -1;
    if (parse_rows(r, rows, columns, place_in_weights, &m->w) != 0)
        return -1;
    return m->classes == 2 && columns == 2 ? keep_first_column(&m->w, m->d, r->err) : 0;
}

/* Does the line at p begin like a row of numbers? */
static int starts_row(const char *p)
{
    p = skip_blanks(p);
    return (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.';
}

static int read_block(struct reader *r, const char *keyword, int64_t line)
{
    struct model *m = r->model;
    struct model_block *block = memory_reserve(m->block, &m->blocks_capacity, m->blocks + 1, sizeof *block, r->err);
    if (!block)
        return -1;
    m->block = block;
    block += m->blocks;
    *block = (struct model_block){.line = line};
    memcpy(block->keyword, keyword, sizeof block->keyword);
    struct reader ahead = *r;
    while (ahead.p < ahead.end && starts_row(ahead.p)) {
        block->rows++;
        next_line(&ahead);
    }
    for (const char *p = skip_blanks(r->p); block->rows > 0 && *p != '\n'; p = skip_blanks(p)) {
        block->columns++;
        while (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
            p++;
    }
    if ((double)block->rows * (double)block->columns * 2 > (double)(r->end - r->p) + 1)
        return refuse(r, "the rows of a block differ in length");
    block->number = memory_new(block->rows * block->columns, sizeof(double), r->err);
    if (!block->number)
        return -1;
    m->blocks++;
    return parse_rows(r, block->rows, block->columns, place_in_block, block);
}

static int read_trailer(struct reader *r)
{
    struct model *m = r->model;
    if (*skip_blanks(r->p) == '\n' && skip_blanks(r->p) >= r->end - 1)
        return 0; /* LIBLINEAR's own */
    if (r->p >= r->end)
        return 0;
    char keyword[32];
    if (read_keyword(r, keyword) != 0)
        return -1;
    if (strcmp(keyword, "libdoubt") != 0)
        return refuse(r, "`libdoubt 1` was expected behind the weights");
    if (*r->p != '1' || *skip_blanks(r->p + 1) != '\n')
        return refuse(r, "written by a newer version: its trailer is not `libdoubt 1`");
    next_line(r);
    for (;;) {
        if (r->p >= r->end)
            return refuse(r, "the model is cut short: no `end`");
        int64_t line = r->line;
        if (read_keyword(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "end") == 0) {
            next_line(r);
            return r->p < r->end ? refuse(r, "unexpected text behind `end`") : 0;
        }
        if (*r->p == '\n') {
            next_line(r);
            if (read_block(r, keyword, line) != 0)
                return -1;
            continue;
        }
        struct model_entry *entry = memory_reserve(m->entry, &m->entries_capacity, m->entries + 1, sizeof *entry, r->err);
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

int model_read(const char *path, int threads, struct model *model, struct error *err)
{
    int64_t size;
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    char *text = read_all(path, model->file, &size, err);
    if (!text)
        return -1;
    struct reader r = {.model = model, .p = text, .end = text + size, .line = 1, .threads = threads, .err = err};
    int status = read_head(&r) || read_weights(&r) || read_trailer(&r) ? -1 : 0;
    memory_free(text);
    if (status != 0)
        model_free(model);
    return status;
}

static const struct model_entry *find_entry(const struct model *model, const char *keyword, struct error *err)
{
    for (int64_t i = 0; i < model->entries; i++)
        if (strcmp(model->entry[i].keyword, keyword) == 0)
            return &model->entry[i];
    if (model->entries == 0)
        error_at(err, model->file, 0, 0, "there is no LIBDOUBT trailer in this model: it can be predicted with, not gone on from");
    else
        error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

static int refuse_entry(const struct model *model, const struct model_entry *entry, struct error *err)
{
    return error_at(err, model->file, entry->line, 0, "the value of `%s` is malformed or out of range", entry->keyword);
}

int model_word(const struct model *model, const char *keyword, const char **word, struct error *err)
{
    const struct model_entry *entry = find_entry(model, keyword, err);
    if (!entry)
        return -1;
    *word = entry->text;
    return 0;
}

int model_int(const struct model *model, const char *keyword, int64_t lowest, int64_t highest, int64_t *value, struct error *err)
{
    const struct model_entry *entry = find_entry(model, keyword, err);
    if (!entry)
        return -1;
    return number_int_from_word(entry->text, lowest, highest, value) == 0 ? 0 : refuse_entry(model, entry, err);
}

int model_number(const struct model *model, const char *keyword, double lowest, double highest, double *value, struct error *err)
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

const struct model_block *model_find_block(const struct model *model, const char *keyword, int64_t rows, int64_t columns,
                                           struct error *err)
{
    for (int64_t i = 0; i < model->blocks; i++) {
        const struct model_block *block = &model->block[i];
        if (strcmp(block->keyword, keyword) != 0)
            continue;
        if (block->rows == rows && (block->columns == columns || rows == 0))
            return block;
        error_at(err, model->file, block->line, 0, "`%s` has %lld x %lld numbers, not %lld x %lld", keyword, (long long)block->rows,
                 (long long)block->columns, (long long)rows, (long long)columns);
        return NULL;
    }
    error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

int model_read_table(const struct model *model, const char *keyword, struct weights *table, struct error *err)
{
    int64_t rows = model->d + (model->bias >= 0);
    const struct model_block *block = model_find_block(model, keyword, rows, table->columns, err);
    if (!block || weights_grow(table, model->d, err) != 0)
        return -1;
    for (int64_t i = 0; i < rows; i++)
        memcpy(place_in_weights(table, i), block->number + i * block->columns, (size_t)block->columns * sizeof(double));
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
