/* The set of classes: distinct integer labels, ascending.  Everywhere else a class is the position
 * k = 0 .. count-1 of its label in this set. */
#ifndef COMMON_DATA_LABELS_H
#define COMMON_DATA_LABELS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct findings;

struct labels {
    int64_t count;
    int64_t capacity;
    int32_t *value;    /* count, distinct; ascending except for the last `unsettled` */
    int64_t unsettled; /* labels that are not in their place yet: see labels.c */
    int32_t *spare;    /* spare_capacity: workspace of labels_add */
    int64_t spare_capacity;
};

/* Add a label, unless it is there already.  Labels may come in any order: n of them take O(n log^2
 * n).  They have no positions until labels_settle, unless they came in ascending order.  0 or -1
 * (memory). */
int labels_add(struct labels *labels, int32_t label, struct error *err);

/* Is a label in the set, settled or not?  O(log^2 count), settled O(log count). */
bool labels_contain(const struct labels *labels, int64_t label);

/* Bring all labels into ascending order, so that each has its position.  O(count). */
void labels_settle(struct labels *labels);

/* Position of a label, or -1.  The labels must be settled.  O(log count). */
int64_t labels_find(const struct labels *labels, int64_t label);

/* The same, but a label that is not in the set is an error at a line of a file (NULL: the caller
 * fills it in): -1 with err. */
int64_t labels_require(const struct labels *labels, int64_t label, const char *file, int64_t line,
                       struct error *err);

/* The union of the sets of all ranks (reduce.h).  The set must be settled, and stays so.  0 or -1,
 * for all of them. */
int labels_share(struct labels *labels, struct error *err);

/* Are there at least two classes, as every learner needs?  0, or -1 with a message for the user. */
int labels_require_several(const struct labels *labels, struct error *err);

/* Warn of labels that hardly come twice, and so are no classes, where there are more examples than
 * may stand for the format alone: with a number for each line in place of its class, learning takes
 * long and tells nothing. */
void labels_warn_many(const struct labels *labels, int64_t examples, const struct findings *to);

/* The set of value[0 .. count), in any order, settled.  labels: out, empty before.  0 or -1. */
int labels_from(const int32_t *value, int64_t count, struct labels *labels, struct error *err);

/* Parse the value of --labels: `1,2,7`, `1-10` or a mixture (`-1,1`, `1-3,8`).  labels: out, empty
 * before.  One label alone, a label that is named twice, a descending range, a range of more than
 * 10 million labels, and anything else are usage errors.  0, or -1 with err. */
int labels_parse(const char *text, struct labels *labels, struct error *err);

/* to: out, a copy of a settled set; free with labels_free.  0 or -1. */
int labels_copy(const struct labels *from, struct labels *to, struct error *err);
bool labels_equal(const struct labels *a, const struct labels *b);
void labels_free(struct labels *labels);

#endif
