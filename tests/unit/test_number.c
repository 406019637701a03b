/* Numbers: bit for bit what strtod and printf give in the C locale, on millions of random doubles
 * and texts and on the hard cases. */
#include "check.h"
#include "common/base/number.h"
#include "common/base/random.h"

#include <stdarg.h>
#include <stdlib.h>

/* The decimal point of the locale, as printf would have it in a program that calls setlocale. */
static const char *decimal_point = ".";

/* (In brackets, as it may be a macro, too.) */
int(snprintf)(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out, size, format, args);
    va_end(args);
    char *dot = strcmp(format, "%.17g") == 0 ? strchr(out, '.') : NULL;
    if (dot) {
        const size_t bytes = strlen(decimal_point);
        memmove(dot + bytes, dot + 1, strlen(dot));
        memcpy(dot, decimal_point, bytes);
        length += (int)bytes - 1;
    }
    return length;
}

/* A number is written with a dot in any locale, also where printf writes it. */
static void check_locales(void)
{
    static const char *const points[] = {".", ",", "\xd9\xab"}; /* the last one is of Pashto */
    static const double values[] = {
        5e-324, 2.5e-310, -2.2250738585072009e-308, 1.5, -3e10, 1.5e300, 0.1, 1e22, 0, 1e23};
    check_group("decimal points of locales");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            char ours[NUMBER_TEXT + 1], theirs[64];
            decimal_point = points[p];
            *number_write(ours, values[i]) = '\0';
            decimal_point = ".";
            snprintf(theirs, sizeof theirs, "%.17g", values[i]);
            CHECK(strcmp(ours, theirs) == 0, "%s as %s", theirs, ours);
        }
}

static void check_written(double value)
{
    char ours[NUMBER_TEXT + 1], theirs[64];
    *number_write(ours, value) = '\0';
    snprintf(theirs, sizeof theirs, "%.17g", value);
    CHECK(strcmp(ours, theirs) == 0, "%s as %s", theirs, ours);
}

static void check_read(const char *text)
{
    char padded[2048] = {0};
    const char *end;
    double ours = -1, theirs = strtod(text, NULL);
    snprintf(padded, sizeof padded - NUMBER_PAD, "%s", text);
    enum number_status status = number_read(padded, &end, &ours);
    if (isinf(theirs)) {
        CHECK(status == NUMBER_OVERFLOW, "%.60s overflows", text);
    } else {
        CHECK(status == NUMBER_OK && *end == '\0' && memcmp(&ours, &theirs, sizeof ours) == 0,
              "%.60s is %.17g", text, ours);
    }
}

/* A double of one of several kinds: any bits, short decimals, the range of weights, whole
 * numbers. */
static double random_double(struct random *g, int kind)
{
    uint64_t bits = random_next(g);
    double v;
    switch (kind) {
    case 0:
        memcpy(&v, &bits, sizeof v);
        return isfinite(v) ? v : 0;
    case 1:
        return (double)(bits >> 40) / 1000;
    case 2:
        return ldexp((double)(bits >> 11), -(int)random_below(g, 200));
    case 3:
        return (double)(int64_t)bits;
    default:
        return (double)(1 + bits % 1000)
               * (bits & 1024 ? number_power10[bits % 23] : 1 / number_power10[bits % 23]);
    }
}

static void check_random(void)
{
    struct random g = {7};
    check_group("random doubles, written");
    for (int i = 0; i < 400000; i++)
        check_written(random_double(&g, i % 5));
    check_group("random doubles in random precision, read");
    for (int i = 0; i < 400000; i++) {
        char text[512];
        double v = random_double(&g, i % 5);
        int digits = (int)random_below(&g, 24), form = fabs(v) < 1e30 ? i / 5 % 3 : i / 5 % 2;
        if (form == 0)
            snprintf(text, sizeof text, "%.*g", digits, v);
        else if (form == 1)
            snprintf(text, sizeof text, "%.*e", digits, v);
        else
            snprintf(text, sizeof text, "%.*f", digits, v);
        check_read(text);
    }
    check_group("random digits, read");
    for (int i = 0; i < 400000; i++) {
        char text[128];
        int n = 1 + (int)random_below(&g, 40), point = (int)random_below(&g, n + 1), length = 0;
        for (int k = 0; k < n; k++) {
            if (k == point && k > 0)
                text[length++] = '.';
            text[length++] = (char)('0' + random_below(&g, i % 3 ? 10 : 2));
        }
        if (i % 2)
            length += snprintf(text + length, 16, "e%d", (int)random_below(&g, 700) - 350);
        text[length] = '\0';
        check_read(text);
    }
}

