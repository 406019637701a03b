/* Exact conversion without a large table; how, and why it is exact: number.h.  The fast paths here
 * cover nearly every number in data and models; what they cannot decide goes to strtod and
 * snprintf. */
#include "common/base/number.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without 128-bit integers the cases that need them go to the C library: slower, same numbers. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;
    #define HAVE_UINT128 1
#else
    #define HAVE_UINT128 0
#endif

const double number_power10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if HAVE_UINT128
enum { POWERS5 = 28 }; /* 5^27 < 2^63 */
/* clang-format off */
static const uint64_t number_power5[POWERS5] = {
                      1u,                   5u,                  25u,                 125u,
                    625u,                3125u,               15625u,               78125u,
                 390625u,             1953125u,             9765625u,            48828125u,
              244140625u,          1220703125u,          6103515625u,         30517578125u,
           152587890625u,        762939453125u,       3814697265625u,      19073486328125u,
         95367431640625u,     476837158203125u,    2384185791015625u,   11920928955078125u,
      59604644775390625u,  298023223876953125u, 1490116119384765625u, 7450580596923828125u,
};
/* clang-format on */

/* The double nearest to x * 2^exponent, where x = q, or, if sticky, q + some fraction in (0, 1).
 * q > 0, with at least 55 significant bits if sticky; the result must be a normal number. */
static double number_round_binary(uint64_t q, int sticky, int exponent)
{
    int zeros = __builtin_clzll(q);
    q <<= zeros;
    exponent -= zeros;
    uint64_t mantissa = q >> 11, rest = q & 0x7ff;
    /* The mantissa may become 2^53; adding it to the exponent's bits then carries into them, which
     * is right. */
    if (rest > 0x400 || (rest == 0x400 && (sticky || (mantissa & 1))))
        mantissa++;
    uint64_t bits = ((uint64_t)(exponent + 11 + 52 + 1023) << 52)
                    + (mantissa - (UINT64_C(1) << 52));
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The double nearest to digits * 10^exponent; digits > 0, 0 < |exponent| < POWERS5. */
static double number_scale_decimal(uint64_t digits, int exponent)
{
    assert(digits > 0 && exponent != 0 && exponent > -POWERS5 && exponent < POWERS5);
    if (exponent > 0) {
        uint128 product = (uint128)digits * number_power5[exponent];
        uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
        if (high == 0)
            return number_round_binary(low, 0, exponent);
        int zeros = __builtin_clzll(high);
        product <<= zeros;
        return number_round_binary((uint64_t)(product >> 64), (uint64_t)product != 0,
                                   exponent + 64 - zeros);
    }
    uint64_t divisor = number_power5[-exponent];
    int zeros = __builtin_clzll(digits), shift = __builtin_clzll(divisor);
    uint128 numerator = (uint128)(digits << zeros) << 63;
    divisor <<= shift;
    uint64_t quotient = (uint64_t)(numerator / divisor); /* in [2^62, 2^64) */
    int sticky = numerator != (uint128)quotient * divisor;
    return number_round_binary(quotient, sticky, shift - zeros - 63 + exponent);
}
#endif

/* A number without its sign: digits * 10^exponent.  Digits that do not fit into 64 bits only move
 * the exponent; lost: one of them was not 0. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool lost;
};

static void number_add_digit(struct decimal *d, unsigned digit, bool fraction)
{
    if (d->digits < UINT64_C(1000000000000000000)) {
        d->digits = d->digits * 10 + digit;
        d->exponent -= fraction;
    } else {
        d->lost |= digit != 0;
        d->exponent += !fraction;
    }
}

/* The exponent at p, if there is one; where it ends. */
static const char *number_add_exponent(struct decimal *d, const char *p)
{
    if (*p != 'e' && *p != 'E')
        return p;
    const char *q = p + 1;
    const bool minus = *q == '-';
    int64_t e = 0;
    q += *q == '-' || *q == '+';
    if (*q < '0' || *q > '9')
        return p;
    for (; *q >= '0' && *q <= '9'; q++)
        if (e < 1000000000000)
            e = e * 10 + (*q - '0');
    d->exponent += minus ? -e : e;
    return q;
}

/* Any number without a sign, by strtod.  The token [p, end) is copied because it is not
 * NUL-terminated: at most KEEP significant digits, then a 1 if any other digit follows.  768 digits
 * decide how a double is rounded.  The decimal point goes into the exponent, so the locale's does
 * not matter. */
static double number_read_slowly(const char *p, const char *end)
{
    enum { KEEP = 800, LARGEST_EXPONENT = 100000 };
    char copy[KEEP + 64];
    int kept = 0;
    bool fraction = false, rest = false;
    struct decimal d = {0}; /* the exponent only */
    char *out = copy;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (kept < KEEP) {
            if (kept || *p != '0') { /* leading zeros are not significant */
                *out++ = *p;
                kept++;
            }
            d.exponent -= fraction;
        } else {
            rest |= *p != '0';
            d.exponent += !fraction;
        }
    }
    if (!kept)
        *out++ = '0';
    if (rest) {
        *out++ = '1';
        d.exponent--;
    }
    if (p < end)
        number_add_exponent(&d, p);
    if (d.exponent > LARGEST_EXPONENT)
        d.exponent = LARGEST_EXPONENT;
    if (d.exponent < -LARGEST_EXPONENT)
        d.exponent = -LARGEST_EXPONENT;
    snprintf(out, 16, "e%d", (int)d.exponent);
    return strtod(copy, NULL);
}

