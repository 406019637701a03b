/* The sums over the examples by parts: each part adds to a table of its own, and the tables are
 * added up in order.  Where all examples have all features, scores and sums are products of
 * matrices, a block of examples at a time: the same bits, in a third of the time.  Of examples on
 * disk only as many tables are held as there are threads.
 *
 * With several ranks a part begins with zeros: a rank first sums up the one that the next rank must
 * go on with, and last the one that it has to go on with itself; so up to as many ranks as parts
 * work at the same time. */
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "common/linalg/dense.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>
#include <string.h>

/* p - r of example i, times its weight.  direction: scores; out, stride.  Returns its log q, times
 * its weight, or -INFINITY when its label is impossible. */
static double minimum_turn(const struct minimum_task *t, int64_t i, double *direction,
                           double *probability)
{
    const int64_t K = t->f->labels.count, e = minimum_place(t, i);
    const double *weight = t->minimum->weight;
    const double log_q = forward_direction(t->f->confusion + t->y[e] * K, K, direction, t->w.stride,
                                           probability);
    if (!weight)
        return log_q;
    for (int64_t k = 0; k < t->w.stride; k++)
        direction[k] *= weight[e];
    return weight[e] * log_q;
}

/* The same at t->w.  direction: out. */
double minimum_direction(const struct minimum_task *t, int64_t i, const struct example *x,
                         double *direction, double *probability)
{
    weights_scores(&t->w, x, direction);
    return minimum_turn(t, i, direction, probability);
}

/* Add the loss and the gradient of a block of dense examples. */
static void minimum_add_dense(struct minimum_task *t, struct minimum_part *part, int64_t first,
                              int64_t count)
{
    const int64_t d = t->w.rows - 1, stride = t->w.stride;
    for (int64_t i = 0; i < count; i++) {
        const struct example x = minimum_example(t, &part->rows, first + i);
        if (x.size > 0) /* it could be read */
            memcpy(part->x + i * d, x.value, (size_t)d * sizeof *x.value);
    }
    memset(part->scores, 0, (size_t)(count * stride) * sizeof *part->scores);
    if (dense_add_product(count, stride, d, 1, (struct dense_view){part->x, d, 1},
                          (struct dense_view){t->w.w + stride, stride, 1}, part->scores, stride, 1,
                          &part->err)
        != 0)
        return;
    for (int64_t i = 0; i < count; i++) {
        double *direction = part->scores + i * stride;
        const double log_q = minimum_turn(t, first + i, direction, part->probability);
        if (log_q == -INFINITY)
            memset(direction, 0, (size_t)stride * sizeof *direction);
        else
            part->loss -= log_q;
    }
    dense_add_product(d, stride, count, 1, (struct dense_view){part->x, 1, d},
                      (struct dense_view){part->scores, stride, 1}, part->gradient.w + stride,
                      stride, 1, &part->err);
}

/* Where part b begins, among this rank's examples: < 0 or > n where it does on another rank. */
static int64_t minimum_part_start(const struct minimum_task *t, int64_t b)
{
    return t->all * b / MINIMUM_PARTS - t->before;
}

/* The part that examples on both sides of this rank's place i are in, or -1. */
static int64_t minimum_open_part(const struct minimum_task *t, int64_t i)
{
    for (int64_t b = 0; b < MINIMUM_PARTS; b++)
        if (minimum_part_start(t, b) < i && i < minimum_part_start(t, b + 1))
            return b;
    return -1;
}

/* Does part b end on this rank?  Each does on one, also if it is empty. */
static bool minimum_ends_here(const struct minimum_task *t, int64_t b)
{
    const int64_t end = minimum_part_start(t, b + 1);
    return end <= t->n && (end > 0 || (end == 0 && reduce_rank() == 0));
}

