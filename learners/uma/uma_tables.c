/* UMA's vectors z_pq: the tables Z^p, and bounds of what rounding does to them.
 *
 * Moving an example costs its entries x K twice: for <x, z_pq> of all q, and to add it.  Each entry
 * meets a dense row, so the inner loops run over q (WIDEST_VECTORS).  Where many examples of a
 * class move, building Z^p from A_p is cheaper, and free of the rounding of earlier moves.
 *
 * Rounding.  A sum of m vectors whose partial sums are no longer than `reach` is off by at most
 * about DBL_EPSILON m reach.  `error` bounds this for a column of Z^p; `slack`, for norm2, follows
 * from | ||z + e||^2 - ||z||^2 | <= 2 ||z|| ||e|| + ||e||^2 and the rounding of each addition. */
#include "learners/uma/uma_tables.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/base/vectors.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* No reason for the numbers but that they work. */
enum {
    SCRATCH_COLUMNS = 8,   /* of the tables of threads without tables of their own: a cache line */
    MOST_SINCE = 10,       /* a table is built anew when so many times its entries have moved */
    PARALLEL_WORK = 500000 /* multiplications that are worth a thread */
};

/* The stride of a table of K columns. */
static int64_t uma_tables_padded(int64_t K)
{
    return weights_make(K, 0).stride;
}

double uma_tables_bytes_held(int64_t d, int64_t K)
{
    return (double)K * weights_bytes(K, d);
}

double uma_tables_bytes(int64_t n, int64_t d, int64_t K, bool hold, int threads)
{
    double cells = (double)K * (double)uma_tables_padded(K);
    return (double)n * (double)(5 * sizeof(int64_t) + 2 * sizeof(int32_t))
           + cells * (double)(9 * sizeof(double) + 1)
           + (hold ? 0 : (double)threads * weights_bytes(SCRATCH_COLUMNS, d));
}

/* What there is for each example.  0 or -1 (memory, the disk). */
static int uma_tables_make_examples(struct uma_tables *t, struct error *err)
{
    const int64_t n = t->n;
    if (!(t->square = memory_new(n, sizeof *t->square, err))
        || !(t->member = memory_new(n, sizeof *t->member, err))
        || !(t->target = memory_new(n, sizeof *t->target, err))
        || !(t->order = memory_new(n, sizeof *t->order, err))
        || !(t->moved = memory_new(n, sizeof *t->moved, err))
        || !(t->list = memory_new(2 * n, sizeof *t->list, err)))
        return -1;
    struct rows rows = rows_of(t->data.problem);
    for (int64_t i = 0; i < n; i++) {
        struct example x = uma_data_example(&t->data, &rows, i);
        t->square[i] = example_squared_norm(&x);
        t->member[i] = -1;
    }
    rows_end(&rows);
    return rows_check(t->data.problem, err);
}

/* For each class.  0 or -1 (memory). */
static int uma_tables_make_classes(struct uma_tables *t, struct error *err)
{
    const int64_t K = t->K;
    if (!(t->start = memory_new(K + 1, sizeof *t->start, err))
        || !(t->list_start = memory_new(K + 1, sizeof *t->list_start, err))
        || !(t->changed = memory_new(K, sizeof *t->changed, err))
        || !(t->size = memory_new(2 * K + K * K, sizeof *t->size, err))
        || !(t->own = memory_new(2 * K + K * K, sizeof *t->own, err))
        || !(t->moves = memory_new(2 * K, sizeof *t->moves, err))
        || !(t->since = memory_new(K, sizeof *t->since, err)))
        return -1;
    t->entries = t->size + K;
    t->count = t->entries + K;
    return 0;
}

/* For each pair of classes.  0 or -1 (memory). */
static int uma_tables_make_pairs(struct uma_tables *t, struct error *err)
{
    const int64_t K = t->K, cells = K * t->stride;
    if (!(t->coefficient = memory_new(cells, sizeof *t->coefficient, err))
        || !(t->square_sum = memory_new(K * K, sizeof *t->square_sum, err))
        || !(t->norm2 = memory_new(cells, sizeof *t->norm2, err))
        || !(t->sigma2 = memory_new(cells, sizeof *t->sigma2, err)))
        return -1;
    if (!(t->slack = memory_new(cells, sizeof *t->slack, err))
        || !(t->error = memory_new(cells, sizeof *t->error, err))
        || !(t->exact = memory_new(cells, sizeof *t->exact, err))
        || !(t->score = memory_new(cells, sizeof *t->score, err)))
        return -1;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            t->coefficient[k * t->stride + q] = t->data.inverse[q * K + k] / (double)t->all;
    return 0;
}

