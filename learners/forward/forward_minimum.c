#include "learners/forward/forward_minimum.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_state.h"

#include <math.h>
#include <string.h>

enum {
    MOST_PARTS = 16,
    ENTRIES_A_ROW =
        4, /* a part has at least so many entries for each row of the table that it adds up */
    MOST_FEATURES = 2000, /* of a second moment */
    MOMENT_EXAMPLES = 8192
};
static const double least_curvature = 1e-9; /* of V, against the mean of all features */

/* What one part of the examples adds. */
struct part {
    struct weights gradient;
    double *scores, *probability, loss;
};

/* Tables here have the narrow stride. */
struct task {
    struct forward *o;
    const struct problem *problem;
    const int32_t *y;
    const int64_t *subset;
    int64_t n, parts;
    struct part part[MOST_PARTS];
    struct weights w, mean; /* where f was last asked for; mean of the last two steps */
    double *v;              /* rows x stride: the weights, or V = L' W */
    double *last;           /* the weights of the last step */
    double *factor;         /* L; NULL: v is W */
    double goal;            /* |gradient| at which the search stops; 0: not known yet */
    struct forward_minimum *minimum;
    struct error *err;
    bool failed;
};

static struct weights make_table(const struct forward *o)
{
    struct weights table = weights_make(o->columns, 0);
    table.stride = weights_narrow(o->columns);
    return table;
}

/* table <- L^-1 table, or L'^-1 table. */
static void solve(struct task *t, bool transposed, double *table)
{
    const int64_t rows = t->w.rows;
    const struct dense_view view = transposed ? (struct dense_view){t->factor, 1, rows}
                                              : (struct dense_view){t->factor, rows, 1};
    if (t->factor
        && dense_solve_triangular(rows, t->w.stride, view, !transposed, false, table, t->w.stride,
                                  t->minimum->threads, t->err)
               != 0)
        t->failed = true;
}

static void add_part(void *context, int64_t b)
{
    struct task *t = context;
    struct part *part = &t->part[b];
    const int64_t K = t->o->labels.count, stride = t->w.stride, last = t->n * (b + 1) / t->parts;
    memset(part->gradient.w, 0, (size_t)(part->gradient.rows * stride) * sizeof(double));
    part->loss = 0;
    for (int64_t i = t->n * b / t->parts; i < last; i++) {
        const int64_t e = t->subset ? t->subset[i] : i;
        const struct example x = problem_example(t->problem, e);
        weights_scores(&t->w, &x, part->scores);
        const double log_q = forward_direction(t->o->confusion + t->y[e] * K, K, part->scores,
                                               stride, part->probability);
        if (log_q == -INFINITY)
            continue;
        part->loss -= log_q;
        weights_add(&part->gradient, &x, part->scores);
    }
}

static double norm(const struct task *t, const double *gradient)
{
    double squares = 0;
    for (int64_t i = 0; i < t->w.rows * t->w.stride; i++)
        squares += gradient[i] * gradient[i];
    return sqrt(squares);
}

/* One more pass over the examples, and how far the gradient is from where the search stops. */
static void show_pass(const struct task *t, const double *gradient)
{
    struct progress *progress = t->minimum->progress;
    if (!progress)
        return;
    progress->steps++;
    if (progress->shown && t->goal > 0)
        progress_toward(progress, progress->steps, "gradient", norm(t, gradient), t->goal);
}

/* f at t->w, and its gradient with respect to V. */
static double value_at_w(struct task *t, double *gradient)
{
    const int64_t cells = t->w.rows * t->w.stride;
    const double lambda = t->o->options.lambda, share = 1 / (double)t->n;
    double loss = 0, squares = 0;
    parallel_for(t->minimum->threads, t->parts, add_part, t);
    for (int64_t b = 0; b < t->parts; b++) {
        const double *from = t->part[b].gradient.w;
        loss += t->part[b].loss;
        for (int64_t i = 0; i < cells; i++)
            gradient[i] = b == 0 ? from[i] : gradient[i] + from[i];
    }
    for (int64_t i = 0; i < cells; i++) {
        gradient[i] = share * gradient[i] + lambda * t->w.w[i];
        squares += t->w.w[i] * t->w.w[i];
    }
    solve(t, false, gradient);
    show_pass(t, gradient);
    return t->failed ? NAN : share * loss + lambda / 2 * squares;
}

/* The same at v. */
static double value(void *context, const double *v, double *gradient)
{
    struct task *t = context;
    memcpy(t->w.w, v, (size_t)(t->w.rows * t->w.stride) * sizeof *v);
    solve(t, true, t->w.w);
    return value_at_w(t, gradient);
}

