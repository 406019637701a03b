/* Forward (forward.c) over held examples to its end: the weights W that make
 *
 *   f(W) = 1/n sum_i -log sum_q C[y_i][q] p_iq + lambda/2 |W|^2,  p_i = softmax(W x_i)
 *
 * smallest, by L-BFGS (lbfgs.h) from the weights that the learner has; an example whose label C
 * says cannot be is left out of the sum, not of n.  Convex for C = I; else a minimum near by.  No
 * order of examples, no step size, no seed.  The learner's option `steps` stops early, at the mean
 * of W after the last two steps (so does `visit`), since steps go to and fro across steep
 * directions.  From W = 0 the first steps find what many examples share, later ones what few do:
 * where there are many features that regularises, otherwise than lambda does.
 *
 * Where it costs little (features squared against entries), the search is in V = L' W, L L' = mean
 * x x' / 2 + lambda I: the first is an upper bound of the loss's curvature for each class (Boehning
 * 1992), so features of unlike scales, or alike among themselves, take a fifth of the steps.  The
 * sums are taken in up to 16 parts, as the data and not the threads say: the same for any number of
 * threads. */
#ifndef LEARNERS_FORWARD_FORWARD_MINIMUM_H
#define LEARNERS_FORWARD_FORWARD_MINIMUM_H

#include "common/base/progress.h"
#include "common/data/problem.h"
#include "common/linalg/lbfgs.h"
#include "learners/forward/forward.h"

#define FORWARD_EPSILON 0.01 /* usual */

struct forward_minimum {
    double epsilon; /* stop when |gradient| (with respect to V, or to W) is at most epsilon times
                       that at W = 0, */
    int64_t evaluations;         /* or after so many passes over the examples */
    const double *second_moment; /* of forward_second_moment; NULL, or a learner of more features:
                                    the search is in W */
    int threads;
    struct progress *progress; /* of passes; may be NULL */
    bool (*visit)(void *context, const struct weights *w,
                  int64_t step); /* called after each step, with where stopping there would be;
                                  * false: stop the search; may be NULL */
    void *context;
    struct lbfgs_result result; /* out, of the W that the learner has; |gradient| as above */
};

/* o: in: where to start, out: the minimum.  The examples are those of `subset` (n
 * indices), or all (NULL, n = problem->n); y: classes of all examples.  0, or -1 with err: memory,
 * or a sum that is not finite (line of the first example whose values are too large). */
int forward_minimise(struct forward *o, const struct problem *problem, const int32_t *y,
                     const int64_t *subset, int64_t n, struct forward_minimum *minimum,
                     struct error *err);

/* Mean x x' / 2 of some 8000 examples, evenly spaced: (d + 1) x (d + 1), the lower triangle, for
 * any fit on these examples or some of them.  NULL where it does not pay.  Free with memory_free.
 * 0 or -1. */
int forward_second_moment(const struct problem *problem, double **moment, struct error *err);

/* Sums of squares and counts as of one pass over the examples at the weights that o has, so that
 * forward_learn can go on from a minimum. */
void forward_settle(struct forward *o, const struct problem *problem, const int32_t *y,
                    const int64_t *subset, int64_t n);

/* Another matrix (K x K, copied), lambda and number of steps for what comes, the weights as they
 * are. */
void forward_change(struct forward *o, const double *confusion, double lambda, int64_t steps);

/* Bytes beside the learner, for examples of nnz entries. */
double forward_minimum_bytes(int64_t nnz, int64_t classes, int64_t d);

#endif
