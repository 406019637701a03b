/* The solver of musvm.h: dual coordinate descent over samples.
 *
 * A step takes one row of alpha to its optimum, the others fixed: a quadratic programme of K
 * variables that sorting solves exactly, so there is no step size to choose.  With kernel rows the
 * solver keeps f, the decision values, and a step adds K multiples of a kernel row to it; for the
 * linear kernel it keeps w.  A sweep visits the samples in random order.  To save work,
 *
 *   threshold      a visit updates a row only if its violation is not small beside the largest;
 *   shrinking      a sample that was not updated is visited again 1, 3, 7, .. sweeps later, and all
 *                  are checked at the end;
 *   blocks         with kernel rows, sweeps visit a part of the samples: see musvm_block.c;
 *   extrapolation  steps of the linear kernel are extended: see musvm_extrapolate.c.
 *
 * Symbols as in musvm.h; in the problem of one row, A = k(x_i, x_i) and b_l = f_l + e_il - A a_il,
 * the gradient without this row's own part. */
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/vectors.h"
#include "learners/musvm/musvm_row.h"
#include "learners/musvm/musvm_state.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    /* For the next four there is no reason but that they work. */
    LONGEST_REST = 63,          /* sweeps to the next visit of a sample, at most */
    FIRST_EXTRAPOLATION = 30,   /* sweeps before it: what is solved in fewer needs none */
    BETWEEN_EXTRAPOLATIONS = 2, /* sweeps */
    MOST_VISITS = 4 /* for each of most_updates: where few samples move, visits are the work */
};

/* A row is updated when its violation exceeds this share of the largest, so that large ones come
 * first.  Near the end that is a share of eps, less than the solver may leave: the objective is
 * then nearer to the optimum than eps asks for.  It is less than with kernel rows, as a visit costs
 * as much as an update.  No reason for the number but that it works. */
static const double musvm_linear_share = 0.07;

/* A sweep's largest violation must come down to this part of eps, for the sake of the objective:
 * the last sweeps are cheap.  No reason for the number but that it works. */
static const double musvm_linear_stop = 0.7;

/* Stands for k(x, x) where that is less, so that the row goes to its caps (LIBSVM has the same
 * number where k(x, x) is not positive). */
static const double musvm_tiny = 1e-12;

/* ---- a point ---- */

int musvm_point_make(const struct musvm_task *task, struct musvm_point *point, struct error *err)
{
    int64_t n = task->n + task->m;
    *point = (struct musvm_point){.w = weights_make(task->classes, 0)};
    /* w is read more often than all else: the less of it the better. */
    point->w.stride = weights_narrow(task->classes);
    if (!(point->alpha = memory_new(n * task->classes, sizeof *point->alpha, err))
        || !(point->f = memory_new(n * task->classes, sizeof *point->f, err))
        || (!task->rows && weights_grow(&point->w, task->samples->d, err) != 0)) {
        musvm_point_free(point);
        return -1;
    }
    return 0;
}

void musvm_point_free(struct musvm_point *point)
{
    memory_free(point->alpha);
    memory_free(point->f);
    weights_free(&point->w);
    *point = (struct musvm_point){0};
}

/* ---- one row ---- */

/* s->f of sample i.  With kernel rows f is kept class by class, f[l N + i], as an update adds to
 * all samples. */
static void musvm_find_f(struct musvm_solver *s, int64_t i)
{
    if (s->task->rows) {
        for (int64_t l = 0; l < musvm_kept(s); l++)
            s->f[l] = s->point->f[l * s->N + i];
        if (s->K == 2)
            s->f[1] = -s->f[0];
    } else {
        struct example x = problem_example(s->task->samples, i);
        weights_scores(&s->point->w, &x, s->f);
    }
}

