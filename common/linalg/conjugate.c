/* Nonlinear conjugate gradients.
 *
 * x itself moves along d while a step is sought, so that no table holds the trial.  Dai and Yuan's
 * beta, because it needs no old gradient and keeps directions descending after steps that are far
 * from the minimum along d. */
#include "common/linalg/conjugate.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/linalg/vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CONJUGATE_SEARCHES = 40,     /* steps tried along one direction: no reason but that it works */
    CONJUGATE_BLOCK = 1024,      /* numbers, so that two blocks fit in a cache of 32 KB */
    CONJUGATE_FEWEST_BLOCKS = 32 /* for threads to be started: the 85 of r8 are worth it */
};

/* Of the two conditions on a step: Nocedal and Wright's usual value for the decrease; for the slope
 * no reason but that it works. */
static const double conjugate_decrease = 1e-4, conjugate_width = 0.25;

/* A direction leads down by at least this share of the steepest, or the steepest is taken: the
 * cosine of their angle in the metric.  Without, searches to the minimum may take ten times as
 * long; measured on r8 and amazon_domain: .15 to .25 alike. */
static const double conjugate_least_descent = 0.2;

/* Where no step was too long yet, the next one is 1.25 to 10 times as long; the first along a
 * direction is at most 10 times the last step: no reason but that they work. */
static const double conjugate_nearer = 1.25, conjugate_farther = 10;

struct conjugate_state {
    const struct conjugate *problem;
    double *x;
    double *sums; /* a sum for each block */
    int64_t blocks;
    int threads;
    double squares;   /* g'Mg */
    double slope;     /* g'd at the start of the step; */
    double end_slope; /* and at x */
    double length;    /* d'M^-1 d */
    double curvature; /* along the last d, of length 1; 0: none is known */
    double step;      /* x is so many d from the start of the step */
    double longest;   /* the first step of a search is at most this, in the metric; INFINITY: any */
    double factor;    /* of d, in a pass */
    double steepest;  /* of Mg, in the pass that turns d */
};

/* ---- passes over the blocks ---- */

static void conjugate_pass(struct conjugate_state *w, void (*body)(void *context, int64_t block))
{
    parallel_for(w->threads, w->blocks, body, w);
}

static int64_t conjugate_block_size(const struct conjugate_state *w, int64_t block)
{
    return order_least(w->problem->n - block * CONJUGATE_BLOCK, CONJUGATE_BLOCK);
}

static double conjugate_sum(struct conjugate_state *w, void (*body)(void *context, int64_t block))
{
    double sum = 0;
    conjugate_pass(w, body);
    for (int64_t block = 0; block < w->blocks; block++)
        sum += w->sums[block];
    return sum;
}

static void conjugate_squares_block(void *context, int64_t block)
{
    struct conjugate_state *w = context;
    const double *g = w->problem->g + block * CONJUGATE_BLOCK;
    w->sums[block] = vector_dot(conjugate_block_size(w, block), g, g);
}

static void conjugate_slope_block(void *context, int64_t block)
{
    struct conjugate_state *w = context;
    const int64_t first = block * CONJUGATE_BLOCK;
    w->sums[block] = vector_dot_single(conjugate_block_size(w, block), w->problem->g + first,
                                       w->problem->d + first);
}

/* x += factor d */
static void conjugate_move_block(void *context, int64_t block)
{
    struct conjugate_state *w = context;
    const int64_t first = block * CONJUGATE_BLOCK;
    vector_add_single(conjugate_block_size(w, block), w->factor, w->problem->d + first,
                      w->x + first);
}

/* The largest |factor d - g|; g holds Mg. */
static void conjugate_size_block(void *context, int64_t block)
{
    struct conjugate_state *w = context;
    const int64_t first = block * CONJUGATE_BLOCK;
    w->sums[block] = vector_largest(conjugate_block_size(w, block), w->factor,
                                    w->problem->d + first, w->problem->g + first);
}

