/* LIBSVM text whose examples get new, dense features: each chunk on a worker's thread, FEATURE_ROWS
 * examples at a time so that products are large. */
#ifndef COMMON_DATA_FEATURE_FILE_H
#define COMMON_DATA_FEATURE_FILE_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEATURE_ROWS = 256 };

struct feature_map {
    int64_t columns;              /* new features */
    struct example_format format; /* of the data */
    /* y: out, examples x columns, all finite.  Called on several threads at once, for FEATURE_ROWS
     * examples at most.  0, or -1 with err (a line, if one is to blame). */
    int (*map)(void *context, const struct problem *examples, double *y, struct error *err);
    void *context;
    int threads;
    bool quiet;
};

/* Write `label 1:y1 2:y2 ...` for each example of a file ("-": standard input) to another ("-":
 * standard output), whole or not at all; labels pass through.  0 or -1. */
int feature_file(const struct feature_map *map, const char *data, const char *output,
                 struct error *err);

#endif
