/* Decimal text <-> numbers: exact, fast, independent of the locale.
 *
 * Reading gives the double nearest to the text (ties to even), bit for bit what strtod gives in the
 * C locale; hexadecimal numbers, "inf" and "nan" are not accepted.  Writing gives exactly what
 * printf's "%.17g" does, so that reading it returns the same double.
 *
 * How it is exact without a big table, with integers of 128 bits:
 *
 *   reading   D * 10^e, D of at most 19 digits
 *             D <= 2^53, |e| <= 22   one correctly rounded operation on two exact doubles
 *             0 < e <= 27            D * 5^e is exact in 128 bits, rounded once
 *             -27 <= e < 0           D * 2^s / 5^-e: a quotient of at least 62 bits and whether
 *                                    there is a remainder, rounded once
 *             else (rare)            strtod
 *   writing   v = m 2^b
 *             |v| in [1e-39, 1e17)   m * 5^q (q <= 55) is exact in 192 bits; after the binary shift
 *                                    its integer part has the 17 digits, the rest rounds them
 *             else (rare)            snprintf
 *
 * The readers look at up to 8 bytes at a time: NUMBER_PAD bytes after the text must be readable,
 * and the text must be followed by a byte that cannot belong to a number (a newline, say). */
#ifndef COMMON_BASE_NUMBER_H
#define COMMON_BASE_NUMBER_H

#include <stdint.h>
#include <string.h>

enum { NUMBER_PAD = 16, NUMBER_TEXT = 32 };

/* What an option or a model must at least have where it must be above 0: 1/x is finite. */
#define NUMBER_ABOVE_0 1e-300

enum number_status { NUMBER_OK, NUMBER_NONE, NUMBER_OVERFLOW };

/* Read the number at p.  *end: out, the place after it.  NUMBER_NONE, and *end == p: there is none.
 * NUMBER_OVERFLOW: too large for a double.  *value is set only with NUMBER_OK. */
enum number_status number_read(const char *p, const char **end, double *value);

/* Read an optional sign and digits in the same way.  NUMBER_OVERFLOW: not in lowest .. highest. */
enum number_status number_read_int(const char *p, const char **end, int64_t lowest, int64_t highest,
                                   int64_t *value);

static inline const char *number_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* Read `count` numbers of a line, with blanks between them, and the blanks that follow.  Returns
 * the place after these, or NULL. */
const char *number_read_row(const char *p, int64_t count, double *number);

/* Read a NUL-terminated word (an option's value) that must be a number as a whole.
 * number_from_word: as number_read, and NUMBER_NONE where the word goes on after a number.
 * number_int_from_word: 0, or -1 whatever is wrong. */
enum number_status number_from_word(const char *word, double *value);
int number_int_from_word(const char *word, int64_t lowest, int64_t highest, int64_t *value);

/* Write "%.17g" / "%lld" at out (NUMBER_TEXT bytes suffice; no NUL is written).  Returns the place
 * after it. */
char *number_write(char *out, double value);
char *number_write_int(char *out, int64_t value);

/* Write " index:value" in the same way (NUMBER_ENTRY bytes suffice). */
enum { NUMBER_ENTRY = 2 + 2 * NUMBER_TEXT };
char *number_write_entry(char *out, int64_t index, double value);

/* 2^53: whole numbers up to it are doubles. */
#define NUMBER_LARGEST_INT INT64_C(9007199254740992)

/* For people: "1 example", "5 examples", "3 classes".  one: such a word, of at most 30 letters.
 * out: NUMBER_COUNTED bytes.  Returns out. */
enum { NUMBER_COUNTED = 64 };
char *number_counted(int64_t count, const char *one, char *out);

/* 10^n, exact, n = 0 .. 22. */
extern const double number_power10[23];

/* ---- eight digits at a time (SWAR) ----
 *
 * Inline because the tokenizer spends most of its time here.  Measured: 720 MB/s, where a loop over
 * digits reads 450. */

/* The 8 bytes at p as an integer whose lowest byte is the first. */
static inline uint64_t number_load8(const char *p)
{
    uint64_t chunk;
    memcpy(&chunk, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    chunk = __builtin_bswap64(chunk);
#endif
    return chunk;
}

/* Bit 8i+7 is set for each byte i that is not a digit; no other bit is. */
static inline uint64_t number_others8(uint64_t chunk)
{
    uint64_t t = chunk ^ 0x3030303030303030u; /* digits become 0 .. 9 */
    return (((t & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | t) & 0x8080808080808080u;
}

/* How many of the 8 bytes, from the first on, are digits: 0 .. 8. */
static inline int number_digits8(uint64_t chunk)
{
    uint64_t others = number_others8(chunk);
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

/* The value of the first n digits of chunk, n = 1 .. 8. */
static inline uint64_t number_value8(uint64_t chunk, int n)
{
    chunk = (chunk & 0x0f0f0f0f0f0f0f0fu) << (64 - 8 * n); /* 8 digits, the first 8 - n are 0 */
    /* Neighbours are joined: 8 digits to 4 pairs, then those to 2 fours and to 1 number. */
    chunk = (chunk * 10) + (chunk >> 8);
    return (((chunk & 0x000000ff000000ffu) * 0x000f424000000064u)
            + (((chunk >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u))
           >> 32;
}

#endif
