/* The estimate through random features: what their gamma is a multiple of, and whose lambda and
 * steps it has. */
#include "check.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/estimate/richer_estimate.h"
#include "rings.h"
#include "words.h"

enum { N = 360, POINTS = 200, RINGS = 3 };

/* Gamma is 1, 2 or 4 over the mean square of the examples' lengths, to which a bias adds nothing:
 * it is part of no distance. */
static void test_gamma(double bias)
{
    static const double c[RINGS * RINGS] = {.8, .1, .1, .1, .8, .1, .1, .1, .8};
    struct problem problem;
    int32_t y[POINTS];
    double squares = 0;
    struct labels labels = {0};
    struct error err = {0};
    struct estimate e = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    const struct estimate_options options = {.features = 30,
                                             .fit = {.lambda = 1e-3, .seed = 1, .threads = 1}};
    check_group("gamma of random features, bias %g", bias);
    make_rings(1, RINGS, 0.3, bias, POINTS, &problem, y);
    for (int64_t i = 0; i < POINTS; i++) {
        const double *x = problem_example(&problem, i).value;
        squares += x[0] * x[0] + x[1] * x[1];
    }
    CHECK(labels_parse("0-2", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_make(&data, c, ESTIMATE_MATRIX, &options.fit, &e, &err) == 0, "%s", err.message);
    CHECK(estimate_try_features(&data, &options, &e, &err) == 0, "%s", err.message);
    const double multiple = e.matrix.gamma * squares / POINTS, power = round(log2(multiple));
    CHECK(power >= 0 && power <= 2, "%g times the unit", multiple);
    CHECK_NEAR(multiple, exp2(power), 1e-9, "a multiple of the unit");
    estimate_free(&e);
    labels_free(&labels);
    problem_free(&problem);
}

/* Texts whose number of steps is chosen by decisions, or is not.  Random features, whose fits go to
 * the minimum, are taken in place of an estimate of no worth; but what is said of the classifier is
 * found by the texts as they are, through the matrix that is theirs now. */
static void test_classifier(uint64_t seed, double noise, bool decided)
{
    static int32_t y[N];
    static const double c[K * K] = {.7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7};
    struct problem problem;
    struct labels labels = {0};
    struct error err = {0};
    struct estimate e = {0}, plain = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    const struct estimate_options options = {
        .features = 20, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1}};
    check_group("whose steps are %s by decisions", decided ? "chosen" : "not chosen");
    make_words(seed, noise, N, &problem, y);
    CHECK(labels_parse("0-3", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_allocate(N, K, c, &e, &err) == 0, "%s", err.message);
    e.likelihood = -1e9;
    CHECK(estimate_try_features(&data, &options, &e, &err) == 0, "%s", err.message);
    CHECK(e.matrix.gamma > 0, "random features are taken");
    CHECK(estimate_make(&data, e.matrix.c, ESTIMATE_MATRIX, &options.fit, &plain, &err) == 0, "%s",
          err.message);
    CHECK(plain.classifier.steps_by_decisions == decided && plain.classifier.steps > 0, "%d steps",
          (int)plain.classifier.steps);
    CHECK(e.classifier.steps_by_decisions == plain.classifier.steps_by_decisions,
          "steps by decisions?");
    CHECK_INT(e.classifier.steps, plain.classifier.steps, "steps");
    CHECK(e.classifier.lambda == plain.classifier.lambda, "lambda %g, not %g", e.classifier.lambda,
          plain.classifier.lambda);
    CHECK(e.classifier.temperature == plain.classifier.temperature, "temperature %g, not %g",
          e.classifier.temperature, plain.classifier.temperature);
    estimate_free(&e);
    estimate_free(&plain);
    labels_free(&labels);
    problem_free(&problem);
}

int main(void)
{
    test_gamma(0);
    test_gamma(10);
    test_classifier(5, 0.4, true);
    test_classifier(2, 0.2, false);
    return check_finish();
}
