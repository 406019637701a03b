/* Feature maps, as told in feature_map.h.
 *
 * Examples are mapped in blocks of BLOCK; each thread takes the next block.  Both maps start with
 * the products of the examples and a table whose columns are landmarks or directions.  STRIP
 * columns are multiplied with all examples of a block before the next STRIP: these columns then
 * stay in the second-level cache.  For nystrom a triangular system follows, solved for BLOCK
 * right-hand sides at once by products of matrices: D^2 operations an example in double precision,
 * which take nearly all of the time.
 *
 * The ridge 1e-4 is far above the rounding of kernel values, so that R exists whatever the
 * landmarks are (two may be equal), and changes no inner product by more. */
#include "common/kernel/feature_map.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/base/report.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Uses of a seed: phases, directions of feature i (USE_ROWS + i), and far from those, the
 * landmarks. The passes of a learner have the streams of the first of these too: it does not
 * matter, as they only order the examples. */
enum { USE_PHASE = 1, USE_ROWS = 2 };
static const uint64_t USE_LANDMARKS = UINT64_C(1) << 60;

enum {
    BLOCK = 256, /* examples; no reason but that it works */
    STRIP = 32,  /* directions: sums of 8 registers of 4 */
    PAD = 8      /* numbers between rows of directions, so that they do not meet in one cache set */
};

static const double feature_map_ridge = 1e-4,
                    feature_map_largest_square = 1e300; /* of an example: a distance is finite */

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

int feature_map_scale(struct feature_map *map, const double *scale, int64_t d, struct error *err)
{
    assert(map->kind == FEATURE_MAP_NYSTROM && !map->scale && d > 0);
    if (!(map->scale = memory_resize(NULL, d, sizeof *scale, err)))
        return -1;
    memcpy(map->scale, scale, (size_t)d * sizeof *scale);
    map->scales = d;
    return 0;
}

/* Multiply the entries of examples by their factors. */
static void feature_map_scale_entries(const struct feature_map *map, struct problem *examples)
{
    if (!map->scale)
        return;
    for (int64_t e = 0; e < examples->nnz; e++)
        examples->value[e] *= feature_map_factor(map, examples->index[e]);
}

bool feature_map_needs_data(const struct feature_map *map)
{
    if (map->kind == FEATURE_MAP_NYSTROM)
        return map->landmarks.n == 0;
    return map->kind == FEATURE_MAP_FOURIER && !(map->gamma > 0);
}

/* ---- what the data decide ---- */

/* The sum over features of their variance, scaled; 0 where it is mere rounding.  0, or -1 (memory).
 */
static int feature_map_variance(const struct feature_map *map, const struct problem *data,
                                double *variance, struct error *err)
{
    const double n = (double)data->n, rounding = 1e-16;
    double square = 0;
    const int64_t d = data->d;
    double *mean = NULL, *present = NULL;
    int status = -1;
    if (memory_check(16.0 * ((double)d + 1), "the variance of the features", err) != 0
        || !(mean = memory_new(d + 1, sizeof *mean, err))
        || !(present = memory_new(d + 1, sizeof *present, err)))
        goto done;
    for (int64_t e = 0; e < data->nnz; e++) {
        const double value = feature_map_factor(map, data->index[e]) * data->value[e];
        mean[data->index[e]] += value / n;
        present[data->index[e]]++;
        square += value * value / n;
    }
    *variance = 0;
    for (int64_t e = 0; e < data->nnz; e++) {
        const double value = feature_map_factor(map, data->index[e]) * data->value[e],
                     off = value - mean[data->index[e]];
        *variance += off * off / n;
    }
    for (int64_t j = 0; j <= d; j++) /* where a feature is absent it is 0 */
        *variance += (n - present[j]) / n * (mean[j] * mean[j]);
    if (*variance <= rounding * square)
        *variance = 0;
    status = 0;
done:
    memory_free(mean);
    memory_free(present);
    return status;
}

/* The gamma is 1 / sum_j var x_j.  Measured with arow -A -i 3 and 500 landmarks on letter,
 * optdigits, usps and isolet, with true labels and with 30 % wrong ones: twice that, the best on
 * letter, loses 2 points on isolet; half of it loses up to 4. */
