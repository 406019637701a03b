#include "learners/uma/uma_tables.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SCRATCH_COLUMNS = 8,
    MOST_SINCE = 10,       /* a table is built anew when so many times its entries have moved */
    PARALLEL_WORK = 500000 /* multiplications that are worth a thread */
};

static int64_t padded(int64_t K)
{
    return weights_make(K, 0).stride;
}

double uma_tables_bytes_held(int64_t d, int64_t K)
{
    return (double)K * weights_bytes(K, d);
}

double uma_tables_bytes(int64_t n, int64_t d, int64_t K, bool hold, int threads)
{
    double cells = (double)K * (double)padded(K);
    return (double)n * (double)(5 * sizeof(int64_t) + 2 * sizeof(int32_t))
           + cells * (double)(8 * sizeof(double) + 1)
           + (hold ? 0 : (double)threads * weights_bytes(SCRATCH_COLUMNS, d));
}

int uma_tables_make(struct uma_tables *t, const struct problem *problem, const int32_t *y,
                    const int64_t *subset, int64_t n, int64_t K, const double *inverse, bool hold,
                    int threads, struct error *err)
{
    int64_t stride = padded(K), cells = K * stride;
    *t = (struct uma_tables){.problem = problem,
                             .y = y,
                             .subset = subset,
                             .n = n,
                             .K = K,
                             .D = (int64_t)problem->d + 1,
                             .inverse = inverse,
                             .stride = stride,
                             .hold = hold,
                             .slots = hold ? 0 : threads,
                             .threads = threads};
    if (!(t->coefficient = memory_new(cells, sizeof *t->coefficient, err))
        || !(t->square = memory_new(n, sizeof *t->square, err))
        || !(t->member = memory_new(n, sizeof *t->member, err))
        || !(t->count = memory_new(K * K, sizeof *t->count, err))
        || !(t->order = memory_new(n, sizeof *t->order, err))
        || !(t->start = memory_new(K + 1, sizeof *t->start, err))
        || !(t->square_sum = memory_new(K * K, sizeof *t->square_sum, err))
        || !(t->norm2 = memory_new(cells, sizeof *t->norm2, err))
        || !(t->sigma2 = memory_new(cells, sizeof *t->sigma2, err))
        || !(t->slack = memory_new(cells, sizeof *t->slack, err))
        || !(t->error = memory_new(cells, sizeof *t->error, err))
        || !(t->exact = memory_new(cells, sizeof *t->exact, err))
        || !(t->size = memory_new(K, sizeof *t->size, err))
        || !(t->entries = memory_new(K, sizeof *t->entries, err))
        || !(t->since = memory_new(K, sizeof *t->since, err))
        || !(t->score = memory_new(cells, sizeof *t->score, err))
        || !(t->moved = memory_new(n, sizeof *t->moved, err))
        || !(t->target = memory_new(n, sizeof *t->target, err))
        || !(t->list = memory_new(2 * n, sizeof *t->list, err))
        || !(t->list_start = memory_new(K + 1, sizeof *t->list_start, err))
        || !(t->changed = memory_new(K, sizeof *t->changed, err))
        || (hold && !(t->table = memory_new(K, sizeof *t->table, err)))
        || (!hold && !(t->scratch = memory_new(t->slots, sizeof *t->scratch, err))))
        return -1;
    for (int64_t p = 0; hold && p < K; p++) {
        t->table[p] = weights_make(K, 0);
        if (weights_grow(&t->table[p], problem->d, err) != 0)
            return -1;
    }
    for (int64_t s = 0; s < t->slots; s++) {
        t->scratch[s] = weights_make(SCRATCH_COLUMNS, 0);
        if (weights_grow(&t->scratch[s], problem->d, err) != 0)
            return -1;
    }
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            t->coefficient[k * stride + q] = inverse[q * K + k] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        struct example x = uma_tables_example(t, i);
        t->square[i] = example_squared_norm(&x);
        t->member[i] = -1;
    }
    return 0;
}

void uma_tables_free(struct uma_tables *t)
{
    for (int64_t p = 0; t->table && p < t->K; p++)
        memory_free(t->table[p].block);
    for (int64_t s = 0; t->scratch && s < t->slots; s++)
        memory_free(t->scratch[s].block);
    void *blocks[] = {t->coefficient, t->square,     t->member,  t->count, t->order,  t->start,
                      t->square_sum,  t->norm2,      t->sigma2,  t->slack, t->error,  t->exact,
                      t->size,        t->entries,    t->since,   t->score, t->moved,  t->target,
                      t->list,        t->list_start, t->changed, t->table, t->scratch};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        memory_free(blocks[b]);
    *t = (struct uma_tables){0};
}

/* ---- one class ---- */

