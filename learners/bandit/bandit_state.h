/* The state behind bandit.h; for the files of the bandit family only. */
#ifndef LEARNERS_BANDIT_BANDIT_STATE_H
#define LEARNERS_BANDIT_BANDIT_STATE_H

#include "common/linear/average.h"
#include "common/linear/covariance.h"
#include "learners/bandit/bandit.h"

struct bandit {
    struct bandit_options options;
    struct labels labels;
    int64_t rounds;           /* that were learnt from */
    struct noise_rates rates; /* those in force */
    double h[2];              /* h(0), h(1) for them */
    struct weights w;         /* K columns */
    struct weights sum;       /* average.h; without rows unless an average is wanted */
    struct weights squares;   /* NSM */
    struct covariance sigma; /* SOBA: A^-1.  Diagonal: as w.  Full: one column, one feature for each
                                cell j K + k of w without its padding */
    double margins;          /* SOBA: the sum of the margins that were accepted */
    struct problem kept;     /* RCINE: the rounds since the last estimate */
    double *scores;          /* of the current weights, stride of w */
    double *played;          /* of the average, when it is played; else = scores */
    int64_t greedy;          /* argmax of the current scores */
    double checked_bytes;    /* memory that was found to fit */
};

/* Put rates in force. */
void bandit_set_rates(struct bandit *b, const struct noise_rates *rates);

/* w[cell] += change in the current round, with what averaging needs. */
static inline void bandit_shift(struct bandit *b, int64_t cell, double change)
{
    average_shift(&b->w, &b->sum, b->rounds - 1, cell, change);
}

/* w_k += step x. */
static inline void bandit_move(struct bandit *b, const struct example *x, int64_t k, double step)
{
    for (int64_t i = 0; i < x->size; i++)
        bandit_shift(b, x->index[i] * b->w.stride + k, step * x->value[i]);
}

/* A round of SOBA with f = 1.  0; -1: a number is not finite; BANDIT_NO_MEMORY with err. */
enum { BANDIT_NO_MEMORY = -2 };
int soba_learn(struct bandit *b, const struct example *x, int64_t shown, double p,
               struct error *err);

/* The feature of SOBA's full A that stands for column k of row j; d features have d K + K - 1 as
 * the largest. */
static inline int64_t soba_cell(const struct bandit *b, int64_t j, int64_t k)
{
    return j * b->labels.count + k;
}

#endif
