/* C += alpha A B, after Goto and van de Geijn (Anatomy of high-performance matrix multiplication,
 * 2008).  Measured: ten times faster than the plain triple loop that the compiler vectorises, which
 * waits for memory.
 *
 * In steps of DEPTH along k, the columns of A that belong to the step are packed into panels of R
 * rows (element (r, k) of a panel at [k*R + r]) and the rows of B into panels of S columns ([k*S +
 * s]).  Then each tile of R x S numbers of C stays in registers while a panel of A is multiplied by
 * a panel of B.  Rows and columns that a panel at the edge lacks are zeros.
 *
 * Where B is narrow, a number of A is used too few times to be worth packing: A and B are read
 * where they stand, in strips of columns.  Columns left over by strips of 8 are taken by strips of
 * 4.  Measured with four numbers a vector, 8 to 52 columns: both together are 1.2 to 1.5 times as
 * fast as strips of 4, whose rows are loaded twice as often.
 *
 * R and S depend on the width and number of registers.  The sums do not: each number of C stays in
 * its own lane from the first product to the last. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"
#include "common/linalg/dense_tile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    /* For the caches, no further reason but that they work: a panel of B takes 8 to 48 KB, the
     * panels of A of a block 192 KB.  A block is a multiple of every R and S. */
    DEPTH = 256,
    BLOCK_ROWS = 96,
    BLOCK_COLUMNS = 384,
    LARGEST_TILE = 192, /* numbers: 8 x 24 */
    NARROW = 64,        /* columns of B: no reason but that it works */
    STRIP_TILES = 3,    /* of many, few and one row */
    STRIP_WIDTHS = 2,   /* 8 and 4 columns */
    STRIP_EDGE = 4,
    WIDEST = 8 /* numbers of a vector */
};

/* Add the product of R rows of A and S columns of B, k deep, to a whole tile of C, its rows stride
 * apart.  a: element (r, k) at [r*a_row + k*a_column]; b: (k, s) at [k*b_row + s]. */
typedef void product_tile_function(int64_t k, const double *a, int64_t a_row, int64_t a_column,
                                   const double *b, int64_t b_row, double *c, int64_t stride);

struct product_tile {
    int64_t rows, columns; /* R, S */
    product_tile_function *run;
};

/* The tiles of one strip, all with the same number of columns. */
struct product_strip {
    struct product_tile tile[STRIP_TILES];
};

#if defined(__x86_64__) && defined(__GNUC__)
/* 32 registers of 8 numbers: 24 sums, 3 of B, the others for products.  16 of 4: 12, 2 and 2. */
DEFINE_TILE(product_avx512, double, __attribute__((target("avx512f"))), 8, 8, 3)
DEFINE_TILE(product_avx2, double, __attribute__((target("avx2"))), 4, 6, 2)
DEFINE_TILE(product_strip12_avx512, double, __attribute__((target("avx512f"))), 8, 12, 1)
DEFINE_TILE(product_strip4_avx512, double, __attribute__((target("avx512f"))), 8, 4, 1)
DEFINE_TILE(product_strip1_avx512, double, __attribute__((target("avx512f"))), 8, 1, 1)
DEFINE_TILE(product_wide2_avx2, double, __attribute__((target("avx2"))), 4, 2, 2)
DEFINE_TILE(product_wide1_avx2, double, __attribute__((target("avx2"))), 4, 1, 2)
DEFINE_TILE(product_strip12_avx2, double, __attribute__((target("avx2"))), 4, 12, 1)
DEFINE_TILE(product_strip4_avx2, double, __attribute__((target("avx2"))), 4, 4, 1)
DEFINE_TILE(product_strip1_avx2, double, __attribute__((target("avx2"))), 4, 1, 1)
#endif
DEFINE_TILE(product_plain, double, , 2, 4, 2)
DEFINE_TILE(product_strip6, double, , 2, 6, 2)
DEFINE_TILE(product_strip4, double, , 2, 4, 2)
DEFINE_TILE(product_strip1, double, , 2, 1, 2)

/* The tiles that this processor can run, the fastest first.  Returns how many. */
static int product_list_tiles(struct product_tile tiles[3])
{
    int n = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f"))
        tiles[n++] = (struct product_tile){8, 24, product_avx512};
    if (__builtin_cpu_supports("avx2"))
        tiles[n++] = (struct product_tile){6, 8, product_avx2};
#endif
    tiles[n++] = (struct product_tile){4, 4, product_plain};
    return n;
}

