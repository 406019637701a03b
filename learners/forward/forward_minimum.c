/* The minimum of forward's loss by L-BFGS.
 *
 * Why L-BFGS: a step usually takes one pass over the nonzeros, and unlike the AdaGrad passes of
 * forward.c it has an end that depends on nothing but the data.  Measured on letter, whose raw
 * features are all positive and alike, the minimum is 8 to 12 points better than 15 passes.
 *
 * The sums over the examples are taken in up to 16 parts, as the data and not the threads say, and
 * added up in their order: the same numbers for any number of threads.
 *
 *   W    rows x K (one column for two classes), feature-major, here with the narrow stride
 *   V    L' W, or W itself where there is no L
 *   C, p, r, lambda    as in forward.h */
#include "learners/forward/forward_minimum.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MINIMUM_MOST_PARTS = 16,       /* no reason but that it is enough for most machines' threads */
    MINIMUM_ENTRIES_A_ROW = 4,     /* of a part, for each row of the table that it costs to add up:
                                      no reason but that it works */
    MINIMUM_MOST_FEATURES = 2000,  /* of a second moment, which then takes 32 MB */
    MINIMUM_MOMENT_EXAMPLES = 8192 /* no reason but that it is several times MOST_FEATURES */
};
/* Added to the moment's diagonal, as a share of its mean, so that features which do not occur or
 * depend on others have a factor: no reason for the value but that it works. */
static const double minimum_least_curvature = 1e-9;

/* What one part of the examples adds to the sums. */
struct minimum_part {
    struct weights gradient;
    double *scores, *probability; /* workspace of one example: stride, K */
    double loss;
};

/* A search.  All tables have the narrow stride. */
struct minimum_task {
    struct forward *f;
    const struct problem *problem;
    const int32_t *y;
    const int64_t *subset;
    int64_t n, parts;
    struct minimum_part part[MINIMUM_MOST_PARTS];
    struct weights w;    /* W where F was evaluated last */
    double *v;           /* rows x stride: the variables of the search */
    double *factor;      /* L, rows x rows; NULL: V is W */
    double goal;         /* |gradient| at which the search stops; 0: not known yet */
    struct weights mean; /* of W after the last two steps; */
    double *last;        /* W after the last step.  Both are there if steps are counted */
    struct forward_minimum *minimum;
    struct error *err;
    bool failed;
};

/* May the search end at a step on the way, not only at the minimum? */
static bool minimum_counts_steps(const struct minimum_task *t)
{
    return t->minimum->visit || t->f->options.steps > 0;
}

static int64_t minimum_cells(const struct minimum_task *t)
{
    return t->w.rows * t->w.stride;
}

/* ---- the objective ---- */

/* table <- L^-1 table, or L'^-1 table; nothing without L. */
static void minimum_solve(struct minimum_task *t, bool transposed, double *table)
{
    const int64_t rows = t->w.rows;
    struct dense_view l = {t->factor, rows, 1};
    if (!t->factor)
        return;
    if (transposed)
        l = (struct dense_view){t->factor, 1, rows};
    if (dense_solve_triangular(rows, t->w.stride, l, !transposed, false, table, t->w.stride,
                               t->minimum->threads, t->err)
        != 0)
        t->failed = true;
}

/* Loss and gradient of one part of the examples at t->w. */
static void minimum_add_part(void *context, int64_t b)
{
    struct minimum_task *t = context;
    struct minimum_part *part = &t->part[b];
    const int64_t K = t->f->labels.count, stride = t->w.stride, last = t->n * (b + 1) / t->parts;
    memset(part->gradient.w, 0, (size_t)(part->gradient.rows * stride) * sizeof(double));
    part->loss = 0;
    for (int64_t i = t->n * b / t->parts; i < last; i++) {
        const int64_t e = t->subset ? t->subset[i] : i;
        const struct example x = problem_example(t->problem, e);
        weights_scores(&t->w, &x, part->scores);
        const double log_q = forward_direction(t->f->confusion + t->y[e] * K, K, part->scores,
                                               stride, part->probability);
        if (log_q == -INFINITY)
            continue;
        part->loss -= log_q;
        weights_add(&part->gradient, &x, part->scores);
    }
}

static double minimum_norm(const struct minimum_task *t, const double *gradient)
{
    double squares = 0;
    for (int64_t i = 0; i < minimum_cells(t); i++)
        squares += gradient[i] * gradient[i];
    return sqrt(squares);
}

/* One more pass over the examples, and how far the gradient is from where the search stops. */
static void minimum_show_pass(const struct minimum_task *t, const double *gradient)
{
    struct progress *progress = t->minimum->progress;
    if (!progress)
        return;
    progress->steps++;
    if (progress->shown && t->goal > 0)
        progress_toward(progress, progress->steps, "gradient", minimum_norm(t, gradient), t->goal);
}

