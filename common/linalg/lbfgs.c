/* Limited-memory BFGS: method and sources in lbfgs.h.
 *
 *     x, g     the iterate and its gradient
 *     s, y     x' - x and g' - g of the last steps, a ring of pairs.  The trial of a step and its
 *              gradient stand in the places that its s and y will take: those of the oldest pair,
 *              which nothing asks for once d is known
 *     d        the search direction -H g, a sum of multiples of all s, y and g
 *
 * Nocedal's two loops need only the products of these vectors with one another, and change only
 * the factors of the sum (Chen, Wang and Zhou 2014).  So each vector is read twice a step, for the
 * products with the three that are new and for the sum, not once in each turn of the loops; and
 * both passes are over blocks of all vectors, which threads share.
 *
 * The weak Wolfe conditions are used because bisection finds a step for them without interpolating
 * between values, and they suffice for s'y > 0. */
#include "common/linalg/lbfgs.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/linalg/vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of the two conditions on a step; the usual values (Nocedal and Wright, Numerical Optimization,
 * 3.1). */
static const double lbfgs_decrease = 1e-4, lbfgs_curvature = 0.9;

enum {
    BASIS = 2 * LBFGS_PAIRS + 1,    /* vectors that d is a sum of: s, then y, then g */
    GRADIENT = BASIS - 1,           /* the place of g among them */
    SUMS = BASIS + LBFGS_PAIRS + 1, /* of products that a step sums up */
    VECTORS = 2 + 2 * LBFGS_PAIRS,  /* d, g, all s and y */
    SEARCHES = 40,      /* steps tried in one direction: the last is 2^-39 of the first */
    BLOCK = 1024,       /* numbers, so that two blocks fit in a cache of 32 KB */
    FEWEST_BLOCKS = 128 /* for threads to be started: no reason but that it works */
};

struct lbfgs_state {
    const struct lbfgs *problem;
    double *x;                    /* n: the iterate */
    double *d;                    /* n: the direction */
    double *basis[BASIS];         /* n each */
    double product[BASIS][BASIS]; /* of these vectors with one another */
    double factor[BASIS];         /* of each in d */
    double slope;                 /* g'd */
    double step;                  /* along d, of the trial */
    double *sums;                 /* workspace, SUMS for each block */
    int64_t blocks;
    int threads;
    int pairs, newest;       /* pairs in the ring; the place of the last one */
    double *trial, *trial_g; /* the point that was evaluated last, and its gradient: where the
                                next pair will be */
};

/* ---- passes over the blocks ---- */

static void lbfgs_pass(struct lbfgs_state *w, void (*body)(void *context, int64_t block))
{
    parallel_for(w->threads, w->blocks, body, w);
}

static int64_t lbfgs_block_size(const struct lbfgs_state *w, int64_t block)
{
    return order_least(w->problem->n - block * BLOCK, BLOCK);
}

/* Does place v of the basis hold a vector?  Places of the ring are taken from 0 up. */
static bool lbfgs_is_there(const struct lbfgs_state *w, int v)
{
    return v == GRADIENT || v % LBFGS_PAIRS < w->pairs;
}

/* A block of d: the sum of factor times vector. */
static void lbfgs_sum_block(void *context, int64_t block)
{
    struct lbfgs_state *w = context;
    const int64_t first = block * BLOCK, n = lbfgs_block_size(w, block);
    double *d = w->d + first;
    for (int64_t i = 0; i < n; i++)
        d[i] = w->factor[GRADIENT] * w->basis[GRADIENT][first + i];
    for (int v = 0; v < GRADIENT; v++)
        if (lbfgs_is_there(w, v))
            vector_add(n, w->factor[v], w->basis[v] + first, d);
}

static void lbfgs_trial_block(void *context, int64_t block)
{
    struct lbfgs_state *w = context;
    const int64_t first = block * BLOCK, n = lbfgs_block_size(w, block);
    memcpy(w->trial + first, w->x + first, (size_t)n * sizeof *w->x);
    vector_add(n, w->step, w->d + first, w->trial + first);
}

static void lbfgs_slope_block(void *context, int64_t block)
{
    struct lbfgs_state *w = context;
    const int64_t first = block * BLOCK;
    w->sums[block] = vector_dot(lbfgs_block_size(w, block), w->trial_g + first, w->d + first);
}

/* Move x to the trial, put the new pair and gradient in their places (newest is theirs already),
 * and sum up the products of g with all vectors, of s with all y, and y'y. */
