/* What the sums by slices and the transposed ones share: p - r of the examples that are held, their
 * losses block by block, and where the features are cut into slices. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>
#include <string.h>

/* Write down p - r of examples first .. last-1, which are held, and go on with their loss.
 * probability: workspace, K. */
static double minimum_write_examples(struct minimum_task *t, int64_t first, int64_t last,
                                     double *probability, double loss)
{
    struct minimum_directions *directions = &t->directions;
    const struct minimum_slices *slices = &t->slices;
    const int64_t stride = t->w.stride, cuts = slices->count - 1;
    for (int64_t i = first; i < last; i++) {
        const int64_t held = i - directions->first;
        const struct example x = minimum_example(t, &directions->rows, i);
        double *direction = directions->table.w + held * stride;
        const double log_q = minimum_direction(t, i, &x, direction, probability);
        if (log_q > -INFINITY)
            loss -= log_q;
        else
            memset(direction, 0, (size_t)stride * sizeof *direction);
        if (i < MINIMUM_BLOCK)
            directions->first_loss[i] = log_q > -INFINITY ? log_q : 0;
        if (slices->ends)
            for (int64_t s = 0; s < cuts; s++)
                slices->ends[held * cuts + s] = (int32_t)example_count_below(
                    &x, slices->first_row[s + 1]);
    }
    return loss;
}

/* Of a block that is cut between two pieces (minimum_cut), the sum goes on where the piece before
 * has left it. */
void minimum_write_block(void *context, int64_t number)
{
    struct minimum_task *t = context;
    struct minimum_directions *directions = &t->directions;
    const int64_t block = directions->first / MINIMUM_BLOCK + number,
                  start = block * MINIMUM_BLOCK - minimum_cut(t),
                  first = start > directions->first ? start : directions->first,
                  last = order_least(start + MINIMUM_BLOCK, directions->first + directions->held);
    directions->loss[block] = minimum_write_examples(
        t, first, last, directions->probability + number * t->f->labels.count,
        first > start && first > 0 ? directions->loss[block] : 0);
}

/* A rank goes on with the block that the rank before has begun, and leaves its own last one to the
 * rank after it, where that has the rest.  All of this rank may be in the middle of one block. */
double minimum_sum_blocks(const struct minimum_task *t)
{
    const int64_t blocks = t->n > 0 ? minimum_count_blocks(t) : 0;
    double sum[2] = {0}; /* of whole blocks; of the one that is cut, so far */
    reduce_receive(sum, 2);
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t end = (block + 1) * MINIMUM_BLOCK - minimum_cut(t);
        double loss = t->directions.loss[block];
        if (block == 0 && minimum_cut(t) > 0) {
            loss = sum[1];
            for (int64_t i = 0; i < order_least(end, t->n); i++)
                loss -= t->directions.first_loss[i];
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

/* ---- beginning ---- */

void minimum_count_entries(struct minimum_task *t, int64_t *start)
{
    for (int64_t i = 0; i < t->n; i++) {
        const struct example x = minimum_example(t, &t->directions.rows, i);
        for (int64_t e = 0; e < x.size; e++)
            start[x.index[e] + 1]++;
    }
    for (int64_t j = 0; j < t->w.rows; j++)
        start[j + 1] += start[j];
}

void minimum_cut_features(struct minimum_slices *slices, const int64_t *start, int64_t rows,
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

int minimum_make_directions(struct minimum_task *t, int64_t sums, struct error *err)
{
    struct minimum_directions *directions = &t->directions;
    const int64_t blocks = minimum_count_blocks(t),
                  blocks_held = directions->most < t->n
                                    ? parallel_parts(directions->most, MINIMUM_BLOCK) + 1
                                    : blocks; /* + 1: a piece may begin and end inside of one */
    directions->table = minimum_table(t->f);
    if (!(directions->loss = memory_new(blocks, sizeof *directions->loss, err))
        || !(directions->probability = memory_new(blocks_held * t->f->labels.count,
                                                  sizeof *directions->probability, err))
        || weights_grow(&directions->table, directions->most + sums - 1, err) != 0)
        return -1;
    return 0;
}
