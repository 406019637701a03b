#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/vectors.h"
#include "learners/musvm/musvm_state.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    LONGEST_REST = 63, /* sweeps that a sample is left alone for, at most: 1, 3, 7 ... as long as
                          nothing pays there */
    USE_ORDER = 1,     /* of the seed */
    FIRST_LEAP = 30,   /* sweeps before it: what is solved in fewer needs none */
    BETWEEN_LEAPS = 2, /* sweeps */
    MOST_VISITS =
        4, /* for each of most_updates: where few of many samples move, looking is the work */
};

/* A row is moved when its violation is above a share of the largest: the large ones first.  In the
 * end that is a share of eps, less than the solver may leave: at the same stop the objective is
 * then much nearer to the best.  A look costs as much as a move with the linear kernel, far less
 * with another. */
static const double SHARE = 0.1, LINEAR_SHARE = 0.07;

/* With the linear kernel the last sweep's largest violation is at most this part of eps, for the
 * sake of the objective: the last sweeps are cheap. */
static const double LINEAR_STOP = 0.7;

/* Stands for k(x, x) where that is 0, or below, of a kernel that is not positive: the row goes to
 * the caps then (as in LIBSVM). */
static const double TINY = 1e-12;

/* ---- the problem of one row ---- */

/* Insertion sort, downwards or upwards by sign: rows are short. */
static void sort(double *v, int64_t n, double sign)
{
    for (int64_t i = 1; i < n; i++) {
        double moved = v[i];
        int64_t at = i;
        for (; at > 0 && sign * v[at - 1] > sign * moved; at--)
            v[at] = v[at - 1];
        v[at] = moved;
    }
}

void musvm_project_training(int64_t n, double a, const double *b, int64_t y, double C, double *g,
                            double *room)
{
    int64_t others = 0;
    for (int64_t l = 0; l < n; l++)
        if (b[l] > b[y])
            room[others++] = b[l];
    sort(room, others, -1);
    double sum = 0, nu = b[y], total = 0;
    for (int64_t k = 0; k < others && room[k] > nu; k++) {
        sum += room[k];
        nu = (sum + b[y]) / (double)(k + 2);
    }
    const bool capped = nu - b[y] > a * C;
    if (capped) {
        sum = 0;
        nu = -INFINITY;
        for (int64_t k = 0; k < others && room[k] > nu; k++) {
            sum += room[k];
            nu = (sum - a * C) / (double)(k + 1);
        }
    }
    for (int64_t l = 0; l < n; l++) {
        if (l == y)
            continue;
        g[l] = b[l] > nu ? -(b[l] - nu) / a : 0;
        total -= g[l];
    }
    g[y] = capped || total > C ? C : total; /* exactly C, or the row would seem free to move */
}

static double row_value(double a, double b, double d, double cap, double nu)
{
    double up = nu - b - d, down = b - nu, g = ((up > 0 ? up : 0) - (down > 0 ? down : 0)) / a;
    return g < cap ? g : cap;
}

void musvm_project(int64_t n, double a, const double *b, double d, const double *cap, double *g,
                   double *room)
{
    /* The sum of the g_l grows with nu, from below 0, with slope (number below + number between d
     * and cap) / a: it changes where nu passes a b_l, a b_l + d or a b_l + d + a cap_l.  Walk
     * through those upwards until the sum is no longer negative. */
    double *below = room, *above = room + n, *full = room + 2 * n;
    for (int64_t l = 0; l < n; l++) {
        below[l] = b[l];
        above[l] = b[l] + d;
        full[l] = b[l] + d + a * cap[l];
    }
    sort(below, n, 1);
    sort(above, n, 1);
    sort(full, n, 1);
    int64_t p = 0, q = 0, r = 0;
    double nu = below[0], sum = 0;
    for (int64_t l = 0; l < n; l++)
        sum += (nu - b[l]) / a;
    while (sum < 0 && r < n) {
        double next = full[r];
        next = q < n && above[q] < next ? above[q] : next;
        next = p < n && below[p] < next ? below[p] : next;
        double slope = (double)((n - p) + (q - r)) / a, reached = sum + slope * (next - nu);
        if (reached >= 0 && slope > 0) {
            nu -= sum / slope;
            break;
        }
        sum = reached;
        nu = next;
        while (p < n && below[p] <= nu)
            p++;
        while (q < n && above[q] <= nu)
            q++;
        while (r < n && full[r] <= nu)
            r++;
    }
    for (int64_t l = 0; l < n; l++)
        g[l] = row_value(a, b[l], d, cap[l], nu);
}

/* ---- a point ---- */

int musvm_point_make(const struct musvm_task *task, struct musvm_point *point, struct error *err)
{
    int64_t n = task->n + task->m;
    *point = (struct musvm_point){.w = weights_make(task->classes, 0)};
    point->w.stride = weights_narrow(
        task->classes); /* w is read more often than all else: the less of it the better */
    point->alpha = memory_new(n * task->classes, sizeof *point->alpha, err);
    point->f = point->alpha ? memory_new(n * task->classes, sizeof *point->f, err) : NULL;
    if (point->f && (task->rows || weights_grow(&point->w, task->samples->d, err) == 0))
        return 0;
    musvm_point_free(point);
    return -1;
}

