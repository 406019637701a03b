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
    const int64_t *first; /* of all ranks' examples (reduce.h), the first of each one's group, for
                             folds (folds.h): that of its name (groups.h), or its copies (copies.h);
                             NULL: there are none, or nobody has looked */
};

/* The same examples with other features. */
static inline struct labelled labelled_with(const struct labelled *data,
                                            const struct problem *problem)
{
    struct labelled with = *data;
    with.problem = problem;
    return with;
}

#endif