int uma_tables_make(struct uma_tables *t, const struct uma_data *data, bool hold, int threads,
                    struct error *err)
{
    const int32_t d = data->problem->d;
    const int64_t K = data->K;
    *t = (struct uma_tables){.data = *data,
                             .n = data->n,
                             .all = reduce_count(data->n),
                             .K = K,
                             .D = (int64_t)d + 1,
                             .stride = uma_tables_padded(K),
                             .hold = hold,
                             .threads = reduce_ranks() > 1 ? 1 : threads};
    t->slots = hold ? 0 : t->threads;
    if (uma_tables_make_examples(t, err) != 0 || uma_tables_make_classes(t, err) != 0
        || uma_tables_make_pairs(t, err) != 0)
        return -1;
    if (hold && !(t->table = memory_new(K, sizeof *t->table, err)))
        return -1;
    if (!hold && !(t->scratch = memory_new(t->slots, sizeof *t->scratch, err)))
        return -1;
    if (hold)
        for (int64_t p = 0; p < K; p++) {
            t->table[p] = weights_make(K, 0);
            if (weights_grow(&t->table[p], d, err) != 0)
                return -1;
        }
    for (int64_t s = 0; s < t->slots; s++) {
        t->scratch[s] = weights_make(SCRATCH_COLUMNS, 0);
        if (weights_grow(&t->scratch[s], d, err) != 0)
            return -1;
    }
    return 0;
}

void uma_tables_free(struct uma_tables *t)
{
    if (t->table)
        for (int64_t p = 0; p < t->K; p++)
            weights_free(&t->table[p]);
    if (t->scratch)
        for (int64_t s = 0; s < t->slots; s++)
            weights_free(&t->scratch[s]);
    void *blocks[] = {t->coefficient, t->square,     t->member,  t->own,   t->order,  t->start,
                      t->square_sum,  t->norm2,      t->sigma2,  t->slack, t->error,  t->exact,
                      t->size,        t->moves,      t->since,   t->score, t->moved,  t->target,
                      t->list,        t->list_start, t->changed, t->table, t->scratch};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        memory_free(blocks[b]);
    *t = (struct uma_tables){0};
}

/* ---- one class ---- */

/* w[index, 0 .. columns) += sign * value * c for every entry. */
WIDEST_VECTORS(void, uma_tables_add_example,
               (struct weights * table, const struct example *x, const double *c, double sign,
                int64_t columns),
               (table, x, c, sign, columns))
{
    for (int64_t e = 0; e < x->size; e++) {
        double *row = table->w + x->index[e] * table->stride, v = sign * x->value[e];
        for (int64_t q = 0; q < columns; q++)
            row[q] += v * c[q];
    }
}

/* What an example in or out of A_p does to norm2, before the table has it: 2 sign c <x, z> + c^2
 * ||x||^2; and the rounding that comes with it: of the product, of the sums, and of the table's
 * entries, which are off by `error`. */
WIDEST_VECTORS(void, uma_tables_shift_norms,
               (int64_t columns, const double *c, const double *score, double sign, double square,
                double entries, double *norm2, double *slack, double *error),
               (columns, c, score, sign, square, entries, norm2, slack, error))
{
    double length = sqrt(square);
    for (int64_t q = 0; q < columns; q++) {
        double norm = sqrt(vectors_select(norm2[q] > 0, norm2[q], 0)), own = fabs(c[q]) * length;
        norm2[q] += c[q] * (2 * sign * score[q] + c[q] * square);
        slack[q] += 2 * own * error[q]
                    + DBL_EPSILON * ((entries + 4) * own * (norm + own) + norm * norm);
        error[q] += DBL_EPSILON * (norm + own);
    }
}

/* c_iq of example i for all q. */
static const double *uma_tables_coefficients(const struct uma_tables *t, int64_t i)
{
    return t->coefficient + uma_data_observed(&t->data, i) * t->stride;
}

