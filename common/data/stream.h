/* Text from a file or a pipe, as chunks of parsed examples, in file order and in constant memory.
 *
 * Workers read and parse ahead: chunks n+1 .. n+T are made while the consumer works on chunk n. The
 * consumer sees the same examples in the same order for any number of workers and any chunk size.
 * Where one chunk ends and the next begins is not defined: when a pipe has nothing more at the
 * moment, the whole lines that there are become a chunk.
 *
 * Features that the format asks for (example_map) are made by the workers, a whole chunk at once.
 * Chunks are smaller with them, and where `process` makes much of an example (`made`).
 *
 * Memory: (workers + 2) times a chunk's text and its examples (at most 7 times the text, or 12
 * times where lines hold a label only; measured: near 2.2 times on real data), and what is made of
 * them. */
#ifndef COMMON_DATA_STREAM_H
#define COMMON_DATA_STREAM_H

#include "common/base/milestones.h"
#include "common/data/problem.h"

/* Some lines of the input, and what a worker made of them.  Owned by the stream. */
struct chunk {
    struct problem problem; /* examples; `process` sees lines numbered from 1 in each chunk */
    const char *text;       /* the lines, text_size bytes, terminated as example_parse needs them */
    int64_t text_size;

    /* For `process` to allocate and fill, if the consumer expects them: a text (predictions, say),
     * output_size bytes; a number for each example. */
    char *output;
    int64_t output_size, output_capacity;
    int32_t *predicted;
    int64_t predicted_capacity;

    /* Lines that are skipped (example_format.bad), in their order; `process` may set `output`. */
    struct bad_line *bad;
    int64_t bad_count, bad_capacity;
};

struct bad_line {
    int64_t line;  /* as in problem.line */
    int64_t start; /* in text */
    int64_t
        output; /* bytes of the chunk's output that stand before what this line is answered with */
};

struct stream_options {
    struct example_format format;
    int threads;   /* workers, >= 1 */
    int64_t chunk; /* bytes of text in a chunk; 0: STREAM_CHUNK, or less where much is made of it */
    int64_t made;  /* bytes that `process` makes of an example */
    bool may_be_empty; /* an input without any example is no error */
    bool text_only;    /* lines of another form than data: chunks hold text, and no examples */
    bool shared;       /* of several ranks (reduce.h) each reads its part of a regular file, cut at
                          newlines, or all of a file of its own; lines are numbered from the start of
                          the part, which may be empty */
    const struct stop
        *stop; /* when it asks for that, a pipe is read no further; NULL: nothing does */

    /* Called on a worker's thread for every chunk after parsing; may be NULL.  0, or -1 with err
     * (its line as in problem.line). */
    int (*process)(void *context, struct chunk *chunk, struct error *err);
    void *context;
};

enum { STREAM_CHUNK = 256 * 1024, STREAM_MOST_WORKERS = 8 }; /* no reason but that they work */

struct stream;

/* Open a file, or standard input for "-".  Returns NULL with err.  Close with stream_close. */
struct stream *stream_open(const char *path, const struct stream_options *options,
                           struct error *err);

/* The next chunk, valid until the next call.  1; 0: the end; -1: err, with FILE:LINE:COL.  All
 * examples before a line that is refused are handed out first.  An input without any example is an
 * error, unless may_be_empty, text_only, or shared by several ranks. */
int stream_next(struct stream *stream, struct chunk **chunk, struct error *err);

/* The warning where format.cut was set.  %s: the name of the input. */
#define STREAM_CUT_TEXT "%s ends in the middle of a line: the last line may be cut short"

/* Bytes of the input if it is a regular file, else -1; bytes of the chunks handed out so far. */
int64_t stream_size(const struct stream *stream);
int64_t stream_position(const struct stream *stream);

/* How much of the input these are, 0 .. 1, for progress; -1: unknown. */
double stream_share(const struct stream *stream);

/* The name for messages: the path, or "<stdin>". */
const char *stream_name(const struct stream *stream);

/* Stop the workers and free everything.  NULL is fine. */
void stream_close(struct stream *stream);

#endif
