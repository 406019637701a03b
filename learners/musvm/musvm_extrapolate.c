/* Extrapolation steps of MU-SVM's solver, for the linear kernel.
 *
 * Where samples are alike, coordinate descent is slow: a sweep changes alpha much as the sweep
 * before did, thousands of times.  So every few sweeps the solver maximises the dual over the plane
 * through alpha that two directions span (two-dimensional subspace optimisation, as in Narkiss and
 * Zibulevsky, Sequential subspace optimization, 2005):
 *
 *   step      alpha - origin, since the last extrapolation
 *   previous  the step before that, with the extrapolation that ended it
 *
 * Were there no constraints and the step the gradient, this would be the method of conjugate
 * gradients.  The dual is quadratic but for Delta, so slope and curvature along the two directions
 * are sums over w.  The best point of the plane, projected row by row on the constraints, is the
 * target; the solver goes towards it as far as the dual rises, so the dual never falls.
 *
 * Other kernels: instead of w, all decision values would have to follow each row that the
 * projection changes, which costs as much as a sweep. */
#include "common/base/memory.h"
#include "learners/musvm/musvm_row.h"
#include "learners/musvm/musvm_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rounding that may be left in a row of the plane, relative to its largest element: some hundred
 * roundings.  No reason for the number but that it works. */
static const double musvm_rounding = 1e-13;

/* The two directions span a plane if the determinant of their inner products exceeds this share of
 * what it is at a right angle.  No reason for the number but that it works. */
static const double musvm_least_determinant = 1e-10;

/* Reach, a trust region: the largest multiple of a step that is tried.  No reason for the numbers
 * but that they work. */
static const double musvm_first_reach = 2, musvm_longest_reach = 8;

/* The dual along the two directions, step and previous. */
struct musvm_plane {
    double slope[2];
    double curve[3]; /* inner products in w: step.step, step.previous, previous.previous */
};

static int64_t musvm_w_cells(const struct musvm_solver *s)
{
    return s->point->w.rows * s->point->w.stride;
}

/* The target's storage, N x K: the point's f, which is free until the solver ends. */
static double *musvm_target(const struct musvm_solver *s)
{
    assert(!s->task->rows);
    return s->point->f;
}

/* From here on, as if there had been no extrapolation before. */
static void musvm_extrapolation_restart(struct musvm_solver *s)
{
    struct musvm_extrapolation *e = &s->extrapolation;
    const size_t bytes = (size_t)(s->N * s->K) * sizeof *e->origin,
                 w_bytes = (size_t)musvm_w_cells(s) * sizeof *e->w_origin;
    memcpy(e->origin, s->point->alpha, bytes);
    memset(e->previous, 0, bytes);
    memcpy(e->w_origin, s->point->w.w, w_bytes);
    memset(e->w_previous, 0, w_bytes);
    e->reach = musvm_first_reach;
}

static int musvm_extrapolation_make(struct musvm_solver *s)
{
    struct musvm_extrapolation *e = &s->extrapolation;
    const int64_t cells = s->N * s->K, w_cells = musvm_w_cells(s);
    if (!(e->origin = memory_new(cells, sizeof *e->origin, s->err))
        || !(e->previous = memory_new(cells, sizeof *e->previous, s->err))
        || !(e->w_origin = memory_new(w_cells, sizeof *e->w_origin, s->err))
        || !(e->w_previous = memory_new(w_cells, sizeof *e->w_previous, s->err))
        || !(e->w_direction = memory_new(w_cells, sizeof *e->w_direction, s->err)))
        return -1;
    musvm_extrapolation_restart(s);
    return 0;
}

void musvm_extrapolation_free(struct musvm_extrapolation *e)
{
    memory_free(e->origin);
    memory_free(e->previous);
    memory_free(e->w_origin);
    memory_free(e->w_previous);
    memory_free(e->w_direction);
}

/* Slope and curvature of the dual at alpha, along the two directions.  Where Delta max(0, a) has a
 * kink, the slope is that below it. */
