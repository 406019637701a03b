/* Points of a quarter of the plane, kept with their lengths: at unit length only their directions
 * tell, else their lengths, too. */
#ifndef TESTS_UNIT_QUARTER_H
#define TESTS_UNIT_QUARTER_H

#include "check.h"
#include "common/base/random.h"
#include "common/data/problem.h"

#include <math.h>
#include <stdbool.h>

struct quarter_point {
    double length; /* uniform, of a mean that is given */
    bool below;    /* the diagonal */
};

/* Append such a point to a problem that keeps lengths. */
static inline struct quarter_point quarter_append(struct random *g, double mean_length,
                                                  struct problem *problem)
{
    const int32_t index[] = {1, 2};
    const double angle = random_uniform(g) * acos(0), value[] = {cos(angle), sin(angle)},
                 length = 2 * mean_length * random_uniform(g);
    const struct example x = {.index = index, .value = value, .size = 2, .length = length};
    CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    return (struct quarter_point){.length = length, .below = value[0] > value[1]};
}

#endif
