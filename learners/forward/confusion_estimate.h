/* The confusion matrix of noisy labels from the labels alone, and the probability of each true
 * class, from classifiers that have not seen the example.
 *
 *   cross-fit   `forward` with a matrix C, to its minimum or some steps towards it
 *               (forward_minimum.h), on two of three folds gives the scores of the third; p =
 *               softmax(t s), the temperature t chosen
 *   likelihood  of the labels observed, mean over examples of log sum_q C[y][q] p_q: says which C,
 *               t, lambda and number of steps are good without a clean label.  Without t it would
 *               prefer weak regularisation for its larger scores.
 *   rounds      while the likelihood grows: cross-fit with C, lambda chosen in the first round and
 *               the number of steps in each; then t and C of the largest likelihood of these
 *               scores: C by EM, C[k][q] <- sum over examples with y = k of r_q, r as in forward.c,
 *               columns normalised, on top of a prior of 10 examples a class that are as right as
 *               all examples together and else spread evenly.  The last matrix is the end.
 *   starts      two, from p of C = I: the confident joint (Northcutt, Jiang and Chuang 2021): an
 *               example counts for the largest of those classes whose p is at least the mean p of
 *               that class among the examples labelled with it; J[y][t] += 1, columns normalised;
 *               and all wrong labels alike.  Where their ends explain more than a twentieth of the
 *               labels by different classes a third: four times, first for C = I, cross-fit with C
 *               and read the next C from the anchors (as Patrini et al. 2017 do), a class's column
 *               being what the fifth of its examples that have the largest p are called.
 *   the end     is the likeliest one, but for those with more examples in classes whose column
 *               another label leads by a tenth: there classes have changed places, which no
 *               likelihood tells.
 *   prior       10, 100 or 1000 examples a class at last, by the likelihood of each fold's labels
 *               through what EM makes of the other folds
 *
 * Nothing here is convex.  The two starts err in opposite ways: the joint keeps what plain softmax
 * regression has learnt wrong, even noise knows of no structure.  Where another label is about as
 * likely as a class's own, both may end near C = I, the classifier having learnt the noise;
 * anchors, which are read without C, lead out of there.  Classes are told apart by the starts only:
 * it needs most labels of a class to be right, or at least more than any other single class of
 * those labelled so. */
#ifndef LEARNERS_FORWARD_CONFUSION_ESTIMATE_H
#define LEARNERS_FORWARD_CONFUSION_ESTIMATE_H

#include "common/base/progress.h"
#include "common/data/problem.h"
#include "learners/forward/forward.h"

#include <stdio.h>

struct estimate_options {
    double lambda;    /* < 0: chosen */
    int64_t steps;    /* of a fit (forward_minimum.h); 0: to the minimum; < 0: chosen, where the
                         features are too many for its metric, else to the minimum */
    int64_t features; /* > 0: also through so many random Fourier features (fourier.h), of the best
                         of three gammas; what makes the labels likelier is kept */
    int64_t seed;
    int threads;
    struct progress *progress; /* of fits; may be NULL */
};

/* Features that are worth trying where the user has not said: 300 where the examples have few (up
 * to 100), 0 else, as a linear model fits the better the more there are. */
int64_t estimate_usual_features(int64_t d);

struct estimate {
    int64_t n, classes;
    double *c;     /* K x K: c[k*K + q] = P(observed k | true q) */
    double *joint; /* K x K: the confident joint, as a matrix like c; zeros where the estimate began
                      with a matrix */
    double *p;     /* n x K: p[i*K + q], the probability of the true class by the example's features
                      alone, cross-fitted */
    double lambda; /* for a classifier on the examples as they are, */
    int64_t steps; /* and on the way to its minimum */
    double gamma;  /* of the features that were kept; 0: the examples as they are */
    double temperature;
    double likelihood; /* mean log-likelihood of the labels, cross-fitted */
    double *share;     /* K: of true classes among the examples */
    double *deviation; /* K: standard error of 1 - c[q][q], the rest of its column in proportion; p
                          is taken as known */
    double apart; /* share of the labels that the ends of the first two starts explain by different
                     classes; 0 where there was a matrix to start from */
    bool *doubtful; /* K: another label may be as likely for this class as its own, within two
                     * standard errors, by c or by the confident joint; or as good as no example is
                     * of it */
};

/* Estimate the matrix and the probabilities.  y: n classes.  estimate: out; free with
 * estimate_free.  Some 20 to 40 cross-fits.  Same for any number of threads.  0, or -1 with err. */
int estimate_confusion(const struct problem *problem, const int32_t *y, const struct labels *labels,
                       const struct estimate_options *options, struct estimate *estimate,
                       struct error *err);

/* The same with a matrix c that is known: the probabilities, and lambda.  A third of the cost.
 * Features are not asked for. */
int estimate_probabilities(const struct problem *problem, const int32_t *y,
                           const struct labels *labels, const double *c,
                           const struct estimate_options *options, struct estimate *estimate,
                           struct error *err);

/* r: out, K: the posterior of the true class of an example that was observed as y, from its p. */
void estimate_posterior(const double *c, int64_t classes, const double *p, int32_t y, double *r);

/* What was found, a line a class, to `report`; warnings of classes whose noise cannot be told, and
 * of starts that disagree, to `warnings`, with the program's name in front.  Either may be NULL. */
void estimate_print(const struct estimate *estimate, const struct labels *labels,
                    const char *program, FILE *report, FILE *warnings);

/* Bytes that it takes. */
double estimate_bytes(const struct estimate_options *options, const struct problem *problem,
                      int64_t classes);

void estimate_free(struct estimate *estimate);

#endif
