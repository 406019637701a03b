/* A table of numbers, one row a feature and one column a class, that grows with the features:
 * w[j*stride + k].
 *
 * Feature-major: a feature of an example touches neighbours.  Rows are padded (stride) to a power
 * of two up to 8 columns and to whole cache lines of 8 doubles beyond, and the table starts at a
 * cache line, so that a row of 10 classes lies in two lines.  Row 0 belongs to the bias, row j to
 * the feature with index j. */
#ifndef COMMON_LINEAR_WEIGHTS_H
#define COMMON_LINEAR_WEIGHTS_H

#include "common/base/error.h"
#include "common/data/example.h"

#include <stdint.h>

struct weights {
    double *w;      /* rows x stride; padding columns hold `initial` too */
    int64_t rows;   /* d + 1: rows that are there */
    int64_t stride; /* columns and padding */
    int64_t columns;
    double initial;   /* what a new cell holds */
    int64_t capacity; /* bytes */
    void *block;      /* the allocation that w lies in */
};

/* An empty table (no rows) whose new cells will hold `initial`. */
struct weights weights_make(int64_t columns, double initial);

/* Columns of the weights of so many classes: two have one, as in LIBLINEAR, whose sign tells them
 * apart. */
int64_t weights_columns(int64_t classes);

/* A stride that has less padding, a multiple of 4 beyond 4 columns.  Who wants it sets it before
 * the table grows. */
int64_t weights_narrow(int64_t columns);

/* Make it hold row 0 .. d.  New cells get the initial value.  0 or -1 (memory; the table is as
 * before). */
int weights_grow(struct weights *weights, int64_t d, struct error *err);

/* Bytes that a table of d features takes. */
double weights_bytes(int64_t columns, int64_t d);

/* scores[k] = sum over entries of x.value * w[index][k], k = 0 .. stride-1, each summed in the
 * order of the entries: the same numbers on every machine and, as a LIBLINEAR program sums in that
 * order too, the same labels there.  Entries whose index is beyond the table are left out.  scores:
 * out, stride numbers.  O(size * stride); sums stay in registers for up to 64 columns. */
void weights_scores(const struct weights *weights, const struct example *x, double *scores);

/* w[index] += value * step for each entry of x, whose indices the table must have.  step: stride
 * numbers, 0 where there is no column. */
void weights_add(struct weights *weights, const struct example *x, const double *step);

/* The column of the largest score, the lowest of equals. */
int64_t weights_best(const double *scores, int64_t columns);

/* A table of one column, the second of two less the first: what a linear model of two classes
 * holds, where the larger label comes first.  one: out; free with weights_free.  0 or -1. */
int weights_difference(const struct weights *two, struct weights *one, struct error *err);

void weights_free(struct weights *weights);

#endif
