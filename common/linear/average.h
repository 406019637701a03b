/* The mean of the weights over t rounds, at no more cost than the updates themselves: beside w
 * there is sum = sum over rounds r of (r - 1) * (change of w in round r), and the mean is w - sum /
 * t. */
#ifndef COMMON_LINEAR_AVERAGE_H
#define COMMON_LINEAR_AVERAGE_H

#include "common/linear/weights.h"

/* w[cell] += change, in the round after `before` rounds.  sum may have no rows: then no mean is
 * kept. */
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