/* Go on with the loss and the gradient of the part of the examples that has this table. */
static void minimum_continue_part(struct minimum_task *t, int64_t table)
{
    struct minimum_part *part = &t->part[table];
    const int64_t b = t->first + table, start = minimum_part_start(t, b),
                  first = start > 0 ? start : 0,
                  last = order_least(minimum_part_start(t, b + 1), t->n);
    if (t->dense) {
        for (int64_t i = first; i < last; i += MINIMUM_DENSE_ROWS)
            minimum_add_dense(t, part, i, order_least(MINIMUM_DENSE_ROWS, last - i));
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const struct example x = minimum_example(t, &part->rows, i);
        const double log_q = minimum_direction(t, i, &x, part->scores, part->probability);
        if (log_q == -INFINITY)
            continue;
        part->loss -= log_q;
        weights_add(&part->gradient, &x, part->scores);
    }
}

/* Loss and gradient of the part of the examples that has this table, if it begins on this rank. */
static void minimum_add_part(void *context, int64_t table)
{
    struct minimum_task *t = context;
    const int64_t b = t->first + table;
    if (b == t->continued || minimum_part_start(t, b) > t->n || minimum_part_start(t, b + 1) < 0)
        return;
    memset(t->part[table].gradient.w, 0, (size_t)minimum_cells(t) * sizeof(double));
    t->part[table].loss = 0;
    minimum_continue_part(t, table);
}

static void minimum_send_part(struct minimum_task *t, int64_t b)
{
    reduce_send(&t->part[b].loss, 1);
    reduce_send(t->part[b].gradient.w, minimum_cells(t));
}

/* Go on with the part that the rank before has begun, and let the next rank go on with the last one
 * of this rank: at once, so that no rank waits for more than a part. */
static void minimum_join_parts(struct minimum_task *t)
{
    const int64_t left = minimum_open_part(t, t->n);
    const bool through = left == t->continued; /* this rank has nothing else */
    if (left >= 0 && !through)
        minimum_send_part(t, left);
    if (t->continued >= 0) {
        struct minimum_part *part = &t->part[t->continued];
        reduce_receive(&part->loss, 1);
        reduce_receive(part->gradient.w, minimum_cells(t));
        minimum_continue_part(t, t->continued);
    }
    if (left >= 0 && through)
        minimum_send_part(t, left);
}

/* x[0 .. n): out: the sum of the parts that end on the ranks before and on this one, which is sent
 * on.  offset: where these n numbers begin in the table of a part. */
static void minimum_sum_parts(const struct minimum_task *t, int64_t offset, double *x, int64_t n)
{
    reduce_receive(x, n);
    for (int64_t b = 0; b < MINIMUM_PARTS; b++) {
        const double *from = t->part[b].gradient.w + offset;
        if (!minimum_ends_here(t, b))
            continue;
        for (int64_t i = 0; i < n; i++)
            x[i] = b == 0 ? from[i] : x[i] + from[i];
    }
    reduce_send(x, n);
}

/* In memory: all parts, on this rank and the others. */
static double minimum_add_ranks(struct minimum_task *t)
{
    const int64_t cells = minimum_cells(t);
    double loss = 0;
    t->continued = minimum_open_part(t, 0);
    parallel_for(t->minimum->threads, MINIMUM_PARTS, minimum_add_part, t);
    minimum_join_parts(t);
    for (int64_t block = 0; block < minimum_count_cell_blocks(cells); block++) {
        const int64_t first = block * MINIMUM_CELLS;
        minimum_sum_parts(t, first, t->gradient + first, minimum_block_end(t, block) - first);
    }
    reduce_receive(&loss, 1);
    for (int64_t b = 0; b < MINIMUM_PARTS; b++) {
        if (minimum_ends_here(t, b))
            loss += t->part[b].loss;
        if (error_take(&t->part[b].err, &t->err) != 0)
            t->failed = true;
    }
    reduce_send(&loss, 1);
    reduce_finish(t->gradient, cells);
    reduce_finish(&loss, 1);
    return loss;
}

/* On disk: as many parts at a time as there are tables, on one rank. */
static double minimum_read_parts(struct minimum_task *t)
{
    double loss = 0;
    for (t->first = 0; t->first < MINIMUM_PARTS; t->first += t->tables) {
        const int64_t tables = order_least(t->tables, MINIMUM_PARTS - t->first);
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

double minimum_add_parts(struct minimum_task *t)
{
    return t->problem->disk ? minimum_read_parts(t) : minimum_add_ranks(t);
}
