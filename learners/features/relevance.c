/* With a_m = V_mk exp(-gamma |z_m - x|^2),
 *
 *     d f_k / d x_j = -2 gamma (x_j sum_m a_m - sum_m a_m z_mj),
 *
 * so that the derivatives of one class along all features are a product of two matrices. */
#include "learners/features/relevance.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool relevance_exists(const struct feature_map *map)
{
    return map->kind == FEATURE_MAP_NYSTROM && map->table;
}

/* Add the derivatives of one class, up to the factor -2 gamma: sum_m a_m (x_j - z_mj) along each of
 * d features j, from D landmarks z_m.
 *
 * some     n examples x
 * a        n x D: a_m of each
 * slope    workspace, n x d
 * square   d: plus the squares, summed over the examples
 * product  d x d, lower triangle: plus the products; NULL: not wanted
 * 0 or -1. */
static int relevance_add_class(const struct feature_map *map, const struct problem *some,
                               const double *a, int64_t d, int threads, double *slope,
                               double *square, double *product, struct error *err)
{
    const int64_t D = map->dims, n = some->n, known = order_least(d, map->rows - 1);
    const struct dense_view view = {a, D, 1},
                            landmarks = {map->table + map->stride, 1, map->stride};
    memset(slope, 0, (size_t)(n * d) * sizeof *slope);
    if (dense_add_product(n, known, D, -1, view, landmarks, slope, d, threads, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        const struct example x = problem_example(some, i);
        double sum = 0;
        for (int64_t m = 0; m < D; m++)
            sum += a[i * D + m];
        for (int64_t e = 0; e < x.size; e++)
            if (x.index[e] > 0)
                slope[i * d + x.index[e] - 1] += sum
                                                 * feature_metric_factor(&map->metric, x.index[e])
                                                 * x.value[e];
        for (int64_t j = 0; j < d; j++)
            square[j] += slope[i * d + j] * slope[i * d + j];
    }
    if (!product)
        return 0;
    const struct dense_view across = {slope, 1, d}, down = {slope, d, 1};
    return dense_add_lower_product(d, n, 1, across, down, product, d, threads, err);
}

/* From the derivatives along the scaled features, squared and summed, to those along the data's,
 * the largest 1; all 0 if one is not finite. */
static void relevance_finish(const struct feature_map *map, int64_t d, double *relevance,
                             double *product)
{
    double largest = 0, sum = 0;
    for (int64_t j = 0; j < d; j++) {
        relevance[j] = feature_metric_factor(&map->metric, j + 1) * sqrt(relevance[j]);
        largest = fmax(largest, relevance[j]);
        sum += relevance[j];
    }
    const bool none = !isfinite(sum) || !(largest > 0);
    for (int64_t i = 0; i < d && product; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double by = feature_metric_factor(&map->metric, i + 1) / largest
                              * (feature_metric_factor(&map->metric, j + 1) / largest);
            product[i * d + j] = none ? 0 : product[i * d + j] * by;
        }
    for (int64_t j = 0; j < d; j++)
        relevance[j] = none ? 0 : relevance[j] / largest;
}

int relevance_of_features(struct feature_map *map, const struct problem *some, const double *v,
                          int64_t K, int64_t d, int threads, double *relevance, double *product,
                          struct error *err)
{
    const int64_t D = map->dims, n = some->n;
    double *basis = NULL, *a = NULL, *slope = NULL;
    int status = -1;
    assert(relevance_exists(map) && d >= map->rows - 1 && d >= some->d);
    assert(!map->metric.triangle);
    memset(relevance, 0, (size_t)d * sizeof *relevance);
    if (product)
        memset(product, 0, (size_t)(d * d) * sizeof *product);
    if (!(basis = memory_new(n * D, sizeof *basis, err)) || !(a = memory_new(n * D, sizeof *a, err))
        || !(slope = memory_new(n * d, sizeof *slope, err))
        || feature_map_basis(map, some, basis, err) != 0)
        goto done;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t m = 0; m < D; m++)
                a[i * D + m] = basis[i * D + m] * v[m * K + k];
        if (relevance_add_class(map, some, a, d, threads, slope, relevance, product, err) != 0)
            goto done;
    }
    relevance_finish(map, d, relevance, product);
    status = 0;
done:
    memory_free(basis);
    memory_free(a);
    memory_free(slope);
    return status;
}

double relevance_bytes(int64_t n, int64_t dims, int64_t d)
{
    return 8 * (double)n * (2 * (double)dims + (double)d);
}

int relevance_unit_deviations(const struct problem *problem, int64_t d, double *scale,
                              struct error *err)
{
    const double n = (double)problem->n, rounding = 1e-16;
    assert(!problem->dense);
    double *mean = memory_new(d + 1, sizeof *mean, err),
           *square = memory_new(d + 1, sizeof *square, err),
           *present = memory_new(d + 1, sizeof *present, err);
    int status = -1;
    if (!mean || !square || !present)
        goto done;
    memset(scale, 0, (size_t)d * sizeof *scale);
    for (int64_t e = 0; e < problem->nnz; e++) {
        mean[problem->index[e]] += problem->value[e] / n;
        square[problem->index[e]] += problem->value[e] * problem->value[e] / n;
        present[problem->index[e]]++;
    }
    for (int64_t e = 0; e < problem->nnz; e++) {
        const int32_t j = problem->index[e];
        const double off = problem->value[e] - mean[j];
        if (j > 0)
            scale[j - 1] += off * off / n;
    }
    for (int64_t j = 1; j <= d; j++) { /* where a feature is absent it is 0 */
        const double variance = scale[j - 1] + (n - present[j]) / n * (mean[j] * mean[j]);
        scale[j - 1] = variance > rounding * square[j] ? 1 / sqrt(variance) : 0;
    }
    status = 0;
done:
    memory_free(mean);
    memory_free(square);
    memory_free(present);
    return status;
}