static int64_t count_parts(int64_t nnz, int64_t d)
{
    const int64_t parts = nnz / (ENTRIES_A_ROW * (d + 1));
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
}

/* L, where there is a second moment that has one. */
static int make_factor(struct task *t, struct error *err)
{
    const int64_t rows = t->w.rows;
    double mean = 0;
    if (!t->minimum->second_moment || rows != (int64_t)t->problem->d + 1)
        return 0;
    if (!(t->factor = memory_new(rows * rows, sizeof *t->factor, err)))
        return -1;
    memcpy(t->factor, t->minimum->second_moment, (size_t)(rows * rows) * sizeof *t->factor);
    for (int64_t j = 0; j < rows; j++)
        mean += t->factor[j * rows + j] / (double)rows;
    for (int64_t j = 0; j < rows; j++)
        t->factor[j * rows + j] += t->o->options.lambda + least_curvature * mean;
    const int status = dense_cholesky(rows, t->factor, t->minimum->threads, err);
    if (status == DENSE_INDEFINITE) {
        memory_free(t->factor);
        t->factor = NULL;
    }
    return status == -1 ? -1 : 0;
}

/* Are steps on the way wanted, not only the minimum? */
static bool counts_steps(const struct task *t)
{
    return t->minimum->visit || t->o->options.steps > 0;
}

static int make_room(struct task *t, struct error *err)
{
    const int64_t d = t->o->w.rows - 1;
    t->w = make_table(t->o);
    t->mean = make_table(t->o);
    if (weights_grow(&t->w, d, err) != 0
        || !(t->v = memory_new(t->w.rows * t->w.stride, sizeof *t->v, err)))
        return -1;
    if (counts_steps(t)
        && (weights_grow(&t->mean, d, err) != 0
            || !(t->last = memory_new(t->w.rows * t->w.stride, sizeof *t->last, err))))
        return -1;
    for (int64_t b = 0; b < t->parts; b++) {
        struct part *part = &t->part[b];
        part->gradient = make_table(t->o);
        part->scores = memory_new(t->w.stride, sizeof *part->scores, err);
        part->probability = memory_new(t->o->labels.count, sizeof *part->probability, err);
        if (!part->scores || !part->probability || weights_grow(&part->gradient, d, err) != 0)
            return -1;
    }
    return make_factor(t, err);
}

static void release(struct task *t)
{
    weights_free(&t->w);
    weights_free(&t->mean);
    memory_free(t->v);
    memory_free(t->last);
    memory_free(t->factor);
    for (int64_t b = 0; b < t->parts; b++) {
        weights_free(&t->part[b].gradient);
        memory_free(t->part[b].scores);
        memory_free(t->part[b].probability);
    }
}

/* |gradient| at W = 0. */
static double scale(struct task *t)
{
    memset(t->v, 0, (size_t)(t->w.rows * t->w.stride) * sizeof *t->v);
    value(t, t->v, t->v);
    return norm(t, t->v);
}

/* v = L' W of the learner. */
static void put_weights(struct task *t)
{
    const struct weights *mu = &t->o->w;
    const int64_t rows = t->w.rows, stride = t->w.stride;
    memset(t->v, 0, (size_t)(rows * stride) * sizeof *t->v);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = j; i < (t->factor ? rows : j + 1); i++) {
            const double l = t->factor ? t->factor[i * rows + j] : 1;
            for (int64_t k = 0; k < mu->columns; k++)
                t->v[j * stride + k] += l * mu->w[i * mu->stride + k];
        }
}

/* W of the learner: where the search has ended, or the mean of its last two steps. */
static void take_weights(struct task *t)
{
    struct weights *mu = &t->o->w;
    struct lbfgs_result *result = &t->minimum->result;
    const bool mean = counts_steps(t) && result->iterations > 0;
    memcpy(t->w.w, mean ? t->mean.w : t->v, (size_t)(t->w.rows * t->w.stride) * sizeof *t->v);
    if (mean) {
        result->value = value_at_w(t, t->v);
        result->gradient = norm(t, t->v);
        result->evaluations++;
    } else
        solve(t, true, t->w.w);
    for (int64_t j = 0; j < t->w.rows; j++)
        for (int64_t k = 0; k < mu->columns; k++)
            mu->w[j * mu->stride + k] = t->w.w[j * t->w.stride + k];
}

/* W of v stands in t->w, since f was last asked for there. */
static bool visit(void *context, const double *v, int64_t step)
{
    struct task *t = context;
    const struct forward_minimum *minimum = t->minimum;
    (void)v;
    if (!counts_steps(t))
        return true;
    for (int64_t i = 0; i < t->w.rows * t->w.stride; i++) {
        t->mean.w[i] = step > 1 ? (t->last[i] + t->w.w[i]) / 2 : t->w.w[i];
        t->last[i] = t->w.w[i];
    }
    return (!minimum->visit || minimum->visit(minimum->context, &t->mean, step))
           && step != t->o->options.steps;
}

