/* Reading linear models.
 *
 * The text is read through a window of whole lines, so that a model of gigabytes takes no more
 * memory than its numbers; a pipe, whose size is unknown, is read whole.  The rows of numbers,
 * which are nearly all of a file, are found by their newlines and parsed on several threads.  What
 * a head promises (classes, features, columns) is compared with the bytes that are left before
 * anything is allocated for it: a malformed file must not exhaust the memory. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"
#include "common/model/model.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* No reason for these but that they work. */
    WINDOW = 4 << 20,       /* bytes */
    ROWS_AT_ONCE = 1 << 16, /* rows whose starts are found before they are parsed */
    ROWS_PER_TASK = 64,

    /* Bounds the search for a keyword that comes twice; the trailers that we write have at most
     * 25. */
    MOST_KEYWORDS = 256
};

/* The block that prediction needs too. */
static const char model_scales[] = "map_scales";

struct model_reader {
    struct model *model;
    int fd;
    char *text; /* the window; NUMBER_PAD bytes may be read after it */
    int64_t capacity;
    const char *p, *end; /* the lines not yet used; each ends with a '\n' */
    int64_t held;        /* bytes after end: the first part of a line */
    double left;         /* bytes of the file that have not been read; < 0: unknown (a pipe) */
    bool at_end;         /* the window holds the end of the file ... */
    bool cut;            /* ... and its last line had no newline: one was added */
    int64_t line;        /* number of the line at p, 1-based */
    int threads;
    bool keep_state; /* keep the blocks of the trailer, not only check them */
    struct error *err;
};

/* Read until the window holds `wanted` bytes, or the end of the file; it holds *used, which is
 * moved.  0 or -1. */
static int model_fill(struct model_reader *r, int64_t wanted, int64_t *used)
{
    char *text = memory_reserve(r->text, &r->capacity, wanted + 1 + NUMBER_PAD, 1, r->err);
    if (!text)
        return -1;
    r->text = text;
    const int64_t before = *used;
    const int full = input_fill(r->fd, r->text, used, wanted);
    if (full < 0)
        return error_system(r->err, r->model->file);
    r->at_end = full == 0;
    if (r->left >= 0)
        r->left -= (double)(*used - before);
    return 0;
}

/* Make sure that there is a line at r->p; the window is filled anew when all its lines are used. 1;
 * 0: the end of the file; -1: err.  (An empty file, where left = 0, may be asked for one window
 * more, which is empty too.) */
