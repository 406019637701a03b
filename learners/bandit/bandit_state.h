/* The state behind bandit.h, for the rules and for the files of bandit_*; and what the rounds of
 * several rules need. */
#ifndef LEARNERS_BANDIT_BANDIT_STATE_H
#define LEARNERS_BANDIT_BANDIT_STATE_H

#include "common/linear/average.h"
#include "learners/bandit/bandit.h"

struct bandit {
    struct bandit_options options;
    struct labels labels;
    int64_t rounds;       /* that were learnt from */
    double rho[2];        /* the noise rates in force; 0 for a rule that assumes none */
    double h[2];          /* h(0), h(1) for them */
    struct weights w;     /* K columns */
    struct weights sum;   /* average.h; without rows unless an average is wanted */
    void *state;          /* the rule's own */
    double *scores;       /* of the current weights; stride of w */
    double *played;       /* of the average, when it is played; else = scores */
    int64_t greedy;       /* argmax of the current scores */
    double checked_bytes; /* memory that was found to fit */
};

/* Put noise rates in force. */
void bandit_set_rates(struct bandit *b, const double rho[2]);

/* The error of a round whose numbers are not finite, at the line of x.  Returns -1. */
int bandit_refuse_large(const struct example *x, struct error *err);

/* w[cell] += change in the current round, with what averaging needs. */
static inline void bandit_shift(struct bandit *b, int64_t cell, double change)
{
    average_shift(&b->w, &b->sum, b->rounds - 1, cell, change);
}

/* w_k += step x. */
static inline void bandit_move(struct bandit *b, const struct example *x, int64_t k, double step)
{
    for (int64_t e = 0; e < x->size; e++)
        bandit_shift(b, x->index[e] * b->w.stride + k, step * x->value[e]);
}

#endif
