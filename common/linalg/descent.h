/* The end of a search for the minimum of a function f of many variables x. */
#ifndef COMMON_LINALG_DESCENT_H
#define COMMON_LINALG_DESCENT_H

#include "common/base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct descent_result {
    double value, gradient; /* f and the length of its gradient at x */
    int64_t iterations, evaluations;
    bool converged; /* the gradient is small enough, no step makes f smaller, or the caller ended
                       the search */
};

/* Is f, with its gradient, finite at the start?  0, or -1 with err. */
static inline int descent_check(const struct descent_result *start, struct error *err)
{
    if (isfinite(start->value) && isfinite(start->gradient))
        return 0;
    return error_set(err, "a sum is not finite: the values are too large; scale them, or use -l 1");
}

/* Is the gradient at most `goal`, which makes result->converged, or was f evaluated so many times?
 */
static inline bool descent_ends(struct descent_result *result, double goal, int64_t evaluations)
{
    result->converged = result->gradient <= goal;
    return result->converged || result->evaluations >= evaluations;
}

#endif
