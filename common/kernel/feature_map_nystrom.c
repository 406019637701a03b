/* Nystrom features.  After the kernel values follows a triangular system, solved for a block of
 * right-hand sides at once by products of matrices: D^2 operations an example in double precision,
 * which take nearly all of the time.
 *
 * The ridge 1e-4 is far above the rounding of kernel values, so that R exists whatever the
 * landmarks are (two may be equal), and changes no inner product by more. */
#include "common/base/memory.h"
#include "common/kernel/feature_map_state.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>

static const double feature_map_ridge = 1e-4,
                    feature_map_largest_square = 1e300; /* of an example: a distance is finite */

static struct kernel feature_map_kernel(const struct feature_map *map)
{
    return (struct kernel){.type = KERNEL_RBF, .gamma = map->gamma};
}

/* ---- preparing ---- */

bool feature_map_wants_table(const struct problem *landmarks)
{
    /* 16 times what the values take, and a megabyte: no less than a table of 32 landmarks or more
     * takes where one value in 8 is not 0. */
    return kernel_data_is_dense(landmarks)
           && feature_map_table_bytes(landmarks->n, landmarks->d)
                  <= 16. * 12 * (double)landmarks->nnz + 1e6;
}

/* The landmarks feature by feature. */
static int feature_map_make_table(struct feature_map *map, struct error *err)
{
    const struct problem *m = &map->landmarks;
    map->rows = (int64_t)m->d + 1;
    map->stride = feature_map_stride(map->dims);
    if (!(map->table = memory_new(map->rows * map->stride, sizeof *map->table, err)))
        return -1;
    for (int64_t j = 0; j < m->n; j++) {
        const struct example z = problem_example(m, j);
        for (int64_t e = 0; e < z.size; e++)
            map->table[z.index[e] * map->stride + j] = z.value[e];
    }
    return 0;
}

int feature_map_nystrom_prepare(struct feature_map *map, int threads, struct error *err)
{
    const int64_t D = map->dims;
    const struct kernel kernel = feature_map_kernel(map);
    assert(map->landmarks.n == D && D <= FEATURE_MAP_MOST_LANDMARKS);
    if (memory_check(feature_map_bytes(map, 0, threads), "the map of landmarks", err) != 0
        || kernel_data_make(&map->landmarks, NULL, &map->data, err) != 0
        || !(map->factor = memory_resize(NULL, D * D, sizeof *map->factor, err))
        || kernel_block(&kernel, kernel_all(&map->data), kernel_all(&map->data), map->factor,
                        threads, err)
               != 0)
        return -1;
    double largest = 0;
    for (int64_t j = 0; j < D; j++) {
        map->factor[j * D + j] += feature_map_ridge;
        largest = fmax(largest, map->data.square[j]);
    }
    /* The table is in place of it; without one, each block that is mapped would be made dense. */
    memory_free(map->data.dense);
    map->data.dense = NULL;
    if (feature_map_wants_table(&map->landmarks) && feature_map_make_table(map, err) != 0)
        return -1;
    int status = DENSE_INDEFINITE;
    if (largest <= feature_map_largest_square)
        status = dense_cholesky(D, map->factor, threads, err);
    if (status != DENSE_INDEFINITE)
        return status;
    if (largest <= feature_map_largest_square)
        error_set(err, "distances of the landmarks are lost in rounding (subtract what is common "
                       "to the values)");
    else
        error_set(err, "the values of the landmarks are too large for the kernel");
    return FEATURE_MAP_UNFIT;
}

/* ---- mapping ---- */

/* By the table of the landmarks.  Measured beside kernel_block: prediction takes half the time on
 * mnist, where four numbers of five are 0, and the same on letter, where none is. */
static void feature_map_table_kernels(const struct feature_map *map, const struct problem *some,
                                      double *k)
{
    feature_map_products(map, some, k);
    for (int64_t i = 0; i < some->n; i++) {
        const struct example x = problem_example(some, i);
        kernel_rbf_row(map->gamma, example_squared_norm(&x), map->data.square, map->dims,
                       k + i * map->dims);
    }
}

/* The same bits by kernel_block, where there is no table. */
static int feature_map_sparse_kernels(const struct feature_map *map, const struct problem *some,
                                      double *k, struct error *err)
{
    const struct kernel kernel = feature_map_kernel(map);
    struct kernel_data x = {0};
    if (kernel_data_make(some, &map->data, &x, err) != 0)
        return -1;
    int status = kernel_block(&kernel, kernel_all(&x), kernel_all(&map->data), k, 1, err);
    kernel_data_free(&x);
    return status;
}

/* Kernel values of some examples, as the kernel sees them, and all landmarks.  k: out, n x D. */
static int feature_map_seen_kernels(const struct feature_map *map, const struct problem *some,
                                    double *k, struct error *err)
{
    for (int64_t i = 0; i < some->n; i++) {
        const struct example x = problem_example(some, i);
        if (!(example_squared_norm(&x) <= feature_map_largest_square))
            return feature_map_refuse(some->line[i], err);
    }
    if (!map->table)
        return feature_map_sparse_kernels(map, some, k, err);
    feature_map_table_kernels(map, some, k);
    return 0;
}

int feature_map_nystrom_kernels(const struct feature_map *map, const struct problem *some,
                                double *k, struct error *err)
{
    struct problem seen = {0};
    if (map->metric.d == 0)
        return feature_map_seen_kernels(map, some, k, err);
    int status = feature_metric_see(&map->metric, some, &seen, err);
    if (status == 0)
        status = feature_map_seen_kernels(map, &seen, k, err);
    problem_free(&seen);
    return status;
}

int feature_map_nystrom(const struct feature_map *map, const struct problem *some, double *phi,
                        struct error *err)
{
    const int64_t D = map->dims;
    if (feature_map_nystrom_kernels(map, some, phi, err) != 0)
        return -1;
    return dense_solve_from_right(D, some->n, map->factor, D, phi, D, 1, err);
}