/* Append the digits at p; where they end.  After the point each lowers the exponent by 1. */
static inline const char *number_add_digits(struct decimal *d, const char *p, bool fraction)
{
    static const uint64_t power[9] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    for (;;) {
        const uint64_t chunk = number_load8(p);
        const int n = number_digits8(chunk);
        if (n == 0)
            return p;
        if (d->digits < UINT64_C(100000000000)) {
            d->digits = d->digits * power[n] + number_value8(chunk, n);
            d->exponent -= fraction ? n : 0;
        } else {
            for (int i = 0; i < n; i++)
                number_add_digit(d, (unsigned)(p[i] - '0'), fraction);
        }
        p += n;
        if (n < 8)
            return p;
    }
}

/* What a number without a sign, [start, end), is worth; INFINITY: more than the largest double. */
static inline double number_value(const struct decimal *d, const char *start, const char *end)
{
    const int64_t exponent = d->exponent;
    if (d->lost)
        return number_read_slowly(start, end);
    if (d->digits == 0)
        return 0;
    if (d->digits <= (uint64_t)NUMBER_LARGEST_INT && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)d->digits / number_power10[-exponent]
                            : (double)d->digits * number_power10[exponent];
    if (exponent == 0)
        return (double)d->digits;
#if HAVE_UINT128
    if (exponent > -POWERS5 && exponent < POWERS5)
        return number_scale_decimal(d->digits, (int)exponent);
#endif
    return number_read_slowly(start, end);
}

enum number_status number_read(const char *start, const char **end, double *value)
{
    const bool negative = *start == '-', has_sign = negative || *start == '+';
    const char *first = start + has_sign;
    struct decimal d = {0};
    const char *p = number_add_digits(&d, first, false);
    bool seen = p > first;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = number_add_digits(&d, fraction, true);
        seen |= p > fraction;
    }
    if (!seen) {
        *end = start;
        return NUMBER_NONE;
    }
    *end = p = number_add_exponent(&d, p);
    const double v = number_value(&d, first, p);
    if (!(v < INFINITY))
        return NUMBER_OVERFLOW;
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
        if (v > (UINT64_MAX - 9) / 10)
            overflow = 1;
        else
            v = v * 10 + (uint64_t)(*p - '0');
    }
    *end = p;
    if (overflow || v > (uint64_t)INT64_MAX + (uint64_t)negative) /* -2^63 is a number, 2^63 not */
        return NUMBER_OVERFLOW;
    int64_t s = (int64_t)(negative ? 0 - v : v);
    if (s < lowest || s > highest)
        return NUMBER_OVERFLOW;
    *value = s;
    return NUMBER_OK;
}

