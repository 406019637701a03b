/* The trailer of a model: entries, blocks of numbers, landmarks; and the map that they make. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/model/model_reader_state.h"

#include <string.h>

/* Bounds the search for a keyword that comes twice; the trailers that we write have at most 25. */
enum { MODEL_MOST_KEYWORDS = 256 };

/* The block that prediction needs too. */
static const char model_scales[] = "map_scales";

/* ---- blocks and entries ---- */

static double *model_place_in_block(void *context, int64_t i)
{
    struct model_block *block = context;
    return block->number + i * block->columns;
}

/* How many numbers the row at p has. */
static int64_t model_count_columns(const char *p)
{
    int64_t columns = 0;
    for (p = number_skip_blanks(p); *p != '\n'; p = number_skip_blanks(p)) {
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
    if (m->entries + m->blocks >= MODEL_MOST_KEYWORDS)
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

/* ---- the map ---- */

/* Take up to `most` lines of the window.  Returns the place after them; r moves there. */
static const char *model_take_lines(struct model_reader *r, int64_t most, int64_t *taken)
{
    for (*taken = 0; *taken < most && r->p < r->end; ++*taken)
        model_next_line(r);
    return r->p;
}

/* A list of index:value pairs, from the count of its lines on: so many lines, none of them empty.
 *
 * what         it is a list of
 * least, most  lines
 * wrong        what is said of another count
 * list         out, empty before; free also after an error
 * 0 or -1. */
static int model_read_list(struct model_reader *r, const char *what, int64_t least, int64_t most,
                           const char *wrong, struct problem *list)
{
    static const struct example_format format = {.no_label = true, .bias = -1};
    const int64_t first = r->line; /* line 0 of the list */
    int64_t count;
    if (number_read_int(r->p, &r->p, least, most, &count) != NUMBER_OK
        || *number_skip_blanks(r->p) != '\n')
        return model_refuse(r, wrong);
    model_next_line(r);
    while (list->lines < count) {
        const int status = model_load(r);
        if (status < 0)
            return -1;
        if (status == 0)
            return error_at(r->err, r->model->file, r->line, 0,
                            "the model is cut short: fewer %s than it says", what);
        int64_t taken;
        struct error why = {0};
        const char *text = r->p, *end = model_take_lines(r, count - list->lines, &taken);
        if (problem_append_text(list, text, end, &format, &why) != 0)
            return error_at(r->err, r->model->file, why.line > 0 ? first + why.line : 0, why.column,
                            "%s", why.message);
    }
    if (list->n == count)
        return 0;
    return error_at(r->err, r->model->file, first, 0, "a line of the %s has no entry", what);
}

static int model_read_landmarks(struct model_reader *r)
{
    struct problem *landmarks = &r->model->map.landmarks;
    const int64_t d = r->model->d;
    if (r->model->map.kind != FEATURE_MAP_NYSTROM)
        return model_refuse(r, "landmarks without a first line `map nystrom`");
    if (landmarks->lines > 0)
        return model_refuse_again(r, "landmarks");
    return model_read_list(r, "landmarks", d, order_least(d, FEATURE_MAP_MOST_LANDMARKS),
                           "as many landmarks as features were expected, 10000 at most", landmarks);
}

/* The rows of L: of d features, the first j in row j. */
static int model_read_metric(struct model_reader *r)
{
    struct feature_metric *metric = &r->model->map.metric;
    const int64_t first = r->line;
    struct problem rows = {0};
    int status = -1;
    if (r->model->map.kind != FEATURE_MAP_NYSTROM)
        return model_refuse(r, "map_metric without a first line `map nystrom`");
    if (metric->d > 0)
        return model_refuse_again(r, "map_metric");
    if (model_read_list(r, "rows", 1, INT32_MAX, "a number of rows was expected", &rows) == 0)
        status = feature_metric_of_rows(&rows, metric, r->err);
    if (status == FEATURE_METRIC_UNFIT)
        status = error_at(r->err, r->model->file, first, 0,
                          "row j of map_metric has not the first j features of the last row");
    problem_free(&rows);
    return status;
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
        if (m->map.metric.d > 0)
            return error_at(err, m->file, block->line, 0, "map_scales beside map_metric");
        return feature_metric_of_scale(block->number, block->rows, &m->map.metric, err);
    }
    return 0;
}

int model_check_map(struct model_reader *r)
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
            && model_int(m, "map_seed", 0, NUMBER_LARGEST_INT, &seed, r->err) != 0))
        return -1;
    if (dims != m->d)
        return error_at(r->err, m->file, 0, 0, "map_dims is not nr_feature");
    if (kind == FEATURE_MAP_NYSTROM && m->map.landmarks.n == 0)
        return error_at(r->err, m->file, 0, 0, "the trailer has no `landmarks`");
    const struct feature_map read = m->map;
    m->map = feature_map_make(kind, dims, gamma, seed);
    m->map.metric = read.metric;
    m->map.landmarks = read.landmarks;
    return model_give_scales(m, r->err);
}

/* ---- the whole ---- */

/* The first line of a trailer.  1; 0: there is none, the model is LIBLINEAR's own; or -1. */
static int model_begin_trailer(struct model_reader *r)
{
    char keyword[MODEL_KEYWORD];
    int status;
    while ((status = model_load(r)) > 0 && *number_skip_blanks(r->p) == '\n')
        model_next_line(r);
    if (status <= 0)
        return status;
    if (model_read_keyword(r, keyword) != 0)
        return -1;
    if (strcmp(keyword, "libdoubt") != 0)
        return model_refuse(r, "`libdoubt 1` was expected after the weights");
    if (*r->p != '1' || *number_skip_blanks(r->p + 1) != '\n')
        return model_refuse(r, "written by a newer version: its trailer is not `libdoubt 1`");
    model_next_line(r);
    return 1;
}

int model_read_trailer(struct model_reader *r)
{
    char keyword[MODEL_KEYWORD];
    int status = model_begin_trailer(r);
    if (status <= 0)
        return status;
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
        } else if (strcmp(keyword, "map_metric") == 0) {
            status = model_read_metric(r);
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