static int feature_map_choose_gamma(struct feature_map *map, const struct problem *data,
                                    struct error *err)
{
    double variance;
    if (feature_map_variance(map, data, &variance, err) != 0)
        return -1;
    map->gamma = 1 / variance;
    if (map->gamma >= FEATURE_MAP_LEAST_GAMMA && map->gamma <= FEATURE_MAP_MOST_GAMMA)
        return 0;
    error_set(err, "the variance of the features is %s: --map-gamma must be given",
              variance <= 0 ? "0, or lost in rounding (subtract what is common to the values)"
                            : "too large");
    return FEATURE_MAP_UNFIT;
}

/* Draw the landmarks without replacement: they stay in the order of the data.
 * An example without an entry gets one, so that a model file has text for it. */
static int feature_map_draw(struct feature_map *map, const struct problem *data, struct error *err)
{
    static const int32_t first = 1;
    static const double zero = 0;
    struct random g = random_seeded((uint64_t)map->seed, USE_LANDMARKS);
    for (int64_t i = 0; i < data->n; i++) {
        if (!random_takes(&g, data->n - i, map->dims - map->landmarks.n))
            continue;
        struct example x = problem_example(data, i);
        if (x.size == 0)
            x = (struct example){.size = 1, .index = &first, .value = &zero};
        x.label = EXAMPLE_UNLABELLED;
        x.line = map->landmarks.n + 1;
        if (problem_append_example(&map->landmarks, &x, err) != 0)
            return -1;
    }
    assert(map->landmarks.n == map->dims);
    feature_map_scale_entries(map, &map->landmarks);
    return 0;
}

int feature_map_fit(struct feature_map *map, const struct problem *data, struct error *err)
{
    assert(data->n > 0 && !map->has_lock);
    if (!feature_map_needs_data(map))
        return 0;
    const int status = map->gamma > 0 ? 0 : feature_map_choose_gamma(map, data, err);
    if (status != 0 || map->kind == FEATURE_MAP_FOURIER)
        return status;
    if (map->dims == 0)
        map->dims = dense_least(data->n > 1 ? data->n / 2 : 1, FEATURE_MAP_USUAL_DIMS);
    map->dims = dense_least(map->dims, data->n);
    map->base.dims = map->dims;
    return feature_map_draw(map, data, err);
}

/* ---- preparing ---- */

/* From one row of directions to the next: whole strips and the padding. */
static int64_t feature_map_stride(int64_t dims)
{
    return parallel_parts(dims, STRIP) * STRIP + PAD;
}

static double feature_map_table_bytes(int64_t dims, int64_t d)
{
    return ((double)d + 1) * (double)feature_map_stride(dims) * sizeof(double);
}

double feature_map_bytes(const struct feature_map *map, int64_t d, int threads)
{
    const double D = (double)map->dims, work = (double)threads * BLOCK * D * sizeof(double);
    if (map->kind == FEATURE_MAP_FOURIER)
        return feature_map_table_bytes(map->dims, d) + work;
    const struct problem *m = &map->landmarks;
    /* Each thread's copy of a block, scaled. */
    const double entries = BLOCK * (double)dense_least(d, map->scales),
                 copies = map->scale ? (double)threads * problem_bytes(BLOCK, entries, false) : 0;
    return D * D * sizeof(double) + copies + 2 * work + kernel_data_bytes(m)
           + 8 * (double)map->scales + problem_bytes((double)m->n, (double)m->nnz, false);
}

int64_t feature_map_most_features(const struct feature_map *map, double bytes)
{
    if (map->kind == FEATURE_MAP_NYSTROM)
        return INT32_MAX; /* what no landmark has takes no memory */
    const double fit = bytes / feature_map_table_bytes(map->dims, 0);
    return (int64_t)fmin(fit, INT32_MAX);
}

double feature_map_problem_bytes(const struct feature_map *map, int64_t n, bool log)
{
    return problem_dense_bytes((double)n, (double)map->dims + 1, log);
}

static struct kernel feature_map_kernel(const struct feature_map *map)
{
    return (struct kernel){.type = KERNEL_RBF, .gamma = map->gamma};
}

/* The landmarks feature by feature, in place of kernel_data's own such table. */
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
    memory_free(map->data.dense);
    map->data.dense = NULL;
    return 0;
}

