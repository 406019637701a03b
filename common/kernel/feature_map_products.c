/* Products of examples and a table whose columns are landmarks or directions.  STRIP columns are
 * multiplied with all examples of a block before the next STRIP: these columns then stay in the
 * second-level cache. */
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/kernel/feature_map_state.h"

#include <string.h>

enum {
    STRIP = 32, /* columns: sums of 8 registers of 4 */
    PAD = 8     /* numbers between rows, so that they do not meet in one cache set */
};

/* Whole strips and the padding. */
int64_t feature_map_stride(int64_t dims)
{
    return parallel_parts(dims, STRIP) * STRIP + PAD;
}

double feature_map_table_bytes(int64_t dims, int64_t d)
{
    return ((double)d + 1) * (double)feature_map_stride(dims) * sizeof(double);
}

/* Products a_j.x of STRIP columns j of the table from `from` on, of which `count` exist, with some
 * examples; features beyond the table are 0 there.  product: out, n x D. */
WIDEST_VECTORS(void, feature_map_strip,
               (const struct feature_map *map, const struct problem *some, int64_t from,
                int64_t count, double *product),
               (map, some, from, count, product))
{
    for (int64_t i = 0; i < some->n; i++) {
        const struct example x = problem_example(some, i);
        vector4 sum[STRIP / 4];
        memset(sum, 0, sizeof sum);
        for (int64_t e = 0; e < x.size; e++) {
            if (x.index[e] >= map->rows)
                continue;
            const double *a = map->table + x.index[e] * map->stride + from, v = x.value[e];
            _Pragma("GCC unroll 8") for (int b = 0; b < STRIP / 4; b++)
                sum[b] += v * *(const vector4 *)(const void *)(a + 4 * b);
        }
        memcpy(product + i * map->dims + from, sum, (size_t)count * sizeof *product);
    }
}

void feature_map_products(const struct feature_map *map, const struct problem *some,
                          double *product)
{
    for (int64_t from = 0; from < map->dims; from += STRIP)
        feature_map_strip(map, some, from, order_least(STRIP, map->dims - from), product);
}