/* The m-th of the order, one of A_p; in memory the next of A_p is asked for early, as it may lie
 * far away there. */
static struct example uma_tables_member(const struct uma_tables *t, struct rows *rows, int64_t p,
                                        int64_t m)
{
    if (m + 1 < t->start[p + 1] && !t->data.problem->disk) {
        struct example next = uma_data_example(&t->data, rows, t->order[m + 1]);
        for (int64_t e = 0; e < next.size; e += 8)
            PREFETCH(next.value + e);
        for (int64_t e = 0; e < next.size; e += 16)
            PREFETCH(next.index + e);
    }
    return uma_data_example(&t->data, rows, t->order[m]);
}

/* Columns q .. q + columns - 1 of Z^p from A_p alone, into the table from its first column on, with
 * norm2, error and slack. */
static void uma_tables_build(struct uma_tables *t, int64_t p, struct weights *table, int64_t q,
                             int64_t columns)
{
    int64_t cell = p * t->stride + q;
    double *norm2 = t->norm2 + cell, *slack = t->slack + cell, *error = t->error + cell;
    memset(table->w, 0, (size_t)(t->D * table->stride) * sizeof(double));
    memset(norm2, 0, (size_t)columns * sizeof(double));
    memset(error, 0, (size_t)columns * sizeof(double));
    struct rows rows = rows_of(t->data.problem);
    reduce_receive(table->w, t->D * table->stride);
    reduce_receive(error, columns);
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++) {
        struct example x = uma_tables_member(t, &rows, p, m);
        const double *c = uma_tables_coefficients(t, t->order[m]) + q;
        uma_tables_add_example(table, &x, c, 1, columns);
        for (int64_t k = 0; k < columns; k++) /* no partial sum is longer than this */
            error[k] += fabs(c[k]) * sqrt(t->square[t->order[m]]);
    }
    rows_end(&rows);
    reduce_send(table->w, t->D * table->stride);
    reduce_send(error, columns);
    reduce_finish(table->w, t->D * table->stride);
    reduce_finish(error, columns);
    for (int64_t j = 0; j < t->D; j++) {
        const double *row = table->w + j * table->stride;
        for (int64_t k = 0; k < columns; k++)
            norm2[k] += row[k] * row[k];
    }
    for (int64_t k = 0; k < columns; k++) {
        error[k] *= DBL_EPSILON * (double)(t->size[p] + 1);
        slack[k] = 2 * sqrt(norm2[k]) * error[k] + error[k] * error[k]
                   + DBL_EPSILON * (double)t->D * norm2[k];
    }
}

/* Move the listed examples into and out of Z^p, one after the other. */
static void uma_tables_move_class(struct uma_tables *t, int64_t p)
{
    const int64_t row = p * t->stride, cells = t->D * t->table[p].stride;
    double *const bounds[] = {t->norm2 + row, t->slack + row, t->error + row};
    reduce_receive(t->table[p].w, cells);
    for (int r = 0; r < 3; r++)
        reduce_receive(bounds[r], t->stride);
    struct rows rows = rows_of(t->data.problem);
    for (int64_t m = t->list_start[p]; m < t->list_start[p + 1]; m++) {
        int64_t i = t->list[m] / 2;
        struct example x = uma_data_example(&t->data, &rows, i);
        const double *c = uma_tables_coefficients(t, i);
        double sign = t->list[m] % 2 ? 1 : -1;
        weights_scores(&t->table[p], &x, t->score + row);
        uma_tables_shift_norms(t->stride, c, t->score + row, sign, t->square[i], (double)x.size,
                               t->norm2 + row, t->slack + row, t->error + row);
        uma_tables_add_example(&t->table[p], &x, c, sign, t->stride);
    }
    rows_end(&rows);
    reduce_send(t->table[p].w, cells);
    for (int r = 0; r < 3; r++)
        reduce_send(bounds[r], t->stride);
    reduce_finish(t->table[p].w, cells);
    for (int r = 0; r < 3; r++)
        reduce_finish(bounds[r], t->stride);
}

/* sigma2 is summed anew, never subtracted from: once long examples have left, their rounding might
 * exceed the sum over the others. */
