/* Which way the sums over the examples are taken, and what that takes. */
#include "common/base/reduce.h"
#include "common/linalg/conjugate.h"
#include "common/linalg/lbfgs.h"
#include "learners/forward/forward_minimum_state.h"

#include <math.h>

enum {
    MINIMUM_ENTRIES_A_ROW = 64, /* fewest for parts.  Of each feature a row of 16 tables is cleared
                                   and added up.  Measured beside 64 entries, the softmax apart: a
                                   tenth of their time with 4 columns, half of it with 20, two
                                   thirds with 52 */
    MINIMUM_SMALL = 1 << 24 /* bytes that are little on any machine: of the tables of all parts, or
                               of the transposed entries and p - r.  Measured: where the transposed
                               entries are never used, r52 takes a fifth longer on two threads;
                               where small tables are not let pass, 2000 examples of 200 classes,
                               through 500 features of a kernel, take a third longer on one */
};

/* ---- the way ---- */

/* Bytes of the tables of all parts. */
static double minimum_part_bytes(int64_t d, int64_t stride)
{
    return 8 * MINIMUM_PARTS * (double)(d + 1) * (double)stride;
}

/* Are the sums taken by parts?  Where that is no slower, and their tables are no larger than the
 * examples, or small. */
static bool minimum_has_parts(int64_t nnz, int64_t d, int64_t columns)
{
    return nnz >= MINIMUM_ENTRIES_A_ROW * (d + 1)
           && minimum_part_bytes(d, weights_narrow(columns))
                  <= fmax(ENTRY_BYTES * (double)nnz, MINIMUM_SMALL);
}

/* Bytes of the entries feature by feature, and of p - r of all examples. */
static double minimum_transposed_bytes(int64_t n, int64_t nnz, int64_t d, int64_t stride)
{
    return ENTRY_BYTES * (double)nnz + 8 * ((double)n * (double)stride + (double)d);
}

enum minimum_way minimum_choose_way(int64_t n, int64_t nnz, int64_t d, int64_t columns, bool disk)
{
    if (minimum_has_parts(nnz, d, columns))
        return MINIMUM_BY_PARTS;
    if (reduce_ranks() > 1
        || (!disk && minimum_transposed_bytes(n, nnz, d, weights_narrow(columns)) <= MINIMUM_SMALL))
        return MINIMUM_BY_TRANSPOSED;
    return MINIMUM_BY_SLICES;
}

/* ---- memory ---- */

/* Bytes of what does not depend on how the sums are taken. */
static double minimum_search_bytes(int64_t nnz, int64_t d, int64_t stride)
{
    const int64_t cells = (d + 1) * stride;
    if (reduce_ranks() > 1) /* nnz is that of this rank; with more there may be a moment */
        nnz = INT64_MAX;
    const double search = forward_metric_has_moment(d, nnz) ? 8 * (double)cells + lbfgs_bytes(cells)
                                                            : conjugate_bytes(cells);
    return 8 * (double)cells + search + forward_metric_bytes(d, nnz);
}

/* Bytes of the blocks of dense examples, whose features are copied (struct minimum_part). */
static double minimum_dense_bytes(int64_t n, int64_t nnz, int64_t d, int64_t stride, double tables)
{
    return nnz == n * d ? 8 * tables * MINIMUM_DENSE_ROWS * (double)(d + stride) : 0;
}

/* Bytes of what sums by slices hold, which are not transposed. */
static double minimum_slice_bytes(int64_t n, int64_t d, int64_t stride)
{
    const double cuts = MINIMUM_SLICES_AT_ONCE / 2., /* of 4 bytes each, counted in doubles */
        held = fmin((double)n * ((double)stride + cuts), MINIMUM_HELD + (double)stride + cuts),
                 blocks = (double)n / MINIMUM_BLOCK + 1;
    return 8 * (held + (double)d + blocks);
}

/* Bytes of all that forward_minimise holds; tables: of parts that it has at once. */
static double minimum_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, bool disk,
                            double tables)
{
    const int64_t columns = weights_columns(classes), stride = weights_narrow(columns);
    const double bytes = minimum_search_bytes(nnz, d, stride);
    switch (minimum_choose_way(n, nnz, d, columns, disk)) {
    case MINIMUM_BY_PARTS:
        return bytes + tables / MINIMUM_PARTS * minimum_part_bytes(d, stride)
               + minimum_dense_bytes(n, nnz, d, stride, tables);
    case MINIMUM_BY_SLICES:
        return bytes + minimum_slice_bytes(n, d, stride);
    default:
        return bytes + minimum_transposed_bytes(n, nnz, d, stride);
    }
}

double forward_minimum_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d)
{
    return minimum_bytes(n, nnz, classes, d, false, MINIMUM_PARTS);
}

double forward_minimum_disk_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads)
{
    const double tables = (double)order_least(threads, MINIMUM_PARTS);
    return minimum_bytes(n, nnz, classes, d, true, tables)
           + (minimum_has_parts(nnz, d, weights_columns(classes)) ? entry_file_bytes(threads)
                                                                  : rows_batch_bytes());
}
