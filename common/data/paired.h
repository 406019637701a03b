/* Two losses, or gains, of each example: is their difference d_i more than chance?
 *
 *   sum_i d_i / sqrt(sum_i d_i^2)
 *
 * is the sum of the differences in units of the standard error that it has if their mean is 0. */
#ifndef COMMON_DATA_PAIRED_H
#define COMMON_DATA_PAIRED_H

#include <math.h>

struct paired {
    double sum, squares; /* 0 at first */
};

static inline void paired_add(struct paired *paired, double difference)
{
    paired->sum += difference;
    paired->squares += difference * difference;
}

/* By how many standard errors the differences are above 0; 0 if all are 0. */
static inline double paired_errors(const struct paired *paired)
{
    return paired->squares > 0 ? paired->sum / sqrt(paired->squares) : 0;
}

#endif
