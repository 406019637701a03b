/* Comparisons: for qsort, -1, 0 or 1 when one element comes before the other, is equal to it, or
 * comes after it; and the lesser of two counts. */
#ifndef COMMON_BASE_ORDER_H
#define COMMON_BASE_ORDER_H

#include <stdint.h>

/* The smaller value first; the smaller place first where the values are equal or one is NaN.  For
 * numbers this is a total order, so that every qsort gives the same result.  For the larger value
 * first, exchange a and b. */
static inline int order_by(double a, double b, int64_t place_a, int64_t place_b)
{
    const int by_value = (a > b) - (a < b);
    return by_value != 0 ? by_value : (place_a > place_b) - (place_a < place_b);
}

/* The lesser of two: the last of several blocks may be smaller than the others. */
static inline int64_t order_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
