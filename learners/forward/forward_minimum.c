/* The minimum of forward's loss, or a point on the way to it.
 *
 * With few features there is a factor L; to the minimum the search is then L-BFGS in V = L' W.  A
 * step usually takes one pass over the nonzeros, and unlike the AdaGrad passes of forward.c it has
 * an end that depends on nothing but the data.  Measured on letter, whose raw features are all
 * positive and alike, the minimum is 8 to 12 points better than 15 passes.
 *
 * With many features, or where it may be stopped early, the search is by conjugate gradients, which
 * hold two and a half tables of the size of W where L-BFGS holds sixteen.  Where it may be stopped
 * early a step leaves half of the slope along its direction: it is half as long as the step to the
 * minimum there, so that there are twice as many points to choose from.
 *
 * The sums over the examples take one of three ways, as the data and not the threads say, so the
 * numbers are the same for any number of threads:
 *
 *   parts       with few features for the entries (forward_minimum_parts.c)
 *   slices      with many, as of text (forward_minimum_slices.c)
 *   transposed  with many, where the entries may be held feature by feature, too
 *               (forward_minimum_transposed.c)
 *
 * With several ranks (reduce.h) each sum goes on where the rank before has left it, so that it has
 * the same terms in the same order.  Data on disk (rows.h) take the same ways, on one rank.
 *
 *   W    rows x K (one column for two classes), feature-major, here with the narrow stride
 *   V    L' W
 *   C, p, r, lambda    as in forward.h */
#include "learners/forward/forward_minimum.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/linalg/conjugate.h"
#include "common/linalg/lbfgs.h"
#include "learners/forward/forward_minimum_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The part of the slope that a step leaves where the search may be stopped early.  Measured on r8,
 * r52 and amazon_domain (experiments/forward/choices.md). */
static const double minimum_remains = 0.5;

/* May the search end at a step before the minimum? */
static bool minimum_counts_steps(const struct minimum_task *t)
{
    return t->minimum->visit || t->f->options.steps > 0;
}

/* ---- the learner's weights ---- */