/* The violation of sample i by the formula of musvm.h, from s->f and s->cap, which are its own. */
static double musvm_violation(const struct musvm_solver *s, int64_t i)
{
    const double *a = s->point->alpha + i * s->K;
    double highest = -INFINITY, lowest = INFINITY, delta = s->options->delta;
    if (musvm_in_training(s, i)) {
        const int64_t y = s->task->y[i];
        for (int64_t l = 0; l < s->K; l++) {
            double value = s->f[l] + (l != y), right = a[l] < s->cap[l] ? value : INFINITY;
            highest = value > highest ? value : highest;
            lowest = right < lowest ? right : lowest;
        }
        return highest - lowest;
    }
    for (int64_t l = 0; l < s->K; l++) {
        double left = s->f[l] + (a[l] > 0 ? delta : 0), right = s->f[l] + (a[l] >= 0 ? delta : 0);
        highest = left > highest ? left : highest;
        if (a[l] < s->cap[l])
            lowest = right < lowest ? right : lowest;
    }
    return highest - lowest;
}

/* f += step * row. */
WIDEST_VECTORS(void, musvm_add, (int64_t n, double step, const double *row, double *f),
               (n, step, row, f))
{
    for (int64_t j = 0; j < n; j++)
        f[j] += step * row[j];
}

int musvm_move(struct musvm_solver *s, int64_t i)
{
    double *a = s->point->alpha + i * s->K;
    if (s->task->rows) {
        const double *row = s->block ? musvm_block_row(s, i)
                                     : kernel_rows_get(s->task->rows, i, s->err);
        if (!row)
            return -1;
        for (int64_t l = 0; l < musvm_kept(s); l++)
            if (s->g[l] < a[l] || s->g[l] > a[l])
                musvm_add(s->N, s->g[l] - a[l], row, s->point->f + l * s->N);
    } else {
        struct example x = problem_example(s->task->samples, i);
        for (int64_t l = 0; l < s->K; l++)
            s->b[l] = s->g[l] - a[l];
        weights_add(&s->point->w, &x, s->b);
    }
    memcpy(a, s->g, (size_t)s->K * sizeof *a);
    s->updates++;
    return 0;
}

/* The optimal row i, the others fixed, into s->g. */
static void musvm_solve_row(struct musvm_solver *s, int64_t i)
{
    const double *a = s->point->alpha + i * s->K;
    const double A = s->diagonal[i] > musvm_tiny ? s->diagonal[i] : musvm_tiny;
    for (int64_t l = 0; l < s->K; l++)
        s->b[l] = s->f[l] + musvm_loss(s, i, l) - A * a[l];
    if (musvm_in_training(s, i)) {
        const int64_t y = s->task->y[i];
        musvm_project_training(s->K, A, s->b, y, s->cap[y], s->g, s->work);
    } else {
        musvm_project(s->K, A, s->b, s->options->delta, s->cap, s->g, s->work);
    }
    musvm_absorb_rounding(s->g, s->K);
}

/* A violation is not finite when a decision value is not.  0 or -1. */
static int musvm_refuse_infinite(const struct musvm_solver *s, double v)
{
    return v < INFINITY
               ? 0
               : error_set(s->err, "a decision value is not finite: the values are too large");
}

/* ---- sweeps ---- */

/* Visit sample i, and update its row if its violation is large enough.  *largest: the largest
 * violation so far.  0 or -1. */
static int musvm_visit(struct musvm_solver *s, int64_t i, double *largest)
{
    musvm_find_f(s, i);
    musvm_set_caps(s, i);
    double v = musvm_violation(s, i);
    if (musvm_refuse_infinite(s, v) != 0)
        return -1;
    *largest = v > *largest ? v : *largest;
    if (!(v > s->threshold)) {
        const int64_t longer = 2 * s->rest[i] + 1;
        s->rest[i] = longer < LONGEST_REST ? longer : LONGEST_REST;
        s->due[i] = s->sweep + s->rest[i];
        return 0;
    }
    s->rest[i] = 0;
    musvm_solve_row(s, i);
    return musvm_move(s, i);
}

