/* What an input's name says: "-" is standard input. */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include <stdbool.h>

/* The name for messages: the path, or "<stdin>". */
const char *input_name(const char *path);

/* Is it a regular file, which can be read more than once? */
bool input_is_file(const char *path);

#endif
