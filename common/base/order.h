/* Comparisons for qsort: -1, 0 or 1 when one element comes before the other, is equal to it, or
 * comes after it. */
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

#endif