/* Where a sum is not finite: the first example that has values too large. */
static void blame(const struct task *t, struct error *err)
{
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = problem_example(t->problem, t->subset ? t->subset[i] : i);
        if (!isfinite(example_squared_norm(&x))) {
            error_at(err, NULL, x.line, 0, "the values are too large; scale them, or use -l 1");
            return;
        }
    }
}

int forward_minimise(struct forward *o, const struct problem *problem, const int32_t *y,
                     const int64_t *subset, int64_t n, struct forward_minimum *minimum,
                     struct error *err)
{
    if (forward_grow(o, problem->d, err) != 0)
        return -1;
    forward_take_decay(o);
    struct task t = {.o = o,
                     .problem = problem,
                     .y = y,
                     .subset = subset,
                     .n = n,
                     .parts = count_parts(problem->nnz, problem->d),
                     .minimum = minimum,
                     .err = err};
    int status = make_room(&t, err);
    if (status == 0) {
        t.goal = minimum->epsilon * scale(&t);
        struct lbfgs search = {.n = t.w.rows * t.w.stride,
                               .value = value,
                               .context = &t,
                               .gradient = t.goal,
                               .evaluations = minimum->evaluations,
                               .visit = visit};
        put_weights(&t);
        status = t.failed ? -1 : lbfgs_minimise(&search, t.v, &minimum->result, err);
    }
    if (status == 0)
        take_weights(&t);
    else
        blame(&t, err);
    release(&t);
    return t.failed ? -1 : status;
}

int forward_second_moment(const struct problem *problem, double **moment, struct error *err)
{
    const int64_t rows = (int64_t)problem->d + 1, step = problem->n / MOMENT_EXAMPLES + 1;
    const double share = 0.5 / (double)((problem->n + step - 1) / step);
    *moment = NULL;
    if (rows > MOST_FEATURES || rows * rows > problem->nnz)
        return 0;
    if (!(*moment = memory_new(rows * rows, sizeof **moment, err)))
        return -1;
    for (int64_t i = 0; i < problem->n; i += step) {
        const struct example x = problem_example(problem, i);
        for (int64_t a = 0; a < x.size; a++)
            for (int64_t b = 0; b < x.size; b++)
                if (x.index[b] <= x.index[a])
                    (*moment)[x.index[a] * rows + x.index[b]] += share * x.value[a] * x.value[b];
    }
    return 0;
}

void forward_settle(struct forward *o, const struct problem *problem, const int32_t *y,
                    const int64_t *subset, int64_t n)
{
    const int64_t K = o->labels.count, stride = o->w.stride;
    forward_take_decay(o);
    for (int64_t i = 0; i < o->squares.rows * stride; i++)
        o->squares.w[i] = o->options.delta;
    o->counts = (struct round_counts){.rounds = n};
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = subset ? subset[i] : i;
        const struct example x = problem_example(problem, e);
        weights_scores(&o->w, &x, o->scores);
        const bool possible = forward_direction(o->confusion + y[e] * K, K, o->scores, stride,
                                                o->probability)
                              > -INFINITY;
        o->counts.mistakes += weights_best(o->probability, K) != y[e];
        o->counts.updates += possible;
        for (int64_t j = 0; j < x.size && possible; j++)
            for (int64_t k = 0; k < o->columns; k++) {
                const double g = o->scores[k] * x.value[j];
                o->squares.w[x.index[j] * stride + k] += g * g;
            }
    }
    /* One row more would pass unnoticed: a table has room behind its rows, which is cleared when
     * they come. */
    for (int64_t j = 0; j < o->seen.rows; j++)
        o->seen.w[j * o->seen.stride] = (double)n;
}

void forward_change(struct forward *o, const double *confusion, double lambda, int64_t steps)
{
    const int64_t K = o->labels.count;
    forward_take_decay(o);
    memcpy(o->confusion, confusion, (size_t)(K * K) * sizeof *confusion);
    o->options.lambda = lambda;
    o->options.steps = steps;
}

double forward_minimum_bytes(int64_t nnz, int64_t classes, int64_t d)
{
    const int64_t cells = (d + 1) * weights_narrow(weights_columns(classes));
    const double moment = d < MOST_FEATURES ? 2 * 8 * (double)(d + 1) * (double)(d + 1) : 0;
    return 8 * (double)cells * (double)(4 + count_parts(nnz, d)) + lbfgs_bytes(cells) + moment;
}
