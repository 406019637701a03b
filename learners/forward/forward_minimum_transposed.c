/* The sums of forward_minimum_slices.c with a copy of the entries feature by feature: first p - r
 * of each example is written down, then each row of the table is the sum over the examples that
 * have its feature, which is written once.  With several ranks one slice of the rows after the
 * other is on its way from rank to rank; many slices are needed then, and to look in all examples
 * for the entries of each would take longer. */
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "learners/forward/forward_minimum_state.h"

enum {
    MINIMUM_PIECES =
        16,            /* of a slice, where it is done alone: enough for threads to share evenly */
    MINIMUM_GROUPS = 8 /* of slices whose entries are put down together, so that the places where
                          the next ones go stay in the caches; measured on amazon_domain */
};

/* Rows first .. last-1 of t->gradient: the scores of the transposed rows, with p - r as weights. */
static void minimum_add_rows(struct minimum_task *t, int64_t first, int64_t last)
{
    const struct minimum_transposed *transposed = &t->transposed;
    for (int64_t j = first; j < last; j++) {
        const int64_t start = transposed->start[j];
        const struct example row = {.index = transposed->example + start,
                                    .value = transposed->value + start,
                                    .size = transposed->start[j + 1] - start};
        weights_scores(&t->directions.table, &row, t->gradient + j * t->w.stride);
    }
}

/* A slice of them. */
static void minimum_add_transposed_slice(void *context, int64_t slice)
{
    struct minimum_task *t = context;
    minimum_add_rows(t, t->slices.first_row[slice], t->slices.first_row[slice + 1]);
}

/* A piece of slice t->slice. */
static void minimum_add_piece(void *context, int64_t piece)
{
    struct minimum_task *t = context;
    const int64_t first = t->slices.first_row[t->slice],
                  rows = t->slices.first_row[t->slice + 1] - first;
    minimum_add_rows(t, first + rows * piece / MINIMUM_PIECES,
                     first + rows * (piece + 1) / MINIMUM_PIECES);
}

/* Slice after slice, each when the rank before has done its part of it. */
static void minimum_pass_slices(struct minimum_task *t)
{
    const struct minimum_slices *slices = &t->slices;
    for (t->slice = 0; t->slice < slices->count; t->slice++) {
        const int64_t first = slices->first_row[t->slice],
                      cells = (slices->first_row[t->slice + 1] - first) * t->w.stride;
        reduce_receive(t->directions.table.w + (t->n + first) * t->w.stride, cells);
        parallel_for(t->minimum->threads, MINIMUM_PIECES, minimum_add_piece, t);
        reduce_send(t->gradient + first * t->w.stride, cells);
    }
    reduce_finish(t->gradient, minimum_cells(t));
}

double minimum_add_transposed(struct minimum_task *t)
{
    t->directions.held = t->n;
    parallel_for(t->minimum->threads, minimum_count_blocks(t), minimum_write_block, t);
    const double loss = minimum_sum_blocks(t);
    if (reduce_ranks() > 1)
        minimum_pass_slices(t);
    else
        parallel_for(t->minimum->threads, t->slices.count, minimum_add_transposed_slice, t);
    return loss;
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
    const int64_t *first_row = t->slices.first_row, slices = t->slices.count,
                  row = first_row[slices * group / MINIMUM_GROUPS],
                  end = first_row[slices * (group + 1) / MINIMUM_GROUPS];
    if (minimum_count_received(t) > 0)
        for (int64_t j = row; j < end; j++)
            minimum_put_entry(transposed, t->n + j, (int32_t)j, 1);
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &t->directions.rows, i),
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

int minimum_transpose(struct minimum_task *t, struct error *err)
{
    struct minimum_slices *slices = &t->slices;
    struct minimum_transposed *transposed = &t->transposed;
    const int64_t rows = t->w.rows, sums = minimum_count_received(t);
    t->directions.rows = rows_of(t->problem);
    t->directions.most = t->n;
    if (!(transposed->start = memory_new(rows + 1, sizeof *transposed->start, err)))
        return -1;
    for (int64_t j = 0; j < sums; j++)
        transposed->start[j + 1]++;
    minimum_count_entries(t, transposed->start);
    const int64_t entries = transposed->start[rows];
    minimum_cut_features(slices, transposed->start, rows, MINIMUM_SLICES);
    if (minimum_make_directions(t, sums, err) != 0
        || !(transposed->example = memory_new(entries, sizeof *transposed->example, err))
        || !(transposed->value = memory_new(entries, sizeof *transposed->value, err)))
        return -1;
    minimum_put_entries(t, transposed);
    return 0;
}