static void lbfgs_move_block(void *context, int64_t block)
{
    struct lbfgs_state *w = context;
    const int64_t first = block * BLOCK, n = lbfgs_block_size(w, block);
    double *s = w->basis[w->newest] + first, *y = w->basis[LBFGS_PAIRS + w->newest] + first,
           *g = w->basis[GRADIENT] + first;
    double *x = w->x + first;
    for (int64_t i = 0; i < n; i++) {
        const double trial = s[i], trial_g = y[i];
        s[i] = trial - x[i];
        y[i] = trial_g - g[i];
        x[i] = trial;
        g[i] = trial_g;
    }
    double *sum = w->sums + block * SUMS;
    for (int v = 0; v < BASIS; v++)
        if (lbfgs_is_there(w, v))
            sum[v] = vector_dot(n, g, w->basis[v] + first);
    for (int p = 0; p < w->pairs; p++)
        sum[BASIS + p] = vector_dot(n, s, w->basis[LBFGS_PAIRS + p] + first);
    sum[SUMS - 1] = vector_dot(n, y, y);
}

/* ---- a step ---- */

/* The product of d, as far as the factors go, with vector v. */
static double lbfgs_along(const struct lbfgs_state *w, int v)
{
    double sum = 0;
    for (int u = 0; u < BASIS; u++)
        if (lbfgs_is_there(w, u))
            sum += w->factor[u] * w->product[v][u];
    return sum;
}

/* The place in the ring of the pair k steps before the newest. */
static int lbfgs_place_before(const struct lbfgs_state *w, int k)
{
    return (w->newest - k + LBFGS_PAIRS) % LBFGS_PAIRS;
}

/* The place that the next pair will take. */
static int lbfgs_next_place(const struct lbfgs_state *w)
{
    return w->pairs > 0 ? (w->newest + 1) % LBFGS_PAIRS : 0;
}

/* d = -H g by Nocedal's two loops, from the newest pair to the oldest and back; its slope, and
 * where trials along it stand. */
static void lbfgs_direction(struct lbfgs_state *w)
{
    double alpha[LBFGS_PAIRS] = {0}, scale = 1 / sqrt(w->product[GRADIENT][GRADIENT]);
    memset(w->factor, 0, sizeof w->factor);
    w->factor[GRADIENT] = -1;
    for (int k = 0; k < w->pairs; k++) {
        const int s = lbfgs_place_before(w, k), y = LBFGS_PAIRS + s;
        alpha[s] = lbfgs_along(w, s) / w->product[s][y];
        w->factor[y] -= alpha[s];
    }
    if (w->pairs > 0) {
        const int s = w->newest, y = LBFGS_PAIRS + s;
        scale = w->product[s][y] / w->product[y][y];
    }
    for (int v = 0; v < BASIS; v++)
        w->factor[v] *= scale;
    for (int k = w->pairs - 1; k >= 0; k--) {
        const int s = lbfgs_place_before(w, k), y = LBFGS_PAIRS + s;
        w->factor[s] += alpha[s] - lbfgs_along(w, y) / w->product[s][y];
    }
    w->slope = lbfgs_along(w, GRADIENT);
    lbfgs_pass(w, lbfgs_sum_block);
    w->trial = w->basis[lbfgs_next_place(w)];
    w->trial_g = w->basis[LBFGS_PAIRS + lbfgs_next_place(w)];
}

/* f at w->trial = x + t d; its gradient in w->trial_g. */
static double lbfgs_evaluate(struct lbfgs_state *w, double t, struct descent_result *result)
{
    w->step = t;
    lbfgs_pass(w, lbfgs_trial_block);
    result->evaluations++;
    return w->problem->value(w->problem->context, w->trial, w->trial_g);
}

/* The slope along d at the trial. */
static double lbfgs_trial_slope(struct lbfgs_state *w)
{
    double sum = 0;
    lbfgs_pass(w, lbfgs_slope_block);
    for (int64_t block = 0; block < w->blocks; block++)
        sum += w->sums[block];
    return sum;
}

/* Find a step along d from x, where f is `value`.  Returns f at the new point, which is w->trial;
 * NAN: no step makes f smaller. */
