/* A local minimum of a smooth function of many variables, or a point on the way to it, by nonlinear
 * conjugate gradients.
 *
 *   direction   d = -M g + beta d', where d' is the one before, beta = g'Mg / d''(g - g') (Dai and
 *               Yuan 1999) and M is positive definite.  beta = 0 in the first step, and where the
 *               cosine of the angle between d and -M g (lengths: d'M^-1 d) would be below 1/5
 *   step        by secants, until g(x + t d)'d differs from `remains` times g'd by a quarter of
 *               |g'd| at most, and f(x + t d) <= f + 1e-4 t g'd; so d''(g - g') > 0
 *
 * If 40 trials find no such step, the longest that was too short is taken; where evaluations run
 * out, only if none was too long.
 *
 * Where the search is to be stopped early, steps that go only a part of the way to the minimum
 * along d leave more points to choose from.
 *
 * One and a half tables beside x are all that it needs, where L-BFGS (lbfgs.h) with six pairs needs
 * fourteen.  d is kept in single precision, since it need only lead down, and scaled so that its
 * largest entry is 1, which changes neither beta d' nor t d.  x itself goes along d and back while
 * a step is sought, and is exact to the rounding of the longest step that was tried.  Most steps
 * take one evaluation.  Each sum has a fixed order: the same numbers on any machine. */
#ifndef COMMON_LINALG_CONJUGATE_H
#define COMMON_LINALG_CONJUGATE_H

#include "common/base/error.h"
#include "common/linalg/descent.h"

struct conjugate {
    int64_t n; /* variables */
    double *g; /* n each: workspace */
    float *d;

    /* f(x); gradient: n, out.  A point where f is not finite is never accepted. */
    double (*value)(void *context, const double *x, double *gradient);
    /* v <- M v; returns v'M v.  NULL: M is the identity. */
    double (*metric)(void *context, double *v);
    void *context;

    double remains;   /* 0 .. 1/2; 0: steps to the minimum along d */
    double curvature; /* second derivative of f at the start along M g / sqrt(g'Mg), about, for the
                         first step to try; 0: not known */
    int threads;      /* >= 1; the same numbers for any */

    /* When to stop: sqrt(g'Mg) is at most `gradient`, or `reduction` times that at the start; f was
     * evaluated `evaluations` times; `iterations` steps were made (0: any number); or visit, called
     * after each step with the point that it has led to, returns false (may be NULL).  After so
     * many steps, or where visit says so, x is the mean of the last two points (the first alone),
     * also if sqrt(g'Mg) was small enough then: the same bits for either. */
    double gradient, reduction;
    int64_t evaluations, iterations;
    bool (*visit)(void *context, const double *x, int64_t iteration);
};

/* x: n, the start; out: the end.  result: f and sqrt(g'Mg) at x; where x is a mean, at the last
 * point. 0, or -1 with err: no memory, or f is not finite at the start.  O(n) beside an evaluation
 * or two a step. */
int conjugate_minimise(const struct conjugate *problem, double *x, struct descent_result *result,
                       struct error *err);

/* Bytes that conjugate_minimise takes, with g and d. */
double conjugate_bytes(int64_t n);

#endif
