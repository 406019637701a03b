/* Reading a linear model, as its parts share it: the window, rows of numbers, head and trailer.
 * Functions return 0, or -1 with r->err, where nothing else is said. */
#ifndef COMMON_MODEL_MODEL_READER_STATE_H
#define COMMON_MODEL_MODEL_READER_STATE_H

#include "common/base/order.h"
#include "common/model/model.h"

/* Rows whose starts are found before they are parsed; no reason but that it works. */
enum { MODEL_ROWS_AT_ONCE = 1 << 16 };

struct model_reader {
    struct model *model;
    int fd;     /* of a file */
    char *text; /* the window; NUMBER_PAD bytes may be read after it */
    int64_t capacity;
    const char *p, *end; /* the lines not yet used; each ends with a '\n' */
    int64_t held;        /* bytes after end: the first part of a line */
    int64_t left;        /* bytes of the file that have not been read */
    bool at_end;         /* the window holds the end of the file ... */
    bool cut;            /* ... and its last line had no newline: one was added */
    int64_t line;        /* number of the line at p, 1-based */
    int threads;
    bool keep_state; /* keep the blocks of the trailer, not only check them */
    struct error *err;
};

/* ---- the window ---- */

/* Make sure that there is a line at r->p; the window is filled anew when all its lines are used.
 * 1; 0: the end of the file; -1. */
int model_load(struct model_reader *r);

/* Bytes of the file that are not used yet. */
double model_remaining(const struct model_reader *r);

/* The newline of the line that p is in. */
const char *model_line_end(const struct model_reader *r, const char *p);

void model_next_line(struct model_reader *r);

/* The keyword at r->p, which is moved after it and the blanks that follow. */
int model_read_keyword(struct model_reader *r, char word[MODEL_KEYWORD]);

/* -1, and the error: a reason and the current line; or a keyword that has come before. */
int model_refuse(const struct model_reader *r, const char *reason);
int model_refuse_again(const struct model_reader *r, const char *keyword);

/* ---- rows of numbers ---- */

/* Rows first .. first + count - 1 of a block of numbers. */
struct model_rows {
    const char **start; /* count: where the text of each is */
    int64_t first, count, columns;
    double *(*place)(void *context, int64_t i); /* where the numbers of row i go */
    void *context;
    const char *file;   /* for errors; set by model_parse_rows, like the next */
    int64_t first_line; /* of the first row */
};

/* Does the line at p start like a row of numbers? */
bool model_starts_row(const char *p);

/* The rows that are taken at once, of `most`. */
static inline int64_t model_rows_at_once(int64_t most)
{
    return order_least(most, MODEL_ROWS_AT_ONCE);
}

/* Take up to `most` lines of the window into start, and move r after them.  all: whatever they look
 * like; else only up to the first that does not start like a row.  Returns how many, or -1 when the
 * file ends within the last one. */
int64_t model_take_rows(struct model_reader *r, int64_t most, bool all, const char **start);

/* Parse the rows that were taken, on all threads. */
int model_parse_rows(struct model_reader *r, struct model_rows *rows);

/* ---- the parts of a file ---- */

/* The head, up to and including the line `w`: keywords in any order, each once, but nr_class before
 * the labels that it counts. */
int model_read_head(struct model_reader *r);

/* Everything after the weights, to the end of the file. */
int model_read_trailer(struct model_reader *r);

/* Has the file all that its map needs?  Makes it. */
int model_check_map(struct model_reader *r);

#endif