/* R from the landmarks.  0, FEATURE_MAP_UNFIT or -1. */
static int feature_map_make_factor(struct feature_map *map, int threads, struct error *err)
{
    const int64_t D = map->dims;
    const struct kernel kernel = feature_map_kernel(map);
    assert(map->landmarks.n == D && D <= FEATURE_MAP_MOST_LANDMARKS);
    if (memory_check(feature_map_bytes(map, 0, threads), "the map of landmarks", err) != 0
        || kernel_data_make(&map->landmarks, NULL, &map->data, err) != 0
        || !(map->factor = memory_resize(NULL, D * D, sizeof *map->factor, err))
        || kernel_block(&kernel, &map->data, 0, D, &map->data, 0, D, map->factor, D, threads, err)
               != 0)
        return -1;
    double largest = 0;
    for (int64_t j = 0; j < D; j++) {
        map->factor[j * D + j] += feature_map_ridge;
        largest = fmax(largest, map->data.square[j]);
    }
    if (map->data.dense && feature_map_make_table(map, err) != 0)
        return -1;
    int status = DENSE_INDEFINITE;
    if (largest <= feature_map_largest_square)
        status = dense_cholesky(D, map->factor, threads, err);
    if (status != DENSE_INDEFINITE)
        return status;
    /* Rounding of distances between huge values outdoes the ridge. */
    error_set(err, "the values of the landmarks are too large for the kernel");
    return FEATURE_MAP_UNFIT;
}

static int feature_map_draw_phases(struct feature_map *map, struct error *err)
{
    const double two_pi = 6.283185307179586;
    if (!(map->phase = memory_new(map->dims, sizeof *map->phase, err)))
        return -1;
    struct random g = random_seeded((uint64_t)map->seed, USE_PHASE);
    for (int64_t j = 0; j < map->dims; j++)
        map->phase[j] = two_pi * random_uniform(&g);
    map->stride = feature_map_stride(map->dims);
    return 0;
}

int feature_map_prepare(struct feature_map *map, int threads, struct error *err)
{
    assert(map->kind != FEATURE_MAP_NONE && map->dims > 0 && map->gamma > 0 && !map->has_lock);
    pthread_rwlock_init(&map->lock, NULL);
    map->has_lock = true;
    return map->kind == FEATURE_MAP_NYSTROM ? feature_map_make_factor(map, threads, err)
                                            : feature_map_draw_phases(map, err);
}

/* ---- fourier ---- */