/* The strips that a processor can run, the widest first, the last of STRIP_EDGE columns.  vectors:
 * use none with more numbers than this.  Returns how many. */
static int product_list_strips(int vectors, struct product_strip strips[STRIP_WIDTHS])
{
    int n = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    const bool four = vectors >= 4 && __builtin_cpu_supports("avx2");
    if (vectors >= 8 && __builtin_cpu_supports("avx512f"))
        strips[n++] = (struct product_strip){{{12, 8, product_strip12_avx512},
                                              {4, 8, product_strip4_avx512},
                                              {1, 8, product_strip1_avx512}}};
    else if (four)
        strips[n++] = (struct product_strip){
            {{6, 8, product_avx2}, {2, 8, product_wide2_avx2}, {1, 8, product_wide1_avx2}}};
    if (four) {
        strips[n++] = (struct product_strip){{{12, STRIP_EDGE, product_strip12_avx2},
                                              {4, STRIP_EDGE, product_strip4_avx2},
                                              {1, STRIP_EDGE, product_strip1_avx2}}};
        return n;
    }
#else
    (void)vectors;
#endif
    strips[n++] = (struct product_strip){{{6, STRIP_EDGE, product_strip6},
                                          {4, STRIP_EDGE, product_strip4},
                                          {1, STRIP_EDGE, product_strip1}}};
    return n;
}

struct product {
    struct product_tile tile;
    struct product_strip strip[STRIP_WIDTHS];
    int strips;
    int64_t m, n, k;
    double alpha;
    struct dense_view a, b;
    double *c; /* m x n, its rows stride apart */
    int64_t stride;
    bool lower;           /* tiles above the diagonal may be left out */
    int64_t first, depth; /* the step: k in first .. first + depth - 1 */
    int64_t deepest;      /* the largest depth */
    int64_t a_panels, b_panels;
    double *packed_a, *packed_b; /* panels x deepest x R and S */
};

/* Copy rows panel * R .. of alpha A, as far as they exist, into their panel. */
static void product_pack_a(const struct product *p, int64_t panel)
{
    int64_t rows = p->tile.rows, i = panel * rows, there = order_least(p->m - i, rows);
    double *out = p->packed_a + panel * rows * p->deepest;
    const double *from = p->a.at + i * p->a.row + p->first * p->a.column;
    if (there < rows)
        memset(out, 0, (size_t)(rows * p->depth) * sizeof *out);
    if (p->a.row == 1) { /* a transpose: its columns are contiguous */
        for (int64_t k = 0; k < p->depth; k++)
            for (int64_t r = 0; r < there; r++)
                out[k * rows + r] = p->alpha * from[k * p->a.column + r];
        return;
    }
    for (int64_t k = 0; k < p->depth; k++)
        for (int64_t r = 0; r < there; r++)
            out[k * rows + r] = p->alpha * from[r * p->a.row + k * p->a.column];
}

/* The same for columns panel * S .. of B. */
static void product_pack_b(const struct product *p, int64_t panel)
{
    int64_t columns = p->tile.columns, j = panel * columns, there = order_least(p->n - j, columns);
    double *out = p->packed_b + panel * columns * p->deepest;
    const double *from = p->b.at + p->first * p->b.row + j * p->b.column;
    if (there < columns)
        memset(out, 0, (size_t)(columns * p->depth) * sizeof *out);
    if (p->b.column == 1) {
        for (int64_t k = 0; k < p->depth; k++)
            memcpy(out + k * columns, from + k * p->b.row, (size_t)there * sizeof *out);
        return;
    }
    for (int64_t k = 0; k < p->depth; k++)
        for (int64_t s = 0; s < there; s++)
            out[k * columns + s] = from[k * p->b.row + s * p->b.column];
}

/* Pack one panel, of A or of B. */
static void product_pack_task(void *context, int64_t task)
{
    const struct product *p = context;
    if (task < p->a_panels)
        product_pack_a(p, task);
    else
        product_pack_b(p, task - p->a_panels);
}

/* The tile of C at panel a of A and panel b of B, and how much of it exists. */
struct product_place {
    double *c;
    int64_t rows, columns;
};

static struct product_place product_find(const struct product *p, int64_t a, int64_t b)
{
    const int64_t i = a * p->tile.rows, j = b * p->tile.columns;
    return (struct product_place){p->c + i * p->stride + j, order_least(p->tile.rows, p->m - i),
                                  order_least(p->tile.columns, p->n - j)};
}

