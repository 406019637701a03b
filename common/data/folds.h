/* Stratified folds for cross-validation, and for classifiers that score examples that they have not
 * learnt from. */
#ifndef COMMON_DATA_FOLDS_H
#define COMMON_DATA_FOLDS_H

#include "common/data/problem.h"

#include <stdint.h>

enum {
    FOLDS_DEFAULT = 3, /* with two, only half of the data is learnt from; more take longer */
    FOLDS_FINE = 10    /* for what is done only once: nine tenths are learnt from */
};

/* 0, or -1 with err if n examples cannot be dealt out to so many folds: for what takes long before
 * they are. */
int folds_check(int64_t folds, int64_t n, struct error *err);

/* Assign each of n examples to a fold, at random by seed: each fold has its share of each class,
 * give or take one example, and the sizes of the folds differ by at most one.
 *
 * y      n: classes, 0 .. classes-1
 * folds  2 .. n
 * fold   out, n: 0 .. folds-1
 * 0, or -1 with err (memory, folds).  O(n). */
int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err);

/* Examples with their classes. */
struct fold_examples {
    const struct problem *problem; /* in memory or on disk */
    const int64_t *example;        /* n: which of the problem, ascending; NULL: all, with several
                                      ranks (reduce.h) those of all ranks */
    const int32_t *y;              /* n */
    int64_t n, classes;
};

/* folds_assign, but copies (copies.h) stay in one fold: groups of them are dealt out, each to the
 * fold with the fewest of its class, so that sizes may differ by more than one.  Copies that are
 * more than half of their class are dealt out one by one, as all are where there are fewer groups
 * than folds.  Where nothing is repeated the folds are those of folds_assign.  0 or -1.  Cost: that
 * of copies_find. */
int folds_assign_grouped(const struct fold_examples *examples, int64_t folds, int64_t seed,
                         int64_t *fold, struct error *err);

/* Bytes that this takes for a time. */
double folds_grouped_bytes(int64_t n);

/* List the examples of fold 0, then those of fold 1 and so on, ascending in each.
 *
 * fold   n: 0 .. folds-1
 * order  out, n
 * start  out, folds + 1: those of fold f are order[start[f]] .. order[start[f+1]-1]
 * O(n folds). */
void folds_list(const int64_t *fold, int64_t n, int64_t folds, int64_t *order, int64_t *start);

#endif
