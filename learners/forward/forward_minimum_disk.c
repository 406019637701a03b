/* The sums over examples on disk: the same terms in the same order as in memory.  By parts, only as
 * many tables are held as there are threads.  Transposed, some examples are read at a time; their
 * p - r are written down, then each thread adds them to a slice of the rows.  On one rank. */
#include "common/linalg/dense.h"
#include "learners/forward/forward_minimum_state.h"

#include <string.h>

double minimum_read_parts(struct minimum_task *t)
{
    double loss = 0;
    for (t->first = 0; t->first < t->parts; t->first += t->tables) {
        const int64_t tables = dense_least(t->tables, t->parts - t->first);
        parallel_for(t->minimum->threads, tables, minimum_add_part, t);
        for (int64_t b = 0; b < tables; b++) {
            const double *from = t->part[b].gradient.w;
            loss += t->part[b].loss;
            if (error_take(&t->part[b].err, &t->err) != 0)
                t->failed = true;
            for (int64_t i = 0; i < minimum_cells(t); i++)
                t->gradient[i] = t->first + b == 0 ? from[i] : t->gradient[i] + from[i];
        }
    }
    return loss;
}

/* Loss and p - r of those examples of a block that are held; one that is read in pieces goes on
 * with the sum so far. */
static void minimum_write_held(void *context, int64_t number)
{
    struct minimum_task *t = context;
    struct minimum_transposed *transposed = &t->transposed;
    const int64_t block = transposed->first / MINIMUM_BLOCK + number, start = block * MINIMUM_BLOCK,
                  first = start > transposed->first ? start : transposed->first,
                  last = dense_least(start + MINIMUM_BLOCK, transposed->first + transposed->held);
    transposed->loss[block] = minimum_write_examples(
        t, first, last, transposed->probability + number * t->f->labels.count,
        first == start ? 0 : transposed->loss[block]);
}

/* A slice of the rows of t->gradient, to which the examples that are held are added. */
static void minimum_add_held(void *context, int64_t slice)
{
    struct minimum_task *t = context;
    struct minimum_transposed *transposed = &t->transposed;
    const int64_t stride = t->w.stride, row = transposed->first_row[slice],
                  end = transposed->first_row[slice + 1];
    struct weights gradient = t->w;
    gradient.w = t->gradient;
    for (int64_t i = 0; i < transposed->held; i++) {
        const struct example x = minimum_example(t, &transposed->rows, transposed->first + i),
                             part = example_between(&x, row, end);
        const double *direction = transposed->direction.w + i * stride;
        if (row == 0 && example_has_bias(&x)) {
            const int64_t last = x.size - 1;
            const struct example bias = {
                .index = x.index + last, .value = x.value + last, .size = 1};
            weights_add(&gradient, &bias, direction);
        }
        weights_add(&gradient, &part, direction);
    }
}

double minimum_read_slices(struct minimum_task *t)
{
    struct minimum_transposed *transposed = &t->transposed;
    const int threads = t->minimum->threads;
    double loss = 0;
    memset(t->gradient, 0, (size_t)minimum_cells(t) * sizeof *t->gradient);
    for (int64_t first = 0; first < t->n; first += transposed->held) {
        transposed->first = first;
        transposed->held = rows_batch(t->problem, t->subset, t->n, first,
                                      transposed->direction.rows);
        const int64_t end = first + transposed->held;
        if (rows_hold(&transposed->rows, minimum_place(t, first), minimum_place(t, end - 1) + 1)
            != 0)
            break;
        parallel_for(threads, parallel_parts(end, MINIMUM_BLOCK) - first / MINIMUM_BLOCK,
                     minimum_write_held, t);
        parallel_for(threads, transposed->slices, minimum_add_held, t);
    }
    for (int64_t block = 0; block < minimum_count_blocks(t); block++)
        loss += transposed->loss[block];
    return loss;
}
