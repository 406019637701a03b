/* The set of classes: distinct integer labels, ascending.  A class is its position k = 0 .. count-1
 * everywhere else. */
#ifndef COMMON_DATA_LABELS_H
#define COMMON_DATA_LABELS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct labels {
    int64_t count;
    int64_t capacity;
    int32_t *value; /* count, distinct; ascending but for the last `unsettled` */
    int64_t unsettled;
    int32_t *spare; /* spare_capacity: what labels_add merges with */
    int64_t spare_capacity;
};

/* Add a label that may be there already.  Labels may come in any order: n of them take O(n log^2
 * n).  They have no positions until labels_settle, unless each was the largest so far.  0 or -1
 * (memory). */
int labels_add(struct labels *labels, int32_t label, struct error *err);

/* Is a label there?  At any time, settled or not.  O(log^2 count), settled O(log count). */
bool labels_contain(const struct labels *labels, int64_t label);

/* Bring what was added into ascending order: from here on a class is a position.  O(count). */
void labels_settle(struct labels *labels);

/* Position of a label, or -1.  The labels must be settled.  O(log count). */
int64_t labels_find(const struct labels *labels, int64_t label);

/* The same, but a label that is not among them is an error at a line of a file (NULL: not known
 * here): -1. */
int64_t labels_require(const struct labels *labels, int64_t label, const char *file, int64_t line,
                       struct error *err);

/* A learner needs two classes to tell apart: 0, or -1 with a message for the user. */
int labels_require_several(const struct labels *labels, struct error *err);

/* The set of `count` labels in any order.  labels: out, empty before. */
int labels_from(const int32_t *value, int64_t count, struct labels *labels, struct error *err);

/* Parse `1,2,7`, `1-10` or a mixture (`-1,1`, `1-3,8`).  labels: out, empty before.  A label named
 * twice, a range that descends and junk are errors.  0; 1: malformed; -1: memory. */
int labels_parse(const char *text, struct labels *labels, struct error *err);

int labels_copy(const struct labels *from, struct labels *to, struct error *err);
int labels_equal(const struct labels *a, const struct labels *b);
void labels_free(struct labels *labels);

#endif
