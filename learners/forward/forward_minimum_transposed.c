/* The sums over the examples where tables of several parts would take longer to add up than to
 * fill, as of text: first p - r of each example is written down, then each row of the one table is
 * the sum over the examples that have its feature.  With several ranks there is a slice of the rows
 * after the other on its way from rank to rank. */
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>
#include <string.h>

enum {
    MINIMUM_PIECES =
        16,            /* of a slice, where it is done alone: enough for threads to share evenly */
    MINIMUM_GROUPS = 8 /* of slices whose entries are put down together, so that the places where
                          the next ones go stay in the caches; measured on amazon_domain */
};

double minimum_write_examples(struct minimum_task *t, int64_t first, int64_t last,
                              double *probability, double loss)
{
    struct minimum_transposed *transposed = &t->transposed;
    const int64_t stride = t->w.stride;
    for (int64_t i = first; i < last; i++) {
        const struct example x = minimum_example(t, &transposed->rows, i);
        double *direction = transposed->direction.w + (i - transposed->first) * stride;
        const double log_q = minimum_direction(t, i, &x, direction, probability);
        if (log_q > -INFINITY)
            loss -= log_q;
        else
            memset(direction, 0, (size_t)stride * sizeof *direction);
        if (i < MINIMUM_BLOCK)
            transposed->first_loss[i] = log_q > -INFINITY ? log_q : 0;
    }
    return loss;
}

/* Loss and p - r of a block of examples. */
static void minimum_write_block(void *context, int64_t block)
{
    struct minimum_task *t = context;
    const int64_t start = block * MINIMUM_BLOCK - minimum_cut(t);
    t->transposed.loss[block] = minimum_write_examples(
        t, start > 0 ? start : 0, dense_least(start + MINIMUM_BLOCK, t->n),
        t->transposed.probability + block * t->f->labels.count, 0);
}

/* Rows first .. last-1 of t->gradient: the scores of the transposed rows, with p - r as weights. */
static void minimum_add_rows(struct minimum_task *t, int64_t first, int64_t last)
{
    const struct minimum_transposed *transposed = &t->transposed;
    for (int64_t j = first; j < last; j++) {
        const int64_t start = transposed->start[j];
        const struct example row = {.index = transposed->example + start,
                                    .value = transposed->value + start,
                                    .size = transposed->start[j + 1] - start};
        weights_scores(&transposed->direction, &row, t->gradient + j * t->w.stride);
    }
}

/* A slice of them. */
static void minimum_add_slice(void *context, int64_t slice)
{
    struct minimum_task *t = context;
    minimum_add_rows(t, t->transposed.first_row[slice], t->transposed.first_row[slice + 1]);
}

/* A piece of slice t->slice. */
static void minimum_add_piece(void *context, int64_t piece)
{
    struct minimum_task *t = context;
    const int64_t first = t->transposed.first_row[t->slice],
                  rows = t->transposed.first_row[t->slice + 1] - first;
    minimum_add_rows(t, first + rows * piece / MINIMUM_PIECES,
                     first + rows * (piece + 1) / MINIMUM_PIECES);
}

/* Slice after slice, each when the rank before has done its part of it. */
static void minimum_pass_slices(struct minimum_task *t)
{
    const struct minimum_transposed *transposed = &t->transposed;
    for (t->slice = 0; t->slice < transposed->slices; t->slice++) {
        const int64_t first = transposed->first_row[t->slice],
                      cells = (transposed->first_row[t->slice + 1] - first) * t->w.stride;
        reduce_receive(transposed->direction.w + (t->n + first) * t->w.stride, cells);
        parallel_for(t->minimum->threads, MINIMUM_PIECES, minimum_add_piece, t);
        reduce_send(t->gradient + first * t->w.stride, cells);
    }
    reduce_finish(t->gradient, minimum_cells(t));
}