/* One tile of C: at an edge it is computed in a copy. */
static void product_run_tile(const struct product *p, int64_t a_panel, int64_t b_panel)
{
    const int64_t R = p->tile.rows, S = p->tile.columns;
    const double *a = p->packed_a + a_panel * R * p->deepest,
                 *b = p->packed_b + b_panel * S * p->deepest;
    const struct product_place to = product_find(p, a_panel, b_panel);
    if (to.rows == R && to.columns == S) {
        p->tile.run(p->depth, a, 1, R, b, S, to.c, p->stride);
        return;
    }
    double whole[LARGEST_TILE] = {0};
    for (int64_t r = 0; r < to.rows; r++)
        memcpy(whole + r * S, to.c + r * p->stride, (size_t)to.columns * sizeof *whole);
    p->tile.run(p->depth, a, 1, R, b, S, whole, S);
    for (int64_t r = 0; r < to.rows; r++)
        memcpy(to.c + r * p->stride, whole + r * S, (size_t)to.columns * sizeof *whole);
}

/* A block of BLOCK_ROWS x BLOCK_COLUMNS numbers of C: a panel of B stays in the first cache while
 * it is multiplied by all panels of A of the block, which stay in the second. */
static void product_multiply_task(void *context, int64_t task)
{
    const struct product *p = context;
    int64_t R = p->tile.rows, S = p->tile.columns;
    int64_t high = BLOCK_ROWS / R, wide = BLOCK_COLUMNS / S,
            blocks = parallel_parts(p->b_panels, wide);
    int64_t a_first = task / blocks * high, a_last = order_least(a_first + high, p->a_panels);
    int64_t b_first = task % blocks * wide, b_last = order_least(b_first + wide, p->b_panels);
    for (int64_t b = b_first; b < b_last; b++)
        for (int64_t a = a_first; a < a_last; a++) {
            if (p->lower && b * S >= (a + 1) * R)
                continue;
            if (a + 1 < a_last) {
                const struct product_place next = product_find(p, a + 1, b);
                tile_ask_for(next.c, next.rows, next.columns, p->stride);
            }
            product_run_tile(p, a, b);
        }
}

/* ---- a narrow B ---- */

/* Rows first .. last-1 of C, from column j on, over one step.  columns: how many of the strip's
 * columns are in C. */
static void product_multiply_strip(const struct product *p, const struct product_strip *strip,
                                   int64_t first, int64_t last, int64_t j, int64_t columns,
                                   const double *b, int64_t b_row)
{
    const struct product_tile *tile = strip->tile;
    for (int64_t i = first; i < last; i += tile->rows) {
        const double *a = p->a.at + i * p->a.row + p->first * p->a.column;
        double *c = p->c + i * p->stride + j;
        while (tile->rows > last - i)
            tile++;
        if (columns == tile->columns) {
            tile->run(p->depth, a, p->a.row, p->a.column, b, b_row, c, p->stride);
            continue;
        }
        double whole[LARGEST_TILE] = {0};
        for (int64_t r = 0; r < tile->rows; r++)
            memcpy(whole + r * tile->columns, c + r * p->stride, (size_t)columns * sizeof *c);
        tile->run(p->depth, a, p->a.row, p->a.column, b, b_row, whole, tile->columns);
        for (int64_t r = 0; r < tile->rows; r++)
            memcpy(c + r * p->stride, whole + r * tile->columns, (size_t)columns * sizeof *c);
    }
}

/* BLOCK_ROWS rows of C.  Columns of B that are too few for a vector are read from a copy. */
static void product_narrow_task(void *context, int64_t task)
{
    struct product p = *(const struct product *)context;
    const int64_t first = task * BLOCK_ROWS, last = order_least(first + BLOCK_ROWS, p.m);
    double edge[DEPTH * STRIP_EDGE] = {0};
    for (p.first = 0; p.first < p.k; p.first += DEPTH) {
        const double *b = p.b.at + p.first * p.b.row;
        int64_t j = 0;
        p.depth = order_least(DEPTH, p.k - p.first);
        for (const struct product_strip *strip = p.strip; strip < p.strip + p.strips; strip++) {
            const int64_t width = strip->tile->columns;
            for (; p.n - j >= width; j += width)
                product_multiply_strip(&p, strip, first, last, j, width, b + j, p.b.row);
        }
        if (j == p.n)
            continue;
        for (int64_t k = 0; k < p.depth; k++)
            memcpy(edge + k * STRIP_EDGE, b + k * p.b.row + j, (size_t)(p.n - j) * sizeof *edge);
        product_multiply_strip(&p, p.strip + p.strips - 1, first, last, j, p.n - j, edge,
                               STRIP_EDGE);
    }
}

