/* Which feature is the largest, and how many times the median one. */
#include "check.h"
#include "common/data/feature_sizes.h"

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
    feature_sizes_compare(problem, &got, &times);
    CHECK_INT(got, largest, "%s: the largest", what);
    CHECK_NEAR(times, ratio, 1e-12, "%s: the ratio", what);
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
    add(&problem, 1, far, one);
    check(&problem, 0, 0, "many features without a value");
    problem_free(&problem);
    return check_finish();
}