/* d = factor d - steepest g; g holds Mg. */
static void conjugate_turn_block(void *context, int64_t block)
{
    struct conjugate_state *w = context;
    const int64_t first = block * CONJUGATE_BLOCK, n = conjugate_block_size(w, block);
    float *d = w->problem->d + first;
    const double *g = w->problem->g + first;
    for (int64_t i = 0; i < n; i++)
        d[i] = (float)(w->factor * (double)d[i] - w->steepest * g[i]);
}

/* Move x to the point `step` times d from the start. */
static void conjugate_move(struct conjugate_state *w, double step)
{
    w->factor = step - w->step;
    w->step = step;
    conjugate_pass(w, conjugate_move_block);
}

/* ---- a step ---- */

static double conjugate_evaluate(struct conjugate_state *w, struct descent_result *result)
{
    result->evaluations++;
    return w->problem->value(w->problem->context, w->x, w->problem->g);
}

/* g <- Mg, and g'Mg on the way. */
static void conjugate_take_metric(struct conjugate_state *w)
{
    const struct conjugate *problem = w->problem;
    w->squares = problem->metric ? problem->metric(problem->context, problem->g)
                                 : conjugate_sum(w, conjugate_squares_block);
}

/* factor d - Mg has this largest |entry|. */
static double conjugate_find_size(struct conjugate_state *w)
{
    double size = 0;
    conjugate_pass(w, conjugate_size_block);
    for (int64_t block = 0; block < w->blocks; block++)
        size = fmax(size, w->sums[block]);
    return size;
}

/* d from Mg, which g holds, and its slope.  It is scaled: single precision has a narrow range. */
static void conjugate_turn(struct conjugate_state *w)
{
    const double change = w->end_slope - w->slope; /* d''(g - g'), 0 at first */
    double beta = change > 0 ? w->squares / change : 0, slope = beta * w->end_slope - w->squares,
           length = w->squares - 2 * beta * w->end_slope + beta * beta * w->length;
    if (!(slope < 0) || -slope < conjugate_least_descent * sqrt(w->squares * length)) {
        beta = 0;
        slope = -w->squares;
        length = w->squares;
    }
    w->factor = beta;
    const double size = conjugate_find_size(w), scale = size > 0 ? 1 / size : 1;
    w->length = length * scale * scale;
    w->slope = slope * scale;
    w->step = 0;
    w->factor = beta * scale;
    w->steepest = scale;
    conjugate_pass(w, conjugate_turn_block);
}

/* A first step to try: to where the slope would be as it should, if f were as curved along d as it
 * was along the direction before; of length 1 where that is not known. */
static double conjugate_first_step(const struct conjugate_state *w)
{
    const double length = sqrt(w->length), sought = (1 - w->problem->remains) * -w->slope / length;
    return fmin(w->curvature > 0 ? sought / w->curvature : 1, w->longest) / length;
}

/* Between a step that is too short and one that is too long, or beyond the first (high: INFINITY),
 * where a secant through the slopes there has the slope that is sought: but not nearer to either
 * than a tenth of their distance. */
static double conjugate_between(double low, double low_slope, double high, double high_slope,
                                double sought)
{
    const double width = high - low,
                 secant = high_slope > low_slope
                              ? low + (sought - low_slope) * width / (high_slope - low_slope)
                              : low + width / 2;
    return fmin(fmax(secant, low + width / 10), high - width / 10);
}

/* Beyond a step that is too short, where none is known to be too long. */
static double conjugate_beyond(double low, double low_slope, double step, double slope,
                               double sought)
{
    const double secant = slope > low_slope
                              ? low + (sought - low_slope) * (step - low) / (slope - low_slope)
                              : INFINITY;
    return fmin(fmax(secant, conjugate_nearer * step), conjugate_farther * step);
}

/* Find a step along d from x, where f is `value`, and move x there.  Returns f there; NAN: no step
 * makes f smaller, and x is where it was. */
