/* How much the label of each example counts for a classifier that takes labels as they are: about
 * the probability that it is right.
 *
 *   v_i = s_iy, the score of the label y_i of example i (suspicion.h)
 *
 * If the v_i of the labels of a class sum to less than a tenth of its estimated size, they are
 * scaled up to that sum, but none to more than 1: a class is not lost, however doubtful its labels
 * are.  If all are 0, they stay 0.  Where the examples have weights of their own, these over their
 * mean are factors of v, and of the 1 beyond which none is scaled. */
#ifndef LEARNERS_NOISE_LABEL_WEIGHTS_H
#define LEARNERS_NOISE_LABEL_WEIGHTS_H

#include "common/base/error.h"

#include <stdint.h>

/* Of its estimated size, so much of a class is to be left: a rule of thumb.  Less, and a class is
 * lost; more, and its doubtful labels count that ought not to. */
#define LABEL_WEIGHTS_LEAST 0.1

/* Labels, and what is known of their noise. */
struct label_noise {
    int64_t n, classes;
    const int32_t *y;     /* n: observed classes */
    const double *weight; /* n: of the examples; NULL: 1 */
    const double *c;      /* K x K: C[k*K + q] = P(observed k | true q) */
    const double *share;  /* K: of the true classes */
    double unexplained;   /* as suspicion.h has it */
};

/* v: out, n.  p: n x K, probabilities of the true classes, held out.  O(n K).  0 or -1. */
int label_weights(const struct label_noise *noise, const double *p, double *v, struct error *err);

/* What the examples' own weights are multiplied by to have the mean 1; 1 for NULL. */
double label_weights_unit(const double *weight, int64_t n);

/* The own weight of example i, so multiplied. */
static inline double label_weights_own(const double *weight, double unit, int64_t i)
{
    return weight ? weight[i] * unit : 1;
}

#endif
