/* Tiles of products of matrices; for dense_product.c and dense_gram.c. */
#ifndef COMMON_LINALG_DENSE_TILE_H
#define COMMON_LINALG_DENSE_TILE_H

#include "common/base/memory.h"
#include "common/base/vectors.h"

#include <stdint.h>

#define UNROLL _Pragma("GCC unroll 12")

/* x in all lanes.  (Where floats are computed with as doubles, as for s390x, a float times a vector
 * of floats is none of floats: FLT_EVAL_METHOD.) */
#define TILE_LANES_2(x) x, x
#define TILE_LANES_4(x) TILE_LANES_2(x), TILE_LANES_2(x)
#define TILE_LANES_8(x) TILE_LANES_4(x), TILE_LANES_4(x)
#define TILE_LANES_16(x) TILE_LANES_8(x), TILE_LANES_8(x)

/* The function NAME for tiles of ROWS x (VECTORS * LANES) numbers: adds the product of ROWS rows of
 * A and as many columns of B, k deep, to a whole tile of C, its rows stride apart.
 *
 * a    element (r, k) at [r*a_row + k*a_column]
 * b    (k, s) at [k*b_row + s]
 *
 * The loops over rows and vectors are unrolled completely, so each sum is a register; it has its
 * own lane from the first product to the last, whatever the width of the vectors. */
#define DEFINE_TILE(NAME, NUMBER, TARGET, LANES, ROWS, VECTORS)                                   \
    typedef NUMBER NAME##_vector                                                                  \
        __attribute__((vector_size(sizeof(NUMBER) * LANES), aligned(sizeof(NUMBER)), may_alias)); \
    TARGET static void NAME(int64_t k, const NUMBER *a, int64_t a_row, int64_t a_column,          \
                            const NUMBER *b, int64_t b_row, NUMBER *c, int64_t stride)            \
    {                                                                                             \
        NAME##_vector sum[ROWS][VECTORS];                                                         \
        UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < VECTORS; v++)            \
            sum[r][v] = *(const NAME##_vector *)(const void *)(c + r * stride + v * LANES);       \
        for (; k > 0; k--, a += a_column, b += b_row) {                                           \
            NAME##_vector column[VECTORS];                                                        \
            UNROLL for (int v = 0; v < VECTORS; v++)                                              \
                column[v] = *(const NAME##_vector *)(const void *)(b + v * LANES);                \
            UNROLL for (int r = 0; r < ROWS; r++)                                                 \
            {                                                                                     \
                const NUMBER x = a[r * a_row];                                                    \
                const NAME##_vector all = {TILE_LANES_##LANES(x)};                                \
                UNROLL for (int v = 0; v < VECTORS; v++) sum[r][v] += all * column[v];            \
            }                                                                                     \
        }                                                                                         \
        UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < VECTORS; v++)            \
            * (NAME##_vector *)(void *)(c + r * stride + v * LANES) = sum[r][v];                  \
    }

/* Ask for a tile of C before it is used: where C is larger than the caches, each of its rows would
 * be waited for.  Measured, products of 2500 rows and columns took 1.2 to 1.4 times as long. */
static inline void tile_ask_for(const double *c, int64_t rows, int64_t columns, int64_t stride)
{
    for (int64_t r = 0; r < rows; r++, c += stride) {
        for (int64_t s = 0; s < columns; s += MEMORY_LINE / (int64_t)sizeof *c)
            PREFETCH(c + s);
        PREFETCH(c + columns - 1); /* rows need not begin with a line */
    }
}

#endif
