/* The minimum of forward's loss by L-BFGS.
 *
 * Why L-BFGS: a step usually takes one pass over the nonzeros, and unlike the AdaGrad passes of
 * forward.c it has an end that depends on nothing but the data.  Measured on letter, whose raw
 * features are all positive and alike, the minimum is 8 to 12 points better than 15 passes.
 *
 * The sums over the examples take one of two ways, as the data and not the threads say, so the
 * numbers are the same for any number of threads:
 *
 *   parts      with few features for the entries (forward_minimum_parts.c)
 *   transposed with many, as of text (forward_minimum_transposed.c)
 *
 * With several ranks (reduce.h) each sum goes on where the rank before has left it, so that it has
 * the same terms in the same order.  Data on disk (rows.h) take the same ways, on one rank:
 * forward_minimum_disk.c.
 *
 *   W    rows x K (one column for two classes), feature-major, here with the narrow stride
 *   V    L' W, or W itself where there is no L
 *   C, p, r, lambda    as in forward.h */
#include "learners/forward/forward_minimum.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_minimum_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MINIMUM_ENTRIES_A_ROW = 64, /* fewest for parts.  A row of each of the tables is cleared and
                                   added up, which takes as long as two entries: so an eighth of
                                   the time at most */
    MINIMUM_FEWEST_BLOCKS = 8,  /* of cells, for threads: no reason but that it works */
    MINIMUM_FEW_PAIRS = 3       /* of L-BFGS where sums are transposed, as tables are large then:
                                   with 6 r8, r52 and amazon_domain took a third more memory and
                                   were not more accurate */
};
/* Added to the moment's diagonal, as a share of its mean, so that features which do not occur or
 * depend on others have a factor: no reason for the value but that it works. */
static const double minimum_least_curvature = 1e-9;

/* May the search end at a step before the minimum? */
static bool minimum_counts_steps(const struct minimum_task *t)
{
    return t->minimum->visit || t->f->options.steps > 0;
}

/* ---- the variables of the search ---- */

/* table <- L^-1 table, or L'^-1 table; or P table. */
static void minimum_solve(struct minimum_task *t, bool transposed, double *table)
{
    const int64_t rows = t->w.rows;
    struct dense_view l = {t->factor, rows, 1};
    if (t->steep)
        steep_apply(t->steep, false, table, t->w.stride, t->products, t->minimum->threads);
    if (!t->factor)
        return;
    if (transposed)
        l = (struct dense_view){t->factor, 1, rows};
    if (dense_solve_triangular(rows, t->w.stride, l, !transposed, false, table, t->w.stride,
                               t->minimum->threads, t->err)
        != 0)
        t->failed = true;
}

/* ---- F ---- */

static double minimum_norm(const struct minimum_task *t, const double *gradient)
{
    double squares = 0;
    for (int64_t i = 0; i < minimum_cells(t); i++)
        squares += gradient[i] * gradient[i];
    return sqrt(squares);
}

/* One more pass over the examples, and how far the gradient is from where the search stops. */
static void minimum_show_pass(struct minimum_task *t, const double *gradient)
{
    struct progress *progress = t->minimum->progress;
    if (!progress)
        return;
    progress->steps++;
    if (!progress->shown)
        return;
    const double norm = minimum_norm(t, gradient);
    if (!(t->goal > 0))
        t->goal = t->minimum->epsilon * norm;
    else
        progress_toward(progress, progress->steps, "gradient", norm, t->goal);
}

/* Call body for all blocks of the cells of a table. */
static void minimum_over_cells(struct minimum_task *t, void (*body)(void *context, int64_t block))
{
    const int64_t blocks = minimum_count_cell_blocks(minimum_cells(t));
    parallel_for(blocks < MINIMUM_FEWEST_BLOCKS ? 1 : t->minimum->threads, blocks, body, t);
}

/* The mean instead of the sum, and the penalty. */
static void minimum_penalise_block(void *context, int64_t block)
{
    struct minimum_task *t = context;
    const double lambda = t->f->options.lambda, share = 1 / t->total;
    const int64_t last = minimum_block_end(t, block);
    double squares = 0;
    for (int64_t i = block * MINIMUM_CELLS; i < last; i++) {
        t->gradient[i] = share * t->gradient[i] + lambda * t->w.w[i];
        squares += t->w.w[i] * t->w.w[i];
    }
    t->squares[block] = squares;
}

