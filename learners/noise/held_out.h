/* How good probabilities of true classes are, judged by noisy labels that the classifier has not
 * seen, through the confusion matrix.
 *
 *   p    softmax of the scores at a temperature       q = C p, of the labels
 *   r    the posterior of the true class, given the label (em.h) */
#ifndef LEARNERS_NOISE_HELD_OUT_H
#define LEARNERS_NOISE_HELD_OUT_H

#include "common/base/error.h"

#include <stdint.h>

struct held_out {
    double agreed;      /* share of examples whose label is the class with the largest p */
    double true_error;  /* 1 - the mean of r of that class: the estimated error against the true
                           classes */
    double log_loss;    /* mean -log q of the label */
    double calibration; /* expected calibration error (calibration.h) */
};

/* scores  n x columns, of a model of K classes: one column for two classes
 * c       K x K
 * out     out
 * 0 or -1.  O(n K). */
int held_out_judge(const double *scores, const int32_t *y, int64_t n, int64_t K, const double *c,
                   double temperature, struct held_out *out, struct error *err);

#endif