/* May A and B be read where they stand, or B be a copy whose signs are changed? */
static bool product_is_narrow(const struct product *p)
{
    const double size = fabs(p->alpha);
    return p->n <= NARROW && p->b.column == 1 && !(size < 1) && !(size > 1);
}

/* Make p->b minus B: the products are the same numbers as those of -A.  Returns the copy, to be
 * freed, or NULL. */
static double *product_negate_b(struct product *p, struct error *err)
{
    double *copy = memory_resize(NULL, p->k * p->n, sizeof *copy, err);
    if (!copy)
        return NULL;
    for (int64_t k = 0; k < p->k; k++)
        for (int64_t j = 0; j < p->n; j++)
            copy[k * p->n + j] = -p->b.at[k * p->b.row + j];
    p->b = (struct dense_view){copy, p->n, 1};
    return copy;
}

static int product_run_narrow(struct product *p, int threads, struct error *err)
{
    double *negated = NULL;
    if (p->alpha < 0 && !(negated = product_negate_b(p, err)))
        return -1;
    p->strips = product_list_strips(WIDEST, p->strip);
    parallel_for(threads, parallel_parts(p->m, BLOCK_ROWS), product_narrow_task, p);
    memory_free(negated);
    return 0;
}

/* ---- the whole ---- */

/* All steps.  p: the problem and the tile; the fields of steps and panels are set here.  0, -1. */
static int product_multiply(struct product *p, int threads, struct error *err)
{
    int64_t R = p->tile.rows, S = p->tile.columns;
    assert(p->stride >= p->n && R * S <= LARGEST_TILE && BLOCK_ROWS % R == 0
           && BLOCK_COLUMNS % S == 0);
    p->a_panels = parallel_parts(p->m, R);
    p->b_panels = parallel_parts(p->n, S);
    int64_t high = BLOCK_ROWS / R, wide = BLOCK_COLUMNS / S;
    int64_t tasks = parallel_parts(p->a_panels, high) * parallel_parts(p->b_panels, wide);
    p->deepest = order_least(DEPTH, p->k);
    void *block = memory_resize(NULL,
                                (p->a_panels * R + p->b_panels * S) * p->deepest + MEMORY_LINE / 8,
                                sizeof(double), err);
    if (!block)
        return -1;
    p->packed_a = memory_cache_line(block);
    p->packed_b = p->packed_a + p->a_panels * R * p->deepest;
    for (p->first = 0; p->first < p->k; p->first += DEPTH) {
        p->depth = order_least(DEPTH, p->k - p->first);
        parallel_for(threads, p->a_panels + p->b_panels, product_pack_task, p);
        parallel_for(threads, tasks, product_multiply_task, p);
    }
    memory_free(block);
    return 0;
}

/* p: the problem.  0 or -1. */
static int product_run(struct product *p, int threads, struct error *err)
{
    struct product_tile tiles[3];
    if (p->m <= 0 || p->n <= 0 || p->k <= 0)
        return 0;
    product_list_tiles(tiles);
    p->tile = tiles[0];
    if ((double)p->m * (double)p->n * (double)p->k < DENSE_WORTH_THREADS)
        threads = 1;
    return product_is_narrow(p) ? product_run_narrow(p, threads, err)
                                : product_multiply(p, threads, err);
}

int dense_add_product(int64_t m, int64_t n, int64_t k, double alpha, struct dense_view a,
                      struct dense_view b, double *c, int64_t stride, int threads,
                      struct error *err)
{
    struct product p = {
        .m = m, .n = n, .k = k, .alpha = alpha, .a = a, .b = b, .c = c, .stride = stride};
    return product_run(&p, threads, err);
}

int dense_add_lower_product(int64_t n, int64_t k, double alpha, struct dense_view a,
                            struct dense_view b, double *c, int64_t stride, int threads,
                            struct error *err)
{
    struct product p = {.m = n,
                        .n = n,
                        .k = k,
                        .alpha = alpha,
                        .a = a,
                        .b = b,
                        .c = c,
                        .stride = stride,
                        .lower = true};
    return product_run(&p, threads, err);
}

int dense_product(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c,
                  int threads, struct error *err)
{
    memset(c, 0, (size_t)(m * n) * sizeof *c);
    return dense_add_product(m, n, k, 1, (struct dense_view){a, k, 1}, (struct dense_view){b, n, 1},
                             c, n, threads, err);
}