/* t->gradient of the loss's sum.  Returns that sum. */
static double minimum_add_examples(struct minimum_task *t)
{
    if (t->problem->disk)
        return t->parts > 0 ? minimum_read_parts(t) : minimum_read_slices(t);
    return t->parts > 0 ? minimum_add_parts(t) : minimum_add_slices(t);
}

/* F at t->w, and its gradient with respect to V. */
static double minimum_value_at_w(struct minimum_task *t, double *gradient)
{
    const int64_t blocks = minimum_count_cell_blocks(minimum_cells(t));
    double squares = 0;
    t->gradient = gradient;
    const double loss = minimum_add_examples(t);
    if (rows_check(t->problem, t->err) != 0)
        t->failed = true;
    minimum_over_cells(t, minimum_penalise_block);
    for (int64_t block = 0; block < blocks; block++)
        squares += t->squares[block];
    minimum_solve(t, false, gradient);
    minimum_show_pass(t, gradient);
    return t->failed ? NAN : loss / t->total + t->f->options.lambda / 2 * squares;
}

/* The same at v; t->w: out, W there. */
static double minimum_value(void *context, const double *v, double *gradient)
{
    struct minimum_task *t = context;
    memcpy(t->w.w, v, (size_t)minimum_cells(t) * sizeof *v);
    minimum_solve(t, true, t->w.w);
    return minimum_value_at_w(t, gradient);
}

static bool minimum_is_zero(const struct forward *f)
{
    for (int64_t i = 0; i < f->w.rows * f->w.stride; i++)
        if (f->w.w[i] != 0)
            return false;
    return true;
}

/* |gradient| at W = 0.  Overwrites t->v. */
static double minimum_norm_at_zero(struct minimum_task *t)
{
    memset(t->v, 0, (size_t)minimum_cells(t) * sizeof *t->v);
    minimum_value(t, t->v, t->v);
    return minimum_norm(t, t->v);
}

/* ---- steps ---- */

static void minimum_mean_block(void *context, int64_t block)
{
    struct minimum_task *t = context;
    const struct weights *mean = &t->f->w;
    const int64_t blocks = minimum_count_cell_blocks(minimum_cells(t)),
                  end = t->w.rows * (block + 1) / blocks;
    for (int64_t j = t->w.rows * block / blocks; j < end; j++) {
        const double *w = t->w.w + j * t->w.stride;
        double *last = t->last + j * t->w.stride;
        for (int64_t k = 0; k < mean->columns; k++) {
            mean->w[j * mean->stride + k] = t->step > 1 ? (last[k] + w[k]) / 2 : w[k];
            last[k] = w[k];
        }
    }
}

/* After a step, whose W stands in t->w, as F was last evaluated there: the mean of this W and the
 * last one is what stopping here leaves. */
static bool minimum_visit(void *context, const double *v, int64_t step)
{
    struct minimum_task *t = context;
    const struct forward_minimum *minimum = t->minimum;
    (void)v;
    if (!minimum_counts_steps(t))
        return true;
    t->step = step;
    minimum_over_cells(t, minimum_mean_block);
    if (minimum->visit && !minimum->visit(minimum->context, &t->f->w, step))
        return false;
    return step != t->f->options.steps;
}

/* t->v = L' W of the learner, or P^-1 W. */
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
    if (t->steep)
        steep_apply(t->steep, true, t->v, stride, t->products, t->minimum->threads);
}