static void minimum_copy_to_learner(const struct minimum_task *t)
{
    const struct weights *w = &t->f->w;
    for (int64_t j = 0; j < t->w.rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            w->w[j * w->stride + k] = t->w.w[j * t->w.stride + k];
}

/* To t->w, which must be 0: cells that the learner lacks are not written. */
static void minimum_copy_from_learner(struct minimum_task *t)
{
    const struct weights *w = &t->f->w;
    for (int64_t j = 0; j < w->rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            t->w.w[j * t->w.stride + k] = w->w[j * w->stride + k];
}

/* ---- the gradient ---- */

static bool minimum_shows(const struct minimum_task *t)
{
    return t->minimum->progress && t->minimum->progress->shown;
}

/* How far the gradient, whose length in the metric is `norm`, is from where the search stops. */
static void minimum_show_gradient(struct minimum_task *t, double norm)
{
    struct progress *progress = t->minimum->progress;
    if (!(t->goal > 0))
        t->goal = t->minimum->epsilon * norm;
    else
        progress_toward(progress, progress->steps, "gradient", norm, t->goal);
}

/* |gradient|, in the metric, at W = 0; t->w must be 0.  gradient: workspace. */
static double minimum_norm_at_zero(struct minimum_task *t, double *gradient)
{
    minimum_value_at_w(t, gradient);
    return sqrt(minimum_apply_metric(t, gradient));
}

/* ---- L-BFGS ---- */

/* F at v, and its gradient with respect to V; t->w: out, W there. */
static double minimum_value_at_v(void *context, const double *v, double *gradient)
{
    struct minimum_task *t = context;
    memcpy(t->w.w, v, (size_t)minimum_cells(t) * sizeof *v);
    minimum_solve(t, true, t->w.w);
    const double value = minimum_value_at_w(t, gradient);
    minimum_solve(t, false, gradient);
    if (minimum_shows(t))
        minimum_show_gradient(t, sqrt(minimum_sum_squares(t, gradient)));
    return t->failed ? NAN : value;
}

/* v = L' W */
static void minimum_put_weights(const struct minimum_task *t, double *v)
{
    const int64_t rows = t->w.rows, stride = t->w.stride;
    memset(v, 0, (size_t)(rows * stride) * sizeof *v);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = j; i < rows; i++) { /* L is lower triangular */
            const double l = t->factor[i * rows + j];
            for (int64_t k = 0; k < stride; k++)
                v[j * stride + k] += l * t->w.w[i * stride + k];
        }
}

/* From t->w, where it begins, to the minimum.  0 or -1. */
static int minimum_by_lbfgs(struct minimum_task *t, bool from_zero, struct error *err)
{
    double *v = memory_new(minimum_cells(t), sizeof *v, err);
    if (!v)
        return -1;
    if (!from_zero) {
        t->goal = t->minimum->epsilon * minimum_norm_at_zero(t, v);
        minimum_copy_from_learner(t);
    }
    const struct lbfgs search = {.n = minimum_cells(t),
                                 .value = minimum_value_at_v,
                                 .context = t,
                                 .threads = t->minimum->threads,
                                 .gradient = t->goal,
                                 .reduction = from_zero ? t->minimum->epsilon : 0,
                                 .evaluations = t->minimum->evaluations};
    minimum_put_weights(t, v);
    const int status = lbfgs_minimise(&search, v, &t->minimum->result, err);
    memcpy(t->w.w, v, (size_t)minimum_cells(t) * sizeof *v);
    minimum_solve(t, true, t->w.w);
    memory_free(v);
    return status;
}

/* ---- conjugate gradients ---- */

/* w: t->w.w */
static double minimum_value(void *context, const double *w, double *gradient)
{
    (void)w;
    return minimum_value_at_w(context, gradient);
}

static double minimum_take_metric(void *context, double *gradient)
{
    struct minimum_task *t = context;
    const double squares = minimum_apply_metric(t, gradient);
    if (minimum_shows(t))
        minimum_show_gradient(t, sqrt(squares));
    return squares;
}

static bool minimum_visit(void *context, const double *w, int64_t step)
{
    struct minimum_task *t = context;
    (void)w;
    return t->minimum->visit(t->minimum->context, &t->w, step);
}

/* Second derivative of F at W = 0 along M gradient, of length 1, about; for C = I.  All p are 1/K
 * there, and with M all steep directions have the eigenvalue e_m of mean x x'.  0: not known. */
static double minimum_first_curvature(const struct minimum_task *t)
{
    const double K = (double)t->f->labels.count;
    return t->steep ? t->steep->eigenvalue / (K > 2 ? K : 4) : 0;
}

/* From t->w, where it begins, to the minimum, or as many steps as are asked for.  0 or -1. */
static int minimum_by_conjugate(struct minimum_task *t, bool from_zero, struct error *err)
{
    const struct forward_minimum *minimum = t->minimum;
    struct descent_result *result = &t->minimum->result;
    double *g = memory_new(minimum_cells(t), sizeof *g, err);
    float *d = memory_new(minimum_cells(t), sizeof *d, err);
    int status = -1;
    if (!g || !d)
        goto done;
    if (!from_zero) {
        t->goal = minimum->epsilon * minimum_norm_at_zero(t, g);
        minimum_copy_from_learner(t);
    }
    const struct conjugate search = {.n = minimum_cells(t),
                                     .g = g,
                                     .d = d,
                                     .value = minimum_value,
                                     .metric = minimum_take_metric,
                                     .context = t,
                                     .remains = minimum_counts_steps(t) ? minimum_remains : 0,
                                     .curvature = from_zero ? minimum_first_curvature(t) : 0,
                                     .threads = minimum->threads,
                                     .gradient = t->goal,
                                     .reduction = from_zero ? minimum->epsilon : 0,
                                     .evaluations = minimum->evaluations,
                                     .iterations = t->f->options.steps,
                                     .visit = minimum->visit ? minimum_visit : NULL};
    status = conjugate_minimise(&search, t->w.w, result, err);
    if (status == 0 && minimum->measures_mean && minimum_counts_steps(t)
        && result->iterations > 0) {
        result->value = minimum_value_at_w(t, g);
        result->gradient = sqrt(minimum_apply_metric(t, g));
        result->evaluations++;
    }
done:
    memory_free(g);
    memory_free(d);
    return status;
}

/* ---- beginning and end ---- */

/* Have all examples the features 1 .. d, and no bias?  One with a bias that lacks a feature has as
 * many entries, so that these are no sign. */
static bool minimum_is_dense(const struct problem *problem, int64_t d)
{
    if (d == 0 || problem->d != d || problem->nnz != problem->n * d)
        return false;
    struct rows rows = rows_of(problem);
    bool dense = true;
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = rows_example(&rows, i);
        dense = x.size == d && x.index[0] == 1 && x.index[d - 1] == d;
        if (!dense)
            break;
    }
    rows_end(&rows);
    return dense;
}