static void check_hard(void)
{
    static const char *const text[] = {"0",
                                       "-0",
                                       "0.0",
                                       ".5",
                                       "5.",
                                       "+1",
                                       "00000000000000000000001",
                                       "0.00000000000000000000000000000000000000001",
                                       "1e22",
                                       "1e23",
                                       "9007199254740993",
                                       "9007199254740992.5",
                                       "9007199254740993.00000000000000000000000000001",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "99999999999999999999",
                                       "1.7976931348623157e308",
                                       "1.7976931348623158e308",
                                       "1.7976931348623159e308",
                                       "1e309",
                                       "1e999999999999999999999",
                                       "1e-999999999999999999999",
                                       "4.9406564584124654e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "2.2250738585072011e-308",
                                       "2.2250738585072014e-308",
                                       "6.9294956446009195e15",
                                       "3.7455744005952583e15",
                                       "0e999",
                                       "0.000e-400",
                                       "123456789012345678901234567890",
                                       "1.00000000000000011102230246251565404236316680908203125",
                                       "1.00000000000000011102230246251565404236316680908203124",
                                       "1.00000000000000011102230246251565404236316680908203126",
                                       "1E5",
                                       "1e+5"};
    check_group("hard texts, read");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        check_read(text[i]);

    check_group("a thousand digits, read");
    char digits[1100] = "1.0000000000000001110223024625156540423631668090820312";
    size_t n = strlen(digits);
    memset(digits + n, '0', 1000);
    digits[n + 1000] = '\0';
    strcpy(digits + n, "5"); /* a tie */
    check_read(digits);
    memset(digits + n + 1, '0', 990);
    digits[n + 991] = '1'; /* a hair above it */
    digits[n + 992] = '\0';
    check_read(digits);

    static const double value[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.1,
                                   1e16,
                                   1e17,
                                   123456789012345678.0,
                                   9.9999999999999995e-5,
                                   1e-4,
                                   1e-5,
                                   0.5,
                                   1.0 / 3,
                                   5e-324,
                                   1.7976931348623157e308,
                                   2.2250738585072014e-308,
                                   1e-39,
                                   1e-38,
                                   9.9999999999999999e22,
                                   99999999999999990.0,
                                   99999999999999984.0,
                                   0x1p-52,
                                   0x1p52,
                                   0x1p53,
                                   0x1p60};
    check_group("hard doubles, written");
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        check_written(value[i]);
    check_group("powers of two and ten, written");
    for (int e = -1074; e < 1024; e++)
        check_written(ldexp(1, e));
    for (int e = -320; e <= 308; e++) {
        char power[16];
        snprintf(power, sizeof power, "1e%d", e);
        check_written(strtod(power, NULL));
    }
}

static void check_refused(void)
{
    static const char *const text[] = {"",   "x",   ".",   "-",    "+",  "e5", ".e5",
                                       "-.", "nan", "inf", "-inf", " 1", "--1"};
    check_group("no numbers");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char padded[64] = {0};
        const char *end;
        double value = 42;
        snprintf(padded, 32, "%s", text[i]);
        CHECK(number_read(padded, &end, &value) == NUMBER_NONE && end == padded && value == 42,
              "\"%s\"", text[i]);
    }
    check_group("how far a number goes");
    const char *end, padded[64] = "1e+x 0x10 12e3.5";
    double value;
    CHECK(number_read(padded, &end, &value) == NUMBER_OK && end == padded + 1,
          "1e+x ends before e");
    CHECK(number_read(padded + 5, &end, &value) == NUMBER_OK && end == padded + 6,
          "0x10 ends before x");
    CHECK(number_read(padded + 10, &end, &value) == NUMBER_OK && end == padded + 14,
          "12e3.5 ends before the point");
}