/* w[index, 0 .. columns) += value * c for every entry. */
WIDEST_VECTORS(void, add_example,
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
WIDEST_VECTORS(void, shift_norms,
               (int64_t columns, const double *c, const double *score, double sign, double square,
                double entries, double *norm2, double *slack, double *error),
               (columns, c, score, sign, square, entries, norm2, slack, error))
{
    double length = sqrt(square);
    for (int64_t q = 0; q < columns; q++) {
        double norm = sqrt(norm2[q] > 0 ? norm2[q] : 0), own = fabs(c[q]) * length;
        norm2[q] += c[q] * (2 * sign * score[q] + c[q] * square);
        slack[q] += 2 * own * error[q]
                    + DBL_EPSILON * ((entries + 4) * own * (norm + own) + norm * norm);
        error[q] += DBL_EPSILON * (norm + own);
    }
}

static const double *coefficients(const struct uma_tables *t, int64_t i)
{
    return t->coefficient + uma_tables_observed(t, i) * t->stride;
}

/* The m-th of the order, one of A_p; the next of A_p is asked for early, as it may lie far away in
 * memory. */
static struct example member_example(const struct uma_tables *t, int64_t p, int64_t m)
{
    if (m + 1 < t->start[p + 1]) {
        struct example next = uma_tables_example(t, t->order[m + 1]);
        for (int64_t e = 0; e < next.size; e += 8)
            PREFETCH(next.value + e);
        for (int64_t e = 0; e < next.size; e += 16)
            PREFETCH(next.index + e);
    }
    return uma_tables_example(t, t->order[m]);
}

/* Columns q .. q + columns of Z^p from A_p alone, and what goes with them. */
static void build(struct uma_tables *t, int64_t p, struct weights *table, int64_t q,
                  int64_t columns)
{
    int64_t cell = p * t->stride + q;
    double *norm2 = t->norm2 + cell, *slack = t->slack + cell, *error = t->error + cell;
    memset(table->w, 0, (size_t)(t->D * table->stride) * sizeof(double));
    memset(norm2, 0, (size_t)columns * sizeof(double));
    memset(error, 0, (size_t)columns * sizeof(double));
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++) {
        struct example x = member_example(t, p, m);
        const double *c = coefficients(t, t->order[m]) + q;
        add_example(table, &x, c, 1, columns);
        for (int64_t k = 0; k < columns; k++)
            error[k] +=
                fabs(c[k])
                * sqrt(t->square[t->order[m]]); /* the sum on the way is never longer than this */
    }
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

/* Examples into and out of Z^p, one after the other. */
static void move(struct uma_tables *t, int64_t p)
{
    int64_t row = p * t->stride;
    for (int64_t m = t->list_start[p]; m < t->list_start[p + 1]; m++) {
        int64_t i = t->list[m] / 2;
        struct example x = uma_tables_example(t, i);
        const double *c = coefficients(t, i);
        double sign = t->list[m] % 2 ? 1 : -1;
        weights_scores(&t->table[p], &x, t->score + row);
        shift_norms(t->stride, c, t->score + row, sign, t->square[i], (double)x.size,
                    t->norm2 + row, t->slack + row, t->error + row);
        add_example(&t->table[p], &x, c, sign, t->stride);
    }
}

/* sigma2 is summed anew, never subtracted from: what long examples leave behind would be
 * rounding. */
static void sum_sigmas(struct uma_tables *t, int64_t p)
{
    double *sigma2 = t->sigma2 + p * t->stride, *square_sum = t->square_sum + p * t->K;
    memset(sigma2, 0, (size_t)t->stride * sizeof *sigma2);
    memset(square_sum, 0, (size_t)t->K * sizeof *square_sum);
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++)
        square_sum[uma_tables_observed(t, t->order[m])] += t->square[t->order[m]];
    for (int64_t k = 0; k < t->K; k++)
        for (int64_t q = 0; q < t->K && t->count[p * t->K + k] > 0; q++)
            sigma2[q] += t->coefficient[k * t->stride + q] * t->coefficient[k * t->stride + q]
                         * square_sum[k];
}

static void update_held(void *context, int64_t c)
{
    struct uma_tables *t = context;
    int64_t p = t->changed[c], entries = 0;
    for (int64_t m = t->list_start[p]; m < t->list_start[p + 1]; m++)
        entries += uma_tables_example(t, t->list[m] / 2).size;
    t->since[p] += entries;
    /* A move reads its rows twice and writes them once; building clears and sums the whole table
     * besides. */
    if (3 * entries > 2 * (t->entries[p] + t->D)
        || t->since[p] > MOST_SINCE * (t->entries[p] + t->D)) {
        build(t, p, &t->table[p], 0, t->stride);
        t->since[p] = 0;
    } else {
        move(t, p);
    }
    sum_sigmas(t, p);
}

/* Without tables: every slot builds its share of the blocks of columns of the changed classes in
 * its own scratch. */
