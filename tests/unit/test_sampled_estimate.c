/* An estimate from some of the examples (learners/estimate/sampled_estimate.h): how many these are,
 * and that it is the estimate of these examples, with a lambda for all of them. */
#include "check.h"
#include "common/base/memory.h"
#include "common/data/rows.h"
#include "forward_drawn.h"
#include "learners/estimate/sampled_estimate.h"

enum { ALL = 600, SOME = 200, LARGEST = 2147483647 };

/* disk: are the examples there? */
static int64_t count_of(int64_t n, bool disk, int32_t d, int64_t asked)
{
    char place; /* which is not looked at */
    const struct problem problem = {.n = n, .d = d, .nnz = n, .disk = disk ? (void *)&place : NULL};
    const struct estimate_options options = {.fit = {.lambda = -1, .steps = -1, .threads = 1}};
    return sampled_count(&problem, 1000, false, &options, asked);
}

/* The weights of 1000 classes and of all features that there can be fit into no memory. */
static void test_count(void)
{
    check_group("how many examples");
    CHECK_INT(count_of(70000, false, 3, 0), 70000, "in memory: all");
    CHECK_INT(count_of(70000, false, 3, 300), 300, "as many as asked");
    CHECK_INT(count_of(200, false, 3, 300), 200, "or all, where these are fewer");
    CHECK_INT(count_of(70000, true, 3, 300), 300, "on disk, as many as asked");
    CHECK_INT(count_of(70000, true, LARGEST, 60000), 60000, "that do not fit, as many as asked");
    CHECK_INT(count_of(1700, true, 3, 0), 1700, "on disk: all of a few");
    CHECK_INT(count_of(70000, true, LARGEST, 0), 50000 / 32, "the least of 50000 half and half");
    CHECK_INT(count_of(2000, true, LARGEST, 0), 1000, "half of 2000, which do not fit");
    CHECK_INT(count_of(1998, true, LARGEST, 0), 1998, "not less than 1000");
}

static void check_same(const double *got, const double *want, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK_NEAR(got[i], want[i], 0, "%s %d", what, (int)i);
}

/* lambda: < 0: chosen.  fine: is asked for, but not of a sample. */
static void test_estimate(double lambda, bool weighted, bool fine)
{
    struct drawn drawn;
    struct problem sample = {0};
    struct estimate got = {0}, want = {0};
    struct error err = {0};
    int64_t chosen[SOME];
    int32_t y[SOME];
    double weight[ALL], own[SOME];
    check_group("an estimate from a third, lambda %g%s%s", lambda, weighted ? ", weights" : "",
                fine ? ", fine" : "");
    drawn_make(3, ALL, 3, 1.5, three, &drawn);
    for (int i = 0; i < ALL; i++)
        weight[i] = 0.5 + i % 3;
    CHECK_INT(rows_sample(&drawn.problem, SOME, 7, &sample, chosen, &err), 0, "%s", err.message);
    for (int i = 0; i < SOME; i++) {
        y[i] = drawn.y[chosen[i]];
        own[i] = weight[chosen[i]];
    }
    const struct labelled all = {.problem = &drawn.problem, .y = drawn.y, .labels = &drawn.labels},
                          some = {.problem = &sample, .y = y, .labels = &drawn.labels};
    struct estimate_options options = {
        .fit = {.lambda = lambda, .seed = 7, .threads = 1, .weight = weighted ? weight : NULL},
        .fine = fine};
    CHECK_INT(sampled_estimate(&all, NULL, &options, SOME, &got, &err), 0, "%s", err.message);
    options.fine = false;
    options.fit.weight = weighted ? own : NULL;
    CHECK_INT(estimate_noise(&some, NULL, &options, &want, &err), 0, "%s", err.message);
    CHECK_INT(got.n, SOME, "examples");
    check_same(got.matrix.c, want.matrix.c, 9, "cell");
    check_same(got.p, want.p, 3 * (int64_t)SOME, "p");
    CHECK(want.classifier.lambda > 0, "lambda %g", want.classifier.lambda);
    CHECK_NEAR(got.classifier.lambda, lambda < 0 ? want.classifier.lambda * SOME / ALL : lambda,
               1e-12 * want.classifier.lambda, "lambda");
    estimate_free(&got);
    estimate_free(&want);
    problem_free(&sample);
    drawn_free(&drawn);
}

/* Of all of them nothing is drawn: lambda and p are as they would be. */
static void test_all(void)
{
    struct drawn drawn;
    struct estimate got = {0}, want = {0};
    struct error err = {0};
    const struct estimate_options options = {.fit = {.lambda = 1e-3, .seed = 7, .threads = 1},
                                             .fine = true};
    check_group("an estimate from all that there are");
    drawn_make(3, SOME, 3, 1.5, three, &drawn);
    const struct labelled all = {.problem = &drawn.problem, .y = drawn.y, .labels = &drawn.labels};
    CHECK_INT(sampled_estimate(&all, NULL, &options, ALL, &got, &err), 0, "%s", err.message);
    CHECK_INT(estimate_noise(&all, NULL, &options, &want, &err), 0, "%s", err.message);
    CHECK_INT(got.n, SOME, "examples");
    check_same(got.p, want.p, 3 * (int64_t)SOME, "p");
    estimate_free(&got);
    estimate_free(&want);
    drawn_free(&drawn);
}

int main(void)
{
    test_count();
    test_estimate(-1, false, false);
    test_estimate(1e-3, true, true);
    test_all();
    return check_finish();
}