static void minimum_copy_to_learner(const struct minimum_task *t)
{
    const struct weights *w = &t->f->w;
    for (int64_t j = 0; j < t->w.rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            w->w[j * w->stride + k] = t->w.w[j * t->w.stride + k];
}

static void minimum_copy_from_learner(struct minimum_task *t)
{
    const struct weights *w = &t->f->w;
    for (int64_t j = 0; j < t->w.rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            t->w.w[j * t->w.stride + k] = w->w[j * w->stride + k];
}

/* W of the learner: where the search has ended or, if steps are counted, the mean of the last two,
 * whose value and gradient are then the result's. */
static void minimum_take_weights(struct minimum_task *t)
{
    struct lbfgs_result *result = &t->minimum->result;
    if (!minimum_counts_steps(t) || result->iterations == 0) {
        memcpy(t->w.w, t->v, (size_t)minimum_cells(t) * sizeof *t->v);
        minimum_solve(t, true, t->w.w);
        minimum_copy_to_learner(t);
        return;
    }
    minimum_copy_from_learner(t); /* which has the mean */
    if (t->minimum->measures_mean) {
        result->value = minimum_value_at_w(t, t->v);
        result->gradient = minimum_norm(t, t->v);
        result->evaluations++;
    }
}

/* ---- beginning and end ---- */

/* Bytes of the tables of all parts, and of the entries and directions when they are transposed. */
static double minimum_part_bytes(int64_t d, int64_t stride)
{
    return 8 * MINIMUM_PARTS * (double)(d + 1) * (double)stride;
}

static double minimum_transposed_bytes(int64_t n, int64_t nnz, int64_t d, int64_t stride)
{
    return 12 * (double)nnz + 8 * ((double)n * (double)stride + (double)d);
}

/* Are the sums taken by parts?  Where that is no slower and takes no more memory. */
static bool minimum_has_parts(int64_t n, int64_t nnz, int64_t d, int64_t columns)
{
    const int64_t stride = weights_narrow(columns);
    return nnz >= MINIMUM_ENTRIES_A_ROW * (d + 1)
           && minimum_part_bytes(d, stride) <= minimum_transposed_bytes(n, nnz, d, stride);
}

static int minimum_pairs(bool parts)
{
    return parts ? LBFGS_PAIRS : MINIMUM_FEW_PAIRS;
}

/* L, where there is a second moment that has one, or P. */
static int minimum_make_metric(struct minimum_task *t, struct error *err)
{
    const int64_t rows = t->w.rows;
    const struct forward_metric *metric = t->minimum->metric;
    double mean = 0;
    if (!metric || rows != (int64_t)t->problem->d + 1)
        return 0;
    if (!metric->moment) {
        t->steep = &metric->steep;
        t->products = memory_new(steep_workspace(t->steep, t->w.stride), sizeof *t->products, err);
        return t->products ? 0 : -1;
    }
    if (!(t->factor = memory_new(rows * rows, sizeof *t->factor, err)))
        return -1;
    memcpy(t->factor, metric->moment, (size_t)(rows * rows) * sizeof *t->factor);
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

/* Have all examples the features 1 .. d, and no bias?  One with a bias that lacks a feature has as
 * many entries, so that these are no sign. */
static bool minimum_is_dense(const struct problem *problem, int64_t d)
{
    if (d == 0 || problem->d != d || problem->nnz != problem->n * d)
        return false;
    struct rows rows = rows_of(problem);
    bool dense = true;
    for (int64_t i = 0; i < problem->n && dense; i++) {
        const struct example x = rows_example(&rows, i);
        dense = x.size == d && x.index[0] == 1 && x.index[d - 1] == d;
    }
    rows_end(&rows);
    return dense;
}

static int minimum_allocate(struct minimum_task *t, struct error *err)
{
    const int64_t d = t->f->w.rows - 1;
    t->w = minimum_table(t->f);
    if (weights_grow(&t->w, d, err) != 0
        || !(t->v = memory_new(minimum_cells(t), sizeof *t->v, err)))
        return -1;
    if (minimum_counts_steps(t) && !(t->last = memory_new(minimum_cells(t), sizeof *t->last, err)))
        return -1;
    if (!(t->squares = memory_new(minimum_count_cell_blocks(minimum_cells(t)), sizeof *t->squares,
                                  err))
        || (t->parts == 0 && minimum_transpose(t, err) != 0))
        return -1;
    if (t->parts == 0)
        return minimum_make_metric(t, err);
    t->dense = minimum_is_dense(t->problem, d);
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
    memory_free(t->v);
    memory_free(t->last);
    memory_free(t->factor);
    memory_free(t->products);
    memory_free(t->squares);
    memory_free(t->transposed.start);
    memory_free(t->transposed.example);
    memory_free(t->transposed.value);
    memory_free(t->transposed.loss);
    memory_free(t->transposed.probability);
    weights_free(&t->transposed.direction);
    rows_end(&t->transposed.rows);
    for (int64_t b = 0; b < MINIMUM_PARTS; b++) {
        rows_end(&t->part[b].rows);
        weights_free(&t->part[b].gradient);
        memory_free(t->part[b].scores);
        memory_free(t->part[b].x);
        memory_free(t->part[b].probability);
    }
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
    (void)rows_check(t->problem, err);
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
    const int64_t all = reduce_count(n);
    assert(all > 0);
    if (forward_grow_weights(f, problem->d, err) != 0)
        return -1;
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
        .parts = minimum_has_parts(reduce_count(problem->n), reduce_count(problem->nnz), problem->d,
                                   f->columns)
                     ? MINIMUM_PARTS
                     : 0,
        .tables = MINIMUM_PARTS,
        .continued = -1,
        .minimum = minimum,
        .err = err};
    if (problem->disk && minimum->threads < t.tables)
        t.tables = minimum->threads;
    int status = minimum_allocate(&t, err);
    if (status != 0)
        goto done;
    const bool from_zero = minimum_is_zero(f);
    if (!from_zero)
        t.goal = minimum->epsilon * minimum_norm_at_zero(&t);
    struct lbfgs search = {.n = minimum_cells(&t),
                           .pairs = minimum_pairs(t.parts > 0),
                           .value = minimum_value,
                           .context = &t,
                           .threads = minimum->threads,
                           .gradient = t.goal,
                           .reduction = from_zero ? minimum->epsilon : 0,
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

const struct weights *forward_minimum_weights(const struct forward *f)
{
    return &f->w;
}

int forward_settle(struct forward *f, const struct problem *problem, const int32_t *y,
                   const double *weight, const int64_t *subset, int64_t n, bool final,
                   struct error *err)
{
    const int64_t K = f->labels.count, stride = f->w.stride;
    forward_take_decay(f);
    if (forward_grow(f, f->w.rows - 1, err) != 0)
        return -1;
    const int64_t sums = final ? 0 : f->squares.rows * stride;
    for (int64_t i = 0; i < sums; i++)
        f->squares.w[i] = f->options.delta;
    reduce_receive(f->squares.w, sums);
    f->counts = (struct round_counts){.rounds = n};
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = subset ? subset[i] : i;
        const struct example x = rows_example(&rows, e);
        weights_scores(&f->w, &x, f->scores);
        const double log_q = forward_direction(f->confusion + y[e] * K, K, f->scores, stride,
                                               f->probability);
        f->counts.mistakes += weights_best(f->probability, K) != y[e];
        if (!(log_q > -INFINITY))
            continue;
        f->counts.updates++;
        if (final)
            continue;
        for (int64_t j = 0; j < x.size; j++)
            for (int64_t k = 0; k < f->columns; k++) {
                const double g = f->scores[k] * (weight ? weight[e] : 1) * x.value[j];
                f->squares.w[x.index[j] * stride + k] += g * g;
            }
    }
    rows_end(&rows);
    reduce_send(f->squares.w, sums);
    reduce_finish(f->squares.w, sums);
    f->counts = (struct round_counts){.rounds = reduce_count(n),
                                      .mistakes = reduce_count(f->counts.mistakes),
                                      .updates = reduce_count(f->counts.updates)};
    /* Every feature counts as seen now: no decay is due. */
    for (int64_t j = 0; j < f->seen.rows; j++)
        f->seen.w[j] = (double)f->counts.rounds;
    return rows_check(problem, err);
}

/* Bytes of what does not depend on how the sums are taken. */
static double minimum_search_bytes(int64_t d, int64_t stride, bool parts)
{
    const int64_t cells = (d + 1) * stride;
    return 8 * 3 * (double)cells + lbfgs_bytes(cells, minimum_pairs(parts))
           + forward_metric_bytes(d);
}

double forward_minimum_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d)
{
    const int64_t columns = weights_columns(classes), stride = weights_narrow(columns);
    const bool parts = minimum_has_parts(n, nnz, d, columns);
    return minimum_search_bytes(d, stride, parts)
           + (parts ? minimum_part_bytes(d, stride) : minimum_transposed_bytes(n, nnz, d, stride));
}

double forward_minimum_disk_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads)
{
    const int64_t columns = weights_columns(classes), stride = weights_narrow(columns);
    const bool parts = minimum_has_parts(n, nnz, d, columns);
    const double tables = threads < MINIMUM_PARTS ? threads : MINIMUM_PARTS;
    double bytes = minimum_search_bytes(d, stride, parts);
    if (parts)
        return bytes + 8 * tables * (double)(d + 1) * (double)stride + entry_file_bytes(threads);
    return bytes + 8 * ((double)d + (double)n / MINIMUM_BLOCK + MINIMUM_READ_NUMBERS)
           + rows_batch_bytes();
}
