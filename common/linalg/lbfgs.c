/* Limited-memory BFGS: method and sources in lbfgs.h.
 *
 *     x, g     the iterate and its gradient
 *     s, y     x' - x and g' - g of the last steps, a ring of at most LBFGS_PAIRS pairs
 *     d        the search direction -H g
 *
 * The weak Wolfe conditions are used because bisection finds a step for them without interpolating
 * between values, and they suffice for s'y > 0. */
#include "common/linalg/lbfgs.h"

#include "common/base/memory.h"
#include "common/base/vectors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of the two conditions on a step; the usual values (Nocedal and Wright, Numerical Optimization,
 * 3.1). */
static const double decrease = 1e-4, curvature = 0.9;

enum {
    VECTORS = 4,  /* trial, g, trial_g, d */
    SEARCHES = 40 /* steps tried in one direction: the last is 2^-39 of the first */
};

struct lbfgs_state {
    const struct lbfgs *problem;
    double *trial, *trial_g; /* n: the point that was evaluated last, and its gradient */
    double *g, *d;           /* n */
    double *s[LBFGS_PAIRS], *y[LBFGS_PAIRS], sy[LBFGS_PAIRS]; /* n each; s'y */
    int pairs, newest; /* pairs in the ring; the place of the last one */
};

/* a'b: 16 sums side by side, added up in a fixed order. */
WIDEST_VECTORS(double, lbfgs_dot, (int64_t n, const double *a, const double *b), (n, a, b))
{
    vector4 sum[4] = {{0}};
    double rest = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int v = 0; v < 4; v++)
            sum[v] += *(const vector4 *)(const void *)(a + i + 4 * v)
                      * *(const vector4 *)(const void *)(b + i + 4 * v);
    for (; i < n; i++)
        rest += a[i] * b[i];
    const vector4 all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return (all[0] + all[1]) + (all[2] + all[3]) + rest;
}

