/* Points of rings around 0, whose class is their ring: a linear model predicts it no better than by
 * chance, features of a kernel tell it. */
#ifndef TESTS_UNIT_RINGS_H
#define TESTS_UNIT_RINGS_H

#include "check.h"
#include "common/base/random.h"
#include "common/data/problem.h"

#include <math.h>

/* n points of as many rings as there are classes; `noise` of the labels y are drawn anew.  bias: 0:
 * without one.  problem: out, with two features. */
static inline void make_rings(uint64_t seed, int classes, double noise, double bias, int n,
                              struct problem *problem, int32_t *y)
{
    struct random g = random_seeded(seed, 1);
    *problem = (struct problem){0};
    for (int i = 0; i < n; i++) {
        const int32_t index[] = {1, 2, 0};
        const double angle = 4 * acos(0) * random_uniform(&g);
        const int ring = (int)random_below(&g, classes);
        const double radius = ring + 0.5 + 0.7 * random_uniform(&g),
                     value[] = {radius * cos(angle), radius * sin(angle), bias};
        const struct example x = {.index = index, .value = value, .size = bias > 0 ? 3 : 2};
        y[i] = random_uniform(&g) < noise ? (int32_t)random_below(&g, classes) : ring;
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

#endif
