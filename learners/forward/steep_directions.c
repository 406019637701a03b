/* Leading eigenvectors by subspace iteration: V <- mean x x' V, made orthonormal by Gram and
 * Schmidt. The metric needs them roughly, so a few rounds do. */
#include "learners/forward/steep_directions.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/base/reduce.h"
#include "common/base/vectors.h"
#include "common/data/rows.h"
#include "common/linear/weights.h"

#include <math.h>
#include <string.h>

enum {
    STEEP_ROUNDS = 6,      /* no reason but that it works */
    STEEP_EXAMPLES = 2048, /* at least, where there are as many: no reason but that it works */
    STEEP_BLOCK = 1024, /* rows that one thread does at a time: a rule of thumb.  With fewer there
                           are more sums to add up, with more fewer threads have work */
    STEEP_FEWEST = 4    /* blocks for which threads are started: the 11 of r8 are worth it */
};

/* Of the largest eigenvalue; less is taken for none.  No reason but that it works. */
static const double steep_least = 1e-6;

/* v <- mean x x' v over every step-th example, each times its weight.  out: like v. */
static void steep_multiply(const struct problem *problem, const double *weight,
                           const struct weights *v, struct weights *out)
{
    const int64_t n = reduce_count(problem->n), before = reduce_before(problem->n),
                  step = n > STEEP_EXAMPLES ? n / STEEP_EXAMPLES : 1,
                  cells = out->rows * out->stride;
    double along[STEEP_DIRECTIONS], total = 0;
    struct rows rows = rows_of(problem);
    memset(out->w, 0, (size_t)cells * sizeof *out->w);
    reduce_receive(out->w, cells);
    reduce_receive(&total, 1);
    for (int64_t i = (step - before % step) % step; i < problem->n; i += step) {
        const struct example x = rows_example(&rows, i);
        weights_scores(v, &x, along);
        if (weight)
            for (int c = 0; c < STEEP_DIRECTIONS; c++)
                along[c] *= weight[i];
        weights_add(out, &x, along);
        total += weight ? weight[i] : 1;
    }
    rows_end(&rows);
    reduce_send(out->w, cells);
    reduce_send(&total, 1);
    reduce_finish(out->w, cells);
    reduce_finish(&total, 1);
    for (int64_t i = 0; i < cells; i++)
        out->w[i] /= total;
}

/* Make the columns orthonormal.  length: out, of what each adds to those before it. */
static void steep_straighten(struct weights *v, double *length)
{
    for (int c = 0; c < STEEP_DIRECTIONS; c++) {
        double product[STEEP_DIRECTIONS] = {0}, squares = 0;
        for (int64_t j = 0; j < v->rows; j++)
            for (int b = 0; b < c; b++)
                product[b] += v->w[j * STEEP_DIRECTIONS + b] * v->w[j * STEEP_DIRECTIONS + c];
        for (int64_t j = 0; j < v->rows; j++) {
            double *row = v->w + j * STEEP_DIRECTIONS;
            for (int b = 0; b < c; b++)
                row[c] -= product[b] * row[b];
            squares += row[c] * row[c];
        }
        length[c] = sqrt(squares);
        for (int64_t j = 0; j < v->rows; j++)
            v->w[j * STEEP_DIRECTIONS + c] *= length[c] > 0 ? 1 / length[c] : 0;
    }
}

/* All of steep but rows.  A direction that hardly occurs, as where there are fewer independent
 * examples than directions, is left out: 0, with a share of 1. */
static void steep_take(const struct weights *v, const double *length,
                       struct steep_directions *steep)
{
    int last = STEEP_DIRECTIONS - 1;
    while (last > 0 && !(length[last] > steep_least * length[0]))
        last--;
    steep->eigenvalue = length[last];
    for (int c = 0; c < STEEP_DIRECTIONS; c++) {
        const double share = length[last] / length[c];
        steep->share[c] = c < last && share < 1 ? share : 1;
        for (int64_t j = 0; j < steep->rows; j++)
            steep->v[j * STEEP_DIRECTIONS + c] = c <= last ? v->w[j * STEEP_DIRECTIONS + c] : 0;
    }
}

int steep_find(const struct problem *problem, const double *weight, struct steep_directions *steep,
               struct error *err)
{
    struct weights v = weights_make(STEEP_DIRECTIONS, 0), next = v;
    double length[STEEP_DIRECTIONS];
    struct random g = random_seeded(1, 0); /* any start will do */
    int status = -1;
    *steep = (struct steep_directions){.rows = (int64_t)problem->d + 1};
    if (weights_grow(&v, problem->d, err) != 0 || weights_grow(&next, problem->d, err) != 0
        || !(steep->v = memory_new(steep->rows * STEEP_DIRECTIONS, sizeof *steep->v, err)))
        goto done;
    for (int64_t i = 0; i < v.rows * v.stride; i++)
        v.w[i] = random_uniform(&g) - 0.5;
    for (int round = 0; round < STEEP_ROUNDS; round++) {
        steep_multiply(problem, weight, &v, &next);
        steep_straighten(&next, length);
        struct weights swap = v;
        v = next;
        next = swap;
    }
    steep_take(&v, length, steep);
    status = rows_check(problem, err);
done:
    weights_free(&v);
    weights_free(&next);
    if (status != 0)
        steep_free(steep);
    return status;
}