static void update_scratch(void *context, int64_t slot)
{
    struct uma_tables *t = context;
    int64_t width = SCRATCH_COLUMNS < t->stride ? SCRATCH_COLUMNS : t->stride,
            blocks = t->stride / width;
    for (int64_t task = slot; task < t->changed_count * blocks; task += t->slots) {
        int64_t p = t->changed[task / blocks], block = task % blocks;
        build(t, p, &t->scratch[slot], block * width, width);
        if (block == 0)
            sum_sigmas(t, p);
    }
}

/* ---- all classes ---- */

/* Give each class its list of moves, in the order of the examples: 2i + 1 comes, 2i goes. */
static void sort_moves(struct uma_tables *t)
{
    int64_t *start = t->list_start;
    memset(start, 0, (size_t)(t->K + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t m = 0; m < t->moved_count; m++) {
            int64_t i = t->moved[m];
            int32_t side[2] = {t->member[i], t->target[i]};
            for (int comes = 0; comes < 2; comes++)
                if (side[comes] >= 0 && pass == 0)
                    start[side[comes] + 1]++;
                else if (side[comes] >= 0)
                    t->list[start[side[comes]]++] = 2 * i + comes;
        }
        for (int64_t p = 0; p < t->K && pass == 0; p++)
            start[p + 1] += start[p];
    }
    memmove(start + 1, start,
            (size_t)t->K * sizeof *start); /* filling has moved each start to its end */
    start[0] = 0;
}

static void sort_members(struct uma_tables *t)
{
    t->start[0] = 0;
    for (int64_t p = 0; p < t->K; p++)
        t->start[p + 1] = t->start[p] + t->size[p];
    for (int64_t i = 0; i < t->n; i++)
        if (t->member[i] >= 0)
            t->order[t->start[t->member[i]]++] = i;
    memmove(t->start + 1, t->start,
            (size_t)t->K * sizeof *t->start); /* filling has moved each start to its end */
    t->start[0] = 0;
}

void uma_tables_move(struct uma_tables *t)
{
    int64_t entries = 0;
    sort_moves(t);
    for (int64_t m = 0; m < t->moved_count; m++) {
        int64_t i = t->moved[m], size = uma_tables_example(t, i).size;
        int32_t k = uma_tables_observed(t, i);
        int32_t side[2] = {t->member[i], t->target[i]};
        for (int comes = 0; comes < 2; comes++)
            if (side[comes] >= 0) {
                t->count[side[comes] * t->K + k] += comes ? 1 : -1;
                t->size[side[comes]] += comes ? 1 : -1;
                t->entries[side[comes]] += comes ? size : -size;
            }
        t->member[i] = t->target[i];
        entries += size;
    }
    if (t->moved_count > 0)
        sort_members(t);
    t->changed_count = 0;
    for (int64_t p = 0; p < t->K; p++)
        if (t->list_start[p + 1] > t->list_start[p]) {
            memset(t->exact + p * t->stride, 0, (size_t)t->stride * sizeof *t->exact);
            t->changed[t->changed_count++] = (int32_t)p;
        }
    int threads = (entries + t->D) * t->stride > PARALLEL_WORK ? t->threads : 1;
    if (t->hold)
        parallel_for(threads, t->changed_count, update_held, t);
    else
        parallel_for(threads, t->slots, update_scratch, t);
}

bool uma_tables_alive(const struct uma_tables *t, int64_t p, int64_t q)
{
    for (int64_t k = 0; k < t->K && t->size[p] > 0; k++)
        if (t->count[p * t->K + k] > 0
            && (t->coefficient[k * t->stride + q] < 0 || t->coefficient[k * t->stride + q] > 0))
            return true;
    return false;
}

double uma_tables_slack(const struct uma_tables *t, int64_t p, int64_t q)
{
    return t->exact[p * t->stride + q] ? 0 : t->slack[p * t->stride + q];
}

double uma_tables_sum(struct uma_tables *t, int64_t p, int64_t q, double *z)
{
    int64_t cell = p * t->stride + q;
    double norm2 = 0, reach = 0; /* the sum on the way is never longer than reach */
    memset(z, 0, (size_t)t->D * sizeof *z);
    for (int64_t m = t->start[p]; m < t->start[p + 1]; m++) {
        struct example x = member_example(t, p, m);
        double c = t->inverse[q * t->K + uma_tables_observed(t, t->order[m])];
        for (int64_t e = 0; e < x.size; e++)
            z[x.index[e]] += c * x.value[e];
        reach += fabs(c) * sqrt(t->square[t->order[m]]);
    }
    for (int64_t j = 0; j < t->D; j++) {
        z[j] /= (double)t->n;
        norm2 += z[j] * z[j];
    }
    /* When examples move again, what follows starts from this sum; its rounding is none of the
     * table's. */
    double error = DBL_EPSILON * (double)(t->size[p] + 1) * reach / (double)t->n;
    t->norm2[cell] = norm2;
    t->slack[cell] = 2 * sqrt(norm2) * error + error * error + DBL_EPSILON * (double)t->D * norm2;
    t->error[cell] = t->error[cell] > error ? t->error[cell] : error;
    t->exact[cell] = true;
    return norm2;
}