/* to += factor a */
static void lbfgs_add(int64_t n, double factor, const double *restrict a, double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

/* d = -H g by Nocedal's two loops, from the newest pair to the oldest and back. */
static void lbfgs_direction(struct lbfgs_state *w)
{
    const int64_t n = w->problem->n;
    double alpha[LBFGS_PAIRS] = {0}, scale = 1 / sqrt(lbfgs_dot(n, w->g, w->g));
    for (int64_t i = 0; i < n; i++)
        w->d[i] = -w->g[i];
    for (int k = 0; k < w->pairs; k++) {
        int p = (w->newest - k + LBFGS_PAIRS) % LBFGS_PAIRS;
        alpha[p] = lbfgs_dot(n, w->s[p], w->d) / w->sy[p];
        lbfgs_add(n, -alpha[p], w->y[p], w->d);
    }
    if (w->pairs > 0)
        scale = w->sy[w->newest] / lbfgs_dot(n, w->y[w->newest], w->y[w->newest]);
    for (int64_t i = 0; i < n; i++)
        w->d[i] *= scale;
    for (int k = w->pairs - 1; k >= 0; k--) {
        int p = (w->newest - k + LBFGS_PAIRS) % LBFGS_PAIRS;
        lbfgs_add(n, alpha[p] - lbfgs_dot(n, w->y[p], w->d) / w->sy[p], w->s[p], w->d);
    }
}

/* f at w->trial = x + t d; its gradient in w->trial_g. */
static double lbfgs_evaluate(struct lbfgs_state *w, const double *x, double t,
                             struct lbfgs_result *result)
{
    for (int64_t i = 0; i < w->problem->n; i++)
        w->trial[i] = x[i] + t * w->d[i];
    result->evaluations++;
    return w->problem->value(w->problem->context, w->trial, w->trial_g);
}

/* Find a step along d from x, where f is `value`.  Returns f at the new point, which is w->trial;
 * NAN: no step makes f smaller. */
static double lbfgs_search(struct lbfgs_state *w, const double *x, double value,
                           struct lbfgs_result *result)
{
    const int64_t n = w->problem->n;
    const double slope = lbfgs_dot(n, w->g, w->d);
    double low = 0, high = INFINITY, t = 1; /* low is too short a step, high too long */
    if (!(slope < 0))
        return NAN;
    for (int tries = 0; tries < SEARCHES; tries++) {
        if (result->evaluations >= w->problem->evaluations)
            return NAN;
        const double there = lbfgs_evaluate(w, x, t, result);
        if (!isfinite(there) || !(there <= value + decrease * t * slope))
            high = t;
        else if (lbfgs_dot(n, w->trial_g, w->d) < curvature * slope)
            low = t;
        else
            return there;
        t = high < INFINITY ? (low + high) / 2 : 2 * low;
    }
    if (!(low > 0) || result->evaluations >= w->problem->evaluations)
        return NAN;
    return lbfgs_evaluate(w, x, low, result); /* lower, but steeper than the condition asks for */
}

/* Move x to the trial point and keep the pair.  Where s'y is not positive, as after a step that is
 * too steep, H would not be positive definite: all pairs are dropped then. */
static void lbfgs_move(struct lbfgs_state *w, double *x)
{
    const int64_t n = w->problem->n;
    const int p = w->pairs > 0 ? (w->newest + 1) % LBFGS_PAIRS : 0;
    for (int64_t i = 0; i < n; i++) {
        w->s[p][i] = w->trial[i] - x[i];
        w->y[p][i] = w->trial_g[i] - w->g[i];
    }
    memcpy(x, w->trial, (size_t)n * sizeof *x);
    double *swap = w->g;
    w->g = w->trial_g;
    w->trial_g = swap;
    w->sy[p] = lbfgs_dot(n, w->s[p], w->y[p]);
    w->newest = p;
    if (!(w->sy[p] > 0))
        w->pairs = 0;
    else if (w->pairs < LBFGS_PAIRS)
        w->pairs++;
}

double lbfgs_bytes(int64_t n)
{
    return (2.0 * LBFGS_PAIRS + VECTORS) * (double)n * (double)sizeof(double);
}

int lbfgs_minimise(const struct lbfgs *problem, double *x, struct lbfgs_result *result,
                   struct error *err)
{
    const int64_t n = problem->n;
    assert(n >= 0);
    *result = (struct lbfgs_result){.evaluations = 1};
    double *block = memory_new((2 * LBFGS_PAIRS + VECTORS) * n, sizeof *block, err);
    if (!block)
        return -1;
    struct lbfgs_state w = {.problem = problem,
                            .trial = block,
                            .g = block + n,
                            .trial_g = block + 2 * n,
                            .d = block + 3 * n};
    for (int p = 0; p < LBFGS_PAIRS; p++) {
        w.s[p] = block + (VECTORS + 2 * p) * n;
        w.y[p] = w.s[p] + n;
    }
    result->value = problem->value(problem->context, x, w.g);
    result->gradient = sqrt(lbfgs_dot(n, w.g, w.g));
    int status = 0;
    if (!isfinite(result->value) || !isfinite(result->gradient)) {
        status = error_set(
            err, "a sum is not finite: the values are too large; scale them, or use -l 1");
        goto done;
    }
    for (;;) {
        result->converged = result->gradient <= problem->gradient;
        if (result->converged || result->evaluations >= problem->evaluations)
            break;
        lbfgs_direction(&w);
        const double value = lbfgs_search(&w, x, result->value, result);
        if (!(value < result->value)) { /* NAN too */
            result->converged = result->evaluations < problem->evaluations;
            break;
        }
        lbfgs_move(&w, x);
        result->value = value;
        result->gradient = sqrt(lbfgs_dot(n, w.g, w.g));
        result->iterations++;
        if (problem->visit && !problem->visit(problem->context, x, result->iterations)) {
            result->converged = true;
            break;
        }
    }
done:
    memory_free(block);
    return status;
}
