/* Stratified folds for cross-validation, and for classifiers that score examples that they have not
 * learnt from. */
#ifndef COMMON_DATA_FOLDS_H
#define COMMON_DATA_FOLDS_H

#include "common/data/labelled.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FOLDS_DEFAULT = 3, /* of cross-fits: with two, only half is learnt from; more take longer */
    FOLDS_FINE = 10,   /* for what is done only once: nine tenths are learnt from */
    FOLDS_ALL = -1     /* in place of a fold that is left out: none is */
};

/* 0, or -1 with err if n examples cannot be dealt out to so many folds: for what takes long before
 * they are. */
int folds_check(int64_t folds, int64_t n, struct error *err);

/* What is dealt out. */
struct fold_examples {
    int64_t n, classes;
    const int32_t *y;     /* n: 0 .. classes-1 */
    const int64_t *first; /* n: the first of each one's group, which belongs into one fold: its
                             copies (copies.h), or those of its name (groups.h); NULL: there are
                             none */
};

/* All examples of the data, on one rank. */
static inline struct fold_examples fold_examples_of(const struct labelled *data)
{
    return (struct fold_examples){
        .n = data->problem->n, .classes = data->labels->count, .y = data->y, .first = data->first};
}

/* Assign each example to a fold, at random by seed.  Without groups each fold has its share of each
 * class, give or take one example, and the sizes of the folds differ by at most one.
 *
 * Groups stay in one fold: they are dealt out, each to the fold with the fewest of its class (of
 * the first of its classes, if it has several), so that sizes may differ by more than one.  Those
 * of a class in a group, if they are more than half of the class, are dealt out one by one, as all
 * are where there are fewer groups than folds.
 *
 * folds  2 .. n
 * fold   out, n: 0 .. folds-1
 * 0, or -1 with err (memory, folds).  O(n); with groups O(n folds). */
int folds_assign(const struct fold_examples *examples, int64_t folds, int64_t seed, int64_t *fold,
                 struct error *err);

/* Which classes have a group with more than half of their examples, so that those of it are dealt
 * out one by one?
 *
 * examples  with groups
 * large     out, one for each class
 * O(n + classes).  0 or -1 (memory). */
int folds_find_large_groups(const struct fold_examples *examples, bool *large, struct error *err);

/* List the examples of class 0, then those of class 1 and so on, ascending in each.
 *
 * y      n: 0 .. classes-1
 * order  out, n
 * start  out, classes + 1, and one more is overwritten: those of class k are order[start[k]] ..
 *        order[start[k+1]-1]
 * O(n + classes). */
void folds_list_classes(const int32_t *y, int64_t n, int64_t classes, int64_t *order,
                        int64_t *start);

/* List the examples of fold 0, then those of fold 1 and so on, ascending in each.
 *
 * fold   n: 0 .. folds-1
 * order  out, n
 * start  out, folds + 1: those of fold f are order[start[f]] .. order[start[f+1]-1]
 * O(n folds). */
void folds_list(const int64_t *fold, int64_t n, int64_t folds, int64_t *order, int64_t *start);

/* List the examples that are not in fold f, ascending.  others: out, room for n.  Returns how many
 * they are. */
int64_t folds_others(const int64_t *fold, int64_t n, int64_t f, int64_t *others);

#endif
