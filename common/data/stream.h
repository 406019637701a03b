/* Text from a file or a pipe, as chunks of parsed examples, in file order and in constant memory.
 *
 * Workers read and parse chunks ahead of the consumer: chunk n+1 .. n+T are made while the consumer
 * works on chunk n.  The consumer sees the same chunks' contents in the same order for any number
 * of workers and any chunk size; where the cuts between chunks fall is nothing to rely on: whole
 * lines are handed on as soon as a pipe has no more to give at the moment.
 *
 * Memory: (workers + 2) slots of a chunk's text and its examples (at most 7 times the text; near
 * 2.2 times on real data). */
#ifndef COMMON_DATA_STREAM_H
#define COMMON_DATA_STREAM_H

#include "common/data/problem.h"

/* What a worker may make of a chunk besides its examples: text for the consumer (predictions,
 * say). */
struct chunk {
    struct problem
        problem;      /* examples; line counts from 1 in each chunk until the consumer gets it */
    const char *text; /* the lines themselves, text_size bytes, as example_parse wants them */
    int64_t text_size;
    char *output; /* output_size bytes */
    int64_t output_size, output_capacity;
    int32_t *predicted; /* a number an example, for `process` to give to the consumer */
    int64_t predicted_capacity;
};

struct stream_options {
    struct example_format format;
    int threads;   /* workers, >= 1 */
    int64_t chunk; /* bytes of text in a chunk, 0: STREAM_CHUNK */
    /* Called on a worker's thread for every chunk after parsing; may be NULL.  0, or -1 with err
     * (line as in problem.line). */
    int (*process)(void *context, struct chunk *chunk, struct error *err);
    void *context;
};

enum { STREAM_CHUNK = 256 * 1024, STREAM_MOST_WORKERS = 8 };

struct stream;

/* Open a file, or standard input for "-".  Returns NULL with err.  Close with stream_close. */
struct stream *stream_open(const char *path, const struct stream_options *options,
                           struct error *err);

/* The next chunk, valid until the next call: 1; the end: 0 (an error if the whole input held no
 * example); -1: err, with FILE:LINE:COL. */
int stream_next(struct stream *stream, struct chunk **chunk, struct error *err);

/* Bytes in the input (a regular file), or -1; bytes that the chunks handed out so far took. */
int64_t stream_size(const struct stream *stream);
int64_t stream_position(const struct stream *stream);

/* The name for messages: the path, or "<stdin>". */
const char *stream_name(const struct stream *stream);

void stream_close(struct stream *stream);

#endif
