/* A local minimum of a smooth function of many variables, by limited-memory BFGS.
 *
 *   direction   d = -H g, where H is the inverse Hessian implied by the last LBFGS_PAIRS pairs
 *               s = x' - x, y = g' - g, starting from s'y / y'y times the identity (Nocedal 1980:
 *               two loops).  The first direction is -g, of length 1
 *   step        by doubling and bisection until f(x + t d) <= f + 1e-4 t g'd and
 *               g(x + t d)'d >= 0.9 g'd (weak Wolfe), so that s'y > 0 (Lewis and Overton 2013)
 *
 * Most steps take one evaluation.  Each sum has a fixed order: the same numbers on any machine. */
#ifndef COMMON_LINALG_LBFGS_H
#define COMMON_LINALG_LBFGS_H

#include "common/base/error.h"
#include "common/linalg/descent.h"

enum { LBFGS_PAIRS = 6 }; /* no reason but that it works; 3 to 20 are usual */

struct lbfgs {
    int64_t n; /* variables */

    /* f(x); gradient: n, out.  A point where f or its gradient is not finite is never accepted. */
    double (*value)(void *context, const double *x, double *gradient);
    void *context;

    int threads; /* >= 1; the same numbers for any */

    /* When to stop: |g| is at most `gradient`, or `reduction` times that at the start, or f was
     * evaluated `evaluations` times. */
    double gradient, reduction;
    int64_t evaluations;
};

/* x: n, the start; out: the minimum.  0, or -1 with err: no memory, or f is not finite at the
 * start. O(n) beside an evaluation or two a step. */
int lbfgs_minimise(const struct lbfgs *problem, double *x, struct descent_result *result,
                   struct error *err);

/* Bytes that lbfgs_minimise takes beside x. */
double lbfgs_bytes(int64_t n);

#endif
