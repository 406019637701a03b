/* Where a search for the minimum of a function f of many variables x has ended. */
#ifndef COMMON_LINALG_DESCENT_H
#define COMMON_LINALG_DESCENT_H

#include <stdbool.h>
#include <stdint.h>

struct descent_result {
    double value, gradient; /* f and the length of its gradient at x */
    int64_t iterations, evaluations;
    bool converged; /* the gradient is small enough, no step makes f smaller, or the caller ended
                       the search */
};

#endif
