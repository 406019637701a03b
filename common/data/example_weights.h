/* Weights of examples: a file with a number >= 0 a line, for each example in the order of the data.
 *
 * An example of weight 2 counts as if it stood there twice; one of weight 0 is left out, but its
 * label is still a class.  What is below EXAMPLE_WEIGHT_LEAST counts as 0, so that products with
 * the others stay finite. */
#ifndef COMMON_DATA_EXAMPLE_WEIGHTS_H
#define COMMON_DATA_EXAMPLE_WEIGHTS_H

#include "common/data/example_lines.h"
#include "common/data/problem.h"

#include <stdbool.h>

#define EXAMPLE_WEIGHT_LEAST 1e-100
#define EXAMPLE_WEIGHT_MOST 1e100

/* Reads weights in step with a stream of examples:
 *
 *     example_weights_open; for each chunk: example_weights_next; example_weights_end
 *     example_weights_close, also after an error */
struct example_weights {
    struct example_lines lines;
    bool some; /* weight is above 0 */
};

/* path: "-": standard input.  weights: out.  stop: as in stream_options; after a stop the last
 * weight may be cut.  0 or -1. */
int example_weights_open(struct example_weights *weights, const char *path, const struct stop *stop,
                         struct error *err);

/* The weights of the next n examples.  weight: out, n.  0, or -1 with FILE:LINE:COL. */
int example_weights_next(struct example_weights *weights, int64_t n, double *weight,
                         struct error *err);

/* After the last example: refuse a line more, and weights that are all 0.  0 or -1. */
int example_weights_end(struct example_weights *weights, struct error *err);

/* A no-op on a zeroed struct. */
void example_weights_close(struct example_weights *weights);

/* All of a file at once, for the examples of a problem, from which those of weight 0 are dropped.
 *
 * y       of all examples; out: of those that are left
 * group   the same; NULL: they have no groups (groups.h)
 * weight  out: theirs, all > 0; free with memory_free
 * 0, or -1 with err; problem, y and group are then unchanged. */
int example_weights_read(const char *path, struct problem *problem, int32_t *y, uint64_t *group,
                         double **weight, struct error *err);

#endif
