/* A local minimum of a smooth function of many variables, by limited-memory BFGS.
 *
 *   direction   d = -H g, where H is the inverse Hessian implied by the last `pairs` pairs
 *               s = x' - x, y = g' - g, starting from s'y / y'y times the identity (Nocedal 1980:
 *               two loops).  The first direction is -g, of length 1
 *   step        by doubling and bisection until f(x + t d) <= f + 1e-4 t g'd and
 *               g(x + t d)'d >= 0.9 g'd (weak Wolfe), so that s'y > 0 (Lewis and Overton 2013)
 *
 * Most steps take one evaluation.  Each sum has a fixed order: the same numbers on any machine. */
#ifndef COMMON_LINALG_LBFGS_H
#define COMMON_LINALG_LBFGS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { LBFGS_PAIRS = 6 }; /* at most: no reason but that it works; 3 to 20 are usual */

struct lbfgs {
    int64_t n; /* variables */
    int pairs; /* 1 .. LBFGS_PAIRS */

    /* f(x); gradient: n, out.  A point where f is not finite is never accepted. */
    double (*value)(void *context, const double *x, double *gradient);
    void *context;

    int threads; /* >= 1; the same numbers for any */

    /* When to stop: |g| is at most `gradient`, or `reduction` times that at the start; f was
     * evaluated `evaluations` times; or visit, called after each step with the x that `value` was
     * last called for, returns false (may be NULL). */
    double gradient, reduction;
    int64_t evaluations;
    bool (*visit)(void *context, const double *x, int64_t iteration);
};

struct lbfgs_result {
    double value, gradient; /* f and |g| at x */
    int64_t iterations, evaluations;
    bool converged; /* |g| is small enough, no step makes f smaller, or visit returned false */
};

/* x: n, the start; out: the minimum.  0, or -1 with err: no memory, or f is not finite at the
 * start. O(n pairs) beside an evaluation or two a step. */
int lbfgs_minimise(const struct lbfgs *problem, double *x, struct lbfgs_result *result,
                   struct error *err);

/* Bytes that lbfgs_minimise takes beside x. */
double lbfgs_bytes(int64_t n, int pairs);

#endif
