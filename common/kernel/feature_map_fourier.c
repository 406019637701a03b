/* Random Fourier features.  Directions are drawn for the features that occur, while threads map. */
#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/vectors.h"
#include "common/kernel/feature_map_state.h"

#include <math.h>

/* Uses of a seed: phases, directions of feature i (USE_ROWS + i), and far from those, the landmarks
 * (feature_map_fit.c).  The passes of a learner have the streams of the first of these too: it does
 * not matter, as they only order the examples. */
enum { USE_PHASE = 1, USE_ROWS = 2 };

/* An angle of 1e15 is rounded by up to .06; of a larger one nothing is known. */
static const double feature_map_largest_angle = 1e15;

int feature_map_fourier_prepare(struct feature_map *map, struct error *err)
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

/* err->line: of the last example with the largest feature. */
static void feature_map_name_largest(const struct problem *some, struct error *err)
{
    if (!err)
        return;
    for (int64_t i = 0; i < some->n; i++) {
        const struct example x = problem_example(some, i);
        if (example_largest_index(&x) == some->d)
            err->line = some->line[i];
    }
}

/* Directions for all features of these examples.  0, or -1: where they are too many, with the line
 * of the largest one. */
static int feature_map_grow(struct feature_map *map, const struct problem *some, struct error *err)
{
    const int64_t d = some->d;
    if (d < map->rows)
        return 0;
    if (memory_check(feature_map_table_bytes(map->dims, d), "the map of random features", err)
        != 0) {
        feature_map_name_largest(some, err);
        return -1;
    }
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

/* Angles but for their phases become features. */
WIDEST_VECTORS(void, feature_map_cosines,
               (int64_t dims, const double *restrict phase, double *restrict phi),
               (dims, phase, phi))
{
    const double scale = sqrt(2 / (double)dims);
    for (int64_t j = 0; j < dims; j++)
        phi[j] = scale * elementary_cos(phi[j] + phase[j]);
}

/* The map has the directions of all features of the examples. */
static int feature_map_fourier_rows(const struct feature_map *map, const struct problem *some,
                                    double *phi, struct error *err)
{
    feature_map_products(map, some, phi);
    for (int64_t i = 0; i < some->n; i++, phi += map->dims) {
        bool known = true; /* all angles, to some digits */
        for (int64_t j = 0; j < map->dims; j++)
            known &= fabs(phi[j]) <= feature_map_largest_angle;
        if (!known)
            return feature_map_refuse(some->line[i], err);
        feature_map_cosines(map->dims, map->phase, phi);
    }
    return 0;
}

/* Make the directions that are missing, then map: the lock is exclusive only while they grow. */
int feature_map_fourier(struct feature_map *map, const struct problem *some, double *phi,
                        struct error *err)
{
    int status = 0;
    pthread_rwlock_rdlock(&map->lock);
    if (some->d >= map->rows) {
        pthread_rwlock_unlock(&map->lock);
        pthread_rwlock_wrlock(&map->lock);
        status = feature_map_grow(map, some, err);
        pthread_rwlock_unlock(&map->lock);
        pthread_rwlock_rdlock(&map->lock);
    }
    if (status == 0)
        status = feature_map_fourier_rows(map, some, phi, err);
    pthread_rwlock_unlock(&map->lock);
    return status;
}