/* Copy a word to copy[0 .. size), where NUMBER_PAD bytes after it may be read.  0, or -1 when it is
 * empty or too long. */
static int number_pad_word(const char *word, char *copy, size_t size)
{
    size_t length = strlen(word);
    if (length == 0 || length + NUMBER_PAD > size)
        return -1;
    memset(copy, 0, size);
    memcpy(copy, word, length);
    return 0;
}

enum number_status number_from_word(const char *word, double *value)
{
    char copy[256];
    const char *end;
    double v;
    if (number_pad_word(word, copy, sizeof copy) != 0)
        return NUMBER_NONE;
    const enum number_status status = number_read(copy, &end, &v);
    if (*end != '\0')
        return NUMBER_NONE;
    if (status == NUMBER_OK)
        *value = v;
    return status;
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

/* "00" to "99": two digits are written at a time. */
static const char number_pairs[201] = "00010203040506070809"
                                      "10111213141516171819"
                                      "20212223242526272829"
                                      "30313233343536373839"
                                      "40414243444546474849"
                                      "50515253545556575859"
                                      "60616263646566676869"
                                      "70717273747576777879"
                                      "80818283848586878889"
                                      "90919293949596979899";

char *number_write_int(char *out, int64_t value)
{
    char text[24], *p = text + sizeof text;
    uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; v >= 10; v /= 100) {
        p -= 2;
        memcpy(p, number_pairs + 2 * (v % 100), 2);
    }
    if (v > 0 || p == text + sizeof text)
        *--p = (char)('0' + v);
    if (value < 0)
        *--p = '-';
    size_t n = (size_t)(text + sizeof text - p);
    memcpy(out, p, n);
    return out + n;
}

const char *number_read_row(const char *p, int64_t count, double *number)
{
    for (int64_t c = 0; c < count; c++) {
        const char *end;
        if (number_read(number_skip_blanks(p), &end, &number[c]) != NUMBER_OK
            || (number_skip_blanks(end) == end && *end != '\n'))
            return NULL;
        p = end;
    }
    return number_skip_blanks(p);
}

char *number_write_entry(char *out, int64_t index, double value)
{
    *out++ = ' ';
    out = number_write_int(out, index);
    *out++ = ':';
    return number_write(out, value);
}

char *number_counted(int64_t count, const char *one, char *out)
{
    const size_t length = strlen(one);
    const char *ending = length > 0 && one[length - 1] == 's' ? "es" : "s";
    snprintf(out, NUMBER_COUNTED, "%lld %.30s%s", (long long)count, one, count == 1 ? "" : ending);
    return out;
}

#if HAVE_UINT128
/* The number in three words over 2^shift, shift in 1 .. 191, rounded to the nearest whole number,
 * ties to even.  floor: out: rounded down.  Both have at most 64 bits. */
static uint64_t number_shift_right(const uint64_t word[3], int shift, uint64_t *floor)
{
    const int w = shift / 64, s = shift % 64, h = shift - 1;
    uint64_t whole = word[w] >> s;
    if (s && w < 2)
        whole |= word[w + 1] << (64 - s);
    /* The first bit after the binary point, and whether another one is set. */
    const bool half = word[h / 64] >> (h % 64) & 1;
    bool rest = (word[h / 64] & ((UINT64_C(1) << (h % 64)) - 1)) != 0;
    for (int i = 0; i < h / 64; i++)
        rest |= word[i] != 0;
    *floor = whole;
    return half && (rest || (whole & 1)) ? whole + 1 : whole;
}

/* v = m * 2^b, m > 0, correctly rounded to 17 significant digits: v ~ digits * 10^(k - 16) with
 * digits (out) in [1e16, 1e17).  Returns 0, or -1 when v is outside the range that 192 bits
 * serve. */