/* Directions for features up to d.  0 or -1. */
static int feature_map_grow(struct feature_map *map, int64_t d, struct error *err)
{
    if (d < map->rows)
        return 0;
    if (memory_check(feature_map_table_bytes(map->dims, d), "the map of random features", err) != 0)
        return -1;
    double *a = memory_reserve(map->table, &map->capacity, (d + 1) * map->stride, sizeof *a, err);
    if (!a)
        return -1;
    map->table = a;
    for (int64_t i = map->rows; i <= d; i++) {
        struct random g = random_seeded((uint64_t)map->seed, USE_ROWS + (uint64_t)i);
        for (int64_t j = 0; j < map->stride; j++)
            a[i * map->stride + j] = j < map->dims ? sqrt(2 * map->gamma) * random_normal(&g) : 0;
    }
    map->rows = d + 1;
    return 0;
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

static void feature_map_products(const struct feature_map *map, const struct problem *some,
                                 double *product)
{
    for (int64_t from = 0; from < map->dims; from += STRIP)
        feature_map_strip(map, some, from, dense_least(STRIP, map->dims - from), product);
}

static int feature_map_refuse(int64_t line, struct error *err)
{
    return error_at(err, NULL, line, 0, "its values are too large for this gamma");
}

/* The map has the directions of all features of the examples. */
static int feature_map_fourier_rows(const struct feature_map *map, const struct problem *some,
                                    double *phi, struct error *err)
{
    const double scale = sqrt(2 / (double)map->dims);
    feature_map_products(map, some, phi);
    for (int64_t i = 0; i < some->n; i++, phi += map->dims) {
        double zero = 0; /* NaN when a product is not finite */
        for (int64_t j = 0; j < map->dims; j++) {
            zero += 0 * phi[j];
            phi[j] = scale * elementary_cos(phi[j] + map->phase[j]);
        }
        if (!(zero == 0))
            return feature_map_refuse(some->line[i], err);
    }
    return 0;
}

/* Make the directions that are missing, then map: the lock is exclusive only while they grow. */
static int feature_map_fourier(struct feature_map *map, const struct problem *some, double *phi,
                               struct error *err)
{
    int status = 0;
    pthread_rwlock_rdlock(&map->lock);
    if (some->d >= map->rows) {
        pthread_rwlock_unlock(&map->lock);
        pthread_rwlock_wrlock(&map->lock);
        status = feature_map_grow(map, some->d, err);
        pthread_rwlock_unlock(&map->lock);
        pthread_rwlock_rdlock(&map->lock);
    }
    if (status == 0)
        status = feature_map_fourier_rows(map, some, phi, err);
    pthread_rwlock_unlock(&map->lock);
    return status;
}

/* ---- nystrom ---- */

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

/* The same bits by kernel_block, where the landmarks are kept sparse. */
static int feature_map_sparse_kernels(const struct feature_map *map, const struct problem *some,
                                      double *k, struct error *err)
{
    const struct kernel kernel = feature_map_kernel(map);
    struct kernel_data x = {0};
    if (kernel_data_make(some, &map->data, &x, err) != 0)
        return -1;
    int status = kernel_block(&kernel, &x, 0, some->n, &map->data, 0, map->dims, k, map->dims, 1,
                              err);
    kernel_data_free(&x);
    return status;
}

/* Kernel values of some examples, scaled already, and all landmarks.  k: out, n x D. */
static int feature_map_scaled_kernels(const struct feature_map *map, const struct problem *some,
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

/* The same of examples as they are. */
static int feature_map_kernels(const struct feature_map *map, const struct problem *some, double *k,
                               struct error *err)
{
    struct problem scaled = {0};
    int status = 0;
    if (!map->scale)
        return feature_map_scaled_kernels(map, some, k, err);
    for (int64_t i = 0; i < some->n && status == 0; i++) {
        const struct example x = problem_example(some, i);
        status = problem_append_example(&scaled, &x, err);
    }
    if (status == 0) {
        feature_map_scale_entries(map, &scaled);
        status = feature_map_scaled_kernels(map, &scaled, k, err);
    }
    problem_free(&scaled);
    return status;
}

/* k: workspace, D x n. */
static int feature_map_nystrom(const struct feature_map *map, const struct problem *some, double *k,
                               double *phi, struct error *err)
{
    const int64_t D = map->dims, n = some->n;
    const struct dense_view lower = {map->factor, D, 1};
    if (feature_map_kernels(map, some, phi, err) != 0)
        return -1;
    for (int64_t j = 0; j < D; j++)
        for (int64_t i = 0; i < n; i++)
            k[j * n + i] = phi[i * D + j];
    if (dense_solve_triangular(D, n, lower, true, false, k, n, 1, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < D; j++)
            phi[i * D + j] = k[j * n + i];
    return 0;
}

/* ---- blocks of examples ---- */

int feature_map_rows(struct feature_map *map, const struct problem *some, double *phi,
                     struct error *err)
{
    assert(map->has_lock);
    if (map->kind == FEATURE_MAP_FOURIER)
        return feature_map_fourier(map, some, phi, err);
    double *k = memory_resize(NULL, map->dims * some->n, sizeof *k, err);
    int status = k ? feature_map_nystrom(map, some, k, phi, err) : -1;
    memory_free(k);
    return status;
}

/* All blocks of a problem, and where their features go: one of table and mapped. */
struct feature_map_task {
    struct feature_map *map;
    const struct problem *problem;
    float *table;
    struct problem *mapped;
    double bias;
    _Atomic int64_t next; /* the first block that no thread has taken */
    pthread_mutex_t lock; /* of the members below */
    int64_t failed;       /* the first block that failed; -1: none */
    struct error error;   /* its error */
};

/* Store the features of example i of the problem.  The entries of a mapped problem have their place
 * already: rows are of one length. */
static void feature_map_store(const struct feature_map_task *t, int64_t i, const double *phi)
{
    const int64_t D = t->map->dims;
    if (t->table) {
        for (int64_t j = 0; j < D; j++)
            t->table[i * D + j] = (float)phi[j];
        return;
    }
    double *value = t->mapped->value + t->mapped->row_start[i];
    memcpy(value, phi, (size_t)D * sizeof *value);
    if (t->bias >= 0)
        value[D] = t->bias;
}

/* Keep the error of the first block that failed. */
static void feature_map_fail(struct feature_map_task *t, int64_t block, const struct error *err)
{
    pthread_mutex_lock(&t->lock);
    if (t->failed < 0 || block < t->failed) {
        t->failed = block;
        t->error = *err;
    }
    pthread_mutex_unlock(&t->lock);
}

/* Map a block.  phi: workspace, BLOCK x D.  0 or -1. */
static int feature_map_run_block(const struct feature_map_task *t, int64_t block, double *phi,
                                 struct error *err)
{
    const int64_t D = t->map->dims, first = block * BLOCK,
                  n = dense_least(BLOCK, t->problem->n - first);
    const struct problem some = problem_part(t->problem, first, n);
    if (feature_map_rows(t->map, &some, phi, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        feature_map_store(t, first + i, phi + i * D);
    return 0;
}

/* What each thread does: map blocks as long as there are any.  The workspace is made once: a new
 * one for each block was measured to cost a fifth of the time, in pages that the system clears. */
static void feature_map_run_thread(void *context, int64_t thread)
{
    struct feature_map_task *t = context;
    const int64_t blocks = parallel_parts(t->problem->n, BLOCK);
    struct error err = {0};
    double *phi = memory_resize(NULL, dense_least(BLOCK, t->problem->n) * t->map->dims, sizeof *phi,
                                &err);
    (void)thread;
    for (int64_t block = atomic_fetch_add(&t->next, 1); block < blocks;
         block = atomic_fetch_add(&t->next, 1)) {
        if (!phi || feature_map_run_block(t, block, phi, &err) != 0) {
            feature_map_fail(t, block, &err);
            break;
        }
    }
    memory_free(phi);
}

/* Map all examples.  0 or -1. */
static int feature_map_run(struct feature_map_task *t, int threads, struct error *err)
{
    const int64_t blocks = parallel_parts(t->problem->n, BLOCK);
    const int64_t workers = dense_least(threads, blocks);
    t->failed = -1;
    pthread_mutex_init(&t->lock, NULL);
    parallel_for(threads, workers, feature_map_run_thread, t);
    pthread_mutex_destroy(&t->lock);
    return t->failed < 0 ? 0 : error_take(&t->error, err);
}

int feature_map_table(struct feature_map *map, const struct problem *problem, float *table,
                      int threads, struct error *err)
{
    struct feature_map_task t = {.map = map, .problem = problem, .table = table};
    return feature_map_run(&t, threads, err);
}

int feature_map_problem(struct feature_map *map, const struct problem *problem, double bias,
                        int threads, struct problem *mapped, struct error *err)
{
    const int64_t n = problem->n, entries = map->dims + (bias >= 0);
    problem_clear(mapped);
    mapped->log = problem->log;
    mapped->lines = problem->lines;
    if (n == 0)
        return 0;
    if (memory_check(feature_map_problem_bytes(map, n, problem->log), "the features of the map",
                     err)
            != 0
        || problem_make_dense(mapped, n, entries, err) != 0)
        return -1;
    mapped->d = (int32_t)map->dims;
    memcpy(mapped->label, problem->label, (size_t)n * sizeof *mapped->label);
    memcpy(mapped->line, problem->line, (size_t)n * sizeof *mapped->line);
    if (problem->log)
        memcpy(mapped->feedback, problem->feedback, (size_t)n * sizeof *mapped->feedback);
    for (int64_t j = 0; j < map->dims; j++)
        mapped->index[j] = (int32_t)(j + 1);
    if (bias >= 0)
        mapped->index[map->dims] = 0;
    struct feature_map_task t = {.map = map, .problem = problem, .mapped = mapped, .bias = bias};
    return feature_map_run(&t, threads, err);
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
    return map->kind == FEATURE_MAP_NYSTROM ? feature_map_kernels(map, some, basis, err)
                                            : feature_map_fourier(map, some, basis, err);
}

bool feature_map_equal(const struct feature_map *a, const struct feature_map *b)
{
    const struct problem *p = &a->landmarks, *q = &b->landmarks;
    if (a->kind != b->kind || a->dims != b->dims || a->gamma < b->gamma || a->gamma > b->gamma)
        return false;
    if (a->kind != FEATURE_MAP_NYSTROM)
        return a->kind == FEATURE_MAP_NONE || a->seed == b->seed;
    return a->scales == b->scales
           && (!a->scale || memcmp(a->scale, b->scale, (size_t)a->scales * sizeof *a->scale) == 0)
           && p->n == q->n && p->nnz == q->nnz
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
    memory_free(map->scale);
    memory_free(map->table);
    *map = (struct feature_map){.kind = FEATURE_MAP_NONE};
}