/* F at t->w, and its gradient with respect to V. */
static double minimum_value_at_w(struct minimum_task *t, double *gradient)
{
    const int64_t cells = minimum_cells(t);
    const double lambda = t->f->options.lambda, share = 1 / (double)t->n;
    double loss = 0, squares = 0;
    parallel_for(t->minimum->threads, t->parts, minimum_add_part, t);
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
    minimum_solve(t, false, gradient);
    minimum_show_pass(t, gradient);
    return t->failed ? NAN : share * loss + lambda / 2 * squares;
}

/* The same at v; t->w: out, W there. */
static double minimum_value(void *context, const double *v, double *gradient)
{
    struct minimum_task *t = context;
    memcpy(t->w.w, v, (size_t)minimum_cells(t) * sizeof *v);
    minimum_solve(t, true, t->w.w);
    return minimum_value_at_w(t, gradient);
}

/* |gradient| at W = 0.  Overwrites t->v. */
static double minimum_norm_at_zero(struct minimum_task *t)
{
    memset(t->v, 0, (size_t)minimum_cells(t) * sizeof *t->v);
    minimum_value(t, t->v, t->v);
    return minimum_norm(t, t->v);
}

/* ---- steps ---- */

/* After a step, whose W stands in t->w, as F was last evaluated there: the mean of this W and the
 * last one is what stopping here leaves. */
static bool minimum_visit(void *context, const double *v, int64_t step)
{
    struct minimum_task *t = context;
    const struct forward_minimum *minimum = t->minimum;
    (void)v;
    if (!minimum_counts_steps(t))
        return true;
    for (int64_t i = 0; i < minimum_cells(t); i++) {
        t->mean.w[i] = step > 1 ? (t->last[i] + t->w.w[i]) / 2 : t->w.w[i];
        t->last[i] = t->w.w[i];
    }
    if (minimum->visit && !minimum->visit(minimum->context, &t->mean, step))
        return false;
    return step != t->f->options.steps;
}

/* t->v = L' W of the learner. */
static void minimum_put_weights(struct minimum_task *t)
{
    const struct weights *w = &t->f->w;
    const int64_t rows = t->w.rows, stride = t->w.stride;
    memset(t->v, 0, (size_t)(rows * stride) * sizeof *t->v);
    for (int64_t j = 0; j < rows; j++) {
        const int64_t last = t->factor ? rows : j + 1; /* L is lower triangular */
        for (int64_t i = j; i < last; i++) {
            const double l = t->factor ? t->factor[i * rows + j] : 1;
            for (int64_t k = 0; k < w->columns; k++)
                t->v[j * stride + k] += l * w->w[i * w->stride + k];
        }
    }
}

/* W of the learner: where the search has ended or, if steps are counted, the mean of the last two,
 * whose value and gradient are then the result's. */
static void minimum_take_weights(struct minimum_task *t)
{
    struct weights *w = &t->f->w;
    struct lbfgs_result *result = &t->minimum->result;
    const size_t bytes = (size_t)minimum_cells(t) * sizeof *t->v;
    if (minimum_counts_steps(t) && result->iterations > 0) {
        memcpy(t->w.w, t->mean.w, bytes);
        result->value = minimum_value_at_w(t, t->v);
        result->gradient = minimum_norm(t, t->v);
        result->evaluations++;
    } else {
        memcpy(t->w.w, t->v, bytes);
        minimum_solve(t, true, t->w.w);
    }
    for (int64_t j = 0; j < t->w.rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            w->w[j * w->stride + k] = t->w.w[j * t->w.stride + k];
}

/* ---- beginning and end ---- */

static int64_t minimum_count_parts(int64_t nnz, int64_t d)
{
    const int64_t parts = nnz / (MINIMUM_ENTRIES_A_ROW * (d + 1));
    if (parts < 1)
        return 1;
    return parts < MINIMUM_MOST_PARTS ? parts : MINIMUM_MOST_PARTS;
}

static struct weights minimum_table(const struct forward *f)
{
    struct weights table = weights_make(f->columns, 0);
    table.stride = weights_narrow(f->columns);
    return table;
}

/* L, where there is a second moment that has one. */
static int minimum_make_factor(struct minimum_task *t, struct error *err)
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
        t->factor[j * rows + j] += t->f->options.lambda + minimum_least_curvature * mean;
    const int status = dense_cholesky(rows, t->factor, t->minimum->threads, err);
    if (status == DENSE_INDEFINITE) {
        memory_free(t->factor);
        t->factor = NULL;
    }
    return status == -1 ? -1 : 0;
}