/* ---- the metric ---- */

struct steep_job {
    const struct steep_directions *steep;
    double *table, *products; /* products: m x stride, then as many for each block */
    int64_t stride;
};

static int64_t steep_count_blocks(int64_t rows)
{
    return parallel_parts(rows, STEEP_BLOCK);
}

static int64_t steep_block_end(const struct steep_directions *steep, int64_t block)
{
    return order_least((block + 1) * STEEP_BLOCK, steep->rows);
}

/* products <- v' table, of four columns: their sums stay in registers. */
WIDEST_VECTORS(void, steep_sum_four,
               (int64_t rows, const double *v, const double *table, int64_t stride,
                double *products),
               (rows, v, table, stride, products))
{
    vector4 sum[STEEP_DIRECTIONS] = {{0}};
    for (int64_t j = 0; j < rows; j++) {
        const vector4 row = *(const vector4 *)(const void *)(table + j * stride);
        for (int c = 0; c < STEEP_DIRECTIONS; c++)
            sum[c] += v[j * STEEP_DIRECTIONS + c] * row;
    }
    for (int c = 0; c < STEEP_DIRECTIONS; c++)
        memcpy(products + c * stride, &sum[c], sizeof sum[c]);
}

/* table <- table - v products, of four columns. */
WIDEST_VECTORS(void, steep_apply_four,
               (int64_t rows, const double *v, const double *products, int64_t stride,
                double *table),
               (rows, v, products, stride, table))
{
    vector4 product[STEEP_DIRECTIONS];
    for (int c = 0; c < STEEP_DIRECTIONS; c++)
        memcpy(&product[c], products + c * stride, sizeof product[c]);
    for (int64_t j = 0; j < rows; j++) {
        vector4 *row = (vector4 *)(void *)(table + j * stride), change = {0};
        for (int c = 0; c < STEEP_DIRECTIONS; c++)
            change += v[j * STEEP_DIRECTIONS + c] * product[c];
        *row -= change;
    }
}

/* v' table over a block of rows.  A stride is 1, 2 or a multiple of 4. */
static void steep_sum_block(void *context, int64_t block)
{
    const struct steep_job *job = context;
    const int64_t first = block * STEEP_BLOCK, stride = job->stride,
                  rows = steep_block_end(job->steep, block) - first;
    const double *v = job->steep->v + first * STEEP_DIRECTIONS,
                 *table = job->table + first * stride;
    double *products = job->products + (block + 1) * STEEP_DIRECTIONS * stride;
    if (stride >= 4) {
        for (int64_t k = 0; k < stride; k += 4)
            steep_sum_four(rows, v, table + k, stride, products + k);
        return;
    }
    for (int64_t i = 0; i < STEEP_DIRECTIONS * stride; i++) {
        products[i] = 0;
        for (int64_t j = 0; j < rows; j++)
            products[i] += v[j * STEEP_DIRECTIONS + i / stride] * table[j * stride + i % stride];
    }
}

static void steep_apply_block(void *context, int64_t block)
{
    const struct steep_job *job = context;
    const int64_t first = block * STEEP_BLOCK, stride = job->stride,
                  rows = steep_block_end(job->steep, block) - first;
    const double *v = job->steep->v + first * STEEP_DIRECTIONS;
    double *table = job->table + first * stride;
    if (stride >= 4) {
        for (int64_t k = 0; k < stride; k += 4)
            steep_apply_four(rows, v, job->products + k, stride, table + k);
        return;
    }
    for (int64_t i = 0; i < rows * stride; i++)
        for (int c = 0; c < STEEP_DIRECTIONS; c++)
            table[i] -= v[i / stride * STEEP_DIRECTIONS + c]
                        * job->products[c * stride + i % stride];
}

double steep_apply(const struct steep_directions *steep, double *table, int64_t stride,
                   double *workspace, int threads)
{
    struct steep_job job = {steep, table, workspace, stride};
    const int64_t blocks = steep_count_blocks(steep->rows), cells = STEEP_DIRECTIONS * stride;
    double less = 0;
    if (blocks < STEEP_FEWEST)
        threads = 1;
    parallel_for(threads, blocks, steep_sum_block, &job);
    for (int64_t i = 0; i < cells; i++) {
        double sum = 0;
        for (int64_t block = 1; block <= blocks; block++)
            sum += workspace[block * cells + i];
        workspace[i] = sum * (1 - steep->share[i / stride]);
        less += sum * workspace[i];
    }
    parallel_for(threads, blocks, steep_apply_block, &job);
    return less;
}

int64_t steep_workspace(const struct steep_directions *steep, int64_t stride)
{
    return (steep_count_blocks(steep->rows) + 1) * STEEP_DIRECTIONS * stride;
}

double steep_bytes(int64_t d)
{
    return 3 * 8 * ((double)d + 1) * STEEP_DIRECTIONS;
}

void steep_free(struct steep_directions *steep)
{
    memory_free(steep->v);
    *steep = (struct steep_directions){0};
}
