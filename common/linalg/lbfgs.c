#include "common/linalg/lbfgs.h"

#include "common/base/memory.h"
#include "common/base/vectors.h"

#include <math.h>
#include <string.h>

static const double decrease = 1e-4, curvature = 0.9;
enum {
    VECTORS = 4,
    SEARCHES = 40
}; /* trial, gradient, its gradient, direction; steps tried in a direction */

struct state {
    const struct lbfgs *problem;
    double *trial, *g, *trial_g, *d;
    double *s[LBFGS_PAIRS], *y[LBFGS_PAIRS], sy[LBFGS_PAIRS];
    int pairs, newest; /* pairs that are there; where the last one is */
};

/* Sums of 16 entries side by side, then of those. */
WIDEST_VECTORS(double, dot, (int64_t n, const double *a, const double *b), (n, a, b))
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

static void add(int64_t n, double factor, const double *restrict a, double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

/* d = -H g. */
static void find_direction(struct state *w)
{
    const int64_t n = w->problem->n;
    double alpha[LBFGS_PAIRS] = {0}, scale = 1 / sqrt(dot(n, w->g, w->g));
    for (int64_t i = 0; i < n; i++)
        w->d[i] = -w->g[i];
    for (int k = 0; k < w->pairs; k++) {
        int p = (w->newest - k + LBFGS_PAIRS) % LBFGS_PAIRS;
        alpha[p] = dot(n, w->s[p], w->d) / w->sy[p];
        add(n, -alpha[p], w->y[p], w->d);
    }
    if (w->pairs > 0)
        scale = w->sy[w->newest] / dot(n, w->y[w->newest], w->y[w->newest]);
    for (int64_t i = 0; i < n; i++)
        w->d[i] *= scale;
    for (int k = w->pairs - 1; k >= 0; k--) {
        int p = (w->newest - k + LBFGS_PAIRS) % LBFGS_PAIRS;
        add(n, alpha[p] - dot(n, w->y[p], w->d) / w->sy[p], w->s[p], w->d);
    }
}

/* f at x + t d, w->trial. */
static double evaluate(struct state *w, const double *x, double t, struct lbfgs_result *result)
{
    for (int64_t i = 0; i < w->problem->n; i++)
        w->trial[i] = x[i] + t * w->d[i];
    result->evaluations++;
    return w->problem->value(w->problem->context, w->trial, w->trial_g);
}

/* A step along d from x: the new point in w->trial and w->trial_g, its value returned; NAN: none is
 * lower. */
static double search(struct state *w, const double *x, double value, struct lbfgs_result *result)
{
    const int64_t n = w->problem->n;
    const double slope = dot(n, w->g, w->d);
    double low = 0, high = INFINITY, t = 1;
    if (!(slope < 0))
        return NAN;
    for (int tries = 0; tries < SEARCHES && result->evaluations < w->problem->evaluations;
         tries++) {
        const double there = evaluate(w, x, t, result);
        if (!isfinite(there) || !(there <= value + decrease * t * slope))
            high = t;
        else if (dot(n, w->trial_g, w->d) < curvature * slope)
            low = t;
        else
            return there;
        t = high < INFINITY ? (low + high) / 2 : 2 * low;
    }
    return low > 0 && result->evaluations < w->problem->evaluations
               ? evaluate(w, x, low, result)
               : NAN; /* lower, if not as flat as it should be */
}

/* Go to the trial point, and keep what it tells. */
static void move(struct state *w, double *x)
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
    w->sy[p] = dot(n, w->s[p], w->y[p]);
    w->newest = p;
    w->pairs = !(w->sy[p] > 0) ? 0
               : w->pairs < LBFGS_PAIRS
                   ? w->pairs + 1
                   : LBFGS_PAIRS; /* of a step that is not flat enough nothing is learnt */
}

double lbfgs_bytes(int64_t n)
{
    return (2.0 * LBFGS_PAIRS + VECTORS) * (double)n * (double)sizeof(double);
}

int lbfgs_minimise(const struct lbfgs *problem, double *x, struct lbfgs_result *result,
                   struct error *err)
{
    const int64_t n = problem->n;
    *result = (struct lbfgs_result){.evaluations = 1};
    double *room = memory_new((2 * LBFGS_PAIRS + VECTORS) * n, sizeof *room, err);
    if (!room)
        return -1;
    struct state w = {.problem = problem,
                      .trial = room,
                      .g = room + n,
                      .trial_g = room + 2 * n,
                      .d = room + 3 * n};
    for (int p = 0; p < LBFGS_PAIRS; p++) {
        w.s[p] = room + (VECTORS + 2 * p) * n;
        w.y[p] = w.s[p] + n;
    }
    result->value = problem->value(problem->context, x, w.g);
    result->gradient = sqrt(dot(n, w.g, w.g));
    int status = isfinite(result->value) && isfinite(result->gradient)
                     ? 0
                     : error_set(
                         err,
                         "a sum is not finite: the values are too large; scale them, or use -l 1");
    while (status == 0 && !(result->converged = result->gradient <= problem->gradient)
           && result->evaluations < problem->evaluations) {
        find_direction(&w);
        const double value = search(&w, x, result->value, result);
        if (!(value < result->value)) { /* or no step was found */
            result->converged = result->evaluations < problem->evaluations;
            break;
        }
        move(&w, x);
        result->value = value;
        result->gradient = sqrt(dot(n, w.g, w.g));
        result->iterations++;
        if (problem->visit && !problem->visit(problem->context, x, result->iterations)) {
            result->converged = true;
            break;
        }
    }
    memory_free(room);
    return status;
}