static int minimum_allocate(struct minimum_task *t, struct error *err)
{
    const int64_t d = t->f->w.rows - 1;
    t->w = minimum_table(t->f);
    t->mean = minimum_table(t->f);
    if (weights_grow(&t->w, d, err) != 0
        || !(t->v = memory_new(minimum_cells(t), sizeof *t->v, err)))
        return -1;
    if (minimum_counts_steps(t)
        && (weights_grow(&t->mean, d, err) != 0
            || !(t->last = memory_new(minimum_cells(t), sizeof *t->last, err))))
        return -1;
    for (int64_t b = 0; b < t->parts; b++) {
        struct minimum_part *part = &t->part[b];
        part->gradient = minimum_table(t->f);
        if (!(part->scores = memory_new(t->w.stride, sizeof *part->scores, err))
            || !(part->probability = memory_new(t->f->labels.count, sizeof *part->probability, err))
            || weights_grow(&part->gradient, d, err) != 0)
            return -1;
    }
    return minimum_make_factor(t, err);
}

static void minimum_release(struct minimum_task *t)
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

/* Where a sum is not finite: name the first example that has values too large, if there is one. */
static void minimum_blame(const struct minimum_task *t, struct error *err)
{
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = problem_example(t->problem, t->subset ? t->subset[i] : i);
        if (!isfinite(example_squared_norm(&x))) {
            error_at(err, NULL, x.line, 0, "the values are too large; scale them, or use -l 1");
            return;
        }
    }
}

int forward_minimise(struct forward *f, const struct problem *problem, const int32_t *y,
                     const int64_t *subset, int64_t n, struct forward_minimum *minimum,
                     struct error *err)
{
    assert(n > 0);
    if (forward_grow(f, problem->d, err) != 0)
        return -1;
    forward_take_decay(f);
    struct minimum_task t = {.f = f,
                             .problem = problem,
                             .y = y,
                             .subset = subset,
                             .n = n,
                             .parts = minimum_count_parts(problem->nnz, problem->d),
                             .minimum = minimum,
                             .err = err};
    int status = minimum_allocate(&t, err);
    if (status != 0)
        goto done;
    t.goal = minimum->epsilon * minimum_norm_at_zero(&t);
    struct lbfgs search = {.n = minimum_cells(&t),
                           .value = minimum_value,
                           .context = &t,
                           .gradient = t.goal,
                           .evaluations = minimum->evaluations,
                           .visit = minimum_visit};
    minimum_put_weights(&t);
    status = t.failed ? -1 : lbfgs_minimise(&search, t.v, &minimum->result, err);
    if (status == 0)
        minimum_take_weights(&t);
done:
    if (status != 0)
        minimum_blame(&t, err);
    minimum_release(&t);
    return t.failed ? -1 : status;
}

int forward_second_moment(const struct problem *problem, double **moment, struct error *err)
{
    const int64_t rows = (int64_t)problem->d + 1, step = problem->n / MINIMUM_MOMENT_EXAMPLES + 1;
    const double share = 0.5 / (double)((problem->n + step - 1) / step);
    *moment = NULL;
    if (rows > MINIMUM_MOST_FEATURES || rows * rows > problem->nnz)
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

void forward_settle(struct forward *f, const struct problem *problem, const int32_t *y,
                    const int64_t *subset, int64_t n)
{
    const int64_t K = f->labels.count, stride = f->w.stride;
    forward_take_decay(f);
    for (int64_t i = 0; i < f->squares.rows * stride; i++)
        f->squares.w[i] = f->options.delta;
    f->counts = (struct round_counts){.rounds = n};
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = subset ? subset[i] : i;
        const struct example x = problem_example(problem, e);
        weights_scores(&f->w, &x, f->scores);
        const double log_q = forward_direction(f->confusion + y[e] * K, K, f->scores, stride,
                                               f->probability);
        f->counts.mistakes += weights_best(f->probability, K) != y[e];
        if (!(log_q > -INFINITY))
            continue;
        f->counts.updates++;
        for (int64_t j = 0; j < x.size; j++)
            for (int64_t k = 0; k < f->columns; k++) {
                const double g = f->scores[k] * x.value[j];
                f->squares.w[x.index[j] * stride + k] += g * g;
            }
    }
    /* No test can tell one row more from this: a table has room behind its rows, which is set when
     * they come. */
    for (int64_t j = 0; j < f->seen.rows; j++)
        f->seen.w[j * f->seen.stride] = (double)n;
}

double forward_minimum_bytes(int64_t nnz, int64_t classes, int64_t d)
{
    const int64_t cells = (d + 1) * weights_narrow(weights_columns(classes));
    double bytes = 8 * (double)cells * (double)(4 + minimum_count_parts(nnz, d))
                   + lbfgs_bytes(cells);
    if (d < MINIMUM_MOST_FEATURES)
        bytes += 2 * 8 * (double)(d + 1) * (double)(d + 1);
    return bytes;
}