void musvm_point_free(struct musvm_point *point)
{
    memory_free(point->alpha);
    memory_free(point->f);
    weights_free(&point->w);
    *point = (struct musvm_point){0};
}

/* ---- the solver ---- */

void musvm_set_caps(struct solver *s, int64_t i)
{
    double cap = musvm_cap(s->task, s->options, i);
    for (int64_t l = 0; l < s->K; l++)
        s->cap[l] = !musvm_in_training(s, i) || s->task->y[i] == l ? cap : 0;
}

/* Decision values of sample i.  Kernel: f is kept class by class, f[l N + i], as an update adds to
 * all samples. */
static void look_up(struct solver *s, int64_t i)
{
    if (s->task->rows) {
        for (int64_t l = 0; l < s->K; l++)
            s->f[l] = s->point->f[l * s->N + i];
    } else {
        struct example x = problem_example(s->task->samples, i);
        weights_scores(&s->point->w, &x, s->f);
    }
}

/* How far row i is from its best, the other rows fixed; f and caps of i are at hand. */
static double violation(const struct solver *s, int64_t i)
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

WIDEST_VECTORS(void, add, (int64_t n, double step, const double *row, double *f), (n, step, row, f))
{
    for (int64_t j = 0; j < n; j++)
        f[j] += step * row[j];
}

void musvm_settle(double *g, int64_t n)
{
    int64_t lowest = 0;
    double sum = 0;
    for (int64_t l = 0; l < n; l++)
        lowest = g[l] < g[lowest] ? l : lowest;
    for (int64_t l = 0; l < n; l++)
        sum += l == lowest ? 0 : g[l];
    if (g[lowest] < 0)
        g[lowest] = -sum;
}

/* Row i moves to g; everything that depends on it follows.  0 or -1. */
static int move(struct solver *s, int64_t i)
{
    double *a = s->point->alpha + i * s->K;
    if (s->task->rows) {
        const double *row = kernel_rows_get(s->task->rows, i, s->err);
        if (!row)
            return -1;
        for (int64_t l = 0; l < s->K; l++)
            if (s->g[l] < a[l] || s->g[l] > a[l])
                add(s->N, s->g[l] - a[l], row, s->point->f + l * s->N);
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

/* The best row i, the others fixed, into g. */
static void solve_row(struct solver *s, int64_t i)
{
    const double *a = s->point->alpha + i * s->K;
    const double A = s->diagonal[i] > TINY ? s->diagonal[i] : TINY;
    for (int64_t l = 0; l < s->K; l++)
        s->b[l] = s->f[l] + musvm_loss(s, i, l) - A * a[l];
    if (musvm_in_training(s, i)) {
        musvm_project_training(s->K, A, s->b, s->task->y[i], s->cap[s->task->y[i]], s->g, s->room);
    } else {
        musvm_project(s->K, A, s->b, s->options->delta, s->cap, s->g, s->room);
    }
    musvm_settle(s->g, s->K);
}

/* A violation that is no finite number comes of decision values that are none.  0 or -1. */
static int refuse_infinite(const struct solver *s, double v)
{
    return v < INFINITY
               ? 0
               : error_set(s->err, "a decision value is not finite: the values are too large");
}

/* Look at sample i and move it when it pays.  *largest: the largest violation so far.  0 or -1. */
static int visit(struct solver *s, int64_t i, double *largest)
{
    look_up(s, i);
    musvm_set_caps(s, i);
    double v = violation(s, i);
    if (refuse_infinite(s, v) != 0)
        return -1;
    *largest = v > *largest ? v : *largest;
    if (!(v > s->threshold)) {
        s->patience[i] = 2 * s->patience[i] + 1 < LONGEST_REST ? 2 * s->patience[i] + 1
                                                               : LONGEST_REST;
        s->due[i] = s->sweep + s->patience[i];
        return 0;
    }
    s->patience[i] = 0;
    solve_row(s, i);
    return move(s, i);
}

/* largest: out, the largest violation of all samples, nothing moved; leaves their decision values
 * in f.  0 or -1 (a number that is not finite). */
static int check_all(struct solver *s, double *largest)
{
    *largest = 0;
    for (int64_t i = 0; i < s->N; i++) {
        look_up(s, i);
        musvm_set_caps(s, i);
        double v = violation(s, i);
        if (refuse_infinite(s, v) != 0)
            return -1;
        for (int64_t l = 0; l < s->K; l++)
            s->point->f[l * s->N + i] = s->f[l];
        *largest = v > *largest ? v : *largest;
        if (v > s->options->eps)
            s->due[i] = s->patience[i] = 0;
    }
    return 0;
}

/* Work is counted, not time: every machine gives up at the same point. */
static bool has_worked_enough(const struct solver *s)
{
    const int64_t most = s->options->most_updates;
    return most > 0 && (s->updates >= most || s->visits / MOST_VISITS >= most);
}

static int iterate(struct solver *s, int64_t *order, struct musvm_result *result)
{
    struct random g = random_seeded((uint64_t)s->options->seed, USE_ORDER);
    const double stop = s->stop * s->options->eps;
    double least = INFINITY; /* of the largest violations of the sweeps so far */
    for (;;) {
        int64_t active = 0;
        double largest = 0;
        for (int64_t i = 0; i < s->N; i++)
            if (!s->options->shrinking || s->due[i] <= s->sweep)
                order[active++] = i;
        random_shuffle(&g, order, active);
        for (int64_t t = 0; t < active; t++) {
            if (!s->task->rows && t + 1 < active)
                problem_prefetch(s->task->samples, order[t + 1]);
            if (visit(s, order[t], &largest) != 0)
                return -1;
        }
        s->sweep = ++result->sweeps;
        s->visits += active;
        if (s->options->progress)
            progress_toward(s->options->progress, s->updates, "violation", largest, stop);
        if (largest < least || s->task->rows) /* after a leap a few rows are far off, and would keep
                                                 all others waiting */
            least = largest;
        s->threshold = s->share * (least > stop ? least : stop);
        result->converged = true;
        if (largest <= stop && s->leap.from)
            musvm_sum_w(s);
        if (largest <= stop) {
            if (check_all(s, &result->violation) != 0)
                return -1;
            if (result->violation <= s->options->eps)
                return 0;
        }
        if (has_worked_enough(s)) {
            if (s->leap.from)
                musvm_sum_w(s);
            result->converged = false;
            if (s->options->given_up)
                atomic_fetch_add(s->options->given_up, 1);
            return check_all(s, &result->violation);
        }
        if (!s->task->rows && largest > stop && s->sweep >= FIRST_LEAP
            && s->sweep % BETWEEN_LEAPS == 0 && musvm_leap(s) != 0)
            return -1;
    }
}

/* Bring a point that another C or C* has left within the caps, rows still of sum 0; a row that
 * another class has left is given up. */
static int enter(struct solver *s)
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
        musvm_settle(s->g, s->K);
        if (move(s, i) != 0)
            return -1;
    }
    return 0;
}

