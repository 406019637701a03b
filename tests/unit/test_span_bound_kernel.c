/* The factor of a kernel matrix that may be singular, and the memory that is refused, of the
 * leave-one-out estimates (learners/musvm/span_bound_state.h). */
#include "check.h"
#include "common/base/memory.h"
#include "learners/musvm/span_bound_state.h"

#include <float.h>
#include <string.h>

/* L L' must be this matrix of two rows, with a ridge. */
static void check_factor(double first, double other, double second, double ridge, const char *what)
{
    const double a[] = {first, other, other, second};
    double l[4];
    struct error err = {0};
    CHECK_INT(span_bound_factor(2, a, l, 1, &err), 0, "%s: %s", what, err.message);
    CHECK_NEAR(l[0] * l[0] / (first + ridge), 1, 1e-14, "%s: first of the diagonal", what);
    CHECK_NEAR((l[2] * l[2] + l[3] * l[3]) / (second + ridge), 1, 1e-14,
               "%s: second of the diagonal", what);
    CHECK_NEAR(l[0] * l[2], other, 1e-14, "%s: beside it", what);
}

/* 1e-10 of the mean diagonal, tenfold until the factor exists: the second matrix has an eigenvalue
 * of -3e-8.  Where the diagonal is 0 it is 1e-10, and never less than a normal number. */
static void test_ridge(void)
{
    check_group("the ridge");
    check_factor(4, 1, 8, 6e-10, "a positive definite matrix");
    check_factor(1, 1 + 3e-8, 1, 1e-7, "an indefinite one");
    check_factor(0, 0, 0, 1e-10, "zeros");
    check_factor(1e-300, 0, 1e-300, DBL_MIN, "tiny values");
}

static void test_too_large(void)
{
    const double a[] = {INFINITY};
    double l[1];
    struct error err = {0};
    check_group("values that are too large");
    CHECK_INT(span_bound_factor(1, a, l, 1, &err), -1, "an infinite diagonal");
    CHECK(strstr(err.message, "has no inverse in double precision"), "%s", err.message);
}

/* A number takes eight bytes; rows that do not fit are refused before any is made. */
static void test_memory(void)
{
    const struct musvm_task large = {.n = 1000000000, .m = 1};
    struct musvm_task with;
    struct span_bound_rows own;
    struct error err = {0};
    check_group("memory");
    CHECK_INT(span_bound_check_memory(memory_limit() / 9, &err), 0, "%s", err.message);
    CHECK_INT(span_bound_check_memory(memory_limit() / 7, &err), -1, "8/7 of what there is");
    CHECK(strstr(err.message, "not enough memory for the leave-one-out error"), "%s", err.message);
    CHECK_INT(span_bound_find_rows(&large, 1, &with, &own, &err), -1, "a large matrix");
    CHECK(strstr(err.message, "the kernel matrix for the leave-one-out error"), "%s", err.message);
    span_bound_free_rows(&own);
}

int main(void)
{
    test_ridge();
    test_too_large();
    test_memory();
    return check_finish();
}