static int minimum_allocate(struct minimum_task *t, int64_t d, struct error *err)
{
    t->w = minimum_table(t->f);
    if (weights_grow(&t->w, d, err) != 0
        || !(t->squares = memory_new(minimum_count_cell_blocks(minimum_cells(t)),
                                     sizeof *t->squares, err)))
        return -1;
    /* Written now, though it is 0: on Linux a page that is read before it is written is the shared
     * page of zeros, and its first write copies it and interrupts all threads (a tenth of the time
     * of r52). */
    memset(t->w.w, 0, (size_t)minimum_cells(t) * sizeof *t->w.w);
    if (t->way != MINIMUM_BY_PARTS) {
        const int status = t->way == MINIMUM_BY_SLICES ? minimum_make_slices(t, err)
                                                       : minimum_transpose(t, err);
        return status == 0 ? minimum_make_metric(t, err) : -1;
    }
    t->dense = minimum_is_dense(t->problem, d);
    if (!(t->part = memory_new(t->tables, sizeof *t->part, err)))
        return -1;
    for (int64_t b = 0; b < t->tables; b++) {
        struct minimum_part *part = &t->part[b];
        part->rows = rows_of(t->problem);
        part->gradient = minimum_table(t->f);
        const int64_t block = t->dense ? MINIMUM_DENSE_ROWS : 1;
        if (!(part->scores = memory_new(block * t->w.stride, sizeof *part->scores, err))
            || (t->dense && !(part->x = memory_new(block * d, sizeof *part->x, err)))
            || !(part->probability = memory_new(t->f->labels.count, sizeof *part->probability, err))
            || weights_grow(&part->gradient, d, err) != 0)
            return -1;
    }
    return minimum_make_metric(t, err);
}

static void minimum_release(struct minimum_task *t)
{
    weights_free(&t->w);
    memory_free(t->factor);
    memory_free(t->products);
    memory_free(t->squares);
    memory_free(t->transposed.start);
    memory_free(t->transposed.example);
    memory_free(t->transposed.value);
    memory_free(t->slices.ends);
    memory_free(t->directions.loss);
    memory_free(t->directions.probability);
    weights_free(&t->directions.table);
    rows_end(&t->directions.rows);
    if (t->part)
        for (int64_t b = 0; b < t->tables; b++) {
            rows_end(&t->part[b].rows);
            weights_free(&t->part[b].gradient);
            memory_free(t->part[b].scores);
            memory_free(t->part[b].x);
            memory_free(t->part[b].probability);
        }
    memory_free(t->part);
}

/* Where a sum is not finite: name the first example that has values too large, if there is one. */
static void minimum_blame(const struct minimum_task *t, struct error *err)
{
    struct rows rows = rows_of(t->problem);
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &rows, i);
        if (!isfinite(example_squared_norm(&x))) {
            error_at(err, NULL, x.line, 0, "the values are too large; scale them, or use -l 1");
            break;
        }
    }
    rows_end(&rows);
    (void)rows_check(t->problem, err); /* where data could not be read, that is the reason */
}

/* Of the examples' weights. */
static double minimum_sum_weights(const double *weight, const int64_t *subset, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight[subset ? subset[i] : i];
    return total;
}

int forward_minimise(struct forward *f, const struct problem *problem, const int32_t *y,
                     const int64_t *subset, int64_t n, struct forward_minimum *minimum,
                     struct error *err)
{
    const int64_t all = reduce_count(n),
                  d = f->w.rows > (int64_t)problem->d + 1 ? f->w.rows - 1 : problem->d;
    assert(all > 0);
    minimum->result = (struct descent_result){0};
    forward_take_decay(f);
    struct minimum_task t = {
        .f = f,
        .problem = problem,
        .y = y,
        .subset = subset,
        .n = n,
        .before = reduce_before(n),
        .all = all,
        .total = minimum->weight ? minimum_sum_weights(minimum->weight, subset, n) : (double)all,
        .way = minimum_choose_way(reduce_count(problem->n), reduce_count(problem->nnz), problem->d,
                                  f->columns, problem->disk != NULL),
        .tables = MINIMUM_PARTS,
        .continued = -1,
        .minimum = minimum};
    if (problem->disk && minimum->threads < t.tables)
        t.tables = minimum->threads;
    const bool from_zero = weights_are_zero(&f->w);
    int status = minimum_allocate(&t, d, err);
    if (status != 0)
        goto done;
    if (t.factor && !minimum_counts_steps(&t))
        status = minimum_by_lbfgs(&t, from_zero, err);
    else
        status = minimum_by_conjugate(&t, from_zero, err);
    if (t.failed)
        status = error_take(&t.err, err);
    if (status == 0)
        status = forward_grow_weights(f, d, err);
    if (status == 0)
        minimum_copy_to_learner(&t);
    else if (!t.failed && minimum->result.evaluations > 0) /* not for want of memory */
        minimum_blame(&t, err);
done:
    minimum_release(&t);
    return status;
}

const struct weights *forward_minimum_weights(const struct forward *f)
{
    return &f->w;
}
