/* Sums over vectors so short that a call for each would cost as much: inlined where they are used,
 * so that a function compiled for wide registers (common/base/vectors.h) uses these.
 *
 * Eight sums side by side, added up in a fixed order: one after the other each addition would wait
 * for the one before.  Fewer than sixteen numbers are added in their order, which is as fast. */
#ifndef COMMON_LINALG_SHORT_VECTOR_H
#define COMMON_LINALG_SHORT_VECTOR_H

#include "common/base/vectors.h"

#include <math.h>
#include <stdint.h>

enum { SHORT_LANES = 8, SHORT_PLAIN = 16 };

static inline const vector4 *short_four(const double *v)
{
    return (const vector4 *)(const void *)v;
}

static inline double short_add_up(const vector4 side[2])
{
    const vector4 sum = side[0] + side[1];
    return vector4_sum(&sum);
}

static inline double short_sum(int64_t n, const double *v)
{
    double sum = 0;
    int64_t i = 0;
    if (n >= SHORT_PLAIN) {
        vector4 side[2] = {{0}};
        for (; i + SHORT_LANES <= n; i += SHORT_LANES) {
            side[0] += *short_four(v + i);
            side[1] += *short_four(v + i + 4);
        }
        sum = short_add_up(side);
    }
    for (; i < n; i++)
        sum += v[i];
    return sum;
}

/* a'b of a multiple of eight numbers, as eight sums however few they are. */
static inline double short_dot_eights(int64_t n, const double *a, const double *b)
{
    vector4 side[2] = {{0}};
    for (int64_t i = 0; i < n; i += SHORT_LANES) {
        side[0] += *short_four(a + i) * *short_four(b + i);
        side[1] += *short_four(a + i + 4) * *short_four(b + i + 4);
    }
    return short_add_up(side);
}

/* a'b */
static inline double short_dot(int64_t n, const double *a, const double *b)
{
    int64_t i = n >= SHORT_PLAIN ? n - n % SHORT_LANES : 0;
    double sum = i > 0 ? short_dot_eights(i, a, b) : 0;
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The largest number; NaN is passed over.  -INFINITY of none. */
static inline double short_largest(int64_t n, const double *v)
{
    double largest = -INFINITY;
    int64_t i = 0;
    if (n >= SHORT_PLAIN) {
        double side[SHORT_LANES];
        for (int lane = 0; lane < SHORT_LANES; lane++)
            side[lane] = -INFINITY;
        for (; i + SHORT_LANES <= n; i += SHORT_LANES)
            for (int lane = 0; lane < SHORT_LANES; lane++)
                side[lane] = v[i + lane] > side[lane] ? v[i + lane] : side[lane];
        for (int lane = 0; lane < SHORT_LANES; lane++)
            largest = side[lane] > largest ? side[lane] : largest;
    }
    for (; i < n; i++)
        largest = v[i] > largest ? v[i] : largest;
    return largest;
}

#endif
