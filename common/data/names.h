/* Names of labels, from a file with a line `number name` for each: what csv2libsvm.awk writes when
 * the labels of a table are words.  A name goes to the end of its line and may hold blanks. */
#ifndef COMMON_DATA_NAMES_H
#define COMMON_DATA_NAMES_H

#include "common/base/error.h"
#include "common/base/text.h"

#include <stdint.h>
#include <stdio.h>

struct name {
    int32_t label;
    int64_t line; /* of the file */
    const char *text;
};

struct names {
    struct text text; /* the file, which holds the names */
    int64_t count, capacity;
    struct name *name; /* count, ascending by label */
};

/* Read the file.  A label that is named twice, an empty name and control characters are errors.
 * names: out; free with names_free, also after an error.  0 or -1. */
int names_read(const char *path, struct names *names, struct error *err);

/* The name of a label.  NULL with err: it has none. */
const struct name *names_require(const struct names *names, int32_t label, struct error *err);

/* For the end of a line of a table: two blanks and the name of the label, if it has one. */
void names_print(FILE *out, const struct names *names, int32_t label);

/* A no-op on zeroed names. */
void names_free(struct names *names);

#endif
