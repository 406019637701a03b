/* F, its gradient, and the metric in which gradients are measured. */
#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "common/linalg/vector.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>
#include <string.h>

enum { MINIMUM_FEWEST_BLOCKS = 4 }; /* of cells, for threads: the 6 of r8 are worth it */

/* Added to the moment's diagonal, as a share of its mean, so that features which do not occur or
 * depend on others have a factor: no reason for the value but that it works. */
static const double minimum_least_curvature = 1e-9;

/* ---- the metric ---- */

int minimum_make_metric(struct minimum_task *t, struct error *err)
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

void minimum_solve(struct minimum_task *t, bool transposed, double *table)
{
    const int64_t rows = t->w.rows;
    struct dense_view l = {t->factor, rows, 1};
    if (transposed)
        l = (struct dense_view){t->factor, 1, rows};
    if (dense_solve_triangular(rows, t->w.stride, l, !transposed, false, table, t->w.stride,
                               t->minimum->threads, &t->err)
        != 0)
        t->failed = true;
}

/* Call body for all blocks of the cells of a table. */
static void minimum_over_cells(struct minimum_task *t, void (*body)(void *context, int64_t block))
{
    const int64_t blocks = minimum_count_cell_blocks(minimum_cells(t));
    parallel_for(blocks < MINIMUM_FEWEST_BLOCKS ? 1 : t->minimum->threads, blocks, body, t);
}

static void minimum_squares_block(void *context, int64_t block)
{
    struct minimum_task *t = context;
    const int64_t first = block * MINIMUM_CELLS, cells = minimum_block_end(t, block) - first;
    t->squares[block] = vector_dot(cells, t->table + first, t->table + first);
}

static double minimum_sum_cell_blocks(const struct minimum_task *t)
{
    double sum = 0;
    for (int64_t block = 0; block < minimum_count_cell_blocks(minimum_cells(t)); block++)
        sum += t->squares[block];
    return sum;
}

double minimum_sum_squares(struct minimum_task *t, const double *table)
{
    t->table = table;
    minimum_over_cells(t, minimum_squares_block);
    return minimum_sum_cell_blocks(t);
}

double minimum_apply_metric(struct minimum_task *t, double *gradient)
{
    if (t->factor)
        minimum_solve(t, false, gradient);
    double squares = minimum_sum_squares(t, gradient);
    if (t->factor)
        minimum_solve(t, true, gradient);
    else if (t->steep)
        squares -= steep_apply(t->steep, gradient, t->w.stride, t->products, t->minimum->threads);
    return squares;
}

/* ---- F ---- */

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
    switch (t->way) {
    case MINIMUM_BY_PARTS:
        return minimum_add_parts(t);
    case MINIMUM_BY_SLICES:
        return minimum_add_slices(t);
    default:
        return minimum_add_transposed(t);
    }
}

double minimum_value_at_w(struct minimum_task *t, double *gradient)
{
    if (t->failed)
        return NAN;
    t->gradient = gradient;
    const double loss = minimum_add_examples(t);
    if (rows_check(t->problem, &t->err) != 0)
        t->failed = true;
    minimum_over_cells(t, minimum_penalise_block);
    const double squares = minimum_sum_cell_blocks(t);
    if (t->minimum->progress)
        t->minimum->progress->steps++;
    return t->failed ? NAN : loss / t->total + t->f->options.lambda / 2 * squares;
}