static double lbfgs_search(struct lbfgs_state *w, double value, struct descent_result *result)
{
    double low = 0, high = INFINITY, t = 1; /* low is too short a step, high too long */
    if (!(w->slope < 0))
        return NAN;
    for (int tries = 0; tries < SEARCHES; tries++) {
        if (result->evaluations >= w->problem->evaluations)
            return NAN;
        const double there = lbfgs_evaluate(w, t, result);
        const bool falls = isfinite(there) && there <= value + lbfgs_decrease * t * w->slope;
        const double slope = falls ? lbfgs_trial_slope(w) : NAN;
        if (!isfinite(slope)) /* also where only the gradient is not finite */
            high = t;
        else if (slope < lbfgs_curvature * w->slope)
            low = t;
        else
            return there;
        t = high < INFINITY ? (low + high) / 2 : 2 * low;
    }
    if (!(low > 0) || result->evaluations >= w->problem->evaluations)
        return NAN;
    return lbfgs_evaluate(w, low, result); /* lower, but steeper than the condition asks for */
}

static void lbfgs_set_product(struct lbfgs_state *w, int u, int v, double product)
{
    w->product[u][v] = w->product[v][u] = product;
}

/* Move x to the trial point and keep the pair.  Where s'y is not positive, as after a step that is
 * too steep, H would not be positive definite: all pairs are dropped then. */
static void lbfgs_move(struct lbfgs_state *w)
{
    w->newest = lbfgs_next_place(w);
    if (w->pairs < LBFGS_PAIRS)
        w->pairs++;
    lbfgs_pass(w, lbfgs_move_block);
    const int s = w->newest, y = LBFGS_PAIRS + s;
    double sums[SUMS] = {0}, before[BASIS];
    for (int64_t block = 0; block < w->blocks; block++)
        for (int i = 0; i < SUMS; i++)
            sums[i] += w->sums[block * SUMS + i];
    memcpy(before, w->product[GRADIENT], sizeof before);
    for (int v = 0; v < BASIS; v++)
        lbfgs_set_product(w, GRADIENT, v, sums[v]);
    /* y = g' - g, and g is known by its products with the older vectors. */
    for (int v = 0; v < GRADIENT; v++)
        if (lbfgs_is_there(w, v))
            lbfgs_set_product(w, y, v, sums[v] - before[v]);
    for (int p = 0; p < w->pairs; p++)
        lbfgs_set_product(w, s, LBFGS_PAIRS + p, sums[BASIS + p]);
    lbfgs_set_product(w, y, y, sums[SUMS - 1]);
    if (!(w->product[s][y] > 0))
        w->pairs = 0;
}

static int64_t lbfgs_count_blocks(int64_t n)
{
    return parallel_parts(n, BLOCK);
}

double lbfgs_bytes(int64_t n)
{
    return 8 * (VECTORS * (double)n + SUMS * (double)lbfgs_count_blocks(n));
}

int lbfgs_minimise(const struct lbfgs *problem, double *x, struct descent_result *result,
                   struct error *err)
{
    const int64_t n = problem->n, blocks = lbfgs_count_blocks(n);
    assert(n >= 0 && problem->threads >= 1);
    *result = (struct descent_result){0};
    double *block = memory_new(VECTORS * n + SUMS * blocks, sizeof *block, err);
    if (!block)
        return -1;
    result->evaluations = 1;
    struct lbfgs_state w = {.problem = problem,
                            .x = x,
                            .blocks = blocks,
                            .threads = blocks < FEWEST_BLOCKS ? 1 : problem->threads,
                            .d = block,
                            .sums = block + VECTORS * n};
    for (int p = 0; p < LBFGS_PAIRS; p++) {
        w.basis[p] = block + (2 + 2 * p) * n;
        w.basis[LBFGS_PAIRS + p] = block + (3 + 2 * p) * n;
    }
    double *g = w.basis[GRADIENT] = block + n;
    result->value = problem->value(problem->context, x, g);
    w.product[GRADIENT][GRADIENT] = vector_dot(n, g, g);
    result->gradient = sqrt(w.product[GRADIENT][GRADIENT]);
    const double goal = fmax(problem->gradient, problem->reduction * result->gradient);
    const int status = descent_check(result, err);
    while (status == 0 && !descent_ends(result, goal, problem->evaluations)) {
        lbfgs_direction(&w);
        const double value = lbfgs_search(&w, result->value, result);
        if (!(value < result->value)) { /* NAN too */
            result->converged = result->evaluations < problem->evaluations;
            break;
        }
        lbfgs_move(&w);
        result->value = value;
        result->gradient = sqrt(w.product[GRADIENT][GRADIENT]);
        result->iterations++;
    }
    memory_free(block);
    return status;
}
