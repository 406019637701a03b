/* Leaps of MU-SVM's solver.
 *
 * Coordinate descent creeps: where samples are alike, what one sweep does is much like what the
 * sweep before it did, thousands of times.  So every few sweeps the solver leaps: to the best point
 * of the plane that is spanned by the step since the last leap and the step before that, the last
 * leap included.  (If there were no constraints, that plane would be the one of the method of
 * conjugate gradients.)  The dual being quadratic, its gradient and curvature in the plane are sums
 * over w.  Each row is then brought back to its constraints, and of the way from here to there as
 * much is gone as the dual rises: it never falls.
 *
 * Linear kernel only: in place of w, others would need decision values, which a row that was
 * brought back changes for all samples. */
#include "common/base/memory.h"
#include "learners/musvm/musvm_state.h"

#include <math.h>
#include <string.h>

enum { LONGEST_REACH = 8 };
static const double ROUNDING =
    1e-13; /* of a row's largest element: what rounding may leave of it */

static int64_t w_cells(const struct solver *s)
{
    return s->point->w.rows * s->point->w.stride;
}

/* From here on, as if there had been no leap before. */
static void leap_restart(struct solver *s)
{
    struct leap *p = &s->leap;
    const size_t bytes = (size_t)(s->N * s->K) * sizeof *p->from,
                 w_bytes = (size_t)w_cells(s) * sizeof *p->w_from;
    memcpy(p->from, s->point->alpha, bytes);
    memset(p->last, 0, bytes);
    memcpy(p->w_from, s->point->w.w, w_bytes);
    memset(p->w_last, 0, w_bytes);
    p->reach = 2;
}

static int leap_make(struct solver *s)
{
    struct leap *p = &s->leap;
    const int64_t cells = s->N * s->K, W = w_cells(s);
    p->from = memory_new(cells, sizeof *p->from, s->err);
    p->last = memory_new(cells, sizeof *p->last, s->err);
    p->w_from = memory_new(W, sizeof *p->w_from, s->err);
    p->w_last = memory_new(W, sizeof *p->w_last, s->err);
    p->w_leap = memory_new(W, sizeof *p->w_leap, s->err);
    if (!p->from || !p->last || !p->w_from || !p->w_last || !p->w_leap)
        return -1;
    leap_restart(s);
    return 0;
}

void musvm_leap_free(struct leap *p)
{
    memory_free(p->from);
    memory_free(p->last);
    memory_free(p->w_from);
    memory_free(p->w_last);
    memory_free(p->w_leap);
}

/* Turn from into the step since then.  c[0] times that and c[1] times the last step lead to the
 * best point of the plane, or towards it as far as reach (and never further than the last step: its
 * rounding would grow from leap to leap). */
static void plan_leap(struct solver *s, double c[2])
{
    struct leap *p = &s->leap;
    const double *w = s->point->w.w;
    double *w_step = p->w_from, slope[2] = {0, 0}, curve[3] = {0, 0, 0};
    for (int64_t j = 0; j < w_cells(s); j++) {
        double step = w[j] - w_step[j], last = p->w_last[j];
        w_step[j] = step;
        slope[0] -= w[j] * step;
        slope[1] -= w[j] * last;
        curve[0] += step * step;
        curve[1] += step * last;
        curve[2] += last * last;
    }
    for (int64_t i = 0; i < s->N; i++) {
        const double *a = s->point->alpha + i * s->K, *last = p->last + i * s->K,
                     delta = musvm_in_training(s, i) ? 0 : s->options->delta;
        double *step = p->from + i * s->K;
        for (int64_t l = 0; l < s->K; l++) {
            double cost = musvm_loss(s, i, l) + (a[l] > 0 ? delta : 0);
            step[l] = a[l] - step[l];
            slope[0] -= cost * step[l];
            slope[1] -= cost * last[l];
        }
    }
    double determinant = curve[0] * curve[2] - curve[1] * curve[1];
    bool plane = determinant > 1e-10 * curve[0] * curve[2]; /* or but a line */
    c[0] = plane ? (slope[0] * curve[2] - slope[1] * curve[1]) / determinant : slope[0] / curve[0];
    c[1] = plane ? (slope[1] * curve[0] - slope[0] * curve[1]) / determinant : 0;
    const bool sound = isfinite(c[0]) && isfinite(c[1]);
    const double over = fmax(fmax(fabs(c[0]), fabs(c[1])) / p->reach, fabs(c[1]));
    for (int k = 0; k < 2; k++)
        c[k] = !sound ? 0 : over > 1 ? c[k] / over : c[k];
}

