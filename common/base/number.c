#include "common/base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;
    #define HAVE_UINT128 1
#else
    #define HAVE_UINT128 \
        0 /* every case that needs it goes to the C library instead: slower, the same numbers */
#endif

const double number_power10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if HAVE_UINT128
enum { POWERS5 = 28 }; /* 5^27 < 2^63 */
static const uint64_t power5[POWERS5] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* The double nearest to (q + something in (0,1) if sticky) * 2^exponent; q > 0 with at least 55
 * significant bits, or not sticky; the result must be a normal number. */
static double round_binary(uint64_t q, int sticky, int exponent)
{
    int zeros = __builtin_clzll(q);
    q <<= zeros;
    exponent -= zeros;
    uint64_t mantissa = q >> 11, rest = q & 0x7ff;
    if (rest > 0x400 || (rest == 0x400 && (sticky || (mantissa & 1))))
        mantissa++; /* may become 2^53: the carry then moves into the exponent below, as it should
                     */
    uint64_t bits = ((uint64_t)(exponent + 11 + 52 + 1023) << 52)
                    + (mantissa - (UINT64_C(1) << 52));
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* digits * 10^exponent, digits > 0, 0 < |exponent| < POWERS5. */
static double scale_decimal(uint64_t digits, int exponent)
{
    if (exponent > 0) {
        uint128 product = (uint128)digits * power5[exponent];
        uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
        if (high == 0)
            return round_binary(low, 0, exponent);
        int zeros = __builtin_clzll(high);
        product <<= zeros;
        return round_binary((uint64_t)(product >> 64), (uint64_t)product != 0,
                            exponent + 64 - zeros);
    }
    uint64_t divisor = power5[-exponent];
    int zeros = __builtin_clzll(digits), shift = __builtin_clzll(divisor);
    uint128 numerator = (uint128)(digits << zeros) << 63;
    divisor <<= shift;
    uint64_t quotient = (uint64_t)(numerator / divisor); /* in [2^62, 2^64) */
    int sticky = numerator != (uint128)quotient * divisor;
    return round_binary(quotient, sticky, shift - zeros - 63 + exponent);
}
#endif

/* Any number, by strtod: the token is copied, for it is not NUL-terminated, with at most 800
 * significant digits and a last one that stands for the rest (a double's rounding is decided by its
 * first 768). */
static double read_slowly(const char *p, const char *end)
{
    enum { KEEP = 800 };
    char copy[KEEP + 64];
    int kept = 0, point = 0, rest = 0;
    int64_t shift = 0;
    char *out = copy;
    if (*p == '-')
        *out++ = '-';
    if (*p == '-' || *p == '+')
        p++;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            point = 1;
        } else if (kept < KEEP) {
            if (kept || *p != '0')
                *out++ = *p, kept++;
            shift -= point;
        } else {
            rest |= *p != '0';
            shift += !point;
        }
    }
    if (!kept)
        *out++ = '0';
    if (rest)
        *out++ = '1', shift--;
    int64_t exponent = 0;
    if (p < end) {
        int negative = p[1] == '-';
        for (p += 1 + (p[1] == '-' || p[1] == '+'); p < end; p++)
            if (exponent < 1000000000000)
                exponent = exponent * 10 + (*p - '0');
        if (negative)
            exponent = -exponent;
    }
    exponent += shift;
    if (exponent > 100000)
        exponent = 100000;
    if (exponent < -100000)
        exponent = -100000;
    snprintf(out, 16, "e%d", (int)exponent);
    return strtod(copy, NULL);
}

enum number_status number_read(const char *start, const char **end, double *value)
{
    const char *p = start;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;