static void check_integers(void)
{
    int64_t value = 0;
    check_group("whole numbers");
    CHECK(number_int_from_word("9223372036854775807", INT64_MIN, INT64_MAX, &value) == 0
              && value == INT64_MAX,
          "2^63 - 1");
    CHECK(number_int_from_word("-9223372036854775808", INT64_MIN, INT64_MAX, &value) == 0
              && value == INT64_MIN,
          "-2^63");
    CHECK(number_int_from_word("9223372036854775808", INT64_MIN, INT64_MAX, &value) != 0
              && number_int_from_word("-9223372036854775809", INT64_MIN, INT64_MAX, &value) != 0
              && number_int_from_word("18446744073709551616", INT64_MIN, INT64_MAX, &value) != 0,
          "beyond these");
    CHECK(number_int_from_word("2147483647", INT32_MIN, INT32_MAX, &value) == 0
              && value == INT32_MAX,
          "2^31 - 1");
    CHECK(number_int_from_word("-2147483648", INT32_MIN, INT32_MAX, &value) == 0
              && value == INT32_MIN,
          "-2^31");
    CHECK(number_int_from_word("2147483648", INT32_MIN, INT32_MAX, &value) != 0,
          "2^31 is out of range");
    CHECK(number_int_from_word("4294967297", INT32_MIN, INT32_MAX, &value) != 0,
          "2^32 + 1 is out of range");
    CHECK(number_int_from_word("99999999999999999999999", INT64_MIN, INT64_MAX, &value) != 0,
          "10^23 is out of range");
    CHECK(number_int_from_word("1x", 0, 9, &value) != 0
              && number_int_from_word("", 0, 9, &value) != 0,
          "junk");
    static const struct {
        int64_t count;
        const char *one, *text;
    } counted[] = {{0, "round", "0 rounds"},   {1, "round", "1 round"}, {2, "round", "2 rounds"},
                   {11, "round", "11 rounds"}, {1, "class", "1 class"}, {3, "class", "3 classes"}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        char text[NUMBER_COUNTED];
        CHECK(strcmp(number_counted(counted[i].count, counted[i].one, text), counted[i].text) == 0,
              "\"%s\" is not \"%s\"", text, counted[i].text);
    }
    struct random g = {3};
    for (int i = 0; i < 10000; i++) {
        char ours[NUMBER_TEXT], theirs[32];
        int64_t v = (int64_t)random_next(&g) >> (i % 64);
        *number_write_int(ours, v) = '\0';
        snprintf(theirs, sizeof theirs, "%" PRId64, v);
        CHECK(strcmp(ours, theirs) == 0, "%s as %s", theirs, ours);
    }
}

/* Rows of two numbers, and what is none; then an entry. */
static void check_rows(void)
{
    check_group("rows of numbers, and an entry");
    static const struct {
        const char *line;
        int64_t used; /* < 0: no row */
    } rows[] = {{"1 2\n", 3},    {" 1\t2 \r\n", 6}, {"1 2 3:4\n", 4},  {"1 2", -1}, {"1\n", -1},
                {"1 2:3\n", -1}, {"1 2x\n", -1},    {"1 1e999\n", -1}, {"\n", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[16 + NUMBER_PAD] = "";
        double number[2] = {0};
        memcpy(line, rows[i].line, strlen(rows[i].line));
        const char *end = number_read_row(line, 2, number);
        const int64_t used = end ? end - line : -1;
        CHECK_INT(used, rows[i].used, "\"%s\"", rows[i].line);
        CHECK(used < 0 || (number[0] > 0 && number[0] + 1 <= number[1]), "\"%s\": numbers",
              rows[i].line);
    }
    char text[NUMBER_ENTRY];
    *number_write_entry(text, -3, 0.5) = '\0';
    CHECK(strcmp(text, " -3:0.5") == 0, "an entry: \"%s\"", text);
}

int main(void)
{
    check_hard();
    check_refused();
    check_integers();
    check_rows();
    check_random();
    check_locales();
    return check_finish();
}
