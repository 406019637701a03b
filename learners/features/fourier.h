/* Random Fourier features (Rahimi and Recht 2007):
 *
 *     z_j(x) = sqrt(2/D) cos(a_j.x + b_j),   j = 1 .. D
 *
 * with a_j normal of variance 2 gamma and b_j uniform in [0, 2 pi), so that z(u).z(v) is near
 * exp(-gamma |u-v|^2) for large D.
 *
 * The row of a feature of x depends on the seed and its index alone: the same seed means the same
 * map for training and test data, in whatever order they come.  Cost: entries x D, and D cosines,
 * an example. */
#ifndef LEARNERS_FEATURES_FOURIER_H
#define LEARNERS_FEATURES_FOURIER_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "common/linear/weights.h"

#include <stdint.h>

struct fourier {
    int64_t dims, seed; /* D */
    double gamma;
    double *b;        /* dims */
    struct weights a; /* a row of dims numbers a feature of x, up to the largest so far */
};

/* 0 or -1 (memory). */
int fourier_make(int64_t dims, double gamma, int64_t seed, struct fourier *fourier,
                 struct error *err);

/* Rows for features up to d.  0 or -1. */
int fourier_grow(struct fourier *fourier, int64_t d, struct error *err);

/* z: out, examples x dims; features up to some->d have rows.  0, or -1 with err (memory; the line
 * of a value too large). */
int fourier_map(const struct fourier *fourier, const struct problem *some, double *z,
                struct error *err);

/* All examples of a problem mapped, labels and lines as they are.  0 or -1. */
int fourier_problem(const struct fourier *fourier, const struct problem *problem,
                    struct problem *mapped, struct error *err);

void fourier_free(struct fourier *fourier);

#endif