    /* digits * 10^exponent; a digit that no longer fits is left out (lost) and the exponent set
     * right. */
    uint64_t digits = 0;
    int64_t exponent = 0;
    int lost = 0, seen = 0;
    for (int point = 0; point < 2; point++) {
        if (point) {
            if (*p != '.')
                break;
            p++;
        }
        for (;;) {
            uint64_t chunk = number_load8(p);
            int n = number_digits8(chunk);
            if (n == 0)
                break;
            seen = 1;
            if (digits < UINT64_C(100000000000)) {
                static const uint64_t power[9] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};
                digits = digits * power[n] + number_value8(chunk, n);
                if (point)
                    exponent -= n;
            } else {
                for (int i = 0; i < n; i++) {
                    unsigned digit = (unsigned)(p[i] - '0');
                    if (digits < UINT64_C(1000000000000000000)) {
                        digits = digits * 10 + digit;
                        exponent -= point;
                    } else {
                        lost |= digit != 0;
                        exponent += !point;
                    }
                }
            }
            p += n;
            if (n < 8)
                break;
        }
    }
    if (!seen) {
        *end = start;
        return NUMBER_NONE;
    }
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        int minus = *q == '-';
        if (*q == '-' || *q == '+')
            q++;
        if (*q >= '0' && *q <= '9') {
            int64_t e = 0;
            for (; *q >= '0' && *q <= '9'; q++)
                if (e < 1000000000000)
                    e = e * 10 + (*q - '0');
            exponent += minus ? -e : e;
            p = q;
        }
    }
    *end = p;

    double v;
    if (digits == 0 && !lost) {
        v = 0;
    } else if (!lost && digits <= (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
        v = exponent < 0 ? (double)digits / number_power10[-exponent]
                         : (double)digits * number_power10[exponent];
    } else if (!lost && exponent == 0) {
        v = (double)digits;
#if HAVE_UINT128
    } else if (!lost && exponent > -POWERS5 && exponent < POWERS5) {
        v = scale_decimal(digits, (int)exponent);
#endif
    } else {
        v = fabs(read_slowly(start, p));
        if (v > 1.7976931348623157e308)
            return NUMBER_OVERFLOW;
    }
    *value = negative ? -v : v;
    return NUMBER_OK;
}

enum number_status number_read_int(const char *start, const char **end, int64_t lowest,
                                   int64_t highest, int64_t *value)
{
    const char *p = start;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (*p < '0' || *p > '9') {
        *end = start;
        return NUMBER_NONE;
    }
    uint64_t v = 0;
    int overflow = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (UINT64_C(0x7fffffffffffffff) - 9) / 10)
            overflow = 1;
        else
            v = v * 10 + (uint64_t)(*p - '0');
    }
    *end = p;
    int64_t s = negative ? -(int64_t)v : (int64_t)v;
    if (overflow || s < lowest || s > highest)
        return NUMBER_OVERFLOW;
    *value = s;
    return NUMBER_OK;
}

/* Copy a word to where NUMBER_PAD bytes behind it may be read. */
static int pad_word(const char *word, char *copy, size_t size)
{
    size_t length = strlen(word);
    if (length == 0 || length + NUMBER_PAD > size)
        return -1;
    memset(copy, 0, size);
    memcpy(copy, word, length);
    return 0;
}

int number_from_word(const char *word, double *value)
{
    char copy[256];
    const char *end;
    double v;
    if (pad_word(word, copy, sizeof copy) != 0 || number_read(copy, &end, &v) != NUMBER_OK
        || *end != '\0')
        return -1;
    *value = v;
    return 0;
}

int number_int_from_word(const char *word, int64_t lowest, int64_t highest, int64_t *value)
{
    const char *end;
    int64_t v;
    if (number_read_int(word, &end, lowest, highest, &v) != NUMBER_OK || *end != '\0')
        return -1;
    *value = v;
    return 0;
}

/* ---- writing ---- */

static const char pairs[201] = "0001020304050607080910111213141516171819202122232425262728293031323"
                               "3343536373839404142434445464748495051"
                               "5253545556575859606162636465666768697071727374757677787980818283848"
                               "58687888990919293949596979899";

char *number_write_int(char *out, int64_t value)
{
    char text[24], *p = text + sizeof text;
    uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; v >= 10; v /= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (v % 100), 2);
    }
    if (v > 0 || p == text + sizeof text)
        *--p = (char)('0' + v);
    if (value < 0)
        *--p = '-';
    size_t n = (size_t)(text + sizeof text - p);
    memcpy(out, p, n);
    return out + n;
}

#if HAVE_UINT128
/* m * 2^b = v > 0 to 17 significant digits, correctly rounded: digits in [1e16, 1e17) with v ~
 * digits * 10^(k - 16).  Returns 0, or -1 when v lies outside the range that 192 bits serve. */
