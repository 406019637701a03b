/* The state behind forward.h; for the files of forward only. */
#ifndef LEARNERS_FORWARD_FORWARD_STATE_H
#define LEARNERS_FORWARD_FORWARD_STATE_H

#include "learners/forward/forward.h"

struct forward {
    struct forward_options options; /* confusion: that below */
    struct labels labels;
    int64_t columns; /* 1 for two classes, else K */
    struct round_counts counts;
    struct weights w;
    struct weights squares; /* s */
    struct weights seen;    /* one column: the round in which a feature occurred last; with lambda
                               = 0: 0 */
    double *confusion;      /* K x K */
    double *probability;    /* K, workspace */
    double *scores;         /* stride of w, workspace */
    double checked_bytes;   /* memory that was found to fit */
};

/* From the scores of an example (stride numbers, K > 2 or one) and the row C[y] of its label:
 * scores become p - r, what its features are multiplied with in the gradient, 0 in the padding.
 * probability: out, K: p.  Returns log sum_q C[y][q] p_q; -INFINITY when C says that this label
 * cannot be: scores are as they were. */
double forward_direction(const double *confusion_row, int64_t K, double *scores, int64_t stride,
                         double *probability);

/* Take from the weights the decay that is due. */
void forward_take_decay(struct forward *f);

#endif
