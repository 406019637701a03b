/* What an input's name says ("-" is standard input), how every input may begin, and small inputs
 * read whole. */
#ifndef COMMON_BASE_INPUT_H
#define COMMON_BASE_INPUT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The name for messages: the path, or "<stdin>". */
const char *input_name(const char *path);

/* Is it a regular file, which can be read more than once? */
bool input_is_file(const char *path);

/* The first bytes of an input, text[0 .. size): gzip data is refused (-1, err), a byte order mark
 * is to be skipped.  name: as in messages.  Returns the bytes to skip. */
int64_t input_start(const char *name, const char *text, int64_t size, struct error *err);

/* Read a whole input.  The text, if there is any, ends with '\n' (one is added when the last line
 * has none), and NUMBER_PAD zero bytes follow.
 *
 * text   out: *size bytes; free with memory_free.  Memory grows with what has come, at most to
 *        twice that
 * cut    out: the last line had no '\n'
 * 0, or -1 with err (the input cannot be read, or is larger than this process may hold). */
int input_read(const char *path, char **text, int64_t *size, bool *cut, struct error *err);

#endif
