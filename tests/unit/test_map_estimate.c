/* What is said of an estimate where a classifier on features of a kernel takes its place. */
#include "check.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/noise/chance.h"
#include "rings.h"

#include <string.h>

enum { K = 3, N = 240, FEW = 120, FACTORS = 5 };

/* The estimate of the noise of labels of so many classes. */
static void estimate_all(int classes, const struct problem *problem, const int32_t *y,
                         const struct estimate_options *options, struct estimate *e)
{
    struct labels labels = {0};
    struct error err = {0};
    const struct labelled data = {.problem = problem, .y = y, .labels = &labels};
    CHECK(labels_parse(classes == 2 ? "0-1" : "0-2", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_noise(&data, NULL, options, e, &err) == 0, "%s", err.message);
    labels_free(&labels);
}

/* Two features of a kernel explain the labels no better than the examples as they are do, or than
 * `features` random ones.  So the matrix stays what it was without them, though -t rbf takes the
 * classifier on them; and all that was found about the matrix stays with it.  seed: of rings that
 * are then predicted better than by chance. */
static void test_matrix_stays(int features, uint64_t seed)
{
    struct problem problem;
    int32_t y[N];
    struct estimate before = {0}, mapped = {0};
    struct estimate_options options = {
        .features = features, .fit = {.lambda = 1e-2, .steps = -1, .seed = 1, .threads = 1}};
    check_group("what is said of a matrix stays with it, %d random features", features);
    make_rings(seed, K, 0.3, 0, N, &problem, y);
    estimate_all(K, &problem, y, &options, &before);
    options.map = ESTIMATE_RBF;
    options.map_dims = 2;
    estimate_all(K, &problem, y, &options, &mapped);
    CHECK(mapped.input.map && mapped.likelihood < before.likelihood,
          "a poor map: %g, without it %g", mapped.likelihood, before.likelihood);
    CHECK(memcmp(mapped.matrix.c, before.matrix.c, K * K * sizeof *before.matrix.c) == 0,
          "the matrix");
    CHECK(before.matrix.disagreement > 0
              && mapped.matrix.disagreement == before.matrix.disagreement,
          "disagreement %g, before %g", mapped.matrix.disagreement, before.matrix.disagreement);
    CHECK((before.matrix.gamma > 0) == (features > 0) && mapped.matrix.gamma == before.matrix.gamma,
          "gamma %g, before %g", mapped.matrix.gamma, before.matrix.gamma);
    CHECK(memcmp(mapped.matrix.joint, before.matrix.joint, K * K * sizeof *before.matrix.joint)
              == 0,
          "the joint");
    CHECK(memcmp(mapped.matrix.standard_error, before.matrix.standard_error,
                 K * sizeof *before.matrix.standard_error)
              == 0,
          "the standard errors");
    CHECK(memcmp(mapped.matrix.doubtful, before.matrix.doubtful, K * sizeof *before.matrix.doubtful)
              == 0,
          "classes in doubt");
    estimate_free(&before);
    estimate_free(&mapped);
    problem_free(&problem);
}

/* The class says whether the first two features have the same sign, of which a linear model knows
 * nothing.  Half of the labels are drawn anew. */
static void make_signs(uint64_t seed, struct problem *problem, int32_t *y)
{
    struct random g = random_seeded(seed, 4);
    *problem = (struct problem){0};
    for (int i = 0; i < FEW; i++) {
        int32_t index[FACTORS];
        double value[FACTORS];
        for (int j = 0; j < FACTORS; j++) {
            index[j] = j + 1;
            value[j] = 2 * random_uniform(&g) - 1;
        }
        const bool same = value[0] * value[1] > 0;
        const struct example x = {.index = index, .value = value, .size = FACTORS};
        y[i] = random_uniform(&g) < 0.5 ? (int32_t)random_below(&g, 2) : same;
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

/* Softmax regression predicts labels no better than by chance, unless it has features of a kernel
 * that tell the class, and kernel ridge regression takes its place.  Labels are then still
 * predicted by chance unless the decisions of the latter agree with labels that had no part in
 * them: by -t rbf all have had one, however well they agree.  What is predicted by chance is taken
 * as right, by -t auto with a linear classifier.
 *
 * agrees: do the decisions agree with the labels by which the two are compared? */
static void test_chance(const char *name, uint64_t seed, enum estimate_map map, bool agrees,
                        bool by_chance)
{
    struct problem problem;
    int32_t y[FEW];
    struct estimate linear = {0}, e = {0};
    const struct crossfit_options fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1};
    const struct estimate_options options = {.map = map, .map_dims = 20, .fit = fit},
                                  without = {.map = ESTIMATE_LINEAR, .fit = fit};
    check_group("by chance, %s", name);
    make_signs(seed, &problem, y);
    estimate_all(2, &problem, y, &without, &linear);
    CHECK(linear.by_chance, "a linear model predicts the labels");
    estimate_all(2, &problem, y, &options, &e);
    CHECK(e.by_chance == by_chance, "by chance?");
    for (int cell = 0; cell < 4 && by_chance; cell++)
        CHECK_NEAR(e.matrix.c[cell], cell / 2 == cell % 2, 0, "the identity, cell %d", cell);
    if (by_chance && map == ESTIMATE_AUTO) {
        CHECK(e.classifier.kind == ESTIMATE_SOFTMAX && !e.input.map, "a linear classifier");
        CHECK_NEAR(e.classifier.lambda, 0.1, 1e-15, "a strong penalty");
    } else {
        CHECK(e.classifier.kind == ESTIMATE_RIDGE, "kernel ridge regression is taken");
        CHECK((e.ridge.agreement >= CHANCE_ERRORS) == agrees, "agreement %g", e.ridge.agreement);
    }
    estimate_free(&linear);
    estimate_free(&e);
    problem_free(&problem);
}

int main(void)
{
    test_matrix_stays(0, 25);
    test_matrix_stays(50, 2);
    test_chance("labels of rests agree", 459, ESTIMATE_AUTO, true, false);
    test_chance("labels of rests do not agree", 16, ESTIMATE_AUTO, false, true);
    test_chance("known labels agree", 507, ESTIMATE_RBF, true, true);
    test_chance("features of a kernel tell", 11, ESTIMATE_RBF, true, false);
    return check_finish();
}
