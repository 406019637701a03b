/* Short texts of words, of which each class has some of its own. */
#ifndef TESTS_UNIT_WORDS_H
#define TESTS_UNIT_WORDS_H

#include "check.h"
#include "common/base/random.h"
#include "common/data/problem.h"

#include <stdlib.h>

enum { K = 4, ENTRIES = 30, FEATURES = 4000 };

static inline int by_index(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* n texts; `noise` of the labels y are drawn anew. */
static inline void make_words(uint64_t seed, double noise, int n, struct problem *problem,
                              int32_t *y)
{
    struct random g = random_seeded(seed, 1);
    static const int own = 200;
    *problem = (struct problem){0};
    for (int i = 0; i < n; i++) {
        int32_t index[ENTRIES];
        double value[ENTRIES];
        int64_t size = 0;
        const int k = (int)random_below(&g, K);
        y[i] = random_uniform(&g) < noise ? (int32_t)random_below(&g, K) : k;
        for (int j = 0; j < ENTRIES; j++)
            index[j] = random_uniform(&g) < 0.2 ? 1 + k * own + (int32_t)random_below(&g, own)
                                                : 1 + (int32_t)random_below(&g, FEATURES);
        qsort(index, ENTRIES, sizeof *index, by_index);
        for (int j = 0; j < ENTRIES; j++)
            if (j == 0 || index[j] != index[j - 1])
                index[size++] = index[j];
        for (int64_t j = 0; j < size; j++)
            value[j] = 1 / sqrt((double)size);
        const struct example x = {.index = index, .value = value, .size = size, .length = 1};
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

#endif
