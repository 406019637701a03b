/* The mean of the weights after each of t rounds, without a round that touches what it does not
 * change: beside w stands sum = sum over rounds r of (r - 1) * (change of w in round r), and the
 * mean is w - sum / t. */
#ifndef COMMON_LINEAR_AVERAGE_H
#define COMMON_LINEAR_AVERAGE_H

#include "common/linear/weights.h"

/* w[cell] += change, when `before` rounds were before this one.  sum may be without rows: then
 * nobody wants the mean. */
static inline void average_shift(struct weights *w, struct weights *sum, int64_t before,
                                 int64_t cell, double change)
{
    w->w[cell] += change;
    if (sum->w)
        sum->w[cell] += (double)before * change;
}

/* w, a copy of the weights, becomes their mean after t > 0 rounds. */
static inline void average_take(struct weights *w, const struct weights *sum, int64_t t)
{
    for (int64_t i = 0; i < w->rows * w->stride; i++)
        w->w[i] -= sum->w[i] / (double)t;
}

#endif
