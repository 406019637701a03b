/* C += sum of v_i a_i a_i' in single precision: the packed panels and tiles of dense_product.c,
 * with twice as many lanes.  In steps of GRAM_DEPTH examples the sums of a tile begin at 0 and are
 * then added to C, which is of doubles: so they are never long.  GRAM_STEPS of them are packed at
 * once, so that C, which is larger than the caches, is read and written half as often. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"
#include "common/linalg/dense_tile.h"

#include <assert.h>

enum {
    GRAM_DEPTH = 256, /* this and the blocks as in dense_product.c */
    GRAM_STEPS = 2,   /* the floats of a block take as much as its doubles there */
    GRAM_PACKED = GRAM_STEPS * GRAM_DEPTH,
    GRAM_DEALT = 32, /* of them, that a task packs: no reason but that it works */
    GRAM_ROWS = 96,
    GRAM_COLUMNS = 384, /* a multiple of every tile's */
    MOST_GRAM_ROWS = 8, /* of a tile */
    MOST_GRAM_COLUMNS = 48,
    LARGEST_GRAM = MOST_GRAM_ROWS * MOST_GRAM_COLUMNS
};

typedef void gram_tile_function(int64_t k, const float *a, int64_t a_row, int64_t a_column,
                                const float *b, int64_t b_row, float *c, int64_t stride);

struct gram_tile {
    int64_t rows, columns; /* R, S */
    gram_tile_function *run;
};

#if defined(__x86_64__) && defined(__GNUC__)
DEFINE_TILE(gram_avx512, float, __attribute__((target("avx512f"))), 16, 8, 3)
DEFINE_TILE(gram_avx2, float, __attribute__((target("avx2"))), 8, 6, 2)
#endif
DEFINE_TILE(gram_plain, float, , 4, 4, 2)

/* The tiles that this processor can run, the fastest first.  Returns how many. */
static int gram_list_tiles(struct gram_tile tiles[3])
{
    int n = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f"))
        tiles[n++] = (struct gram_tile){8, 48, gram_avx512};
    if (__builtin_cpu_supports("avx2"))
        tiles[n++] = (struct gram_tile){6, 16, gram_avx2};
#endif
    tiles[n++] = (struct gram_tile){4, 8, gram_plain};
    return n;
}

struct gram {
    struct gram_tile tile;
    int64_t n;
    const float *a;
    const double *weight;
    double *c;
    int64_t first, depth; /* what is packed: examples first .. first + depth - 1 */
    int64_t a_panels, b_panels;
    float *weighted, *plain; /* panels x GRAM_PACKED x R of v_i a_i, x S of a_i */
};

/* Deal the numbers of an example out to panels, as row k of each, v times; what a panel lacks is
 * 0. */
static void gram_deal(const float *from, int64_t n, double v, int64_t k, int64_t width,
                      float *panels)
{
    float *out = panels + k * width;
    for (int64_t j = 0; j < n; j += width, out += width * GRAM_PACKED) {
        const int64_t there = order_least(n - j, width);
        for (int64_t r = 0; r < there; r++)
            out[r] = (float)(v * (double)from[j + r]);
        for (int64_t r = there; r < width; r++)
            out[r] = 0;
    }
}

/* Pack some examples, whose numbers are read in the order in which they stand. */
static void gram_pack_task(void *context, int64_t task)
{
    const struct gram *g = context;
    const int64_t last = order_least((task + 1) * GRAM_DEALT, g->depth);
    for (int64_t k = task * GRAM_DEALT; k < last; k++) {
        const float *from = g->a + (g->first + k) * g->n;
        gram_deal(from, g->n, g->weight[g->first + k], k, g->tile.rows, g->weighted);
        gram_deal(from, g->n, 1, k, g->tile.columns, g->plain);
    }
}

/* Add the sums of a tile to rows of C, which are stride apart. */
WIDEST_VECTORS(void, gram_add,
               (int64_t rows, int64_t columns, const float *sum, int64_t sum_stride, double *c,
                int64_t stride),
               (rows, columns, sum, sum_stride, c, stride))
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t s = 0; s < columns; s++)
            c[r * stride + s] += (double)sum[r * sum_stride + s];
}

/* The tile at panel a of rows and panel b of columns. */
static void gram_run_tile(const struct gram *g, int64_t a, int64_t b)
{
    const int64_t R = g->tile.rows, S = g->tile.columns, i = a * R, j = b * S,
                  rows = order_least(R, g->n - i), columns = order_least(S, g->n - j);
    double *c = g->c + i * g->n + j;
    const float *weighted = g->weighted + i * GRAM_PACKED, *plain = g->plain + j * GRAM_PACKED;
    tile_ask_for(c, rows, columns, g->n);
    for (int64_t k = 0; k < g->depth; k += GRAM_DEPTH) {
        float sum[LARGEST_GRAM] = {0};
        g->tile.run(order_least(GRAM_DEPTH, g->depth - k), weighted + k * R, 1, R, plain + k * S, S,
                    sum, S);
        gram_add(rows, columns, sum, S, c, g->n);
    }
}

/* A block of C, as far as it is not above the diagonal. */
static void gram_multiply_task(void *context, int64_t task)
{
    const struct gram *g = context;
    const int64_t R = g->tile.rows, S = g->tile.columns, high = GRAM_ROWS / R,
                  wide = GRAM_COLUMNS / S, blocks = parallel_parts(g->b_panels, wide),
                  a_first = task / blocks * high, a_last = order_least(a_first + high, g->a_panels),
                  b_first = task % blocks * wide, b_last = order_least(b_first + wide, g->b_panels);
    for (int64_t b = b_first; b < b_last; b++)
        for (int64_t a = a_first; a < a_last; a++)
            if (b * S < (a + 1) * R)
                gram_run_tile(g, a, b);
}

int dense_add_gram(int64_t n, int64_t k, const float *a, const double *weight, double *c,
                   int threads, struct error *err)
{
    struct gram_tile tiles[3];
    gram_list_tiles(tiles);
    struct gram g = {.tile = tiles[0], .n = n, .a = a, .weight = weight, .c = c};
    const int64_t R = g.tile.rows, S = g.tile.columns;
    g.a_panels = parallel_parts(n, R);
    g.b_panels = parallel_parts(n, S);
    const int64_t tasks = parallel_parts(g.a_panels, GRAM_ROWS / R)
                          * parallel_parts(g.b_panels, GRAM_COLUMNS / S);
    assert(R <= MOST_GRAM_ROWS && S <= MOST_GRAM_COLUMNS && GRAM_ROWS % R == 0
           && GRAM_COLUMNS % S == 0);
    void *block = memory_resize(NULL,
                                (g.a_panels * R + g.b_panels * S) * GRAM_PACKED + MEMORY_LINE / 4,
                                sizeof(float), err);
    if (!block)
        return -1;
    g.weighted = memory_cache_line(block);
    g.plain = g.weighted + g.a_panels * R * GRAM_PACKED;
    if ((double)n * (double)n * (double)k < DENSE_WORTH_THREADS)
        threads = 1;
    for (g.first = 0; g.first < k; g.first += GRAM_PACKED) {
        g.depth = order_least(GRAM_PACKED, k - g.first);
        parallel_for(threads, parallel_parts(g.depth, GRAM_DEALT), gram_pack_task, &g);
        parallel_for(threads, tasks, gram_multiply_task, &g);
    }
    memory_free(block);
    return 0;
}

double dense_gram_bytes(int64_t n)
{
    return 4. * GRAM_PACKED * (2 * (double)n + MOST_GRAM_ROWS + MOST_GRAM_COLUMNS);
}
