/* Forward's minimum (learners/forward/forward_minimum.h) of what is hard to take: labels that
 * cannot be, weights that are far away, numbers and weights that are too large. */
#include "check.h"
#include "common/base/memory.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"

#include <string.h>

/* A label that no class is observed as teaches nothing, and is no reason to stop; nor is one that
 * the class of an example cannot have. */
static void test_impossible(int classes, bool with)
{
    check_group("a label that cannot be, %d classes%s", classes, with ? ", by the moment" : "");
    struct set set = set_make(10, 300, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES] = {0}, w[MOST], g[MOST];
    double *moment = moment_make(&set, true);
    matrix_make(11, classes, 0.8, c);
    for (int q = 0; q < classes; q++) {
        c[classes + q] += c[q]; /* 0 is observed as 1 */
        c[q] = 0;
    }
    struct forward *f = learner_make(&set, c, 1e-2);
    struct descent_result result =
        learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-7, 1000, 1).result;
    learner_weights(f, &set, w);
    CHECK(result.converged && isfinite(result.value) && isfinite(result.gradient),
          "value %g, gradient %g", result.value, result.gradient);
    for (int i = 0; i < D * set.columns; i++)
        CHECK(isfinite(w[i]), "weight %d", i);
    find_gradient(&set, NULL, 300, c, 1e-2, NULL, w, g);
    CHECK(check_norm(g, D * set.columns) < 1e-6, "a gradient of %g",
          check_norm(g, D * set.columns));
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* Weights that make scores of thousands are no reason to end elsewhere: F is convex, and each wrong
 * score adds to it, however wrong. */
static void test_far(int classes, bool with)
{
    check_group("from far away, %d classes%s", classes, with ? ", by the moment" : "");
    struct set set = set_make(17, 300, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], w[MOST], g[MOST];
    struct forward *f = learner_make(&set, NULL, 1e-2);
    learner_minimise(f, &set, NULL, 300, NULL, 1e-3, 1000, 1);
    for (int64_t e = 0; e < set.problem.nnz; e++)
        set.problem.value[e] *= -3000;
    double *moment = with ? moment_make(&set, true) : NULL;
    matrix_identity(classes, c);
    learner_weights(f, &set, w);
    struct descent_result result = learner_minimise(f, &set, NULL, 300, moment, 1e-8, 1, 1).result;
    CHECK_NEAR(result.value / objective(&set, NULL, 300, c, 1e-2, w), 1, 5e-13, "the value there");
    result = learner_minimise(f, &set, NULL, 300, moment, 1e-8, 3000, 1).result;
    learner_weights(f, &set, w);
    CHECK(result.converged, "converged");
    CHECK_NEAR(result.value / objective(&set, NULL, 300, c, 1e-2, w), 1, 5e-13,
               "the value at the end");
    double scale[D];
    for (int j = 0; j < D; j++)
        scale[j] = 3000;
    find_gradient(&set, NULL, 300, c, 1e-2, scale, w, g);
    CHECK(check_norm(g, D * set.columns) < 3000 * 1e-6, "a gradient of %g",
          check_norm(g, D * set.columns));
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* Numbers that are too large are refused with their place; where there are weights, F may be a
 * number, and then it is the one that is reported. */
static void test_too_large(int classes, bool with, bool there, double large)
{
    check_group("numbers of %g, %d classes%s%s", large, classes,
                there ? ", weights that are there" : "", with ? ", by the moment" : "");
    struct set set = set_make(17, 100, classes, FEATURES, NULL);
    struct error err = {0};
    struct forward *f = learner_make(&set, NULL, 1e-2);
    double c[CLASSES * CLASSES], w[MOST];
    double *moment = with ? moment_make(&set, true) : NULL;
    if (there)
        learner_minimise(f, &set, NULL, 100, moment, 1e-3, 1000, 1);
    for (int64_t e = set.problem.row_start[60]; e < set.problem.row_start[61]; e++)
        set.problem.value[e] = e % 2 ? large : -large;
    const struct forward_metric metric = {.moment = moment};
    struct forward_minimum minimum = {
        .epsilon = 1e-6, .evaluations = 1000, .metric = moment ? &metric : NULL, .threads = 2};
    if (forward_minimise(f, &set.problem, set.y, NULL, 100, &minimum, &err) == 0) {
        CHECK(there, "it is not refused");
        matrix_identity(classes, c);
        learner_weights(f, &set, w);
        CHECK_NEAR(minimum.result.value / objective(&set, NULL, 100, c, 1e-2, w), 1, 5e-13,
                   "the value, %g", minimum.result.value);
    } else {
        CHECK(err.message[0], "a message");
        CHECK_INT(err.line, 3 * 60 + 5, "the line (%s)", err.message);
    }
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* A sum that is not finite because of the weights is no example's fault, and one that is not in the
 * subset is not looked at. */
static void test_nobody_to_blame(void)
{
    enum { N = 60 };
    check_group("weights that are too large");
    struct set set = set_make(17, N + 1, 3, FEATURES, NULL);
    struct error err = {0};
    int64_t subset[N + 1];
    for (int64_t i = 0; i <= N; i++)
        subset[i] = i;
    for (int64_t e = set.problem.row_start[N]; e < set.problem.row_start[N + 1]; e++)
        set.problem.value[e] = 1e200;
    struct forward *f = learner_make(&set, NULL, 1e-2);
    learner_minimise(f, &set, subset, N, NULL, 1e-3, 1000, 1);
    f->w.w[f->w.stride] = 1e200;
    struct forward_minimum minimum = {
        .measures_mean = true, .epsilon = 1e-6, .evaluations = 1000, .threads = 1};
    CHECK_INT(forward_minimise(f, &set.problem, set.y, subset, N, &minimum, &err), -1,
              "it is refused");
    CHECK(strstr(err.message, "a sum is not finite") != NULL, "%s", err.message);
    CHECK_INT(err.line, 0, "no line");
    forward_free(f);
    set_free(&set);
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    test_nobody_to_blame();
    for (int i = 0; i < 3; i++) {
        const int K = classes[i];
        for (int with = 0; with < 2; with++) {
            test_impossible(K, with);
            test_far(K, with);
            test_too_large(K, with, false, 1e200);
            /* wrong by far with one sign, right with the other */
            test_too_large(K, with, true, 1e200);
            test_too_large(K, with, true, -1e200);
        }
    }
    return check_finish();
}
