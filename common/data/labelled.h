/* Examples with the classes that their labels, right or wrong, give them. */
#ifndef COMMON_DATA_LABELLED_H
#define COMMON_DATA_LABELLED_H

#include "common/data/labels.h"
#include "common/data/problem.h"

#include <stdint.h>

/* All is borrowed. */
struct labelled {
    const struct problem *problem;
    const int32_t *y;            /* problem->n: classes, 0 .. labels->count - 1 */
    const struct labels *labels; /* of the classes */
};

#endif