int musvm_sweep(struct musvm_solver *s, struct random *g, double *largest)
{
    int64_t active = 0, *order = s->order;
    *largest = 0;
    for (int64_t i = 0; i < s->N; i++)
        if (!s->options->shrinking || s->due[i] <= s->sweep)
            order[active++] = i;
    random_shuffle(g, order, active);
    for (int64_t t = 0; t < active; t++) {
        if (!s->task->rows && t + 1 < active)
            problem_prefetch(s->task->samples, order[t + 1]);
        if (musvm_visit(s, order[t], largest) != 0)
            return -1;
    }
    s->sweep++;
    s->visits += active;
    return 0;
}

int musvm_check_all(struct musvm_solver *s, double *largest)
{
    if (s->extrapolation.origin)
        musvm_recompute_w(s);
    *largest = 0;
    for (int64_t i = 0; i < s->N; i++) {
        musvm_find_f(s, i);
        musvm_set_caps(s, i);
        double v = musvm_violation(s, i);
        if (musvm_refuse_infinite(s, v) != 0)
            return -1;
        for (int64_t l = s->task->rows ? musvm_kept(s) : 0; l < s->K; l++)
            s->point->f[l * s->N + i] = s->f[l];
        s->violation[i] = v;
        *largest = v > *largest ? v : *largest;
        if (v > s->options->eps)
            s->due[i] = s->rest[i] = 0;
    }
    return 0;
}

bool musvm_must_give_up(const struct musvm_solver *s)
{
    const int64_t most = s->options->most_updates;
    return most > 0 && (s->updates >= most || s->visits / MOST_VISITS >= most);
}

/* Linear kernel: sweep over all samples until no violation exceeds eps.  0 or -1. */
static int musvm_iterate(struct musvm_solver *s, struct musvm_result *result)
{
    const double stop = musvm_linear_stop * s->options->eps;
    struct random g = random_seeded((uint64_t)s->options->seed, MUSVM_USE_ORDER);
    double least = INFINITY; /* of the largest violations of the sweeps so far */
    for (;;) {
        double largest;
        if (musvm_sweep(s, &g, &largest) != 0)
            return -1;
        if (s->options->progress)
            progress_toward(s->options->progress, s->updates, "violation", largest, stop);
        /* After an extrapolation a few rows violate much.  A threshold that followed them would
         * stop all others from being updated. */
        if (largest < least)
            least = largest;
        s->threshold = musvm_linear_share * (least > stop ? least : stop);
        if (largest <= stop) {
            if (musvm_check_all(s, &result->violation) != 0)
                return -1;
            result->converged = result->violation <= s->options->eps;
            if (result->converged)
                return 0;
        }
        if (musvm_must_give_up(s)) {
            if (s->options->given_up)
                atomic_fetch_add(s->options->given_up, 1);
            return musvm_check_all(s, &result->violation);
        }
        if (largest > stop && s->sweep >= FIRST_EXTRAPOLATION
            && s->sweep % BETWEEN_EXTRAPOLATIONS == 0 && musvm_extrapolate(s) != 0)
            return -1;
    }
}

/* ---- start and end ---- */

/* Bring a point that was solved for another C or C* within the caps, rows still of sum 0.  A row
 * whose positive element belongs to another class than its label (labels may change, see s3vm.h)
 * becomes 0.  0 or -1. */
static int musvm_enforce_caps(struct musvm_solver *s)
{
    for (int64_t i = 0; i < s->N; i++) {
        double *a = s->point->alpha + i * s->K, most = 0, cap = musvm_cap(s->task, s->options, i);
        for (int64_t l = 0; l < s->K; l++) {
            if (musvm_in_training(s, i) && l != s->task->y[i] && a[l] > 0)
                cap = 0;
            most = a[l] > most ? a[l] : most;
        }
        if (!(most > cap))
            continue;
        for (int64_t l = 0; l < s->K; l++)
            s->g[l] = a[l] * (cap / most) < cap ? a[l] * (cap / most) : cap;
        musvm_absorb_rounding(s->g, s->K);
        if (musvm_move(s, i) != 0)
            return -1;
    }
    return 0;
}

