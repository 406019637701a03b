/* Labels that are predicted no better than by chance are taken as right
 * (learners/estimate/confusion_estimate.h); what options say holds, and a known matrix stays. */
#include "check.h"
#include "forward_drawn.h"
#include "learners/estimate/confusion_estimate.h"
#include "quarter.h"

#include <math.h>

enum { COUNT = 150 };

/* Labels of so many classes that have nothing to do with the examples. */
static void drawn_by_chance(uint64_t seed, int classes, struct drawn *drawn)
{
    struct random g = random_seeded(seed, 1);
    drawn_make(21, COUNT, 2, 1.5, two, drawn);
    labels_free(&drawn->labels);
    drawn->labels = labels_make(classes);
    for (int i = 0; i < COUNT; i++)
        drawn->y[i] = (int32_t)random_below(&g, classes);
}

static void estimate(const struct drawn *drawn, const double *known,
                     const struct estimate_options *options, struct estimate *e)
{
    const struct labelled data = {
        .problem = &drawn->problem, .y = drawn->y, .labels = &drawn->labels};
    struct error err = {0};
    CHECK_INT(estimate_noise(&data, known, options, e, &err), 0, "%s", err.message);
}

/* As if the identity had been given, with a strong penalty, and no random features: they could only
 * be of use to find a matrix.  lambda: of the options; < 0: none is given. */
static void test_identity(uint64_t seed, int64_t features, double lambda)
{
    static const double identity[] = {1, 0, 0, 1};
    struct drawn drawn;
    struct estimate got = {0}, want = {0};
    struct estimate_options options = {
        .features = features, .fit = {.lambda = lambda, .steps = -1, .seed = 1, .threads = 1}};
    check_group("labels by chance, seed %d, lambda %g", (int)seed, lambda);
    drawn_by_chance(seed, 2, &drawn);
    estimate(&drawn, NULL, &options, &got);
    CHECK(got.by_chance, "by chance");
    CHECK(memcmp(got.matrix.c, identity, sizeof identity) == 0, "the identity");
    CHECK_NEAR(got.classifier.lambda, lambda < 0 ? 0.1 : lambda, 0, "lambda");
    CHECK_NEAR(got.matrix.gamma, 0, 0, "no random features");
    CHECK_INT(got.n, COUNT, "examples");
    options.fit.lambda = got.classifier.lambda;
    estimate(&drawn, identity, &options, &want);
    CHECK(want.by_chance, "by chance, with a strong penalty");
    for (int cell = 0; cell < 2 * COUNT; cell++)
        CHECK_NEAR(got.p[cell], want.p[cell], 0, "p %d", cell);
    estimate_free(&got);
    estimate_free(&want);
    drawn_free(&drawn);
}

/* A matrix that is known is not doubted for it, and lambda is chosen as ever. */
static void test_known(void)
{
    struct drawn drawn;
    struct estimate e = {0};
    const struct estimate_options options = {
        .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1}};
    check_group("labels by chance, a known matrix");
    drawn_by_chance(21, 2, &drawn);
    estimate(&drawn, two, &options, &e);
    CHECK(e.by_chance, "by chance");
    CHECK(memcmp(e.matrix.c, two, sizeof two) == 0, "the matrix stays");
    CHECK(fabs(e.classifier.lambda - 0.1) > 0.01, "lambda %g is chosen", e.classifier.lambda);
    estimate_free(&e);
    drawn_free(&drawn);
}

/* Of many classes a matrix fits labels that are drawn at random, and its classes get the names with
 * which these agree: neither is to count. */
static void test_many_classes(int64_t features)
{
    const struct estimate_options options = {
        .features = features, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1}};
    check_group("labels of ten classes by chance, %d random features", (int)features);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct drawn drawn;
        struct estimate e = {0};
        drawn_by_chance(seed, 10, &drawn);
        estimate(&drawn, NULL, &options, &e);
        CHECK(e.by_chance, "by chance, seed %d", (int)seed);
        estimate_free(&e);
        drawn_free(&drawn);
    }
}

/* Of few examples a classifier with a strong penalty tells more than one with the lambda that
 * searches begin with, to which a lambda that is given keeps. */
static void test_strong_penalty(uint64_t seed)
{
    struct drawn drawn;
    struct estimate weak = {0}, e = {0};
    struct estimate_options options = {
        .fit = {.lambda = 1e-4, .steps = -1, .seed = 1, .threads = 1}};
    check_group("labels that a strong penalty tells from chance");
    drawn_make(seed, 60, 2, 1.5, two, &drawn);
    estimate(&drawn, NULL, &options, &weak);
    CHECK(weak.by_chance, "by chance, with a weak penalty");
    options.fit.lambda = -1;
    estimate(&drawn, NULL, &options, &e);
    CHECK(!e.by_chance, "not by chance");
    estimate_free(&weak);
    estimate_free(&e);
    drawn_free(&drawn);
}

/* What the examples tell stays told where random features that are taken for the matrix tell
 * nothing. */
static void test_features(uint64_t seed)
{
    const struct estimate_options options = {
        .features = 20, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1}};
    struct drawn drawn;
    struct estimate e = {0};
    check_group("labels by chance through random features alone");
    drawn_make(seed, 60, 2, 1.5, two, &drawn);
    estimate(&drawn, NULL, &options, &e);
    CHECK(!e.by_chance && e.matrix.gamma > 0, "by chance %d, gamma %g", e.by_chance,
          e.matrix.gamma);
    estimate_free(&e);
    drawn_free(&drawn);
}

/* What lengths alone tell: the class is the side of 1 that the length is on. */
static void test_lengths(uint64_t seed)
{
    struct random g = random_seeded(seed, 1);
    struct problem problem = {.keeps_lengths = true};
    struct labels labels = labels_make(2);
    struct estimate e = {0};
    int32_t y[COUNT];
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct error err = {0};
    const struct estimate_options options = {
        .map = ESTIMATE_AUTO, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1}};
    check_group("labels by chance, which lengths tell better");
    for (int i = 0; i < COUNT; i++) {
        const double length = quarter_append(&g, 1, &problem).length;
        y[i] = random_uniform(&g) < 0.7 ? (int32_t)random_below(&g, 2) : length > 1;
    }
    CHECK_INT(estimate_noise(&data, NULL, &options, &e, &err), 0, "%s", err.message);
    CHECK(e.by_chance && e.classifier.kind == ESTIMATE_SOFTMAX && !e.input.map,
          "a linear classifier");
    CHECK_INT(e.input.lengthed.n, COUNT, "examples at their lengths");
    CHECK_NEAR(e.classifier.lambda, 0.1, 0, "lambda");
    estimate_free(&e);
    problem_free(&problem);
    labels_free(&labels);
}

int main(void)
{
    test_identity(21, 20, -1);
    test_identity(21, 20, 1e-3);
    test_identity(58, 0, -1);
    test_known();
    test_many_classes(0);
    test_many_classes(20);
    test_strong_penalty(9);
    test_features(16);
    test_lengths(29);
    return check_finish();
}
