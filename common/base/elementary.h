/* The exponential, the logarithm, the cosine and the hyperbolic tangent from sums, products and
 * quotients only: the same bits on every machine, whereas libm's may differ in the last place
 * (glibc's tanh does between processors with and without fused multiply-add).  There are no
 * branches, so that the compiler can vectorise a loop over classes (vectors_select).
 *
 * Each reduces its argument by a multiple k of a constant (ln 2, pi / 2) and sums a series for the
 * rest.  The constant is split into a high part with so few bits that k times it is exact, and low
 * parts with the remaining bits.  Adding 1.5 * 2^52 (`round`) rounds a double to the nearest
 * integer and leaves that integer in the low bits of the sum (`shifted`). */
#ifndef COMMON_BASE_ELEMENTARY_H
#define COMMON_BASE_ELEMENTARY_H

#include "common/base/vectors.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* e^x as 2^k (1 + p) for x in [-708, 709], where p = e^r - 1 and r = x - k ln 2, |r| <= 0.347.
 * Returns p, within a unit in the last place for the rounded r.  scale: out, 2^k. */
static inline double elementary_exp_parts(double x, double *scale)
{
    static const double log2_e = 1.4426950408889634, ln2_high = 0x1.62e42feep-1,
                        ln2_low = 0x1.a39ef35793c76p-33, round = 0x1.8p52;
    double shifted = x * log2_e + round, k = shifted - round;
    double r = (x - k * ln2_high) - k * ln2_low;
    /* The Taylor series up to r^13 / 13!; its remainder is below 1e-17. */
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = (p * r) * r + r;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52; /* the exponent field of 2^k; the higher bits are shifted out */
    memcpy(scale, &bits, sizeof bits);
    return p;
}

/* e^x within 1.5 units in the last place for x in [-708, 709]; 0 below that and e^709 (8e307) above
 * it, so the result is finite for every x except NaN, which gives NaN. */
static inline double elementary_exp(double x)
{
    const double asked = x;
    x = vectors_select(x < -708, -708, x);
    x = vectors_select(x > 709, 709, x);
    double scale, p = elementary_exp_parts(x, &scale);
    return vectors_select(asked < -708, 0, scale + scale * p);
}

/* tanh x within 3 units in the last place for every x, however small: odd, of magnitude 1 from 22
 * on, NaN for NaN.  Computed as q / (q + 2) with q = e^(2 |x|) - 1, where a small x loses no
 * digits. */
static inline double elementary_tanh(double x)
{
    double size = fabs(x);
    size = vectors_select(size > 22, 22, size);
    double scale, p = elementary_exp_parts(2 * size, &scale);
    double q = (scale - 1) + scale * p;
    return copysign(q / (q + 2), x);
}

/* The natural logarithm of a positive, normal x, within 2 units in the last place. */
static inline double elementary_log(double x)
{
    static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    /* x = 2^e m with m in [sqrt(1/2), sqrt(2)): 0x3fe6a09e... are the bits of sqrt(1/2). */
    int64_t e = (int64_t)((bits - 0x3fe6a09e667f3bcdu) >> 52 << 52) >> 52;
    bits -= (uint64_t)e << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double f = m - 1, s = f / (2 + f), q = s * s; /* log m = 2 artanh s, |s| <= 0.172 */
    double p = 1.0 / 23;
    for (int n = 21; n >= 3; n -= 2)
        p = p * q + 1.0 / n;
    return (double)e * ln2_high + (2 * s + (2 * s * (q * p) + (double)e * ln2_low));
}

/* cos x within 1e-15 for |x| <= 1e6; beyond that a number in [-1, 1] that loses accuracy as |x|
 * grows. */
static inline double elementary_cos(double x)
{
    static const double two_over_pi = 0.63661977236758134, high = 0x1.921fb544p+0,
                        middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69, round = 0x1.8p52;
    double shifted = x * two_over_pi + round, k = shifted - round;
    double r = ((x - k * high) - k * middle) - k * low; /* |r| <= pi / 4 */
    /* A huge x leaves a remainder that is out of range. */
    r = vectors_select(r < -0.8, -0.8, r);
    r = vectors_select(r > 0.8, 0.8, r);
    uint64_t quarter;
    memcpy(&quarter, &shifted, sizeof quarter);
    double q = r * r, c = 1.0 / 20922789888000, s = -1.0 / 1307674368000;
    c = c * q - 1.0 / 87178291200;
    c = c * q + 1.0 / 479001600;
    c = c * q - 1.0 / 3628800;
    c = c * q + 1.0 / 40320;
    c = c * q - 1.0 / 720;
    c = c * q + 1.0 / 24;
    c = c * q - 0.5;
    c = c * q + 1;
    s = s * q + 1.0 / 6227020800;
    s = s * q - 1.0 / 39916800;
    s = s * q + 1.0 / 362880;
    s = s * q - 1.0 / 5040;
    s = s * q + 1.0 / 120;
    s = s * q - 1.0 / 6;
    s = s * q * r + r;
    double value = vectors_select(quarter & 1, s, c); /* cos(r + pi/2) = -sin r, and so on */
    return vectors_select((quarter + 1) & 2, -value, value);
}

#endif