/* Where row i of the leap ends, into its row of last; what its constraints change goes to w_leap,
 * too.  What the linear part of the dual gains. */
static double leap_row(struct solver *s, int64_t i, const double c[2])
{
    const struct leap *p = &s->leap;
    const int64_t K = s->K, y = musvm_in_training(s, i) ? s->task->y[i] : -1;
    const double *a = s->point->alpha + i * K, *step = p->from + i * K;
    double *last = p->last + i * K, *g = s->g, most = 0;
    bool moves = false, within = true;
    for (int64_t l = 0; l < K; l++) {
        double change = c[0] * step[l] + c[1] * last[l];
        moves = moves || change < 0 || change > 0;
        g[l] = a[l] + change;
        s->b[l] = -g[l];
        most = fmax(most, fabs(g[l]));
    }
    if (!moves) {
        memcpy(last, a, (size_t)K * sizeof *a);
        return 0;
    }
    musvm_set_caps(s, i);
    for (int64_t l = 0; l < K; l++) {
        if (fabs(g[l])
            <= ROUNDING
                   * most) /* exactly 0 and exactly the cap, or the row would seem free to move */
            g[l] = 0;
        else if (fabs(g[l] - s->cap[l]) <= ROUNDING * most)
            g[l] = s->cap[l];
        within = within && g[l] <= s->cap[l];
    }
    if (!within && y >= 0)
        musvm_project_training(K, 1, s->b, y, s->cap[y], g, s->room);
    else if (!within)
        musvm_project(K, 1, s->b, 0, s->cap, g, s->room);
    musvm_settle(g, K);
    if (!within) {
        struct example x = problem_example(s->task->samples, i);
        struct weights w_leap = s->point->w;
        w_leap.w = p->w_leap;
        for (int64_t l = 0; l < K; l++)
            s->b[l] += g[l];
        weights_add(&w_leap, &x, s->b);
    }
    memcpy(last, g, (size_t)K * sizeof *g);
    return musvm_gain(s, i, g) - musvm_gain(s, i, a);
}

int musvm_leap(struct solver *s)
{
    struct leap *p = &s->leap;
    if (!p->from)
        return leap_make(s);
    double *w = s->point->w.w, *alpha = s->point->alpha, c[2], gain = 0, curve = 0;
    plan_leap(s, c);
    for (int64_t j = 0; j < w_cells(s); j++)
        p->w_leap[j] = c[0] * p->w_from[j] + c[1] * p->w_last[j];
    for (int64_t i = 0; i < s->N; i++)
        gain += leap_row(s, i, c);
    for (int64_t j = 0; j < w_cells(s); j++) {
        gain -= w[j] * p->w_leap[j];
        curve += p->w_leap[j] * p->w_leap[j];
    }
    double part = curve > 0 ? gain / curve : 0, most = fmax(fabs(c[0]), fabs(c[1]));
    if (!(part > 0.5)) /* too far: the constraints were in the way */
        p->reach = 0.7 * most;
    else if (part > 0.9 && most > 0.99 * p->reach)
        p->reach = fmin(1.4 * p->reach, LONGEST_REACH);
    part = part > 0 ? fmin(part, 1) : 0;
    for (int64_t j = 0; j < w_cells(s); j++) {
        double change = part * p->w_leap[j];
        p->w_last[j] = p->w_from[j] + change;
        p->w_from[j] = w[j] += change;
    }
    for (int64_t j = 0; j < s->N * s->K; j++) {
        double to = part < 1 ? alpha[j] + part * (p->last[j] - alpha[j]) : p->last[j];
        p->last[j] = p->from[j] + (to - alpha[j]);
        p->from[j] = alpha[j] = to;
    }
    return 0;
}

void musvm_sum_w(struct solver *s)
{
    memset(s->point->w.w, 0, (size_t)w_cells(s) * sizeof *s->point->w.w);
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
    leap_restart(s);
}