static int number_to_decimal17(uint64_t m, int b, uint64_t *digits, int *k)
{
    /* floor(log10 v) is 0 or 1 more than this estimate (78913 / 2^18 < log10 2 < 78914 / 2^18). */
    int log2 = b + 63 - __builtin_clzll(m);
    int guess = (log2 * (log2 < 0 ? 78914 : 78913)) >> 18;
    for (;; guess++) {
        int q = 16 - guess;
        if (q < 0 || q > 55)
            return -1;
        /* product = m 5^q, in three words; v 10^q = product * 2^(b + q). */
        uint128 five = number_power5[q < 27 ? q : 27];
        if (q > 27)
            five = five * number_power5[q < 54 ? q - 27 : 27] * number_power5[q < 54 ? 0 : q - 54];
        uint128 low = (uint128)m * (uint64_t)five;
        uint128 high = (uint128)m * (uint64_t)(five >> 64) + (uint64_t)(low >> 64);
        uint64_t word[3] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)};
        int shift = -(b + q); /* shifted right by this, the product has 17 or 18 digits */
        if (shift >= 192)
            return -1;
        /* Else it has 18 digits at most: the other words are 0, and no bit is lost. */
        uint64_t floor = shift > 0 ? 0 : word[0] << -shift, whole = floor;
        if (shift > 0)
            whole = number_shift_right(word, shift, &floor);
        if (floor >= UINT64_C(100000000000000000))
            continue; /* 18 digits: the guess was one too small */
        *digits = whole;
        *k = guess;
        if (whole == UINT64_C(100000000000000000)) {
            *digits = UINT64_C(10000000000000000);
            ++*k;
        }
        return 0;
    }
}

/* Write digits * 10^(k - 16), digits in [1e16, 1e17), |k| < 100, in the layout of "%.17g".  Returns
 * the place after it. */
static char *number_write_digits(char *out, uint64_t digits, int k)
{
    char text[17];
    assert(digits >= UINT64_C(10000000000000000) && digits < UINT64_C(100000000000000000));
    for (int i = 15; i > 0; i -= 2) {
        memcpy(text + i, number_pairs + 2 * (digits % 100), 2);
        digits /= 100;
    }
    text[0] = (char)('0' + digits);
    int n = 17;
    while (text[n - 1] == '0') /* the first digit is not */
        n--;
    if (k < -4 || k >= 17) { /* d.ddde+NN */
        *out++ = text[0];
        if (n > 1) {
            *out++ = '.';
            memcpy(out, text + 1, (size_t)(n - 1));
            out += n - 1;
        }
        *out++ = 'e';
        *out++ = k < 0 ? '-' : '+';
        memcpy(out, number_pairs + 2 * (k < 0 ? -k : k), 2);
        return out + 2;
    }
    if (k < 0) { /* 0.000ddd */
        memcpy(out, "0.0000", 6);
        out += 1 - k;
        memcpy(out, text, (size_t)n);
        return out + n;
    }
    const int whole = k + 1; /* digits before the point; after the n there are zeros in text */
    memcpy(out, text, (size_t)whole);
    if (n <= whole)
        return out + whole;
    out[whole] = '.';
    memcpy(out + whole + 1, text + whole, (size_t)(n - whole));
    return out + n + 1;
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
    if (biased > 0 && biased < 2047 && number_to_decimal17(m, biased - 1075, &digits, &k) == 0)
        return number_write_digits(out, digits, k);
#endif
    char text[2 * NUMBER_TEXT]; /* the decimal point of a locale may have several bytes */
    memcpy(&value, &bits, sizeof value);
    snprintf(text, sizeof text, "%.17g", value);
    const char *point = text + strspn(text, "0123456789e+-naif"); /* the end where there is none */
    const size_t whole = (size_t)(point - text), rest = strcspn(point, "0123456789");
    memcpy(out, text, whole);
    out += whole;
    if (*point)
        *out++ = '.';
    const size_t fraction = strlen(point + rest);
    memcpy(out, point + rest, fraction);
    return out + fraction;
}