static struct musvm_plane musvm_measure_plane(const struct musvm_solver *s)
{
    const struct musvm_extrapolation *e = &s->extrapolation;
    const double *w = s->point->w.w;
    struct musvm_plane plane = {{0}, {0}};
    double *slope = plane.slope, *curve = plane.curve;
    for (int64_t j = 0; j < musvm_w_cells(s); j++) {
        const double step = w[j] - e->w_origin[j], previous = e->w_previous[j];
        slope[0] -= w[j] * step;
        slope[1] -= w[j] * previous;
        curve[0] += step * step;
        curve[1] += step * previous;
        curve[2] += previous * previous;
    }
    for (int64_t i = 0; i < s->N; i++) {
        const double *a = s->point->alpha + i * s->K, *origin = e->origin + i * s->K,
                     *previous = e->previous + i * s->K,
                     delta = musvm_in_training(s, i) ? 0 : s->options->delta;
        for (int64_t l = 0; l < s->K; l++) {
            const double cost = musvm_loss(s, i, l) + (a[l] > 0 ? delta : 0);
            slope[0] -= cost * (a[l] - origin[l]);
            slope[1] -= cost * previous[l];
        }
    }
    return plane;
}

/* c: out, so that alpha + c[0] step + c[1] previous is the best point of the plane, or of the line
 * where the directions are nearly parallel; no further than reach, and c[1] at most 1: a larger
 * multiple of the previous step would let its rounding grow from one extrapolation to the next. */
static void musvm_combine(const struct musvm_plane *plane, double reach, double c[2])
{
    const double *slope = plane->slope, *curve = plane->curve;
    const double determinant = curve[0] * curve[2] - curve[1] * curve[1];
    if (determinant > musvm_least_determinant * curve[0] * curve[2]) {
        c[0] = (slope[0] * curve[2] - slope[1] * curve[1]) / determinant;
        c[1] = (slope[1] * curve[0] - slope[0] * curve[1]) / determinant;
    } else {
        c[0] = slope[0] / curve[0];
        c[1] = 0;
    }
    if (!isfinite(c[0]) || !isfinite(c[1])) {
        c[0] = c[1] = 0;
        return;
    }
    const double over = fmax(fmax(fabs(c[0]), fabs(c[1])) / reach, fabs(c[1]));
    if (over > 1) {
        c[0] /= over;
        c[1] /= over;
    }
}

/* Row i of the target: of alpha + c[0] step + c[1] previous, projected on its constraints.  What
 * the projection changes is added to w_direction.  Returns the gain of the dual's linear part. */
static double musvm_aim_row(struct musvm_solver *s, int64_t i, const double c[2])
{
    const struct musvm_extrapolation *e = &s->extrapolation;
    const int64_t K = s->K, y = musvm_in_training(s, i) ? s->task->y[i] : -1;
    const double *a = s->point->alpha + i * K, *origin = e->origin + i * K,
                 *previous = e->previous + i * K;
    double *target = musvm_target(s) + i * K, *g = s->g, most = 0;
    bool moves = false, within = true;
    for (int64_t l = 0; l < K; l++) {
        const double change = c[0] * (a[l] - origin[l]) + c[1] * previous[l];
        moves = moves || change < 0 || change > 0;
        g[l] = a[l] + change;
        s->b[l] = -g[l];
        most = fmax(most, fabs(g[l]));
    }
    if (!moves) {
        memcpy(target, a, (size_t)K * sizeof *a);
        return 0;
    }
    musvm_set_caps(s, i);
    for (int64_t l = 0; l < K; l++) {
        /* Exactly 0 and exactly the cap, or the row would seem free to move. */
        if (fabs(g[l]) <= musvm_rounding * most)
            g[l] = 0;
        else if (fabs(g[l] - s->cap[l]) <= musvm_rounding * most)
            g[l] = s->cap[l];
        within = within && g[l] <= s->cap[l]; /* at the caps a projection would change nothing */
    }
    if (!within && y >= 0)
        musvm_project_training(K, 1, s->b, y, s->cap[y], g, s->work);
    else if (!within)
        musvm_project(K, 1, s->b, 0, s->cap, g, s->work);
    musvm_absorb_rounding(g, K);
    if (!within) {
        struct example x = problem_example(s->task->samples, i);
        struct weights w_direction = s->point->w;
        w_direction.w = e->w_direction;
        for (int64_t l = 0; l < K; l++)
            s->b[l] += g[l];
        weights_add(&w_direction, &x, s->b);
    }
    memcpy(target, g, (size_t)K * sizeof *g);
    return musvm_gain(s, i, g) - musvm_gain(s, i, a);
}

