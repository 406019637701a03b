/* Which feature is the largest, how many times the median one, and their spread. */
#include "check.h"
#include "common/data/feature_sizes.h"

#include <math.h>

/* An example of up to four features; index 0 is a bias. */
static void add(struct problem *problem, int n, const int32_t *index, const double *value)
{
    const struct example x = {.index = index, .value = value, .size = n, .label = 1};
    CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
}

static void check(const struct problem *problem, int32_t largest, double ratio, const char *what)
{
    int32_t got = -1;
    double times = -1;
    CHECK_INT(feature_sizes_compare(problem, &got, &times, NULL), 0, "%s", what);
    CHECK_INT(got, largest, "%s: the largest", what);
    CHECK_NEAR(times, ratio, 1e-12, "%s: the ratio", what);
}

static void test_scale(void)
{
    static const int32_t all[] = {1, 2, 3, 4, 0};
    static const double first[] = {3, 0, 1e200, 1e-200, 5}, second[] = {-4, 0, 1, 0, 1};
    struct problem problem = {0};
    struct error err = {0};
    double scale[4] = {0};
    check_group("one over each size");
    add(&problem, 5, all, first);
    add(&problem, 5, all, second);
    CHECK(feature_sizes_scale(&problem, scale, &err) == 0, "%s", err.message);
    CHECK_NEAR(scale[0], sqrt(2 / 25.), 1e-15, "of 3 and -4");
    CHECK(scale[1] == scale[0], "without a value: the least");
    CHECK(scale[2] == scale[0] && scale[3] == scale[0], "squares that are not finite, or 0");
    problem_free(&problem);
}

static void test_common(void)
{
    static const int32_t all[] = {1, 2, 0};
    static const double first[] = {10, 0, 7}, second[] = {10, 2, 7}, weight[] = {1, 1e-3};
    struct problem problem = {0};
    struct error err = {0};
    int64_t decades = -1;
    check_group("what all have in common");
    add(&problem, 3, all, first);
    CHECK(feature_sizes_in_common(&problem, NULL, &decades, &err) == 0, "%s", err.message);
    CHECK_INT(decades, 0, "one example");
    add(&problem, 3, all, second);
    CHECK(feature_sizes_in_common(&problem, NULL, &decades, &err) == 0, "%s", err.message);
    CHECK_INT(decades, 2, "a variance of 1, and 102");
    CHECK(feature_sizes_in_common(&problem, weight, &decades, &err) == 0, "%s", err.message);
    CHECK_INT(decades, 4, "a variance of .004 nearly, and 100");
    problem_free(&problem);
    static const double left[] = {3, 0, 0}, right[] = {-3, 0, 0};
    add(&problem, 3, all, left);
    add(&problem, 3, all, right);
    CHECK(feature_sizes_in_common(&problem, NULL, &decades, &err) == 0, "%s", err.message);
    CHECK_INT(decades, 0, "nothing");
    problem_free(&problem);
}

static void check_spread(const struct problem *problem, const double *weight, double expected,
                         int decades, const char *what)
{
    struct error err = {0};
    double spread = -1;
    CHECK(feature_sizes_spread(problem, weight, &spread, &err) == 0, "%s", err.message);
    int64_t above = -1;
    CHECK_NEAR(spread, expected, 1e-12 * expected, "%s", what);
    CHECK(feature_sizes_decades(problem, weight, &above, &err) == 0, "%s", err.message);
    CHECK_INT(above, decades, "%s: decades", what);
}

static void test_spread(void)
{
    static const int32_t all[] = {1, 2, 3, 4, 0}, none[] = {0};
    static const double first[] = {3, .1, 100, 1e6, 5}, second[] = {-1, .1, 108, -1e6, 1},
                        bias[] = {1}, far[] = {1e200, 1}, weight[] = {1, 2, 1};
    struct problem problem = {0};
    check_group("their spread");
    check_spread(&problem, NULL, 0, 0, "no example");
    add(&problem, 1, none, bias);
    check_spread(&problem, NULL, 0, 0, "a bias alone");
    problem_free(&problem);
    add(&problem, 5, all, first);
    add(&problem, 5, all, second);
    /* Variances 4, 16 and 1e12, which counts as 160; feature 2 is constant. */
    check_spread(&problem, NULL, 4 + 16 + 160, 2, "three features, a constant one and a bias");
    for (int again = 0; again < 2; again++) {
        add(&problem, 5, all, first);
        add(&problem, 5, all, second);
    }
    /* The squares of six .1 do not sum to what rounding makes of their mean. */
    check_spread(&problem, NULL, 4 + 16 + 160, 2, "the same three times");
    problem_free(&problem);
    add(&problem, 5, all, first);
    add(&problem, 5, all, second);
    add(&problem, 5, all, first);
    /* Twice the first and twice the second. */
    check_spread(&problem, weight, 4 + 16 + 160, 2, "weights");
    /* Of four variances the lower of the two in the middle: 25, 36, 64 and 1e12, as 360. */
    problem_free(&problem);
    add(&problem, 4, all, (const double[]){5, 6, 8, 1e6});
    add(&problem, 4, all, (const double[]){-5, -6, -8, -1e6});
    check_spread(&problem, NULL, 25 + 36 + 64 + 360, 3, "four features");
    problem_free(&problem);
    add(&problem, 5, all, first);
    add(&problem, 5, all, second);
    add(&problem, 5, all, first);
    add(&problem, 2, all, far);
    check_spread(&problem, NULL, .151875 + 1987 + 10 * 1987, 4, "a square that is not finite");
    problem_free(&problem);
}

int main(void)
{
    static const int32_t some[] = {1, 2, 4, 0}, bias[] = {0}, far[] = {1000};
    static const double first[] = {3, -40, 1, 1e6}, second[] = {4, 30, 0, 1e6}, one[] = {1};
    struct problem problem = {0};
    check_group("sizes of features");
    check(&problem, 0, 0, "no example");
    add(&problem, 1, bias, one);
    check(&problem, 0, 0, "a bias alone");
    add(&problem, 4, some, first);
    add(&problem, 4, some, second);
    check(&problem, 0, 0, "two values a feature");
    add(&problem, 4, some, first);
    add(&problem, 4, some, second);
    /* The root mean squares of 3 and 4, of 40 and 30, and of 1. */
    check(&problem, 2, 10, "three features, an unused one and a bias");
    /* With a fourth one, of 1.5, the lower of the two in the middle is 1.5: no mean of these. */
    static const int32_t third[] = {3};
    static const double low[] = {1.5};
    for (int i = 0; i < 4; i++)
        add(&problem, 1, third, low);
    check(&problem, 2, sqrt(1250) / 1.5, "four features");
    add(&problem, 1, far, one);
    check(&problem, 0, 0, "many features without a value");
    problem_free(&problem);
    test_scale();
    test_common();
    test_spread();
    return check_finish();
}
