/* Examples for the network: sparse ones at random, and those of a class that no linear rule tells;
 * options that learn the latter; what the tests test_mlp_*.c share.  An error is a failed check. */
#ifndef TESTS_UNIT_MLP_EXAMPLES_H
#define TESTS_UNIT_MLP_EXAMPLES_H

#include "check.h"
#include "common/base/random.h"
#include "common/data/problem.h"
#include "learners/mlp/mlp.h"

#include <stdlib.h>

static inline void append(struct problem *problem, int64_t label, int64_t size,
                          const int32_t *index, const double *value)
{
    struct example x = {.label = label, .size = size, .index = index, .value = value};
    CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
}

/* Examples of which some features are absent in all, with a bias entry if wanted. */
static inline void draw_examples(struct problem *problem, struct random *g, int64_t n, int32_t d,
                                 int64_t classes, double density, bool bias)
{
    int32_t *index = calloc((size_t)d + 1, sizeof *index);
    double *value = calloc((size_t)d + 1, sizeof *value);
    *problem = (struct problem){0};
    for (int64_t i = 0; i < n && index && value; i++) {
        int64_t size = 0;
        for (int32_t j = 1; j <= d; j++) {
            if (j % 5 == 3 || random_uniform(g) >= density)
                continue;
            index[size] = j;
            value[size++] = random_normal(g);
        }
        if (bias) {
            index[size] = 0;
            value[size++] = 0.7;
        }
        append(problem, random_below(g, classes), size, index, value);
    }
    problem->d = d;
    free(index), free(value);
}

/* Which class: whether two numbers have the same sign, a bias beside them. */
static inline void draw_xor(struct problem *problem, uint64_t seed, int64_t n)
{
    struct random g = {seed};
    static const int32_t index[] = {1, 2, 0};
    *problem = (struct problem){0};
    for (int64_t i = 0; i < n; i++) {
        double value[] = {2 * random_uniform(&g) - 1, 2 * random_uniform(&g) - 1, 1};
        append(problem, (value[0] > 0) == (value[1] > 0), 3, index, value);
    }
}

/* They tell these classes apart. */
static const struct mlp_options PLAIN = {.layers = 1,
                                         .hidden = {16},
                                         .outputs = 2,
                                         .rate = 0.05,
                                         .delta = 1e-6,
                                         .batch = 16,
                                         .epochs = 30,
                                         .seed = 1};

#endif
