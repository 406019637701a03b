/* LIBSVM text in, LIBSVM text with new, dense features out.  Chunks are mapped in parallel,
 * FEATURE_ROWS examples at a time, so that products of matrices are large. */
#ifndef COMMON_DATA_FEATURE_FILE_H
#define COMMON_DATA_FEATURE_FILE_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEATURE_ROWS = 256 }; /* no reason but that it works */

struct feature_file {
    int64_t columns;              /* new features */
    struct example_format format; /* of the data */

    /* y: out, examples x columns, all finite.  Called on several threads at once, for at most
     * FEATURE_ROWS examples.  0, or -1 with err (and its line, if one is to blame). */
    int (*map)(void *context, const struct problem *examples, double *y, struct error *err);
    void *context;
    int threads;
    bool quiet;
};

/* Write `label 1:y1 2:y2 ...` for each example of file `data` ("-": standard input) to file
 * `output` ("-": standard output), whole or not at all; labels are kept.  0 or -1. */
int feature_file(const struct feature_file *map, const char *data, const char *output,
                 struct error *err);

#endif
