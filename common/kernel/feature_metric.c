/* L is that of the correlations M_ij / sqrt(M_ii M_jj), its rows times sqrt(M_ii): whether M counts
 * as definite does not depend on the units of the features. */
#include "common/kernel/feature_metric.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Added to the diagonal of the correlations, so that features that depend on each other have an L:
 * far above the rounding of their sums, and nothing beside what a kernel sees. */
static const double feature_metric_ridge = 1e-8;

int feature_metric_of_scale(const double *scale, int64_t d, struct feature_metric *metric,
                            struct error *err)
{
    assert(d > 0);
    *metric = (struct feature_metric){.d = d};
    if (!(metric->scale = memory_resize(NULL, d, sizeof *scale, err)))
        return -1;
    memcpy(metric->scale, scale, (size_t)d * sizeof *scale);
    return 0;
}

static int feature_metric_make_triangle(int64_t d, struct feature_metric *metric, struct error *err)
{
    *metric = (struct feature_metric){.d = d};
    return (metric->index = memory_resize(NULL, d, sizeof *metric->index, err))
                   && (metric->triangle = memory_resize(NULL, feature_metric_numbers(d),
                                                        sizeof *metric->triangle, err))
               ? 0
               : -1;
}

/* M to correlations.  root: out, d: the square roots of its diagonal. */
static void feature_metric_correlate(double *product, int64_t d, double *root)
{
    for (int64_t i = 0; i < d; i++)
        root[i] = sqrt(product[i * d + i]);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double by = root[i] * root[j];
            product[i * d + j] = by > 0 ? product[i * d + j] / by : 0;
        }
        product[i * d + i] = 1 + feature_metric_ridge;
    }
}

int feature_metric_of_product(double *product, int64_t d, int threads,
                              struct feature_metric *metric, struct error *err)
{
    double *root = memory_new(d, sizeof *root, err);
    int status = -1;
    assert(d > 0);
    if (feature_metric_make_triangle(d, metric, err) != 0 || !root)
        goto done;
    feature_metric_correlate(product, d, root);
    status = dense_cholesky(d, product, threads, err);
    if (status == DENSE_INDEFINITE)
        status = FEATURE_METRIC_UNFIT;
    if (status != 0)
        goto done;
    for (int64_t i = 0; i < d; i++) {
        double *row = metric->triangle + feature_metric_numbers(i);
        metric->index[i] = (int32_t)(i + 1);
        for (int64_t j = 0; j <= i; j++)
            row[j] = root[i] * product[i * d + j];
    }
done:
    memory_free(root);
    return status;
}

int feature_metric_of_rows(const struct problem *rows, struct feature_metric *metric,
                           struct error *err)
{
    const int64_t d = rows->n;
    const struct example last = problem_example(rows, d - 1);
    for (int64_t j = 0; j < d; j++) {
        const struct example row = problem_example(rows, j);
        if (last.size != d || row.size != j + 1
            || memcmp(row.index, last.index, (size_t)row.size * sizeof *last.index) != 0)
            return FEATURE_METRIC_UNFIT;
    }
    if (feature_metric_make_triangle(d, metric, err) != 0)
        return -1;
    memcpy(metric->index, last.index, (size_t)d * sizeof *last.index);
    memcpy(metric->triangle, rows->value,
           (size_t)feature_metric_numbers(d) * sizeof *metric->triangle);
    return 0;
}

int feature_metric_copy(const struct feature_metric *metric, struct feature_metric *copy,
                        struct error *err)
{
    const int64_t d = metric->d;
    *copy = (struct feature_metric){.d = 0};
    if (metric->scale)
        return feature_metric_of_scale(metric->scale, d, copy, err);
    if (!metric->triangle)
        return 0;
    if (feature_metric_make_triangle(d, copy, err) != 0)
        return -1;
    memcpy(copy->index, metric->index, (size_t)d * sizeof *copy->index);
    memcpy(copy->triangle, metric->triangle,
           (size_t)feature_metric_numbers(d) * sizeof *copy->triangle);
    return 0;
}

/* z = L'x: feature j of x adds row j.  z: out, d. */
static void feature_metric_turn(const struct feature_metric *metric, const struct example *x,
                                double *z)
{
    int64_t j = 0;
    memset(z, 0, (size_t)metric->d * sizeof *z);
    for (int64_t e = 0; e < x->size; e++) {
        while (j < metric->d && metric->index[j] < x->index[e])
            j++;
        if (j == metric->d || metric->index[j] > x->index[e])
            continue;
        const double *row = metric->triangle + feature_metric_numbers(j), v = x->value[e];
        for (int64_t i = 0; i <= j; i++)
            z[i] += v * row[i];
    }
}

int feature_metric_see(const struct feature_metric *metric, const struct problem *some,
                       struct problem *seen, struct error *err)
{
    const int64_t size = metric->d;
    double *z = NULL;
    int status = -1;
    assert(!some->dense);
    if (metric->triangle && !(z = memory_resize(NULL, size, sizeof *z, err)))
        return -1;
    for (int64_t i = 0; i < some->n; i++) {
        struct example x = problem_example(some, i);
        const int64_t first = seen->nnz;
        if (metric->triangle) {
            feature_metric_turn(metric, &x, z);
            x.size = size;
            x.index = metric->index;
            x.value = z;
        }
        if (problem_append_example(seen, &x, err) != 0)
            goto done;
        if (metric->scale)
            for (int64_t e = first; e < seen->nnz; e++)
                seen->value[e] *= feature_metric_factor(metric, seen->index[e]);
    }
    status = 0;
done:
    memory_free(z);
    return status;
}

bool feature_metric_equal(const struct feature_metric *a, const struct feature_metric *b)
{
    const int64_t d = a->d;
    if (d != b->d || !a->scale != !b->scale)
        return false;
    if (a->scale)
        return memcmp(a->scale, b->scale, (size_t)d * sizeof *a->scale) == 0;
    return d == 0
           || (memcmp(a->index, b->index, (size_t)d * sizeof *a->index) == 0
               && memcmp(a->triangle, b->triangle,
                         (size_t)feature_metric_numbers(d) * sizeof *a->triangle)
                      == 0);
}

double feature_metric_triangle_bytes(int64_t d)
{
    return 4 * (double)d + 8 * (double)feature_metric_numbers(d);
}

double feature_metric_bytes(const struct feature_metric *metric)
{
    return metric->triangle ? feature_metric_triangle_bytes(metric->d) : 8 * (double)metric->d;
}

double feature_metric_seen_bytes(const struct feature_metric *metric, double n, double nnz)
{
    const double d = (double)metric->d;
    return metric->d > 0 ? problem_bytes(n, metric->triangle ? n * d : nnz, false) + 8 * d : 0;
}

void feature_metric_free(struct feature_metric *metric)
{
    memory_free(metric->scale);
    memory_free(metric->index);
    memory_free(metric->triangle);
    *metric = (struct feature_metric){.d = 0};
}
