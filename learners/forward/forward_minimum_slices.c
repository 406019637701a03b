/* The sums over the examples where tables of several parts would take longer to add up than to
 * fill, as of text: p - r of some examples is written down, then each thread adds them, one example
 * after the other, to a slice of the rows of the one table.  Of examples on disk as many are read
 * at a time.  On one rank.  Where there is memory for a copy of the entries,
 * forward_minimum_transposed.c is faster. */
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>
#include <string.h>

/* Write down p - r of examples first .. last-1, which are held, and go on with their loss.
 * probability: workspace, K. */
static double minimum_write_examples(struct minimum_task *t, int64_t first, int64_t last,
                                     double *probability, double loss)
{
    struct minimum_slices *slices = &t->slices;
    const int64_t stride = t->w.stride, cuts = slices->count - 1;
    for (int64_t i = first; i < last; i++) {
        const int64_t held = i - slices->first;
        const struct example x = minimum_example(t, &slices->rows, i);
        double *direction = slices->direction.w + held * stride;
        const double log_q = minimum_direction(t, i, &x, direction, probability);
        if (log_q > -INFINITY)
            loss -= log_q;
        else
            memset(direction, 0, (size_t)stride * sizeof *direction);
        if (i < MINIMUM_BLOCK)
            t->slices.first_loss[i] = log_q > -INFINITY ? log_q : 0;
        for (int64_t s = 0; slices->cut && s < cuts; s++)
            slices->cut[held * cuts + s] = (int32_t)example_count_below(&x,
                                                                        slices->first_row[s + 1]);
    }
    return loss;
}

/* One that is held in pieces goes on with the sum so far. */
void minimum_write_block(void *context, int64_t number)
{
    struct minimum_task *t = context;
    struct minimum_slices *slices = &t->slices;
    const int64_t block = slices->first / MINIMUM_BLOCK + number,
                  start = block * MINIMUM_BLOCK - minimum_cut(t),
                  first = start > slices->first ? start : slices->first,
                  last = dense_least(start + MINIMUM_BLOCK, slices->first + slices->held);
    slices->loss[block] = minimum_write_examples(
        t, first, last, slices->probability + number * t->f->labels.count,
        first > start && first > 0 ? slices->loss[block] : 0);
}

/* Add the examples that are held to a slice of the rows of t->gradient.  The bias, the last of an
 * example's entries, is in the last slice: no feature has its row. */
static void minimum_add_slice(void *context, int64_t slice)
{
    struct minimum_task *t = context;
    struct minimum_slices *slices = &t->slices;
    const int64_t cuts = slices->count - 1;
    struct weights gradient = t->w;
    gradient.w = t->gradient;
    for (int64_t i = 0; i < slices->held; i++) {
        const int32_t *cut = slices->cut + i * cuts;
        struct example x = minimum_example(t, &slices->rows, slices->first + i);
        const int64_t first = slice > 0 ? cut[slice - 1] : 0,
                      end = slice < cuts ? cut[slice] : x.size;
        if (end == first)
            continue;
        x.index += first;
        x.value += first;
        x.size = end - first;
        weights_add(&gradient, &x, slices->direction.w + i * t->w.stride);
    }
}

double minimum_sum_blocks(const struct minimum_task *t)
{
    double sum[2] = {0}; /* of whole blocks; of the one that is cut, so far */
    reduce_receive(sum, 2);
    for (int64_t block = 0; block < minimum_count_blocks(t) && t->n > 0; block++) {
        const int64_t end = (block + 1) * MINIMUM_BLOCK - minimum_cut(t);
        double loss = t->slices.loss[block];
        if (block == 0 && minimum_cut(t) > 0) {
            loss = sum[1];
            for (int64_t i = 0; i < dense_least(end, t->n); i++)
                loss -= t->slices.first_loss[i];
        }
        if (end > t->n && t->before + t->n < t->all)
            sum[1] = loss;
        else
            sum[0] += loss;
    }
    reduce_send(sum, 2);
    reduce_finish(sum, 2);
    return sum[0];
}