static void measure(struct solver *s, struct musvm_result *result)
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
}

static int make_room(struct solver *s, int64_t **order)
{
    s->cap = memory_new(s->K, sizeof *s->cap, s->err);
    s->f = memory_new(s->point->w.stride, sizeof *s->f, s->err);
    s->b = memory_new(s->point->w.stride, sizeof *s->b, s->err); /* padding stays 0 */
    s->g = memory_new(s->K, sizeof *s->g, s->err);
    s->room = memory_new(3 * s->K, sizeof *s->room, s->err);
    s->due = memory_new(s->N, sizeof *s->due, s->err);
    s->patience = memory_new(s->N, sizeof *s->patience, s->err);
    s->diagonal = memory_new(s->N, sizeof *s->diagonal, s->err);
    *order = memory_new(s->N, sizeof **order, s->err);
    if (!s->cap || !s->f || !s->b || !s->g || !s->room || !s->due || !s->patience || !s->diagonal
        || !*order)
        return -1;
    for (int64_t i = 0; i < s->N; i++) {
        struct example x = s->task->rows ? (struct example){0}
                                         : problem_example(s->task->samples, i);
        s->diagonal[i] = s->task->rows ? kernel_rows_diagonal(s->task->rows)[i]
                                       : example_squared_norm(&x);
        if (!isfinite(s->diagonal[i]))
            return error_set(
                s->err,
                "the square of an example's length is not finite: the values are too large");
    }
    return 0;
}

int musvm_solve(const struct musvm_task *task, const struct musvm_options *options,
                struct musvm_point *point, struct musvm_result *result, struct error *err)
{
    struct solver s = {.task = task,
                       .options = options,
                       .point = point,
                       .err = err,
                       .N = task->n + task->m,
                       .K = task->classes};
    s.share = task->rows ? SHARE : LINEAR_SHARE;
    s.stop = task->rows ? 1 : LINEAR_STOP;
    int64_t *order = NULL;
    *result = (struct musvm_result){0};
    int status = make_room(&s, &order) == 0 && enter(&s) == 0 && iterate(&s, order, result) == 0
                     ? 0
                     : -1;
    if (status == 0)
        measure(&s, result);
    memory_free(s.cap);
    memory_free(s.f);
    memory_free(s.b);
    memory_free(s.g);
    memory_free(s.room);
    memory_free(s.due);
    memory_free(s.patience);
    memory_free(s.diagonal);
    memory_free(order);
    musvm_leap_free(&s.leap);
    return status;
}
