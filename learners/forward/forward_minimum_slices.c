/* The sums over the examples where tables of several parts would take longer to add up than to
 * fill, as of text: p - r of some examples is written down, then each thread adds them, one example
 * after the other, to a slice of the rows of the one table.  Of examples on disk as many are read
 * at a time.  On one rank.  Where a copy of the entries is small, forward_minimum_transposed.c is
 * faster. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "learners/forward/forward_minimum_state.h"

#include <string.h>

/* Add the examples that are held to a slice of the rows of t->gradient.  The bias, the last of an
 * example's entries, is in the last slice: no feature has its row. */
static void minimum_add_slice(void *context, int64_t slice)
{
    struct minimum_task *t = context;
    const struct minimum_slices *slices = &t->slices;
    struct minimum_directions *directions = &t->directions;
    const int64_t cuts = slices->count - 1;
    struct weights gradient = t->w;
    gradient.w = t->gradient;
    for (int64_t i = 0; i < directions->held; i++) {
        const int32_t *ends = slices->ends + i * cuts;
        struct example x = minimum_example(t, &directions->rows, directions->first + i);
        const int64_t first = slice > 0 ? ends[slice - 1] : 0,
                      end = slice < cuts ? ends[slice] : x.size;
        if (end == first)
            continue;
        x.index += first;
        x.value += first;
        x.size = end - first;
        weights_add(&gradient, &x, directions->table.w + i * t->w.stride);
    }
}

double minimum_add_slices(struct minimum_task *t)
{
    struct minimum_directions *directions = &t->directions;
    const int threads = t->minimum->threads;
    memset(t->gradient, 0, (size_t)minimum_cells(t) * sizeof *t->gradient);
    for (int64_t first = 0; first < t->n; first += directions->held) {
        directions->first = first;
        directions->held = rows_batch(t->problem, t->subset, t->n, first, directions->most);
        const int64_t end = first + directions->held;
        if (rows_hold(&directions->rows, minimum_place(t, first), minimum_place(t, end - 1) + 1)
            != 0)
            break;
        parallel_for(threads, parallel_parts(end, MINIMUM_BLOCK) - first / MINIMUM_BLOCK,
                     minimum_write_block, t);
        parallel_for(threads, t->slices.count, minimum_add_slice, t);
    }
    return minimum_sum_blocks(t);
}

/* ---- the slices ---- */

/* The most examples whose p - r and ends are held at once. */
static int64_t minimum_most_held(int64_t n, int64_t stride, int64_t slices)
{
    return order_least(MINIMUM_HELD / (stride + slices / 2) + 1, n); /* an end is half a number */
}

int minimum_make_slices(struct minimum_task *t, struct error *err)
{
    struct minimum_slices *slices = &t->slices;
    struct minimum_directions *directions = &t->directions;
    const int64_t count = order_least(t->minimum->threads, MINIMUM_SLICES_AT_ONCE);
    int64_t *start = memory_new(t->w.rows + 1, sizeof *start, err);
    directions->rows = rows_of(t->problem);
    if (!start)
        return -1;
    if (count > 1)
        minimum_count_entries(t, start);
    minimum_cut_features(slices, start, t->w.rows, count);
    memory_free(start);
    directions->most = minimum_most_held(t->n, t->w.stride, slices->count);
    if (!(slices->ends = memory_new(directions->most * (slices->count - 1), sizeof *slices->ends,
                                    err))
        || minimum_make_directions(t, 0, err) != 0)
        return -1;
    return rows_check(t->problem, err);
}