static double conjugate_search(struct conjugate_state *w, double value,
                               struct descent_result *result)
{
    const struct conjugate *problem = w->problem;
    const double sought = problem->remains * w->slope, least = sought + conjugate_width * w->slope,
                 most = sought - conjugate_width * w->slope;
    double low = 0, low_slope = w->slope, lower = NAN, high = INFINITY, high_slope = INFINITY,
           step = conjugate_first_step(w);
    for (int tries = 0; tries < CONJUGATE_SEARCHES && result->evaluations < problem->evaluations;
         tries++) {
        conjugate_move(w, step);
        const double there = conjugate_evaluate(w, result),
                     slope = isfinite(there) ? conjugate_sum(w, conjugate_slope_block) : INFINITY;
        const bool falls = there <= value + conjugate_decrease * step * w->slope; /* not NAN */
        if (falls && slope >= least && slope <= most) {
            w->end_slope = slope;
            w->curvature = (slope - w->slope) / (step * w->length);
            w->longest = conjugate_farther * step * sqrt(w->length);
            return there;
        }
        if (falls && slope < least) {
            const double next = high < INFINITY
                                    ? conjugate_between(step, slope, high, high_slope, sought)
                                    : conjugate_beyond(low, low_slope, step, slope, sought);
            low = step;
            low_slope = slope;
            lower = there;
            step = next;
        } else {
            high = step;
            high_slope = slope;
            step = conjugate_between(low, low_slope, high, high_slope, sought);
        }
    }
    /* None was right: the longest that was too short makes f smaller, if there was one. */
    if (!(low > 0) || (high < INFINITY && result->evaluations >= problem->evaluations)) {
        conjugate_move(w, 0);
        return NAN;
    }
    w->end_slope = low_slope;
    if (high == INFINITY) /* x is there */
        return lower;
    conjugate_move(w, low);
    return conjugate_evaluate(w, result);
}

/* After a step: does the caller want another one?  If not, x is the mean of the last two points. */
static bool conjugate_goes_on(struct conjugate_state *w, int64_t iteration)
{
    const struct conjugate *problem = w->problem;
    if ((!problem->visit || problem->visit(problem->context, w->x, iteration))
        && iteration != problem->iterations)
        return true;
    if (iteration > 1)
        conjugate_move(w, w->step / 2);
    return false;
}

/* ---- the search ---- */

static int64_t conjugate_count_blocks(int64_t n)
{
    return parallel_parts(n, CONJUGATE_BLOCK);
}

double conjugate_bytes(int64_t n)
{
    return 12 * (double)n + 8 * (double)conjugate_count_blocks(n);
}

int conjugate_minimise(const struct conjugate *problem, double *x, struct descent_result *result,
                       struct error *err)
{
    const int64_t blocks = conjugate_count_blocks(problem->n);
    assert(problem->n >= 0 && problem->threads >= 1);
    assert(problem->remains >= 0 && problem->remains <= 0.5);
    struct conjugate_state w = {.problem = problem,
                                .x = x,
                                .blocks = blocks,
                                .curvature = problem->curvature,
                                .longest = INFINITY,
                                .threads = blocks < CONJUGATE_FEWEST_BLOCKS ? 1 : problem->threads,
                                .sums = memory_new(blocks, sizeof *w.sums, err)};
    *result = (struct descent_result){0};
    if (!w.sums)
        return -1;
    memset(problem->d, 0, (size_t)problem->n * sizeof *problem->d);
    result->value = conjugate_evaluate(&w, result);
    conjugate_take_metric(&w);
    result->gradient = sqrt(w.squares);
    const double goal = fmax(problem->gradient, problem->reduction * result->gradient);
    const int status = descent_check(result, err);
    while (status == 0 && !descent_ends(result, goal, problem->evaluations)) {
        conjugate_turn(&w);
        const double value = conjugate_search(&w, result->value, result);
        if (!(value < result->value)) { /* NAN too: x stays where it was */
            conjugate_move(&w, 0);
            result->converged = result->evaluations < problem->evaluations;
            break;
        }
        result->value = value;
        result->iterations++;
        conjugate_take_metric(&w);
        result->gradient = sqrt(w.squares);
        if (!conjugate_goes_on(&w, result->iterations)) {
            result->converged = true;
            break;
        }
    }
    memory_free(w.sums);
    return status;
}
