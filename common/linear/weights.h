/* A table of numbers, one row for each feature and one column for each class, that grows with the
 * features: w[j*stride + k].
 *
 * Feature-major, so that the numbers that go with one entry of an example are neighbours.  Rows are
 * padded (stride) to a power of two up to 8 columns and to whole cache lines of 8 doubles beyond,
 * and the table starts at a cache line: a row of 10 classes touches two lines.  Row 0 belongs to
 * the bias, row j to the feature with index j. */
#ifndef COMMON_LINEAR_WEIGHTS_H
#define COMMON_LINEAR_WEIGHTS_H

#include "common/base/error.h"
#include "common/data/example.h"

#include <stdint.h>

struct weights {
    double *w;      /* rows x stride; padding columns hold `initial` too */
    int64_t rows;   /* d + 1 */
    int64_t stride; /* columns and padding */
    int64_t columns;
    double initial;   /* of new cells */
    int64_t capacity; /* of the block, in bytes */
    void *block;      /* the allocation that contains w */
};

/* An empty table (no rows) whose new cells will hold `initial`. */
struct weights weights_make(int64_t columns, double initial);

/* The columns for a number of classes: one for two classes, as in LIBLINEAR, where the sign of the
 * score decides. */
int64_t weights_columns(int64_t classes);

/* A stride with less padding than usual: a multiple of 4 from 3 columns on.  To be set in a table
 * before it grows. */
int64_t weights_narrow(int64_t columns);

/* The feature at line i of a table in a model file: 1 .. d, then the bias, which is row 0. */
static inline int64_t weights_feature_at(int64_t i, int64_t rows)
{
    return i + 1 < rows ? i + 1 : 0;
}

/* Extend the table to rows 0 .. d.  New cells get the initial value.  0 or -1 (memory; the table is
 * unchanged). */
int weights_grow(struct weights *weights, int64_t d, struct error *err);

/* Bytes that a table of d features takes. */
double weights_bytes(int64_t columns, int64_t d);

/* Refuse a model of tables that grow with the features if it cannot fit.
 *
 * bytes     of the model with features up to d
 * checked   in and out: bytes that are known to fit, 0 at first; a tenth more than the model needs,
 *           so that not every new feature asks again
 * 0 or -1. */
int weights_check_memory(double bytes, double *checked, int64_t d, int64_t classes,
                         struct error *err);

/* scores[k] = sum over entries of x.value * w[index][k], k = 0 .. stride-1.  Each is summed in the
 * order of the entries: the same numbers on every machine, and the same labels as LIBLINEAR's
 * programs predict, which sum in this order too.  Entries whose index is beyond the table are left
 * out.  scores: out, stride numbers.  O(size * stride); sums stay in registers for up to 64
 * columns. */
void weights_scores(const struct weights *weights, const struct example *x, double *scores);

/* w[index] += value * step for each entry of x; the table must have all its indices.  step: stride
 * numbers, 0 in the padding. */
void weights_add(struct weights *weights, const struct example *x, const double *step);

/* The column of the largest score, the lowest of equals. */
int64_t weights_best(const double *scores, int64_t columns);

/* The same among the columns other than `but`; there are two at least. */
int64_t weights_best_other(const double *scores, int64_t columns, int64_t but);

/* Is all of the table 0? */
bool weights_are_zero(const struct weights *weights);

/* A table of one column, the second of two minus the first: what a linear model of two classes
 * stores, whose positive score means the larger label.  one: out; free with weights_free.  0 or
 * -1. */
int weights_difference(const struct weights *two, struct weights *one, struct error *err);

void weights_free(struct weights *weights);

#endif
