/* Random examples on which every learner from bandit feedback meets its plain reference: by number
 * of classes, density, noise and what is odd about them. */
#ifndef TESTS_UNIT_BANDIT_DATA_H
#define TESTS_UNIT_BANDIT_DATA_H

#include "bandit_draws.h"

#include <math.h>

struct setup {
    const char *name;
    int64_t K, n;
    int32_t d;
    double density;
    bool bias,
        empty;     /* a bias entry, index 0, behind the others; some examples without any entry */
    bool late;     /* features come into use one after the other */
    double length; /* values are within +-length */
    double gamma, noise[2], rho[2];
    double prior, eta;
    uint64_t seed;
};

static const struct setup setups[] = {
    {.name = "2 classes, 1 feature",
     .K = 2,
     .n = 150,
     .d = 1,
     .density = 1,
     .length = 1,
     .gamma = 0.3,
     .noise = {0.1, 0.2},
     .rho = {0.1, 0.2},
     .prior = 1,
     .eta = 0.5,
     .seed = 1},
    {.name = "2 classes, 40 features",
     .K = 2,
     .n = 150,
     .d = 40,
     .density = 0.5,
     .late = true,
     .length = 1,
     .gamma = 0.1,
     .noise = {0.2, 0.2},
     .rho = {0.2, 0.2},
     .prior = 1,
     .eta = 0.5,
     .seed = 2},
    {.name = "3 classes, sparse, bias, late features",
     .K = 3,
     .n = 200,
     .d = 30,
     .density = 0.15,
     .bias = true,
     .empty = true,
     .late = true,
     .length = 2,
     .gamma = 0.3,
     .noise = {0.2, 0.4},
     .rho = {0.2, 0.4},
     .prior = 0.5,
     .eta = 0.1,
     .seed = 3},
    {.name = "3 classes, 2 features, no noise",
     .K = 3,
     .n = 150,
     .d = 2,
     .density = 0.8,
     .empty = true,
     .length = 1,
     .gamma = 0.05,
     .prior = 2,
     .eta = 1,
     .seed = 4},
    {.name = "3 classes, nothing explored",
     .K = 3,
     .n = 150,
     .d = 6,
     .density = 0.9,
     .bias = true,
     .length = 1,
     .noise = {0.1, 0.1},
     .rho = {0.05, 0.1},
     .prior = 1,
     .eta = 0.5,
     .seed = 5},
    {.name = "5 classes, rates not those of the noise",
     .K = 5,
     .n = 200,
     .d = 12,
     .density = 0.6,
     .bias = true,
     .length = 1,
     .gamma = 0.2,
     .noise = {0.3, 0.3},
     .rho = {0.1, 0.5},
     .prior = 1,
     .eta = 0.5,
     .seed = 6},
    {.name = "5 classes, all explored, late features",
     .K = 5,
     .n = 200,
     .d = 20,
     .density = 0.3,
     .empty = true,
     .late = true,
     .length = 5,
     .gamma = 1,
     .noise = {0.1, 0.3},
     .rho = {0.1, 0.3},
     .prior = 1,
     .eta = 0.5,
     .seed = 7},
    {.name = "10 classes, bias",
     .K = 10,
     .n = 250,
     .d = 8,
     .density = 1,
     .bias = true,
     .length = 1,
     .gamma = 0.3,
     .noise = {0.15, 0.15},
     .rho = {0.15, 0.15},
     .prior = 1,
     .eta = 0.5,
     .seed = 8},
    {.name = "10 classes, sparse, late features",
     .K = 10,
     .n = 250,
     .d = 40,
     .density = 0.1,
     .bias = true,
     .empty = true,
     .late = true,
     .length = 1,
     .gamma = 0.5,
     .noise = {0.4, 0.4},
     .rho = {0.4, 0.4},
     .prior = 0.1,
     .eta = 2,
     .seed = 9},
    {.name = "17 classes, 5 features",
     .K = 17,
     .n = 250,
     .d = 5,
     .density = 0.7,
     .empty = true,
     .late = true,
     .length = 1,
     .gamma = 0.4,
     .noise = {0.1, 0.1},
     .rho = {0.2, 0},
     .prior = 1,
     .eta = 0.5,
     .seed = 10},
    {.name = "17 classes, 40 features",
     .K = 17,
     .n = 250,
     .d = 40,
     .density = 0.4,
     .bias = true,
     .length = 0.3,
     .gamma = 0.2,
     .noise = {0.2, 0.3},
     .rho = {0.2, 0.3},
     .prior = 1,
     .eta = 0.5,
     .seed = 11},
    {.name = "17 classes, long examples, late features",
     .K = 17,
     .n = 250,
     .d = 33,
     .density = 0.2,
     .empty = true,
     .late = true,
     .length = 100,
     .gamma = 0.3,
     .noise = {0, 0.5},
     .rho = {0.01, 0.5},
     .prior = 10,
     .eta = 0.5,
     .seed = 12},
};

struct data {
    const struct setup *setup;
    struct problem problem; /* labels are classes */
};

/* Examples of a linear teacher. */
static inline bool data_make(struct data *data, const struct setup *setup)
{
    struct random g = random_seeded(2019, setup->seed);
    struct problem *problem = &data->problem;
    double teacher[CELLS];
    *data = (struct data){.setup = setup};
    bool good = problem_reserve(problem, setup->n, setup->n * (setup->d + 1), NULL) == 0;
    CHECK(good, "memory");
    for (int64_t j = 0; j < CELLS; j++)
        teacher[j] = 2 * random_uniform(&g) - 1;
    for (int64_t i = 0; good && i < setup->n; i++) {
        int32_t index[FEATURES + 1],
            most = setup->late ? (int32_t)fmin(setup->d, 1 + (double)(2 * setup->d * i / setup->n))
                               : setup->d;
        double value[FEATURES + 1], highest = -HUGE_VAL;
        struct example x = {.line = i + 1, .index = index, .value = value};
        bool empty = setup->empty && random_below(&g, 12) == 0;
        for (int32_t j = 1; !empty && j <= most; j++) {
            if (random_uniform(&g) < setup->density) {
                index[x.size] = j;
                value[x.size++] = setup->length * (2 * random_uniform(&g) - 1);
            }
        }
        if (setup->bias && !empty) {
            index[x.size] = 0;
            value[x.size++] = setup->length
                              * (0.4 + 0.6 * random_uniform(&g)); /* not the same for all: examples
                                                                     of the bias alone would tie */
        }
        for (int64_t k = 0; k < setup->K; k++) {
            double score = 0;
            for (int64_t e = 0; e < x.size; e++)
                score += teacher[k * (FEATURES + 1) + index[e]] * value[e];
            if (score > highest) {
                highest = score;
                x.label = k;
            }
        }
        good = problem_append_example(problem, &x, NULL) == 0;
        CHECK(good, "memory");
    }
    return good;
}

#endif
