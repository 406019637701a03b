/* The confusion matrix of noisy labels from the labels alone, and the probability of each true
 * class of each example.
 *
 * The matrix is estimated by EM on temperature-scaled, cross-fitted predictions (em.h, crossfit.h).
 * A climb alternates: fit `forward` through the matrix, then EM on what it predicts for the folds
 * that it has not seen, as long as the held-out likelihood grows.  Lambda is chosen in the first
 * round of a climb, the number of L-BFGS steps in each.
 *
 * Climbs run from two starting points, the confident joint and even noise (start.h), which err in
 * opposite ways; and from a third, read from anchors, if they disagree: where a rival label is
 * about as likely as the right one, both may end near C = I, the classifier having learnt the
 * noise.  The matrix with the best held-out likelihood is kept, except that one whose classes have
 * clearly changed places loses.  At last the prior is chosen by held-out likelihood: it is strong
 * where the noise of all classes is alike.
 *
 * With few features the same is done again through random Fourier features, and what makes the
 * labels likelier is kept.
 *
 * Nothing here is convex, and nothing but the starting points tells which class is which: most
 * labels of a class must be right, or at least more than carry any other single label. */
#ifndef LEARNERS_FORWARD_CONFUSION_ESTIMATE_H
#define LEARNERS_FORWARD_CONFUSION_ESTIMATE_H

#include "common/data/problem.h"
#include "learners/forward/crossfit.h"

#include <stdbool.h>
#include <stdio.h>

struct estimate_options {
    struct crossfit_options fit;
    int64_t features; /* random Fourier features (fourier.h) that are tried too, with the best of
                         three gammas; 0: none; < 0: 300 where the examples have at most 100
                         features, which a linear model may not fit, else none */
};

struct estimate {
    int64_t n, classes;
    double *c;     /* K x K: c[k*K + q] = P(observed k | true q) */
    double *joint; /* K x K: the confident joint, as a matrix like c; zeros where the estimate began
                      with a matrix */
    double *p;     /* n x K: p[i*K + q], the probability of the true class by the example's features
                      alone, cross-fitted */
    double lambda; /* for a classifier on the examples as they are, */
    int64_t steps; /* and its steps of L-BFGS; 0: to the minimum */
    double gamma;  /* of the random features that p was found through; 0: none */
    double temperature;
    double likelihood;   /* held-out: mean log-likelihood of the labels */
    double *share;       /* K: of the true classes among the examples */
    double *deviation;   /* K: standard error of the noise rate 1 - c[q][q] (reliability.h) */
    double disagreement; /* share of the labels that the matrices of the first two starting points
                            explain by different true classes; 0 where a matrix was known */
    bool *doubtful; /* K: not identifiable: a rival label within two standard errors, by c or by the
                       confident joint, or fewer than 5 examples */
};

/* Estimate from the labels.
 *
 * y         n: observed classes of the examples
 * known     K x K: the matrix, where it is known; NULL: it is estimated
 * estimate  out; free with estimate_free
 * Takes 20 to 40 cross-fits, with a known matrix a third of that.  Same numbers for any number of
 * threads.  0, or -1 with err: it does not fit in memory, or too few examples. */
int estimate_noise(const struct problem *problem, const int32_t *y, const struct labels *labels,
                   const double *known, const struct estimate_options *options,
                   struct estimate *estimate, struct error *err);

/* What was found, a line a class.  report: may be NULL. */
void estimate_print(const struct estimate *estimate, const struct labels *labels, FILE *report);

/* Call `warn` with a sentence for each class whose noise is not identifiable, and where the
 * starting points disagree. */
void estimate_warn(const struct estimate *estimate, const struct labels *labels,
                   void (*warn)(void *context, const char *text), void *context);

/* Bytes that estimate_noise takes; options->features >= 0. */
double estimate_bytes(const struct estimate_options *options, const struct problem *problem,
                      int64_t classes);

void estimate_free(struct estimate *estimate);

#endif
