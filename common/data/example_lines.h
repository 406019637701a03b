/* A file with a line for each example, in the order of the data, read as a stream in constant
 * memory.
 *
 *     example_lines_open; for each example: example_lines_next, then what the line is to hold by
 *     base/text.h; example_lines_end
 *     example_lines_close, also after an error */
#ifndef COMMON_DATA_EXAMPLE_LINES_H
#define COMMON_DATA_EXAMPLE_LINES_H

#include "common/base/text.h"
#include "common/data/stream.h"

struct example_lines {
    struct stream *stream;
    struct text text; /* the current line */
    int64_t count;    /* lines read so far */
    const char *what; /* they are, in the plural, for messages; borrowed */
};

/* path: "-": standard input.  lines: out.  stop: as in stream_options; after a stop the last line
 * may be cut.  0 or -1. */
int example_lines_open(struct example_lines *lines, const char *path, const char *what,
                       const struct stop *stop, struct error *err);

/* Go on to the line of the next example: there is one.  0, or -1 with FILE:LINE:COL. */
int example_lines_next(struct example_lines *lines, struct error *err);

/* After the last example: refuse a line more.  0 or -1. */
int example_lines_end(struct example_lines *lines, struct error *err);

/* A no-op on a zeroed struct. */
void example_lines_close(struct example_lines *lines);

#endif
