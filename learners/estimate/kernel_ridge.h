/* Kernel ridge regression where the noise is known: a classifier on Nystrom features of an RBF
 * kernel.
 *
 *   minimise  sum_i v_i |t_i - W' phi_i|^2 + r |W|^2
 *
 * for two readings of the labels; the classifier is the mean of the two W.  s_ik is the score of
 * class k for example i (suspicion.h), about the probability that k is its true class.
 *
 *   strict
 *     t_i is 1 for the class y_i of the label, else 0; v_i = s_iy.  If the v_i of the labels of a
 *     class sum to less than a tenth of its estimated size, they are scaled up to that sum, but
 *     none to more than 1; if all are 0, they stay 0.
 *
 *   lenient
 *     t_ik = s_ik / S_i and v_i = min(1, S_i), S_i = sum_k s_ik: a doubtful label shares its target
 *     with the other classes.
 *
 * There are four regressions, each with s by the probabilities of the one before:
 *
 *   1  strict, by those of softmax regression
 *   2  lenient, by those of 1
 *   3  lenient, by those of 2: t anew, v and r as they were
 *   4  strict, by those of 3, with the r of 1
 *
 * The last two make the classifier.  C may be estimated anew after 1, whose scores tell more than
 * those of softmax regression.
 *
 * Probabilities are the softmax of held-out W' phi at the temperature that makes the labels
 * likeliest.  Where the examples have weights of their own, these over their mean are factors of v,
 * of a label's count in likelihoods, and of the 1 beyond which none is scaled; the exponents of the
 * scores count all examples alike.
 *
 * Softmax regression through the matrix must explain every label, and costs so much that it can
 * have fewer features.  Measured on usps, optdigits, mnist and letter
 * (experiments/forward/choices.md): the lenient reading is .9 points better in the mean than the
 * strict one, but up to 1.5 worse on 1500 lines of letter, where the classifier errs so often that
 * it confirms its own mistakes.  The mean of the two is .8 better, and at most .5 worse; reading
 * strictly again adds .1.
 *
 * r is tried from 1 on, then .1, .01 and .001, as long as the decisions for held-out folds make
 * their labels likelier (decisions.h), of as many folds as have 1500 examples.  Each reading has
 * its own; that of the lenient one is sought from ten times that of the strict one on.
 *
 * Regression 1 is compared with softmax regression by these folds.  Their labels have had a part in
 * s of the others, so that they favour it.  Where a kernel is not yet known to be better than a
 * linear model, regression is therefore done once more on the rest of each of these folds, with
 * that r, by scores that do not know its labels (rest_of_fold.h): strict by softmax regression,
 * then both readings by what that one says of held-out examples of the rest; the mean of the two is
 * compared.  As s of fewer examples is worse, this mean is no better than the classifier will be.
 *
 * C, too, has been fitted to these labels, and to what softmax regression says of them: it explains
 * the errors of softmax regression as noise, and not those of the kernel.  So with rests, unless C
 * is known, each of the two is judged on a fold through a matrix of its own (rest_estimate_matrix),
 * from C on, by what it says of held-out examples of the rest: the kernel by its strict reading.
 */
#ifndef LEARNERS_ESTIMATE_KERNEL_RIDGE_H
#define LEARNERS_ESTIMATE_KERNEL_RIDGE_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "common/linear/weights.h"
#include "learners/features/map_kernel.h"

#include <stdbool.h>

struct rest_of_fold;

/* What is known of the noise, and of the true classes by softmax regression. */
struct kernel_ridge_basis {
    const struct problem *problem;
    const int32_t *y;     /* n: observed classes */
    const double *weight; /* n: of the examples; NULL: 1 */
    const int64_t *fold;  /* n: 0 .. FOLDS_DEFAULT-1; those by which p was held out */
    int64_t classes;      /* K */
    const double *c;      /* K x K: C[k*K + q] = P(observed k | true q) */
    bool matrix_known;    /* c was given, not estimated */
    const double *share;  /* K: of the true classes */
    const double *p;      /* n x K: probabilities of the true classes, held out */
    double unexplained;   /* as suspicion.h has it */

    /* Of each of the first crossfit_judges folds (crossfit.h), with p; its v are overwritten.
     * NULL: regression 1 is compared with softmax regression as it is, through C. */
    struct rest_of_fold *rest;

    const int64_t *fine; /* n: 0 .. FOLDS_FINE-1: the folds by which p of the result is held out;
                            NULL: those above */

    struct feature_map *map;  /* prepared; NULL: one is made */
    struct map_kernel kernel; /* of the map that is made */
    int64_t dims, seed;       /* of that map: the number of its landmarks, and their seed */
    int threads;
};

/* A reading of the labels. */
struct kernel_ridge_reading {
    double ridge;   /* r */
    double *weight; /* n: v, with the examples' own */
    double *target; /* n x K: t; NULL: 1 for basis->y, else 0 */
};

struct kernel_ridge {
    struct kernel_ridge_reading strict, lenient;
    struct weights mean;     /* of both W, each from all the examples, as a model holds it; empty
                                before kernel_ridge_finish */
    struct feature_map *map; /* NULL: basis->map */
    struct problem mapped;   /* the examples through it */

    /* n x K: probabilities of the true classes, held out: at this temperature, by the mean of the
     * two readings' scores. */
    double *p, temperature;

    /* Of the decisions of the regression that is compared, for the folds that judge, and of those
     * by basis->p; and by how many standard errors the former are better (decisions_lead). */
    double likelihood, softmax_likelihood, lead;
    double agreement; /* of the former with the labels (chance.h) */

    /* Between kernel_ridge_begin and kernel_ridge_finish, else NULL.  n x K: the scores of
     * regression 1, held out, the largest of each example 0. */
    const double *scores;
    struct kernel_ridge_search *search;
};

/* Regression 1, and the comparison with softmax regression (of the rests, if there are any), which
 * tells whether it is worth while to go on.  basis: is to stay until
 * kernel_ridge_finish or kernel_ridge_leave.  ridge: out: map, mapped, scores, strict.ridge, and
 * what the comparison comes to; mean is empty, p NULL.  Free with kernel_ridge_free, also after an
 * error.  0, FEATURE_MAP_UNFIT (the map that is made does not fit the examples) or -1. */
int kernel_ridge_begin(const struct kernel_ridge_basis *basis, struct kernel_ridge *ridge,
                       struct error *err);

/* Is it to be taken in place of softmax regression?  Where it decides better; and where noise
 * depends on the example (misfit > 0: estimate.h), unless softmax regression clearly does:
 * decisions that have learnt such noise look better, and ridge regression, the smoother, learns
 * less of it. */
bool kernel_ridge_is_better(const struct kernel_ridge *ridge, double misfit);

/* Regressions 2 to 4: both W, and p.  basis: the same, but fine, c, share and unexplained may be
 * others now.
 *
 * Both: O(n D (d + D) + D^3).  Same numbers for any number of threads.  -1: memory, or values too
 * large. */
int kernel_ridge_finish(const struct kernel_ridge_basis *basis, struct kernel_ridge *ridge,
                        struct error *err);

/* Give back all but mean and the numbers, after either. */
void kernel_ridge_leave(struct kernel_ridge *ridge);

/* Bytes that both take. */
double kernel_ridge_bytes(int64_t n, int64_t d, int64_t dims, int64_t classes);

void kernel_ridge_free(struct kernel_ridge *ridge);

#endif
