/* The state of a learner; for forward*.c only. */
#ifndef LEARNERS_FORWARD_FORWARD_STATE_H
#define LEARNERS_FORWARD_FORWARD_STATE_H

#include "learners/forward/forward.h"

struct forward {
    struct forward_options options; /* confusion points to the one below */
    struct labels labels;
    int64_t columns; /* 1 for two classes, else K */
    struct round_counts counts;
    struct weights w;
    struct weights squares; /* s, of the columns of w; fewer rows where only forward_minimise has
                               seen the features of the others, so that no decay is due */
    struct weights seen;    /* one column: the round in which each feature occurred last; only if
                               lambda > 0 */
    double *confusion;      /* K x K */
    double *probability;    /* K, workspace */
    double *scores;         /* stride of w, workspace */
    double checked_bytes;   /* memory that is known to fit */
};

/* The gradient of an example's loss with respect to its scores.
 *
 * confusion_row  K: C[y] of its label
 * scores         stride: in: of K classes, or the one column of two; out: p - r, 0 in the padding
 * probability    out, K: p
 * Returns log sum_q C[y][q] p_q; -INFINITY when the label is impossible according to C:
 * then scores are unchanged. */
double forward_direction(const double *confusion_row, int64_t K, double *scores, int64_t stride,
                         double *probability);

/* Grow the weights for features up to d, but not the state of AdaGrad. */
int forward_grow_weights(struct forward *f, int64_t d, struct error *err);

/* Apply to all weights the decay that is still due (forward.h: the penalty is lazy). */
void forward_take_decay(struct forward *f);

#endif
