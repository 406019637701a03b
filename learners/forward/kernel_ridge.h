/* Kernel ridge regression from the labels that can be trusted: a classifier on Nystrom features of
 * an RBF kernel, once the noise is known.
 *
 *   minimise  sum_i v_i |t_i - W' phi_i|^2 + r |W|^2
 *
 * t_i is 1 for the class of the label, else 0, and v_i the probability that this label is right
 * (suspicion.h).  The labels of a class count at least a tenth of its estimated size: where their
 * weights sum to less they are scaled up, though none beyond 1.  Where the examples have weights of
 * their own, v is multiplied by these over their mean.  Softmax regression through the matrix, which
 * v is found with, must explain every label; this takes those that can be trusted, and costs so
 * little that it can have more features.
 *
 * A second round takes v from the probabilities that the first has found.  Measured on usps,
 * optdigits and letter with five kinds of noise: these probabilities order suspects better, by up
 * to 3 points of average precision, while the classifier is as good as after one round.
 *
 * r is the largest of 1, .1, .01 and .001 up to which the decisions for folds that were left out
 * make their labels likelier (decisions.h).  (These labels have had a part in v, though.) */
#ifndef LEARNERS_FORWARD_KERNEL_RIDGE_H
#define LEARNERS_FORWARD_KERNEL_RIDGE_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "common/linear/weights.h"

/* What is known of the noise, and of the true classes by softmax regression. */
struct kernel_ridge_basis {
    const struct problem *problem;
    const int32_t *y;     /* n: observed classes */
    const double *weight; /* n: of the examples; NULL: 1 */
    int64_t classes;      /* K */
    const double *c;      /* K x K: C[k*K + q] = P(observed k | true q) */
    const double *share;  /* K: of the true classes */
    const double *p;      /* n x K: probabilities of the true classes, held out */
    double unexplained;   /* as suspicion.h has it */
    double gamma;         /* of the kernel, and */
    int64_t dims, seed;   /* the number of landmarks and their seed */
    int rounds;           /* 1 or 2 */
    int threads;
};

struct kernel_ridge {
    double ridge;       /* r */
    double *weight;     /* n: v */
    double *p;          /* n x K: probabilities of the true classes, held out: the softmax of */
    double temperature; /* this times W' phi */
    struct weights all; /* W from all the examples, as a model holds it */
    struct feature_map *map;
    struct problem mapped;     /* the examples through it */
    double likelihood;         /* of its decisions, and */
    double softmax_likelihood; /* of those by basis->p */
};

/* Choose r.  ridge: out; free with kernel_ridge_free, also after an error.  O(n D (d + D) + D^3).
 * Same numbers for any number of threads.  0 or -1 (memory, values too large). */
int kernel_ridge_choose(const struct kernel_ridge_basis *basis, struct kernel_ridge *ridge,
                        struct error *err);

/* W learnt from a subset of n examples.  mapped: ridge->mapped, whoever owns it now.  w: out; free
 * with weights_free.  0 or -1 (memory). */
int kernel_ridge_fit(const struct kernel_ridge *ridge, const struct problem *mapped,
                     const int32_t *y, int64_t classes, const int64_t *subset, int64_t n,
                     struct weights *w, struct error *err);

/* Bytes that kernel_ridge_choose takes. */
double kernel_ridge_bytes(int64_t n, int64_t d, int64_t dims, int64_t classes);

void kernel_ridge_free(struct kernel_ridge *ridge);

#endif
