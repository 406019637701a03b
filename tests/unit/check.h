/* Checks for the unit tests, in groups: a group is counted as passed or failed, and says what
 * failed in it.
 *
 *     check_group("perceptron, %d classes", 3);       one line `ok NAME` for all that follows, or a
 *                                                     line for each failure:
 *     CHECK(p != NULL, "a learner");                      FAIL NAME: what, got G, want W
 *                                                         (file:line)
 *     CHECK_INT(updates, 7, "updates");
 *     CHECK_NEAR(w, 0.5, 1e-9, "weight %d", j);
 *     return check_finish();
 *
 * The last arguments are a printf format and its arguments, evaluated only on failure, so a check
 * in an inner loop may name its place.  The other arguments are evaluated once. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CHECK_SHOWN = 5
}; /* failures printed in one group: one fault seldom comes alone, and the first ones tell most */

static struct {
    char group[128];     /* its name, "" before the first */
    int64_t group_count; /* checks in the group */
    int64_t group_failed;
    int64_t passed, failed; /* groups */
} check_state;

static inline void check_end_group(void)
{
    if (check_state.group_failed > CHECK_SHOWN)
        printf("FAIL %s: %" PRId64 " failures in all\n", check_state.group,
               check_state.group_failed);
    else if (check_state.group_failed == 0 && check_state.group_count > 0)
        printf("ok %s\n", check_state.group);
    check_state.passed += check_state.group_failed == 0 && check_state.group_count > 0;
    check_state.failed += check_state.group_failed > 0;
    check_state.group_count = check_state.group_failed = 0;
}

__attribute__((format(printf, 1, 2))) static inline void check_group(const char *format, ...)
{
    va_list arguments;
    check_end_group();
    va_start(arguments, format);
    vsnprintf(check_state.group, sizeof check_state.group, format, arguments);
    va_end(arguments);
}

static inline void check_pass(void)
{
    check_state.group_count++;
}

__attribute__((format(printf, 5, 6))) static inline void
check_fail(const char *file, int line, const char *got, const char *want, const char *format, ...)
{
    va_list arguments;
    check_state.group_count++;
    if (++check_state.group_failed > CHECK_SHOWN)
        return;
    printf("FAIL %s: ", check_state.group);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(", got %s, want %s (%s:%d)\n", got, want, file, line);
}

/* Equal up to a tolerance that is absolute for small and relative for large numbers; a NaN is near
 * nothing. */
static inline bool check_near(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

#define CHECK(condition, ...) \
    ((condition) ? check_pass() : check_fail(__FILE__, __LINE__, "false", #condition, __VA_ARGS__))

#define CHECK_INT(got, want, ...)                                                        \
    do {                                                                                 \
        int64_t check_got = (got), check_want = (want);                                  \
        if (check_got == check_want) {                                                   \
            check_pass();                                                                \
        } else {                                                                         \
            char check_texts[2][32];                                                     \
            snprintf(check_texts[0], sizeof check_texts[0], "%" PRId64, check_got);      \
            snprintf(check_texts[1], sizeof check_texts[1], "%" PRId64, check_want);     \
            check_fail(__FILE__, __LINE__, check_texts[0], check_texts[1], __VA_ARGS__); \
        }                                                                                \
    } while (0)

#define CHECK_NEAR(got, want, tolerance, ...)                                            \
    do {                                                                                 \
        double check_got = (got), check_want = (want);                                   \
        if (check_near(check_got, check_want, (tolerance))) {                            \
            check_pass();                                                                \
        } else {                                                                         \
            char check_texts[2][32];                                                     \
            snprintf(check_texts[0], sizeof check_texts[0], "%.17g", check_got);         \
            snprintf(check_texts[1], sizeof check_texts[1], "%.17g", check_want);        \
            check_fail(__FILE__, __LINE__, check_texts[0], check_texts[1], __VA_ARGS__); \
        }                                                                                \
    } while (0)

static inline double check_norm(const double *a, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* Say `N passed, N failed`.  Returns the exit status: 1 when a check failed, or when there was
 * none, as that proves nothing. */
static inline int check_finish(void)
{
    check_end_group();
    printf("%" PRId64 " passed, %" PRId64 " failed\n", check_state.passed, check_state.failed);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    return check_state.failed > 0 || check_state.passed == 0 || !written;
}

#endif
