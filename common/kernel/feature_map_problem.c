/* All examples of a problem.  They are mapped in blocks; each thread takes the next one. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/kernel/feature_map_state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

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

/* Map a block.  phi: workspace, FEATURE_MAP_BLOCK x D.  0 or -1. */
static int feature_map_run_block(const struct feature_map_task *t, int64_t block, double *phi,
                                 struct error *err)
{
    const int64_t D = t->map->dims, first = block * FEATURE_MAP_BLOCK,
                  n = order_least(FEATURE_MAP_BLOCK, t->problem->n - first);
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
    const int64_t blocks = parallel_parts(t->problem->n, FEATURE_MAP_BLOCK);
    struct error err = {0};
    double *phi = memory_resize(NULL, order_least(FEATURE_MAP_BLOCK, t->problem->n) * t->map->dims,
                                sizeof *phi, &err);
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
    const int64_t blocks = parallel_parts(t->problem->n, FEATURE_MAP_BLOCK);
    const int64_t workers = order_least(threads, blocks);
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