/* Objectives and counts of the solution, from alpha and the point's f. */
static void musvm_report(struct musvm_solver *s, struct musvm_result *result)
{
    double norm = 0, gain = 0, cost = 0;
    for (int64_t i = 0; i < s->N; i++) {
        const double *a = s->point->alpha + i * s->K;
        double delta = musvm_in_training(s, i) ? 0 : s->options->delta, highest = -INFINITY,
               cap = musvm_cap(s->task, s->options, i);
        const double *f = s->point->f + i;
        gain += musvm_gain(s, i, a);
        for (int64_t l = 0; l < s->K; l++) {
            double value = f[l * s->N] + musvm_loss(s, i, l);
            norm += a[l] * f[l * s->N];
            highest = value > highest ? value : highest;
        }
        for (int64_t l = 0; l < s->K; l++) {
            double slack = highest - f[l * s->N] - delta;
            if (musvm_in_training(s, i) ? s->task->y[i] == l : slack > 0)
                cost += cap * slack;
        }
    }
    norm = isnan(norm) ? INFINITY : norm; /* of products beyond the largest number */
    result->objective = gain - norm / 2;
    result->primal = norm / 2 + cost;
    result->updates = s->updates;
    result->sweeps = s->sweep;
}

/* Workspace, and the diagonal of the kernel matrix.  0 or -1; the caller frees in both cases. */
static int musvm_prepare(struct musvm_solver *s)
{
    if (!(s->cap = memory_new(s->K, sizeof *s->cap, s->err))
        || !(s->f = memory_new(s->point->w.stride, sizeof *s->f, s->err))
        || !(s->b = memory_new(s->point->w.stride, sizeof *s->b, s->err)) /* padding stays 0 */
        || !(s->g = memory_new(s->K, sizeof *s->g, s->err))
        || !(s->work = memory_new(3 * s->K, sizeof *s->work, s->err))
        || !(s->due = memory_new(s->N, sizeof *s->due, s->err))
        || !(s->rest = memory_new(s->N, sizeof *s->rest, s->err))
        || !(s->diagonal = memory_new(s->N, sizeof *s->diagonal, s->err))
        || !(s->violation = memory_new(s->N, sizeof *s->violation, s->err))
        || !(s->order = memory_new(s->N, sizeof *s->order, s->err)))
        return -1;
    for (int64_t i = 0; i < s->N; i++) {
        if (s->task->rows) {
            s->diagonal[i] = kernel_rows_diagonal(s->task->rows)[i];
        } else {
            struct example x = problem_example(s->task->samples, i);
            s->diagonal[i] = example_squared_norm(&x);
        }
        if (!isfinite(s->diagonal[i]))
            return error_at(
                s->err, i < s->task->n ? NULL : s->task->universum,
                s->task->samples->line[s->task->place ? s->task->place[i] : i], 0,
                "the square of the example's length is not finite: the values are too large");
    }
    return 0;
}

int musvm_solve(const struct musvm_task *task, const struct musvm_options *options,
                struct musvm_point *point, struct musvm_result *result, struct error *err)
{
    struct musvm_solver s = {.task = task,
                             .options = options,
                             .point = point,
                             .err = err,
                             .N = task->n + task->m,
                             .K = task->classes};
    *result = (struct musvm_result){0};
    int status = -1;
    if (musvm_prepare(&s) != 0 || musvm_enforce_caps(&s) != 0
        || (task->rows ? musvm_iterate_blocks(&s, result) : musvm_iterate(&s, result)) != 0)
        goto done;
    musvm_report(&s, result);
    status = 0;
done:
    memory_free(s.cap);
    memory_free(s.f);
    memory_free(s.b);
    memory_free(s.g);
    memory_free(s.work);
    memory_free(s.due);
    memory_free(s.rest);
    memory_free(s.diagonal);
    memory_free(s.violation);
    memory_free(s.order);
    musvm_extrapolation_free(&s.extrapolation);
    return status;
}