static int to_decimal17(uint64_t m, int b, uint64_t *digits, int *k)
{
    /* floor(log10 v) is 0 or 1 more than this estimate (78913 / 2^18 < log10 2 < 78914 / 2^18). */
    int log2 = b + 63 - __builtin_clzll(m);
    int guess = (log2 * (log2 < 0 ? 78914 : 78913)) >> 18;
    for (;; guess++) {
        int q = 16 - guess;
        if (q < 0 || q > 55)
            return -1;
        /* product = m 5^q, in three words; v 10^q = product * 2^(b + q). */
        uint128 five = power5[q < 27 ? q : 27];
        if (q > 27)
            five = five * power5[q < 54 ? q - 27 : 27] * power5[q < 54 ? 0 : q - 54];
        uint128 low = (uint128)m * (uint64_t)five;
        uint128 high = (uint128)m * (uint64_t)(five >> 64) + (uint64_t)(low >> 64);
        uint64_t word[3] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)};
        int shift = -(b + q); /* right by so much leaves an integer of 17 or 18 digits */
        uint64_t whole;
        int half, rest; /* the first bit behind the point, and whether any follows */
        if (shift <= 0) {
            whole = word[0] << -shift; /* of 18 digits at most, so there is nothing in the other
                                          words, and no bit is lost */
            half = rest = 0;
        } else {
            if (shift >= 192)
                return -1;
            int w = shift / 64, s = shift % 64;
            whole = word[w] >> s;
            if (s && w < 2)
                whole |= word[w + 1] << (64 - s);
            int h = shift - 1;
            half = (int)(word[h / 64] >> (h % 64)) & 1;
            rest = (word[h / 64] & ((UINT64_C(1) << (h % 64)) - 1)) != 0;
            for (int i = 0; i < h / 64; i++)
                rest |= word[i] != 0;
        }
        if (whole >= UINT64_C(100000000000000000))
            continue; /* 18 digits: the estimate was one too small */
        if (half && (rest || (whole & 1)))
            whole++;
        *digits = whole;
        *k = guess;
        if (whole == UINT64_C(100000000000000000)) {
            *digits = UINT64_C(10000000000000000);
            ++*k;
        }
        return 0;
    }
}
#endif

char *number_write(char *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63)
        *out++ = '-';
    bits &= ~(UINT64_C(1) << 63);
    if (bits == 0) {
        *out++ = '0';
        return out;
    }
#if HAVE_UINT128
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1) << 52), digits;
    int biased = (int)(bits >> 52), k;
    if (biased > 0 && biased < 2047 && to_decimal17(m, biased - 1075, &digits, &k) == 0) {
        char text[17];
        uint64_t rest = digits;
        for (int i = 15; i > 0; i -= 2) {
            memcpy(text + i, pairs + 2 * (rest % 100), 2);
            rest /= 100;
        }
        text[0] = (char)('0' + rest);
        int n = 17;
        while (text[n - 1] == '0') /* the first digit is not */
            n--;
        if (k >= -4 && k < 17) {
            if (k < 0) { /* 0.000ddd */
                memcpy(out, "0.0000", 6);
                out += 1 - k;
                memcpy(out, text, (size_t)n);
                return out + n;
            }
            int whole = k + 1; /* digits in front of the point */
            if (n <= whole) {
                memcpy(out, text, (size_t)whole); /* text holds zeros behind its n digits */
                return out + whole;
            }
            memcpy(out, text, (size_t)whole);
            out[whole] = '.';
            memcpy(out + whole + 1, text + whole, (size_t)(n - whole));
            return out + n + 1;
        }
        *out++ = text[0];
        if (n > 1) {
            *out++ = '.';
            memcpy(out, text + 1, (size_t)(n - 1));
            out += n - 1;
        }
        *out++ = 'e';
        *out++ = k < 0 ? '-' : '+';
        int e = k < 0 ? -k : k; /* two digits: |k| <= 55 */
        memcpy(out, pairs + 2 * e, 2);
        return out + 2;
    }
#endif
    char text[NUMBER_TEXT];
    memcpy(&value, &bits, sizeof value);
    int n = snprintf(text, sizeof text, "%.17g", value);
    memcpy(out, text, (size_t)n);
    return out + n;
}
