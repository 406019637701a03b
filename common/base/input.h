/* Inputs: their names ("-" is standard input), what every input may start with, and reading a small
 * one whole. */
#ifndef COMMON_BASE_INPUT_H
#define COMMON_BASE_INPUT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The name for messages: the path, or "<stdin>". */
const char *input_name(const char *path);

/* Is it a regular file, which can be read more than once? */
bool input_is_file(const char *path);

/* Is it standard input, a pipe or a device, which is read once?  Not what cannot be read at all:
 * opening it will say why. */
bool input_is_pipe(const char *path);

/* A way of compression, what decompresses it to standard output, and how its data begin. */
struct input_compression {
    const char *name, *command, *magic;
};

/* That of the data which these first bytes of an input begin; NULL: none that is known. */
const struct input_compression *input_find_compression(const char *text, int64_t size);

/* Bytes of a byte order mark that text[0 .. size), the first of an input, begins with: 3 or 0. */
int64_t input_mark(const char *text, int64_t size);

/* Look at the first bytes of an input, text[0 .. size).  Returns how many to skip, those of
 * a byte order mark; -1 with err for compressed data.  name: for the message. */
int64_t input_start(const char *name, const char *text, int64_t size, struct error *err);

/* Read into block[*used .. most) until it is full, moving *used; interrupted reads are repeated. 1:
 * it is full; 0: the end of the input; -1: errno. */
int input_fill(int fd, char *block, int64_t *used, int64_t most);

/* Read a whole input, or as far as beyond its first NUL byte, at which no text goes on.  The text,
 * unless it is empty, ends with '\n' (one is added when the last line has none), and NUMBER_PAD
 * zero bytes follow.
 *
 * text   out: *size bytes; free with memory_free.  While it grows, twice the memory of
 *        the input may be taken, thrice where the block moves
 * cut    out: the last line had no '\n'
 * 0, or -1 with err: the input cannot be read, or is larger than the memory limit. */
int input_read(const char *path, char **text, int64_t *size, bool *cut, struct error *err);

#endif