double minimum_add_slices(struct minimum_task *t)
{
    struct minimum_slices *slices = &t->slices;
    const int threads = t->minimum->threads;
    memset(t->gradient, 0, (size_t)minimum_cells(t) * sizeof *t->gradient);
    for (int64_t first = 0; first < t->n; first += slices->held) {
        slices->first = first;
        slices->held = rows_batch(t->problem, t->subset, t->n, first, slices->most);
        const int64_t end = first + slices->held;
        if (rows_hold(&slices->rows, minimum_place(t, first), minimum_place(t, end - 1) + 1) != 0)
            break;
        parallel_for(threads, parallel_parts(end, MINIMUM_BLOCK) - first / MINIMUM_BLOCK,
                     minimum_write_block, t);
        parallel_for(threads, slices->count, minimum_add_slice, t);
    }
    return minimum_sum_blocks(t);
}

/* ---- the slices ---- */

void minimum_count_entries(struct minimum_task *t, int64_t *start)
{
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &t->slices.rows, i);
        for (int64_t e = 0; e < x.size; e++)
            start[x.index[e] + 1]++;
    }
    for (int64_t j = 0; j < t->w.rows; j++)
        start[j + 1] += start[j];
}

void minimum_cut_rows(struct minimum_slices *slices, const int64_t *start, int64_t rows,
                      int64_t count)
{
    const int64_t all = start[rows], cuts = MINIMUM_SLICES + 1;
    slices->count = 0;
    for (int64_t j = 0; j < rows; j++)
        if (start[j] >= all * slices->count / count && slices->count < count)
            slices->first_row[slices->count++] = j;
    slices->first_row[slices->count] = rows;
    const int64_t mine = reduce_rank() == 0;
    reduce_gather(&slices->count, sizeof slices->count, 0, mine);
    reduce_gather(slices->first_row, sizeof *slices->first_row, 0, mine * cuts);
}

/* The most examples whose p - r and cuts are held at once. */
static int64_t minimum_most_held(int64_t n, int64_t stride, int64_t slices)
{
    const int64_t most = MINIMUM_HELD / (stride + slices / 2) + 1; /* a cut is half a number */
    return most < n ? most : n;
}

int minimum_hold(struct minimum_task *t, int64_t sums, struct error *err)
{
    struct minimum_slices *slices = &t->slices;
    const int64_t blocks = minimum_count_blocks(t),
                  blocks_held = slices->most < t->n
                                    ? parallel_parts(slices->most, MINIMUM_BLOCK) + 1
                                    : blocks; /* + 1: cut twice */
    slices->direction = minimum_table(t->f);
    if (!(slices->loss = memory_new(blocks, sizeof *slices->loss, err))
        || !(slices->probability = memory_new(blocks_held * t->f->labels.count,
                                              sizeof *slices->probability, err))
        || weights_grow(&slices->direction, slices->most + sums - 1, err) != 0)
        return -1;
    return 0;
}

int minimum_make_slices(struct minimum_task *t, struct error *err)
{
    struct minimum_slices *slices = &t->slices;
    const int64_t count = dense_least(t->minimum->threads, MINIMUM_PARTS);
    int64_t *start = memory_new(t->w.rows + 1, sizeof *start, err);
    slices->rows = rows_of(t->problem);
    if (!start)
        return -1;
    if (count > 1)
        minimum_count_entries(t, start);
    minimum_cut_rows(slices, start, t->w.rows, count);
    memory_free(start);
    slices->most = minimum_most_held(t->n, t->w.stride, slices->count);
    if (!(slices->cut = memory_new(slices->most * (slices->count - 1), sizeof *slices->cut, err))
        || minimum_hold(t, 0, err) != 0)
        return -1;
    return rows_check(t->problem, err);
}
