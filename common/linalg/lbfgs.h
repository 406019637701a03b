/* A local minimum of a smooth function of many variables, by limited-memory BFGS.
 *
 *   direction    d = -H g, H the inverse Hessian that the last LBFGS_PAIRS pairs s = x' - x, y = g'
 *                - g tell, from s'y / y'y times the identity (Nocedal 1980: two loops); at first
 *                -g, of length 1
 *   step         by doubling and bisection until f(x + t d) <= f + 1e-4 t g'd and g(x + t d)'d >=
 *                0.9 g'd, so that s'y > 0  (Lewis and Overton 2013)
 *
 * A step of one evaluation is usual.  Every sum has one order: the same numbers on every
 * machine. */
#ifndef COMMON_LINALG_LBFGS_H
#define COMMON_LINALG_LBFGS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { LBFGS_PAIRS = 6 };

struct lbfgs {
    int64_t n; /* variables */
    double (*value)(
        void *context, const double *x,
        double *gradient); /* f(x), and its gradient (n, out); not finite: no step goes there */
    void *context;
    double gradient;     /* stop when |g| is at most this, */
    int64_t evaluations; /* or after so many, */
    bool (*visit)(void *context, const double *x,
                  int64_t iteration); /* or when this, called after each step, with the x that
                                       * `value` had last, returns false; may be NULL */
};

struct lbfgs_result {
    double value, gradient; /* f and |g| at x */
    int64_t iterations, evaluations;
    bool converged; /* |g| is small enough, or no step makes f smaller, or `visit` had enough */
};

/* x: n, the start, then the minimum.  0, or -1 with err: memory, or f is not finite at the
 * start. */
int lbfgs_minimise(const struct lbfgs *problem, double *x, struct lbfgs_result *result,
                   struct error *err);

/* Bytes beside x. */
double lbfgs_bytes(int64_t n);

#endif