/* Fill the target and w_direction.  Returns what the dual's linear part gains at the target. */
static double musvm_aim(struct musvm_solver *s, const double c[2])
{
    const struct musvm_extrapolation *e = &s->extrapolation;
    const double *w = s->point->w.w;
    double gain = 0;
    for (int64_t j = 0; j < musvm_w_cells(s); j++)
        e->w_direction[j] = c[0] * (w[j] - e->w_origin[j]) + c[1] * e->w_previous[j];
    for (int64_t i = 0; i < s->N; i++)
        gain += musvm_aim_row(s, i, c);
    return gain;
}

/* The multiple of the way to the target that is best for the dual; may be negative or above 1.
 * gain: of musvm_aim; the linear part is concave, so what it gains on a part of the way is at least
 * that part of the gain. */
static double musvm_best_share(const struct musvm_solver *s, double gain)
{
    const double *w = s->point->w.w, *direction = s->extrapolation.w_direction;
    double curve = 0;
    for (int64_t j = 0; j < musvm_w_cells(s); j++) {
        gain -= w[j] * direction[j];
        curve += direction[j] * direction[j];
    }
    return curve > 0 ? gain / curve : 0;
}

/* A shorter reach if the constraints were in the way, a longer one if nothing was.  No reason for
 * the numbers but that they work. */
static void musvm_adapt_reach(struct musvm_extrapolation *e, double share, const double c[2])
{
    const double most = fmax(fabs(c[0]), fabs(c[1]));
    if (!(share > 0.5))
        e->reach = 0.7 * most;
    else if (share > 0.9 && most > 0.99 * e->reach)
        e->reach = fmin(1.4 * e->reach, musvm_longest_reach);
}

/* Go this share of the way to the target.  That is the new origin, and the whole way to it from the
 * old one the previous step. */
static void musvm_go(struct musvm_solver *s, double share)
{
    assert(share >= 0 && share <= 1);
    const struct musvm_extrapolation *e = &s->extrapolation;
    const double *target = musvm_target(s);
    double *w = s->point->w.w, *alpha = s->point->alpha;
    for (int64_t j = 0; j < musvm_w_cells(s); j++) {
        const double step = w[j] - e->w_origin[j], change = share * e->w_direction[j];
        e->w_previous[j] = step + change;
        w[j] += change;
        e->w_origin[j] = w[j];
    }
    for (int64_t j = 0; j < s->N * s->K; j++) {
        const double step = alpha[j] - e->origin[j];
        const double to = share < 1 ? alpha[j] + share * (target[j] - alpha[j]) : target[j];
        e->previous[j] = step + (to - alpha[j]);
        e->origin[j] = alpha[j] = to;
    }
}

int musvm_extrapolate(struct musvm_solver *s)
{
    struct musvm_extrapolation *e = &s->extrapolation;
    if (!e->origin)
        return musvm_extrapolation_make(s);
    const struct musvm_plane plane = musvm_measure_plane(s);
    double c[2];
    musvm_combine(&plane, e->reach, c);
    const double gain = musvm_aim(s, c), share = musvm_best_share(s, gain);
    musvm_adapt_reach(e, share, c);
    musvm_go(s, share > 0 ? fmin(share, 1) : 0);
    return 0;
}

void musvm_recompute_w(struct musvm_solver *s)
{
    memset(s->point->w.w, 0, (size_t)musvm_w_cells(s) * sizeof *s->point->w.w);
    for (int64_t i = 0; i < s->N; i++) {
        struct example x = problem_example(s->task->samples, i);
        bool any = false;
        for (int64_t l = 0; l < s->K; l++) {
            s->b[l] = s->point->alpha[i * s->K + l];
            any = any || s->b[l] < 0 || s->b[l] > 0;
        }
        if (any)
            weights_add(&s->point->w, &x, s->b);
    }
    musvm_extrapolation_restart(s);
}
