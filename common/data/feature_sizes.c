/* One pass over the values; features are sorted by their mean squares or variances. */
#include "common/data/feature_sizes.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/reduce.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEATURE_SIZES_VALUES = 4 /* of a feature, at least, in the mean of all: no reason but that it
                                works */
};

struct feature_size {
    double squares; /* the sum, then the mean */
    int64_t count;
    int32_t index;
};

static int feature_size_order(const void *a, const void *b)
{
    const struct feature_size *s = a, *t = b;
    return order_by(s->squares, t->squares, s->index, t->index);
}

/* Add up the squares of the values that are not 0, and count them.  size: d, 0 before. */
static void feature_sizes_measure(const struct problem *problem, struct feature_size *size)
{
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        for (int64_t e = 0; e < x.size; e++)
            if (x.index[e] > 0 && x.value[e] != 0) {
                struct feature_size *s = &size[x.index[e] - 1];
                s->squares += x.value[e] * x.value[e];
                s->count++;
            }
    }
}

/* Those that have a value, the smallest first.  size: out.  Returns their number. */
static int64_t feature_sizes_sort(const struct problem *problem, struct feature_size *size)
{
    int64_t used = 0;
    feature_sizes_measure(problem, size);
    for (int32_t j = 0; j < problem->d; j++)
        if (size[j].count > 0)
            size[used++] = (struct feature_size){.squares = size[j].squares / (double)size[j].count,
                                                 .index = j + 1};
    qsort(size, (size_t)used, sizeof *size, feature_size_order);
    return used;
}

int feature_sizes_compare(const struct problem *problem, int32_t *largest, double *ratio,
                          struct error *err)
{
    *largest = 0;
    *ratio = 0;
    if (problem->disk || problem->d == 0 || problem->d > problem->nnz / FEATURE_SIZES_VALUES)
        return 0;
    struct feature_size *size = memory_new(problem->d, sizeof *size, err);
    if (!size)
        return -1;
    const int64_t used = feature_sizes_sort(problem, size);
    if (used > 0) {
        const struct feature_size *most = &size[used - 1], *median = &size[(used - 1) / 2];
        *largest = most->index;
        *ratio = sqrt(most->squares) / sqrt(median->squares);
    }
    memory_free(size);
    return 0;
}

int feature_sizes_scale(const struct problem *problem, double *scale, struct error *err)
{
    struct feature_size *size = memory_new(problem->d, sizeof *size, err);
    if (!size)
        return -1;
    double least = 1;
    feature_sizes_measure(problem, size);
    for (int32_t j = 0; j < problem->d; j++) {
        scale[j] = sqrt((double)size[j].count / size[j].squares);
        if (isfinite(scale[j]) && scale[j] > 0)
            least = fmin(least, scale[j]);
        else
            scale[j] = 0;
    }
    memory_free(size);
    for (int32_t j = 0; j < problem->d; j++)
        if (scale[j] == 0)
            scale[j] = least;
    return 0;
}

/* ---- their spread ---- */

/* Of the median variance, what a feature counts for at most: no reason but that it works. */
static const double feature_sizes_most = 10;

/* Of the mean square of a feature, below which its variance is rounding: no reason but that it
 * works. */
static const double feature_sizes_constant = 1e-10;

/* The root of ten: decades are rounded there. */
static const double feature_sizes_decade_root = 3.1622776601683795;

static int feature_variance_order(const void *a, const void *b)
{
    return order_by(*(const double *)a, *(const double *)b, 0, 0);
}

/* Add up the weights, and in sum the values and their squares, d each, of this rank's examples. */
static double feature_sizes_sum(const struct problem *problem, const double *weight, double *sum)
{
    double total = 0, *squares = sum + problem->d;
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        const double w = weight ? weight[i] : 1;
        total += w;
        for (int64_t e = 0; e < x.size; e++) {
            const int64_t j = x.index[e] - 1;
            if (j < 0)
                continue;
            sum[j] += w * x.value[e];
            squares[j] += w * x.value[e] * x.value[e];
        }
    }
    return total;
}

int feature_sizes_spread(const struct problem *problem, const double *weight, double *spread,
                         struct error *err)
{
    const int64_t d = problem->d;
    double *sum = memory_new(2 * d, sizeof *sum, err), *variance = sum;
    int64_t varying = 0;
    *spread = 0;
    if (!sum)
        return -1;
    double total = feature_sizes_sum(problem, weight, sum);
    reduce_sum(sum, 2 * d);
    reduce_sum(&total, 1);
    for (int64_t j = 0; j < d; j++) {
        const double mean = sum[j] / total, square = sum[d + j] / total,
                     difference = square - mean * mean;
        if (difference > feature_sizes_constant * square)
            variance[varying++] = difference;
    }
    qsort(variance, (size_t)varying, sizeof *variance, feature_variance_order);
    for (int64_t v = 0; v < varying; v++)
        *spread += fmin(variance[v], feature_sizes_most * variance[(varying - 1) / 2]);
    memory_free(sum);
    return 0;
}

int feature_sizes_decades(const struct problem *problem, const double *weight, int64_t *decades,
                          struct error *err)
{
    double spread;
    *decades = 0;
    if (feature_sizes_spread(problem, weight, &spread, err) != 0)
        return -1;
    for (; isfinite(spread) && spread >= feature_sizes_decade_root; spread /= 10)
        (*decades)++;
    return 0;
}

int feature_sizes_in_common(const struct problem *problem, const double *weight, int64_t *decades,
                            struct error *err)
{
    const int64_t d = problem->d;
    double *sum, mean = 0, squares = 0;
    *decades = 0;
    if (problem->disk)
        return 0;
    if (!(sum = memory_new(2 * d, sizeof *sum, err)))
        return -1;
    double total = feature_sizes_sum(problem, weight, sum);
    reduce_sum(sum, 2 * d);
    reduce_sum(&total, 1);
    for (int64_t j = 0; j < d; j++) {
        mean += sum[j] / total * (sum[j] / total);
        squares += sum[d + j] / total;
    }
    memory_free(sum);
    const double variance = squares - mean;
    if (!(variance > feature_sizes_constant * squares))
        return 0;
    for (double above = variance * feature_sizes_decade_root; above <= squares; above *= 10)
        (*decades)++;
    return 0;
}
