/* How good probabilities of true classes are, judged by noisy labels that the classifier has not
 * seen, through the confusion matrix.
 *
 *   p    softmax of the scores at a temperature       q = C p, of the labels
 *   r    the posterior of the true class, given the label (em.h)
 *   k    the class with the largest p; y the label
 *
 * The error against the true classes is estimated twice, and the larger estimate taken: 1 - the
 * mean of r_k, and 1 - the mean of C^-1[k][y], by which uma-train goes.  The first is too low where
 * the classifier is too sure of itself; the second is not, but varies more, and says nothing where
 * C is ill-conditioned.  Measured: experiments/forward/choices.md. */
#ifndef LEARNERS_NOISE_HELD_OUT_H
#define LEARNERS_NOISE_HELD_OUT_H

#include "common/base/error.h"

#include <stdint.h>

/* Scores of a model of K classes, and the labels that it has not seen. */
struct held_out_scores {
    int64_t n, K;
    const double *scores; /* n x columns: one column for two classes */
    const int32_t *y;     /* n */
    const double *weight; /* n; NULL: 1 */
    const double *c;      /* K x K, of the labels so weighted */
    double temperature;
};

struct held_out {
    double agreed;      /* share of examples whose label is the class with the largest p */
    double true_error;  /* the estimated error against the true classes; like all below weighted,
                           as the matrix is */
    double log_loss;    /* mean -log q of the label */
    double calibration; /* expected calibration error (calibration.h) */
};

/* judged: out.  0 or -1.  O(n K + K^3); K^2 doubles. */
int held_out_judge(const struct held_out_scores *of, int threads, struct held_out *judged,
                   struct error *err);

#endif