/* The sum of the losses of all blocks, of which one may be cut between ranks. */
static double minimum_sum_blocks(const struct minimum_task *t)
{
    double sum[2] = {0}; /* of whole blocks; of the one that is cut, so far */
    reduce_receive(sum, 2);
    for (int64_t block = 0; block < minimum_count_blocks(t) && t->n > 0; block++) {
        const int64_t end = (block + 1) * MINIMUM_BLOCK - minimum_cut(t);
        double loss = t->transposed.loss[block];
        if (block == 0 && minimum_cut(t) > 0) {
            loss = sum[1];
            for (int64_t i = 0; i < dense_least(end, t->n); i++)
                loss -= t->transposed.first_loss[i];
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

/* As minimum_add_parts. */
double minimum_add_slices(struct minimum_task *t)
{
    parallel_for(t->minimum->threads, minimum_count_blocks(t), minimum_write_block, t);
    const double loss = minimum_sum_blocks(t);
    if (reduce_ranks() > 1)
        minimum_pass_slices(t);
    else
        parallel_for(t->minimum->threads, t->transposed.slices, minimum_add_slice, t);
    return loss;
}

/* Slices of about as many entries each; those of the first rank on all. */
static void minimum_cut_rows(struct minimum_transposed *transposed, int64_t rows, int64_t slices)
{
    const int64_t all = transposed->start[rows], cuts = MINIMUM_SLICES + 1;
    transposed->slices = 0;
    for (int64_t j = 0; j < rows; j++)
        if (transposed->start[j] >= all * transposed->slices / slices
            && transposed->slices < slices)
            transposed->first_row[transposed->slices++] = j;
    transposed->first_row[transposed->slices] = rows;
    const int64_t mine = reduce_rank() == 0;
    reduce_gather(&transposed->slices, sizeof transposed->slices, 0, mine);
    reduce_gather(transposed->first_row, sizeof *transposed->first_row, 0, mine * cuts);
}

/* How many features have the sum of other ranks as an entry. */
static int64_t minimum_count_received(const struct minimum_task *t)
{
    return reduce_rank() > 0 ? t->w.rows : 0;
}

/* An entry of example i to the end of those that its feature has so far: start is moved on. */
static void minimum_put_entry(struct minimum_transposed *transposed, int64_t i, int32_t index,
                              double value)
{
    const int64_t to = transposed->start[index]++;
    transposed->example[to] = (int32_t)i;
    transposed->value[to] = value;
}

/* The entries of a group of slices, which keep the order of the examples. */
static void minimum_put_group(void *context, int64_t group)
{
    struct minimum_task *t = context;
    struct minimum_transposed *transposed = &t->transposed;
    const int64_t *first_row = transposed->first_row, slices = transposed->slices,
                  row = first_row[slices * group / MINIMUM_GROUPS],
                  end = first_row[slices * (group + 1) / MINIMUM_GROUPS];
    for (int64_t j = row; j < end && minimum_count_received(t) > 0; j++)
        minimum_put_entry(transposed, t->n + j, (int32_t)j, 1);
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &transposed->rows, i),
                             part = example_between(&x, row, end);
        for (int64_t e = 0; e < part.size; e++)
            minimum_put_entry(transposed, i, part.index[e], part.value[e]);
        if (row == 0 && end > 0 && example_has_bias(&x))
            minimum_put_entry(transposed, i, 0, x.value[x.size - 1]);
    }
}

/* example and value. */
static void minimum_put_entries(struct minimum_task *t, struct minimum_transposed *transposed)
{
    int64_t *start = transposed->start;
    parallel_for(t->minimum->threads, MINIMUM_GROUPS, minimum_put_group, t);
    for (int64_t j = t->w.rows; j > 0; j--) /* each start has moved to the next one's */
        start[j] = start[j - 1];
    start[0] = 0;
}

/* start: where the entries of each feature begin among all.  Returns how many there are. */
static int64_t minimum_count_entries(struct minimum_task *t, struct minimum_transposed *transposed)
{
    int64_t *start = transposed->start;
    for (int64_t j = 0; j < minimum_count_received(t); j++)
        start[j + 1]++;
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &transposed->rows, i);
        for (int64_t e = 0; e < x.size; e++)
            start[x.index[e] + 1]++;
    }
    for (int64_t j = 0; j < t->w.rows; j++)
        start[j + 1] += start[j];
    return start[t->w.rows];
}

/* The most examples whose p - r are held at once. */
static int64_t minimum_most_held(const struct problem *problem, int64_t n, int64_t stride)
{
    const int64_t most = MINIMUM_READ_NUMBERS / stride + 1;
    return problem->disk && most < n ? most : n;
}

int minimum_transpose(struct minimum_task *t, struct error *err)
{
    struct minimum_transposed *transposed = &t->transposed;
    const bool disk = t->problem->disk != NULL;
    const int64_t rows = t->w.rows, held = minimum_most_held(t->problem, t->n, t->w.stride),
                  sums = minimum_count_received(t), blocks = minimum_count_blocks(t),
                  blocks_held = disk ? parallel_parts(held, MINIMUM_BLOCK) + 1 /* cut twice */
                                     : blocks;
    transposed->rows = rows_of(t->problem);
    transposed->held = held;
    transposed->direction = minimum_table(t->f);
    if (!(transposed->start = memory_new(rows + 1, sizeof *transposed->start, err)))
        return -1;
    const int64_t entries = minimum_count_entries(t, transposed);
    minimum_cut_rows(transposed, rows, disk ? t->tables : MINIMUM_SLICES);
    if (!(transposed->loss = memory_new(blocks, sizeof *transposed->loss, err))
        || !(transposed->probability = memory_new(blocks_held * t->f->labels.count,
                                                  sizeof *transposed->probability, err))
        || weights_grow(&transposed->direction, held + sums - 1, err) != 0)
        return -1;
    if (disk)
        return rows_check(t->problem, err);
    if (!(transposed->example = memory_new(entries, sizeof *transposed->example, err))
        || !(transposed->value = memory_new(entries, sizeof *transposed->value, err)))
        return -1;
    minimum_put_entries(t, transposed);
    return 0;
}
