/* Sparse examples at random, and maps of features that are ready for them: what the tests
 * test_feature_map*.c share.  An error is a failed check. */
#ifndef TESTS_UNIT_FEATURE_MAP_CASES_H
#define TESTS_UNIT_FEATURE_MAP_CASES_H

#include "check.h"
#include "common/base/random.h"
#include "common/kernel/feature_map.h"

#include <stdlib.h>

/* n sparse examples with features up to d, the first and the last of them in the first example. */
static inline struct problem problem_make(int n, int d, double scale, uint64_t seed)
{
    struct random g = random_seeded(seed, 1);
    struct problem problem = {.n = 0};
    int32_t *index = malloc((size_t)d * sizeof *index);
    double *value = malloc((size_t)d * sizeof *value);
    for (int i = 0; i < n; i++) {
        int size = 0;
        for (int j = 1; j <= d; j++) {
            if (random_uniform(&g) < 0.5 || (i == 0 && (j == 1 || j == d))) {
                index[size] = j;
                value[size++] = scale * random_normal(&g);
            }
        }
        struct example x = {.label = i % 3 ? i : EXAMPLE_UNLABELLED,
                            .line = 2 * i + 1,
                            .size = size,
                            .index = index,
                            .value = value};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    free(index);
    free(value);
    return problem;
}

/* phi of one example.  0 or -1. */
static inline int map_one(struct feature_map *map, const struct example *x, double *phi,
                          struct error *err)
{
    struct problem one = {0};
    int status = problem_append_example(&one, x, err);
    if (status == 0)
        status = feature_map_rows(map, &one, phi, err);
    problem_free(&one);
    return status;
}

/* A Fourier map that has directions for features up to d. */
static inline bool fourier_ready(int64_t dims, double gamma, int64_t seed, int d,
                                 struct feature_map *f)
{
    struct error err = {0};
    *f = feature_map_make(FEATURE_MAP_FOURIER, dims, gamma, seed);
    const int32_t index = d;
    const double value = 0;
    const struct example x = {.size = 1, .index = &index, .value = &value};
    double *z = malloc((size_t)dims * sizeof *z);
    bool ready = feature_map_prepare(f, 1, &err) == 0 && map_one(f, &x, z, &err) == 0;
    CHECK(ready, "a map: %s", err.message);
    free(z);
    return ready;
}

/* A map of either kind that is fitted and prepared. */
static inline bool map_ready(int64_t kind, int64_t dims, double gamma, const struct problem *data,
                             struct feature_map *map)
{
    struct error err = {0};
    *map = feature_map_make(kind, dims, gamma, 5);
    bool ready = feature_map_fit(map, data, &err) == 0 && feature_map_prepare(map, 2, &err) == 0;
    CHECK(ready, "a map: %s", err.message);
    return ready;
}

#endif
