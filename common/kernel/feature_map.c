/* Both kinds of map behind one set of functions: what they take, and what is asked of them. */
#include "common/kernel/feature_map.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/report.h"
#include "common/kernel/feature_map_state.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const feature_map_names[] = {"none", "nystrom", "fourier", NULL};

/* struct example_map's function. */
static int feature_map_make_chunk(struct example_map *make, const struct problem *raw, double bias,
                                  struct problem *mapped, struct error *err)
{
    return feature_map_problem(feature_map_of(make), raw, bias, 1, mapped, err);
}

struct feature_map feature_map_make(int64_t kind, int64_t dims, double gamma, int64_t seed)
{
    if (kind == FEATURE_MAP_FOURIER && dims == 0)
        dims = FEATURE_MAP_USUAL_DIMS;
    return (struct feature_map){.base = {.apply = feature_map_make_chunk, .dims = dims},
                                .kind = kind,
                                .dims = dims,
                                .gamma = gamma,
                                .seed = seed};
}

int feature_map_look(struct feature_map *map, const struct feature_metric *metric,
                     struct error *err)
{
    assert(map->kind == FEATURE_MAP_NYSTROM && map->metric.d == 0);
    return feature_metric_copy(metric, &map->metric, err);
}

/* ---- sizes ---- */

double feature_map_bytes(const struct feature_map *map, int64_t d, int threads)
{
    const double D = (double)map->dims,
                 work = (double)threads * FEATURE_MAP_BLOCK * D * sizeof(double);
    if (map->kind == FEATURE_MAP_FOURIER)
        return feature_map_table_bytes(map->dims, d) + work;
    const struct problem *m = &map->landmarks;
    /* Each thread's block, as the kernel sees it. */
    const double entries = FEATURE_MAP_BLOCK * (double)order_least(d, map->metric.d),
                 block = feature_metric_seen_bytes(&map->metric, FEATURE_MAP_BLOCK, entries);
    const double values = feature_map_wants_table(m)
                              ? feature_map_table_bytes(map->dims, m->d) + 8 * D
                              : kernel_data_bytes(m);
    return D * D * sizeof(double) + threads * block + 2 * work + values
           + feature_metric_bytes(&map->metric)
           + problem_bytes((double)m->n, (double)m->nnz, false);
}

int64_t feature_map_most_features(const struct feature_map *map, double bytes)
{
    if (map->kind == FEATURE_MAP_NYSTROM)
        return INT32_MAX; /* what no landmark has takes no memory */
    const double rows = bytes / feature_map_table_bytes(map->dims, 0);
    return (int64_t)fmin(fmax(rows - 1, 0), INT32_MAX);
}

double feature_map_problem_bytes(const struct feature_map *map, int64_t n, bool log)
{
    return problem_dense_bytes((double)n, (double)map->dims + 1, log);
}

/* ---- mapping ---- */

int feature_map_prepare(struct feature_map *map, int threads, struct error *err)
{
    assert(map->kind != FEATURE_MAP_NONE && map->dims > 0 && map->gamma > 0 && !map->has_lock);
    pthread_rwlock_init(&map->lock, NULL);
    map->has_lock = true;
    return map->kind == FEATURE_MAP_NYSTROM ? feature_map_nystrom_prepare(map, threads, err)
                                            : feature_map_fourier_prepare(map, err);
}

int feature_map_rows(struct feature_map *map, const struct problem *some, double *phi,
                     struct error *err)
{
    assert(map->has_lock);
    return map->kind == FEATURE_MAP_FOURIER ? feature_map_fourier(map, some, phi, err)
                                            : feature_map_nystrom(map, some, phi, err);
}

int feature_map_refuse(int64_t line, struct error *err)
{
    return error_at(err, NULL, line, 0, "its values are too large for this gamma");
}

/* ---- prediction ---- */

int feature_map_fold(const struct feature_map *map, int64_t columns, double *w, int threads,
                     struct error *err)
{
    const int64_t D = map->dims;
    const struct dense_view upper = {map->factor, 1, D};
    if (map->kind == FEATURE_MAP_FOURIER)
        return 0;
    return dense_solve_triangular(D, columns, upper, false, false, w, columns, threads, err);
}

int feature_map_basis(struct feature_map *map, const struct problem *some, double *basis,
                      struct error *err)
{
    return map->kind == FEATURE_MAP_NYSTROM ? feature_map_nystrom_kernels(map, some, basis, err)
                                            : feature_map_fourier(map, some, basis, err);
}

bool feature_map_equal(const struct feature_map *a, const struct feature_map *b)
{
    const struct problem *p = &a->landmarks, *q = &b->landmarks;
    if (a->kind != b->kind || a->dims != b->dims || a->gamma < b->gamma || a->gamma > b->gamma)
        return false;
    if (a->kind != FEATURE_MAP_NYSTROM)
        return a->kind == FEATURE_MAP_NONE || a->seed == b->seed;
    return feature_metric_equal(&a->metric, &b->metric) && p->n == q->n && p->nnz == q->nnz
           && memcmp(p->row_start, q->row_start, (size_t)(p->n + 1) * sizeof *p->row_start) == 0
           && memcmp(p->index, q->index, (size_t)p->nnz * sizeof *p->index) == 0
           && memcmp(p->value, q->value, (size_t)p->nnz * sizeof *p->value) == 0;
}

void feature_map_report(const struct feature_map *map, struct report *report)
{
    if (!map)
        return;
    report_count(report, REPORT_MAP_DIMS, map->dims);
    report_number(report, REPORT_MAP_GAMMA, map->gamma);
}

void feature_map_free(struct feature_map *map)
{
    if (map->has_lock)
        pthread_rwlock_destroy(&map->lock);
    problem_free(&map->landmarks);
    kernel_data_free(&map->data);
    memory_free(map->factor);
    memory_free(map->phase);
    feature_metric_free(&map->metric);
    memory_free(map->table);
    *map = (struct feature_map){.kind = FEATURE_MAP_NONE};
}
