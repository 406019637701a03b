/* The estimate through random features: what their gamma is a multiple of, and whose lambda and
 * steps it has. */
#include "check.h"
#include "learners/estimate/fine_estimate.h"
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

/* Examples through random features of a gamma. */
static void make_features(const struct problem *problem, const struct estimate_options *options,
                          double gamma, struct problem *mapped)
{
    struct feature_map map = feature_map_make(FEATURE_MAP_FOURIER, options->features, gamma,
                                              options->fit.seed);
    struct error err = {0};
    *mapped = (struct problem){0};
    CHECK(feature_map_prepare(&map, 1, &err) == 0
              && feature_map_problem(&map, problem, -1, 1, mapped, &err) == 0,
          "%s", err.message);
    feature_map_free(&map);
}

static const double rings_c[] = {.8, .1, .1, .1, .8, .1, .1, .1, .8};

/* The likeliest of three gammas, by the matrix as it was, makes the features from which all is
 * estimated anew: from that matrix on or, where it is doubtful, from nothing on.
 *
 * rings  as many, of the classes in turn
 * unit   of the features
 * fine   probabilities are wanted as good as can be
 * power  of 2: gamma is to be so many times the unit */
static void test_best(int rings, double unit, bool doubtful, bool fine, int power)
{
    struct problem problem, mapped;
    int32_t y[POINTS];
    double squares = 0, best = 0, likeliest = -INFINITY;
    struct labels labels = {0};
    struct error err = {0};
    struct estimate e = {0}, want = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels},
                          changed = {.problem = &mapped, .y = y, .labels = &labels};
    const struct estimate_options options = {.features = 100,
                                             .map = ESTIMATE_LINEAR,
                                             .fine = fine,
                                             .fit = {.lambda = 1e-3, .seed = 1, .threads = 1}};
    struct crossfit_options once = options.fit;
    once.lambda = 1e-4;
    check_group("gamma of 2^%d / %g^2, from %s on%s", power, unit,
                doubtful ? "nothing" : "the matrix", fine ? ", fine" : "");
    make_rings(1, rings, 0.1, 0, POINTS, &problem, y);
    for (int i = 0; i < POINTS; i++)
        y[i] %= RINGS;
    for (int64_t place = 0; place < problem.nnz; place++)
        problem.value[place] *= unit;
    CHECK(labels_parse("0-2", &labels, &err) == 0, "%s", err.message);
    for (int64_t i = 0; i < POINTS; i++) {
        const double *x = problem_example(&problem, i).value;
        squares += x[0] * x[0] + x[1] * x[1];
    }
    for (int g = 0; g < 3; g++) {
        struct estimate trial = {0};
        make_features(&problem, &options, ldexp(POINTS / squares, g), &mapped);
        CHECK(estimate_make(&changed, rings_c, ESTIMATE_MATRIX, &once, &trial, &err) == 0, "%s",
              err.message);
        if (trial.likelihood > likeliest) {
            likeliest = trial.likelihood;
            best = ldexp(POINTS / squares, g);
        }
        estimate_free(&trial);
        problem_free(&mapped);
    }
    make_features(&problem, &options, best, &mapped);
    CHECK(estimate_make(&changed, doubtful ? NULL : rings_c,
                        doubtful ? ESTIMATE_NOTHING : ESTIMATE_START, &options.fit, &want, &err)
              == 0,
          "%s", err.message);
    if (fine)
        CHECK(estimate_fine_probabilities(&changed, &options.fit, &want, &err) == 0, "%s",
              err.message);
    CHECK(estimate_allocate(POINTS, RINGS, rings_c, &e, &err) == 0, "%s", err.message);
    e.matrix.doubtful[RINGS - 1] = doubtful;
    e.likelihood = want.likelihood + 1e-6;
    CHECK(estimate_try_features(&data, &options, &e, &err) == 0, "%s", err.message);
    CHECK(e.matrix.gamma == 0 && e.likelihood > want.likelihood, "a likelier one stays");
    e.likelihood = want.likelihood - 1e-6;
    CHECK(estimate_try_features(&data, &options, &e, &err) == 0, "%s", err.message);
    CHECK_NEAR(e.matrix.gamma, best, 1e-12, "gamma");
    CHECK_NEAR(log2(best * squares / POINTS), power, 1e-9, "which");
    CHECK_NEAR(e.likelihood, want.likelihood, 1e-9, "the likelihood");
    for (int cell = 0; cell < RINGS * RINGS; cell++)
        CHECK_NEAR(e.matrix.c[cell], want.matrix.c[cell], 1e-6, "entry %d", cell);
    for (int at = 0; at < POINTS * RINGS; at++)
        CHECK_NEAR(e.p[at], want.p[at], 1e-5, "probability %d", at);
    estimate_free(&e);
    estimate_free(&want);
    labels_free(&labels);
    problem_free(&mapped);
    problem_free(&problem);
}

/* Features of which no gamma is finite, or beside which a bias is so large that no digit of an
 * angle is theirs: any random features would be likelier, but none are tried. */
static void test_no_features(const char *name, double unit, double bias, bool tried)
{
    struct problem problem;
    int32_t y[POINTS];
    struct labels labels = {0};
    struct error err = {0};
    struct estimate e = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    const struct estimate_options options = {.features = 10,
                                             .fit = {.lambda = 1e-3, .seed = 1, .threads = 1}};
    check_group("random features of %s", name);
    make_rings(1, RINGS, 0.3, bias, POINTS, &problem, y);
    for (int64_t place = 0; place < problem.nnz; place++)
        problem.value[place] *= problem.index[place] > 0 ? unit : 1;
    CHECK(labels_parse("0-2", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_allocate(POINTS, RINGS, rings_c, &e, &err) == 0, "%s", err.message);
    e.likelihood = -1e9;
    CHECK_INT(estimate_try_features(&data, &options, &e, &err), 0, "%s", err.message);
    CHECK((e.matrix.gamma > 0) == tried, "gamma %g", e.matrix.gamma);
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
    test_best(RINGS, 1, false, false, 0);
    test_best(4 * RINGS, 1, false, true, 1);
    test_best(2 * RINGS, 1e-5, false, false, 2);
    test_best(2 * RINGS, 1, true, true, 2);
    test_no_features("tiny values", 1e-150, 0, true);
    test_no_features("tinier values", 1e-160, 0, false);
    test_no_features("values beside a large bias", 1e-5, 1e6, true);
    test_no_features("values beside a larger bias", 1e-5, 1e7, false);
    test_classifier(5, 0.4, true);
    test_classifier(2, 0.2, false);
    return check_finish();
}