static void uma_tables_sum_sigmas(struct uma_tables *t, int64_t p)
{
    double *sigma2 = t->sigma2 + p * t->stride, *square_sum = t->square_sum + p * t->K;
    memset(sigma2, 0, (size_t)t->stride * sizeof *sigma2);
    memset(square_sum, 0, (size_t)t->K * sizeof *square_sum);
    reduce_receive(square_sum, t->K);
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++)
        square_sum[uma_data_observed(&t->data, t->order[m])] += t->square[t->order[m]];
    reduce_send(square_sum, t->K);
    reduce_finish(square_sum, t->K);
    for (int64_t k = 0; k < t->K; k++) {
        const double *c = t->coefficient + k * t->stride;
        if (t->count[p * t->K + k] == 0)
            continue;
        for (int64_t q = 0; q < t->K; q++)
            sigma2[q] += c[q] * c[q] * square_sum[k];
    }
}

/* Bring a changed class's table and sums up to date. */
static void uma_tables_update_held(void *context, int64_t c)
{
    struct uma_tables *t = context;
    const int64_t p = t->changed[c], entries = t->moves[t->K + p];
    t->since[p] += entries;
    /* A move reads its rows twice and writes them once, building reads and writes each once; but it
     * also clears and sums the whole table. */
    if (3 * entries > 2 * (t->entries[p] + t->D)
        || t->since[p] > MOST_SINCE * (t->entries[p] + t->D)) {
        uma_tables_build(t, p, &t->table[p], 0, t->stride);
        t->since[p] = 0;
    } else {
        uma_tables_move_class(t, p);
    }
    uma_tables_sum_sigmas(t, p);
}

/* Without tables held: each slot builds its share of the changed classes' blocks of columns in its
 * own scratch, only for norm2. */
static void uma_tables_update_scratch(void *context, int64_t slot)
{
    struct uma_tables *t = context;
    int64_t width = SCRATCH_COLUMNS < t->stride ? SCRATCH_COLUMNS : t->stride,
            blocks = t->stride / width;
    assert(blocks * width == t->stride);
    for (int64_t task = slot; task < t->changed_count * blocks; task += t->slots) {
        int64_t p = t->changed[task / blocks], block = task % blocks;
        uma_tables_build(t, p, &t->scratch[slot], block * width, width);
        if (block == 0)
            uma_tables_sum_sigmas(t, p);
    }
}

/* ---- all classes ---- */

/* Give each class its list of moves, in the order of the examples: 2i + 1 comes, 2i goes. */
static void uma_tables_sort_moves(struct uma_tables *t)
{
    int64_t *start = t->list_start;
    memset(start, 0, (size_t)(t->K + 1) * sizeof *start);
    for (int64_t m = 0; m < t->moved_count; m++) {
        const int64_t i = t->moved[m];
        assert(t->member[i] != t->target[i]);
        if (t->member[i] >= 0)
            start[t->member[i] + 1]++;
        if (t->target[i] >= 0)
            start[t->target[i] + 1]++;
    }
    for (int64_t p = 0; p < t->K; p++)
        start[p + 1] += start[p];
    for (int64_t m = 0; m < t->moved_count; m++) {
        const int64_t i = t->moved[m];
        if (t->member[i] >= 0)
            t->list[start[t->member[i]]++] = 2 * i;
        if (t->target[i] >= 0)
            t->list[start[t->target[i]]++] = 2 * i + 1;
    }
    /* Filling has moved each start to its end. */
    memmove(start + 1, start, (size_t)t->K * sizeof *start);
    start[0] = 0;
}

/* The examples of each set, ascending. */
static void uma_tables_sort_members(struct uma_tables *t)
{
    t->start[0] = 0;
    for (int64_t p = 0; p < t->K; p++)
        t->start[p + 1] = t->start[p] + t->own[p];
    for (int64_t i = 0; i < t->n; i++)
        if (t->member[i] >= 0)
            t->order[t->start[t->member[i]]++] = i;
    assert(t->start[t->K - 1] == t->start[t->K]);
    /* Filling has moved each start to its end. */
    memmove(t->start + 1, t->start, (size_t)t->K * sizeof *t->start);
    t->start[0] = 0;
}