static int model_load(struct model_reader *r)
{
    if (r->p < r->end)
        return 1;
    if (r->at_end)
        return 0;
    int64_t used = r->held, wanted = WINDOW, lines = 0; /* lines: bytes of whole lines */
    const double rest = (double)used + r->left + 1;     /* 1 more, to see the end of the file */
    if (r->left >= 0 && rest < WINDOW)
        wanted = (int64_t)rest;
    if (used > 0)
        memmove(r->text, r->end, (size_t)used);
    while (!r->at_end && lines == 0) {
        if (model_fill(r, wanted, &used) != 0)
            return -1;
        wanted = used * 2; /* for a line longer than the window, and for a pipe */
        if (r->left < 0)
            continue;
        lines = used;
        while (lines > 0 && r->text[lines - 1] != '\n')
            lines--;
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
    assert(lines == 0 || r->end[-1] == '\n');
    return lines > 0;
}

/* Bytes of the file that are not used yet; for a pipe, those that have been read. */
static double model_remaining(const struct model_reader *r)
{
    return (double)(r->end - r->p) + (double)r->held + (r->left > 0 ? r->left : 0);
}

/* Fill err with a reason and the current line.  Returns -1. */
static int model_refuse(const struct model_reader *r, const char *reason)
{
    return error_at(r->err, r->model->file, r->line, 0, "%s", reason);
}

static const char *model_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* The newline of the line that p is in. */
static const char *model_line_end(const struct model_reader *r, const char *p)
{
    return memchr(p, '\n', (size_t)(r->end - p));
}

static void model_next_line(struct model_reader *r)
{
    r->p = model_line_end(r, r->p) + 1;
    r->line++;
}

/* The keyword at r->p, which is moved after it and the blanks that follow.  0 or -1, as all readers
 * below. */
static int model_read_keyword(struct model_reader *r, char word[32])
{
    int n = 0;
    r->p = model_skip_blanks(r->p);
    while (n < 31
           && (*r->p == '_' || (*r->p >= 'a' && *r->p <= 'z') || (*r->p >= 'A' && *r->p <= 'Z')
               || (n && *r->p >= '0' && *r->p <= '9')))
        word[n++] = *r->p++;
    word[n] = '\0';
    if (n == 0 || (*r->p != ' ' && *r->p != '\n' && *r->p != '\r'))
        return model_refuse(r, r->line == 1 ? "this is no model: it begins with no keyword"
                                            : "a keyword was expected");
    r->p = model_skip_blanks(r->p);
    return 0;
}

/* Read a row of `columns` numbers at p.  Returns the place after its newline, or NULL. */
static const char *model_parse_row(const char *p, int64_t columns, double *row)
{
    for (int64_t k = 0; k < columns; k++) {
        p = model_skip_blanks(p);
        const char *end;
        if (number_read(p, &end, &row[k]) != NUMBER_OK
            || (*end != ' ' && *end != '\n' && *end != '\t' && *end != '\r'))
            return NULL;
        p = end;
    }
    p = model_skip_blanks(p);
    return *p == '\n' ? p + 1 : NULL;
}

/* Does the line at p start like a row of numbers? */
static bool model_starts_row(const char *p)
{
    p = model_skip_blanks(p);
    return (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.';
}

/* Rows first .. first + count - 1 of a block of numbers. */
struct model_rows {
    const char **start; /* count: where the text of each is */
    int64_t first, count, columns;
    double *(*place)(void *context, int64_t i); /* where the numbers of row i go */
    void *context;
    _Atomic int64_t bad; /* out: the first of these rows that is malformed; count: none */
};

/* Parse the rows of a task, up to the first malformed one. */
static void model_parse_task(void *argument, int64_t task)
{
    struct model_rows *rows = argument;
    int64_t last = (task + 1) * ROWS_PER_TASK < rows->count ? (task + 1) * ROWS_PER_TASK
                                                            : rows->count;
    for (int64_t i = task * ROWS_PER_TASK; i < last; i++)
        if (!model_parse_row(rows->start[i], rows->columns,
                             rows->place(rows->context, rows->first + i))) {
            int64_t bad = atomic_load(&rows->bad); /* becomes i where that is less */
            while (i < bad && !atomic_compare_exchange_weak(&rows->bad, &bad, i))
                ;
            return;
        }
}

/* The rows that are taken at once, of `most`. */
static int64_t model_rows_at_once(int64_t most)
{
    return most < ROWS_AT_ONCE ? most : ROWS_AT_ONCE;
}

/* Take up to `most` lines of the window into start, and move r after them.  all: whatever they look
 * like; else only up to the first that does not start like a row.  Returns how many, or -1 when the
 * file ends within the last one. */
static int64_t model_take_rows(struct model_reader *r, int64_t most, bool all, const char **start)
{
    int64_t n = 0;
    while (n < most && r->p < r->end) {
        if (!all && !model_starts_row(r->p))
            break;
        start[n++] = r->p;
        model_next_line(r);
    }
    if (n > 0 && r->p == r->end && r->at_end && r->cut) {
        r->line--;
        return model_refuse(r, "the file ends in the middle of a block of numbers");
    }
    return n;
}

/* Parse the rows that were taken, on all threads. */
static int model_parse_rows(struct model_reader *r, struct model_rows *rows)
{
    rows->bad = rows->count;
    parallel_for(r->threads, parallel_parts(rows->count, ROWS_PER_TASK), model_parse_task, rows);
    if (rows->bad < rows->count)
        return error_at(r->err, r->model->file, r->line - rows->count + rows->bad, 0,
                        "a row of %lld finite numbers was expected", (long long)rows->columns);
    return 0;
}

static double *model_place_in_weights(void *context, int64_t i)
{
    struct weights *w = context;
    return w->w + weights_feature_at(i, w->rows) * w->stride;
}

static double *model_place_in_block(void *context, int64_t i)
{
    struct model_block *block = context;
    return block->number + i * block->columns;
}

/* The keyword has come before.  Returns -1. */
static int model_refuse_again(const struct model_reader *r, const char *keyword)
{
    return error_at(r->err, r->model->file, r->line, 0, "`%s` comes twice", keyword);
}

/* The value of solver_type; the rest of its line is ignored. */
static int model_read_solver(struct model_reader *r)
{
    static const char *const solvers[] = {
        "L2R_LR",   "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
        "MCSVM_CS", "L1R_L2LOSS_SVC",      "L1R_LR",         "L2R_LR_DUAL"};
    struct model *m = r->model;
    if (m->solver[0])
        return model_refuse_again(r, "solver_type");
    const size_t length = strcspn(r->p, " \r\n");
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (length == strlen(solvers[i]) && memcmp(r->p, solvers[i], length) == 0)
            memcpy(m->solver, solvers[i], length);
    if (!m->solver[0])
        return model_refuse(r, "the solver_type is not a classifier");
    r->p = model_line_end(r, r->p);
    return 0;
}

/* The kind of the map. */
static int model_read_map_kind(struct model_reader *r)
{
    struct feature_map *map = &r->model->map;
    if (map->kind != FEATURE_MAP_NONE)
        return model_refuse_again(r, "map");
    const size_t length = strcspn(r->p, " \r\n");
    for (int64_t kind = FEATURE_MAP_NYSTROM; feature_map_names[kind]; kind++)
        if (length == strlen(feature_map_names[kind])
            && memcmp(r->p, feature_map_names[kind], length) == 0)
            map->kind = kind;
    if (map->kind == FEATURE_MAP_NONE)
        return model_refuse(r, "the map is neither nystrom nor fourier");
    r->p += length;
    return 0;
}

/* The labels, as many as nr_class has said, each once. */
static int model_read_labels(struct model_reader *r)
{
    struct model *m = r->model;
    if (m->label || m->classes == 0)
        return model_refuse(r, "label must come once, after nr_class");
    m->label = memory_new(m->classes, sizeof *m->label, r->err);
    if (!m->label)
        return -1;
    int status = -1;
    struct labels seen = {0};
    for (int64_t k = 0; k < m->classes; k++) {
        int64_t label;
        r->p = model_skip_blanks(r->p);
        if (number_read_int(r->p, &r->p, INT32_MIN, INT32_MAX, &label) != NUMBER_OK) {
            model_refuse(r, "fewer labels than nr_class says");
            goto done;
        }
        if (labels_add(&seen, (int32_t)label, r->err) != 0)
            goto done;
        m->label[k] = (int32_t)label;
    }
    if (seen.count < m->classes) {
        model_refuse(r, "a label appears twice");
        goto done;
    }
    status = 0;
done:
    labels_free(&seen);
    return status;
}

/* What a head has said so far, besides what is in the model. */
struct model_head {
    int64_t features; /* -1: nothing yet */
    bool has_bias;
};

/* The value of a keyword of the head, r->p being its start; r->p is moved after it. */
static int model_read_value(struct model_reader *r, const char *keyword, struct model_head *head)
{
    struct model *m = r->model;
    if (strcmp(keyword, "solver_type") == 0)
        return model_read_solver(r);
    if (strcmp(keyword, "nr_class") == 0) {
        if (m->classes > 0)
            return model_refuse_again(r, keyword);
        const int64_t most = (int64_t)model_remaining(r); /* each label takes a byte or more */
        if (number_read_int(r->p, &r->p, 1, most, &m->classes) != NUMBER_OK)
            return model_refuse(r, "nr_class must be a number of labels that the file can hold");
        return 0;
    }
    if (strcmp(keyword, "label") == 0)
        return model_read_labels(r);
    if (strcmp(keyword, "nr_feature") == 0) {
        if (head->features >= 0)
            return model_refuse_again(r, keyword);
        if (number_read_int(r->p, &r->p, 0, INT32_MAX, &head->features) != NUMBER_OK)
            return model_refuse(r, "nr_feature must be in 0 .. 2147483647");
        return 0;
    }
    if (strcmp(keyword, "bias") == 0) {
        if (head->has_bias)
            return model_refuse_again(r, keyword);
        head->has_bias = true;
        if (number_read(r->p, &r->p, &m->bias) != NUMBER_OK)
            return model_refuse(r, "bias must be a finite number");
        if (m->bias < 0)
            m->bias = -1;
        return 0;
    }
    if (strcmp(keyword, "map") == 0)
        return model_read_map_kind(r);
    if (strcmp(keyword, "svm_type") == 0)
        return model_refuse(r, "this is a kernel model; a linear one was expected (musvm-predict "
                               "or svm-predict may read it, from a file)");
    return model_refuse(r, "an unknown keyword before w");
}

/* The head, up to and including the line `w`: keywords in any order, each once, but nr_class before
 * the labels that it counts. */
static int model_read_head(struct model_reader *r)
{
    struct model *m = r->model;
    struct model_head head = {.features = -1};
    m->bias = -1;
    for (;;) {
        char keyword[32];
        const int status = model_load(r);
        if (status < 0)
            return -1;
        if (status == 0)
            return model_refuse(r, "this is not a linear model: it ends before the weights");
        if (model_read_keyword(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "w") == 0)
            break;
        if (model_read_value(r, keyword, &head) != 0)
            return -1;
        if (*model_skip_blanks(r->p) != '\n')
            return model_refuse(r, "unexpected characters after the value");
        model_next_line(r);
    }
    if (!m->solver[0] || m->classes == 0 || !m->label || head.features < 0)
        return model_refuse(r, "solver_type, nr_class, label and nr_feature must come before w");
    m->d = head.features;
    model_next_line(r);
    return 0;
}

/* For two classes with a column each, LIBLINEAR's programs use the sign of the first score only;
 * the second column is its negative. */
static int model_keep_first_column(struct weights *w, int64_t d, struct error *err)
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

/* The rows of w. */
static int model_read_weights(struct model_reader *r)
{
    struct model *m = r->model;
    int64_t columns = m->classes == 2 && strcmp(m->solver, "MCSVM_CS") != 0 ? 1 : m->classes;
    int64_t rows = m->d + (m->bias >= 0);
    if (model_load(r) < 0)
        return -1;
    if ((double)rows * (double)columns * 2 > model_remaining(r))
        return error_at(r->err, m->file, r->line, 0,
                        "the header promises %lld x %lld weights: more than the file can hold",
                        (long long)rows, (long long)columns);
    m->w = weights_make(columns, 0);
    if (weights_grow(&m->w, m->d, r->err) != 0)
        return -1;
    struct model_rows part = {
        .columns = columns, .place = model_place_in_weights, .context = &m->w};
    part.start = memory_new(model_rows_at_once(rows), sizeof *part.start, r->err);
    if (!part.start)
        return -1;
    int status = -1;
    for (; part.first < rows; part.first += part.count) {
        const int loaded = model_load(r);
        if (loaded == 0)
            model_refuse(r, "the file ends in the middle of a block of numbers");
        if (loaded <= 0)
            goto done;
        part.count = model_take_rows(r, model_rows_at_once(rows - part.first), true, part.start);
        if (part.count < 0 || model_parse_rows(r, &part) != 0)
            goto done;
    }
    status = 0;
    if (m->classes == 2 && columns == 2)
        status = model_keep_first_column(&m->w, m->d, r->err);
done:
    memory_free(part.start);
    return status;
}

/* How many numbers the row at p has. */
static int64_t model_count_columns(const char *p)
{
    int64_t columns = 0;
    for (p = model_skip_blanks(p); *p != '\n'; p = model_skip_blanks(p)) {
        columns++;
        while (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
            p++;
    }
    return columns;
}

/* Read some rows of a block: as many as the window has, or `most`.  part: the block's.  capacity:
 * of its numbers. */
static int model_read_some_rows(struct model_reader *r, struct model_block *block,
                                struct model_rows *part, int64_t most, int64_t *capacity)
{
    const char *before = r->p;
    if (block->rows == 0)
        block->columns = part->columns = model_count_columns(r->p);
    part->count = model_take_rows(r, most, false, part->start);
    if (part->count < 0)
        return -1;
    /* A number takes at least two bytes: this bounds what is allocated. */
    if ((double)part->count * (double)part->columns * 2 > (double)(r->p - before)) {
        r->line -= part->count;
        return model_refuse(r, "the rows of a block differ in length");
    }
    part->first = block->kept ? block->rows : 0;
    double *number = memory_reserve(block->number, capacity,
                                    (part->first + part->count) * part->columns, sizeof *number,
                                    r->err);
    if (!number)
        return -1;
    block->number = number;
    block->rows += part->count;
    return model_parse_rows(r, part);
}

/* A block of the trailer, from the line after its keyword on; it ends before a line that does not
 * start like a row.  line: of the keyword. */
static int model_read_block(struct model_reader *r, const char *keyword, int64_t line)
{
    struct model *m = r->model;
    struct model_block *block = memory_reserve(m->block, &m->blocks_capacity, m->blocks + 1,
                                               sizeof *block, r->err);
    if (!block)
        return -1;
    m->block = block;
    block += m->blocks++;
    *block = (struct model_block){.line = line,
                                  .kept = r->keep_state || strcmp(keyword, model_scales) == 0};
    memcpy(block->keyword, keyword, sizeof block->keyword);
    struct model_rows part = {.place = model_place_in_block, .context = block};
    /* A row has at least two bytes. */
    const int64_t most = model_rows_at_once((int64_t)(model_remaining(r) / 2) + 1);
    int64_t capacity = 0;
    part.start = memory_new(most, sizeof *part.start, r->err);
    if (!part.start)
        return -1;
    int status;
    while ((status = model_load(r)) > 0) {
        if (!model_starts_row(r->p))
            break;
        status = model_read_some_rows(r, block, &part, most, &capacity);
        if (status != 0)
            break;
    }
    memory_free(part.start);
    return status < 0 ? -1 : 0;
}

/* Refuse a keyword of the trailer that has come before. */
static int model_check_new(const struct model_reader *r, const char *keyword)
{
    const struct model *m = r->model;
    if (m->entries + m->blocks >= MOST_KEYWORDS)
        return model_refuse(r, "too many keywords");
    for (int64_t i = 0; i < m->entries; i++)
        if (strcmp(m->entry[i].keyword, keyword) == 0)
            return model_refuse_again(r, keyword);
    for (int64_t i = 0; i < m->blocks; i++)
        if (strcmp(m->block[i].keyword, keyword) == 0)
            return model_refuse_again(r, keyword);
    return 0;
}

/* An entry of the trailer, from its value on; r moves to the next line.  line: its own. */
static int model_read_entry(struct model_reader *r, const char *keyword, int64_t line)
{
    struct model *m = r->model;
    struct model_entry *entry = memory_reserve(m->entry, &m->entries_capacity, m->entries + 1,
                                               sizeof *entry, r->err);
    if (!entry)
        return -1;
    m->entry = entry;
    entry += m->entries;
    int64_t length = model_line_end(r, r->p) - r->p;
    while (length > 0 && (r->p[length - 1] == '\r' || r->p[length - 1] == ' '))
        length--;
    entry->text = memory_new(length + 1, 1, r->err);
    if (!entry->text)
        return -1;
    memcpy(entry->text, r->p, (size_t)length);
    memcpy(entry->keyword, keyword, sizeof entry->keyword);
    entry->line = line;
    m->entries++;
    model_next_line(r);
    return 0;
}

/* Take up to `most` lines of the window.  Returns the place after them; r moves there. */
static const char *model_take_lines(struct model_reader *r, int64_t most, int64_t *taken)
{
    for (*taken = 0; *taken < most && r->p < r->end; ++*taken)
        model_next_line(r);
    return r->p;
}

/* The landmarks, from their count on: so many lines of index:value pairs, none of them empty. */
static int model_read_landmarks(struct model_reader *r)
{
    static const struct example_format format = {.no_label = true, .bias = -1};
    struct problem *landmarks = &r->model->map.landmarks;
    const int64_t first = r->line; /* line 0 of the landmarks */
    int64_t count;
    if (r->model->map.kind != FEATURE_MAP_NYSTROM)
        return model_refuse(r, "landmarks without a first line `map nystrom`");
    if (landmarks->lines > 0)
        return model_refuse_again(r, "landmarks");
    if (number_read_int(r->p, &r->p, 1, FEATURE_MAP_MOST_LANDMARKS, &count) != NUMBER_OK
        || *model_skip_blanks(r->p) != '\n' || count != r->model->d)
        return model_refuse(r, "as many landmarks as features were expected, 10000 at most");
    model_next_line(r);
    while (landmarks->lines < count) {
        const int status = model_load(r);
        if (status < 0)
            return -1;
        if (status == 0)
            return model_refuse(r, "the model is cut short: fewer landmarks than it says");
        int64_t taken;
        struct error why = {0};
        const char *text = r->p, *end = model_take_lines(r, count - landmarks->lines, &taken);
        if (problem_append_text(landmarks, text, end, &format, &why) != 0)
            return error_at(r->err, r->model->file, why.line > 0 ? first + why.line : 0, why.column,
                            "%s", why.message);
    }
    if (landmarks->n == count)
        return 0;
    return error_at(r->err, r->model->file, first, 0, "a line of the landmarks has no entry");
}

/* Give the map the factors of the data's features, if the trailer has any.  0 or -1. */
static int model_give_scales(struct model *m, struct error *err)
{
    for (int64_t b = 0; b < m->blocks; b++) {
        const struct model_block *block = &m->block[b];
        if (strcmp(block->keyword, model_scales) != 0)
            continue;
        if (m->map.kind != FEATURE_MAP_NYSTROM || block->rows == 0 || block->columns != 1)
            return error_at(err, m->file, block->line, 0,
                            "a number a line was expected, below a first line `map nystrom`");
        return feature_map_scale(&m->map, block->number, block->rows, err);
    }
    return 0;
}

/* Has the file all that its map needs? */
static int model_check_map(struct model_reader *r)
{
    struct model *m = r->model;
    int64_t dims = 0, seed = 0;
    double gamma = 0;
    const int64_t kind = m->map.kind;
    if (kind == FEATURE_MAP_NONE)
        return model_give_scales(m, r->err);
    if (model_int(m, "map_dims", 1, FEATURE_MAP_MOST_DIMS, &dims, r->err) != 0
        || model_number(m, "map_gamma", FEATURE_MAP_LEAST_GAMMA, FEATURE_MAP_MOST_GAMMA, &gamma,
                        r->err)
               != 0
        || (kind == FEATURE_MAP_FOURIER
            && model_int(m, "map_seed", 0, INT64_C(1) << 53, &seed, r->err) != 0))
        return -1;
    if (dims != m->d)
        return error_at(r->err, m->file, 0, 0, "map_dims is not nr_feature");
    if (kind == FEATURE_MAP_NYSTROM && m->map.landmarks.n == 0)
        return error_at(r->err, m->file, 0, 0, "the trailer has no `landmarks`");
    const struct problem landmarks = m->map.landmarks;
    m->map = feature_map_make(kind, dims, gamma, seed);
    m->map.landmarks = landmarks;
    return model_give_scales(m, r->err);
}

/* Everything after the weights, to the end of the file. */
static int model_read_trailer(struct model_reader *r)
{
    int status;
    while ((status = model_load(r)) > 0 && *model_skip_blanks(r->p) == '\n')
        model_next_line(r);
    if (status <= 0)
        return status; /* at the end: a model of LIBLINEAR's own */
    char keyword[32];
    if (model_read_keyword(r, keyword) != 0)
        return -1;
    if (strcmp(keyword, "libdoubt") != 0)
        return model_refuse(r, "`libdoubt 1` was expected after the weights");
    if (*r->p != '1' || *model_skip_blanks(r->p + 1) != '\n')
        return model_refuse(r, "written by a newer version: its trailer is not `libdoubt 1`");
    model_next_line(r);
    for (;;) {
        status = model_load(r);
        if (status < 0)
            return -1;
        if (status == 0)
            return model_refuse(r, "the model is cut short: no `end`");
        const int64_t line = r->line;
        if (model_read_keyword(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "end") == 0)
            break;
        if (model_check_new(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "landmarks") == 0) {
            status = model_read_landmarks(r);
        } else if (*r->p == '\n') {
            model_next_line(r);
            status = model_read_block(r, keyword, line);
        } else {
            status = model_read_entry(r, keyword, line);
        }
        if (status != 0)
            return -1;
    }
    model_next_line(r);
    status = model_load(r);
    return status > 0 ? model_refuse(r, "unexpected text after `end`") : status;
}

int model_read(const char *path, int threads, bool keep_state, struct model *model,
               struct error *err)
{
    struct stat st;
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    struct model_reader r = {
        .model = model, .line = 1, .threads = threads, .keep_state = keep_state, .err = err};
    r.fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    if (r.fd < 0)
        return error_system(err, model->file);
    r.left = fstat(r.fd, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : -1;
    int status = model_read_head(&r);
    if (status == 0)
        status = model_read_weights(&r);
    if (status == 0)
        status = model_read_trailer(&r);
    if (status == 0)
        status = model_check_map(&r);
    if (r.fd > 0)
        close(r.fd);
    memory_free(r.text);
    if (status != 0)
        model_free(model);
    return status;
}
