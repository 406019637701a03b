/* Forward correction on data in memory or on disk (rows.h): the weights W that minimise
 *
 *   F(W) = 1/n sum_i -log sum_q C[y_i][q] p_iq + lambda/2 |W|^2,  p_i = softmax(W x_i)
 *
 * by L-BFGS or conjugate gradients from the current weights of the learner.  Where examples have
 * weights c_i > 0, each term of the sum is multiplied by its own, and n is their sum.  An example
 * whose label is impossible according to C is left out of the sum, not of n.  Convex for C = I;
 * else a local minimum.  The result does not depend on a step size or a seed; on the order of the
 * examples only by rounding and, where the search ends early, by the metric, which looks at some of
 * them (forward_metric.h).
 *
 * Stopped early, by the learner's option `steps` or by `visit`, the search ends at the mean of W
 * after its last two steps, since a search zigzags across steep directions.  From W = 0 the first
 * steps fit what many examples share, later ones what few do: with many features early stopping
 * therefore regularises, in another way than lambda.
 *
 * Where it costs little (few features, squared, against entries), the search is preconditioned: in
 * V = L' W, where L L' = mean x x' / 2 + lambda I.  The first term bounds the curvature of the loss
 * for each class from above (Boehning 1992), so with features of different scales, or correlated
 * ones, it takes a fifth of the steps.  Else in a metric that takes account of the few steepest
 * directions only (steep_directions.h).
 *
 * L-BFGS (lbfgs.h) goes to the minimum in V = L' W.  All else is for conjugate gradients
 * (conjugate.h), which hold two and a half tables of the size of W instead of sixteen. */
#ifndef LEARNERS_FORWARD_FORWARD_MINIMUM_H
#define LEARNERS_FORWARD_FORWARD_MINIMUM_H

#include "common/base/progress.h"
#include "common/data/problem.h"
#include "common/linalg/descent.h"
#include "learners/forward/forward.h"
#include "learners/forward/forward_metric.h"

/* The usual epsilon and limit of evaluations of a fit that is kept: no reason but that they work.
 */
#define FORWARD_EPSILON 0.01
enum { FORWARD_EVALUATIONS = 1000 };

struct forward_minimum {
    const double *weight; /* of all examples, > 0; NULL: 1 */
    double epsilon;       /* stop when |gradient|, in the metric, is at most epsilon times that at
                             W = 0 */
    int64_t evaluations;  /* stop after this many evaluations of F.  |gradient| at W = 0, where the
                             search begins elsewhere, and measures_mean take one more each */
    const struct forward_metric *metric; /* NULL, or where the learner has more features than the
                                            examples: none */
    int threads;
    struct progress *progress; /* of passes; may be NULL */
    /* Called after each step, from 1, with the weights that it has led to, of the narrow stride
     * (weights.h).  false: stop.  May be NULL. */
    bool (*visit)(void *context, const struct weights *w, int64_t step);
    void *context;
    bool measures_mean;           /* evaluate the loss once more where the result is a mean */
    struct descent_result result; /* out, at the weights that the learner has then; without
                                   measures_mean, those of the last step */
};

/* f: in: where to start, out: where the search ended.
 *
 * y       classes of all examples
 * subset  n indices of examples, ascending where these are on disk; NULL: all, n = problem->n
 * With several ranks (reduce.h) all call it together, each with its examples, which may be none,
 * and without weights; a rank sends K (d + 1) numbers an evaluation, and receives as many twice.
 * The same numbers for any number of threads and ranks, and from memory or disk.  0, or -1 with
 * err: memory, or a sum that is not finite (line of the first example whose values are too large).
 */
int forward_minimise(struct forward *f, const struct problem *problem, const int32_t *y,
                     const int64_t *subset, int64_t n, struct forward_minimum *minimum,
                     struct error *err);

/* The weights that forward_minimise has found; borrowed until something else is done with f. */
const struct weights *forward_minimum_weights(const struct forward *f);

/* Bytes besides the weights of the learner, for n examples of nnz entries together; and where these
 * are on disk. */
double forward_minimum_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d);
double forward_minimum_disk_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads);

#endif