/* Example i enters (by = 1) or leaves (-1) the set of class p: the counts of that class. */
static void uma_tables_count(struct uma_tables *t, int64_t i, int32_t p, int by)
{
    const int64_t K = t->K, entries = uma_data_entries(&t->data, i);
    if (p < 0)
        return;
    t->own[p] += by;
    t->own[K + p] += by * entries;
    t->own[2 * K + p * K + uma_data_observed(&t->data, i)] += by;
    t->moves[p]++;
    t->moves[K + p] += entries;
    assert(t->own[p] >= 0 && t->own[K + p] >= 0);
}

void uma_tables_move(struct uma_tables *t)
{
    const int64_t K = t->K;
    int64_t entries = 0;
    uma_tables_sort_moves(t);
    memset(t->moves, 0, (size_t)(2 * K) * sizeof *t->moves);
    for (int64_t m = 0; m < t->moved_count; m++) {
        const int64_t i = t->moved[m];
        uma_tables_count(t, i, t->member[i], -1);
        uma_tables_count(t, i, t->target[i], 1);
        t->member[i] = t->target[i];
        entries += uma_data_entries(&t->data, i);
    }
    if (t->moved_count > 0)
        uma_tables_sort_members(t);
    memcpy(t->size, t->own, (size_t)(2 * K + K * K) * sizeof *t->size);
    reduce_counts(t->size, 2 * K + K * K);
    reduce_counts(t->moves, 2 * K);
    t->changed_count = 0;
    for (int64_t p = 0; p < K; p++)
        if (t->moves[p] > 0) {
            memset(t->exact + p * t->stride, 0, (size_t)t->stride * sizeof *t->exact);
            t->changed[t->changed_count++] = (int32_t)p;
        }
    /* The number of threads changes no result. */
    int threads = (entries + t->D) * t->stride > PARALLEL_WORK ? t->threads : 1;
    if (t->hold)
        parallel_for(threads, t->changed_count, uma_tables_update_held, t);
    else
        parallel_for(threads, t->slots, uma_tables_update_scratch, t);
}

bool uma_tables_has_terms(const struct uma_tables *t, int64_t p, int64_t q)
{
    if (t->size[p] == 0)
        return false;
    for (int64_t k = 0; k < t->K; k++) {
        const double c = t->coefficient[k * t->stride + q];
        if (t->count[p * t->K + k] > 0 && (c < 0 || c > 0))
            return true;
    }
    return false;
}

double uma_tables_slack(const struct uma_tables *t, int64_t p, int64_t q)
{
    return t->exact[p * t->stride + q] ? 0 : t->slack[p * t->stride + q];
}

double uma_tables_sum(struct uma_tables *t, int64_t p, int64_t q, double *z)
{
    int64_t cell = p * t->stride + q;
    double norm2 = 0, reach = 0; /* no partial sum is longer than reach */
    memset(z, 0, (size_t)t->D * sizeof *z);
    struct rows rows = rows_of(t->data.problem);
    reduce_receive(z, t->D);
    reduce_receive(&reach, 1);
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++) {
        struct example x = uma_tables_member(t, &rows, p, m);
        double c = t->data.inverse[q * t->K + uma_data_observed(&t->data, t->order[m])];
        for (int64_t e = 0; e < x.size; e++)
            z[x.index[e]] += c * x.value[e];
        reach += fabs(c) * sqrt(t->square[t->order[m]]);
    }
    rows_end(&rows);
    reduce_send(z, t->D);
    reduce_send(&reach, 1);
    reduce_finish(z, t->D);
    reduce_finish(&reach, 1);
    for (int64_t j = 0; j < t->D; j++) {
        z[j] /= (double)t->all;
        norm2 += z[j] * z[j];
    }
    /* When examples move again, norm2 starts from this sum, whose rounding is not the table's. */
    double error = DBL_EPSILON * (double)(t->size[p] + 1) * reach / (double)t->all;
    t->norm2[cell] = norm2;
    t->slack[cell] = 2 * sqrt(norm2) * error + error * error + DBL_EPSILON * (double)t->D * norm2;
    t->error[cell] = t->error[cell] > error ? t->error[cell] : error;
    t->exact[cell] = true;
    return norm2;
}
