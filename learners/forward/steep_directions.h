/* The directions in which examples of many features vary most, and a metric in which these are no
 * steeper than the next.
 *
 * The mean of x x' of texts has a few eigenvalues far above the rest: of the words that all texts
 * have in common, then those that tell the largest classes apart.  A search zigzags across these
 * directions for its first steps, and a search that is stopped early then ends wherever it happens
 * to be.  With the metric
 *
 *   M = I - sum over c of (1 - e_m / e_c) v_c v_c'
 *
 * v_c the m leading eigenvectors, e_c their eigenvalues, that is in the variables M^-1/2 W, the m
 * directions are all as steep as the last of them.  Measured through the true matrix on r8, r52 and
 * amazon_domain, 30 % class-dependent noise, one seed or two: the test accuracy along the path then
 * rises to one peak and falls, as high a peak as without and in little more than half the steps;
 * without, it goes up and down by as much as 10 points from one step to the next. */
#ifndef LEARNERS_FORWARD_STEEP_DIRECTIONS_H
#define LEARNERS_FORWARD_STEEP_DIRECTIONS_H

#include "common/data/problem.h"

#include <stdbool.h>

/* m.  Measured on r8 and amazon_domain, three kinds of noise: with 8 as good or up to 1.7 points
 * worse, as the best step is then the second or third and the choice coarse. */
enum { STEEP_DIRECTIONS = 4 };

struct steep_directions {
    int64_t rows;                   /* features + 1; 0: none were sought */
    double *v;                      /* rows x m, each column of length 1 */
    double share[STEEP_DIRECTIONS]; /* e_m / e_c, at most 1 */
    double eigenvalue;              /* e_m: about the largest of mean x x' M */
};

/* The directions of some 2000 to 4000 examples, evenly spaced, by subspace iteration.  weight: of
 * all examples; NULL: 1.  steep: out; free with steep_free.  0 or -1. */
int steep_find(const struct problem *problem, const double *weight, struct steep_directions *steep,
               struct error *err);

/* table <- M table.  Returns by how much the sum of its columns' v'M v is less than that of v'v.
 *
 * table      rows x stride
 * workspace  steep_workspace(steep, stride) numbers
 * The same numbers for any number of threads. */
double steep_apply(const struct steep_directions *steep, double *table, int64_t stride,
                   double *workspace, int threads);

int64_t steep_workspace(const struct steep_directions *steep, int64_t stride);

/* Bytes of the directions of d features, and of finding them. */
double steep_bytes(int64_t d);

void steep_free(struct steep_directions *steep);

#endif
