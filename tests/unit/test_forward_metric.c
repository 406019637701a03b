/* The metrics in which forward's minimum is searched for (learners/forward/forward_metric.h): the
 * second moment against a sum over all examples; by the moment, by the steepest directions and
 * without a metric the same minimum, that of the objective of forward_plain.h, also where features
 * are of unlike scales, alike, many or missing. */
#include "check.h"
#include "common/base/memory.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"

static void test_moment(void)
{
    check_group("the second moment");
    struct set set = set_make(12, 900, 3, FEATURES, NULL);
    double *moment = moment_make(&set, true), sum[D][D] = {{0}};
    for (int64_t i = 0; i < 900; i++) {
        struct example x = problem_example(&set.problem, i);
        for (int64_t a = 0; a < x.size; a++)
            for (int64_t b = 0; b < x.size; b++)
                sum[x.index[a]][x.index[b]] += x.value[a] * x.value[b];
    }
    for (int i = 0; moment && i < D; i++)
        for (int j = 0; j <= i; j++)
            CHECK_NEAR(moment[i * D + j], sum[i][j] / 900 / 2, 1e-13, "row %d, column %d", i, j);
    memory_free(moment);
    set_free(&set);
    check_group("the second moment of many examples");
    struct problem problem = {0};
    struct error err = {0};
    enum { MANY = 30000 };
    for (int i = 0; i < MANY; i++) { /* 1, and a ramp from 0 to 1 */
        int32_t index[] = {0, 1};
        double value[] = {1, (i + 0.5) / MANY};
        struct example x = {.line = i + 1, .size = 2, .index = index, .value = value};
        if (problem_append_example(&problem, &x, &err) < 0)
            break;
    }
    CHECK_INT(problem.n, MANY, "examples");
    struct forward_metric metric;
    CHECK(forward_metric_make(&problem, NULL, &metric, 1, &err) == 0 && metric.moment,
          "a moment: %s", err.message);
    moment = metric.moment;
    if (moment) { /* evenly spaced: much nearer than by chance */
        CHECK_NEAR(moment[0], 0.5, 1e-13, "of the bias");
        CHECK_NEAR(moment[2], 0.25, 2e-4, "of the ramp and the bias");
        CHECK_NEAR(moment[3], 1.0 / 6, 2e-4, "of the ramp");
    }
    memory_free(moment);
    problem_free(&problem);
}

/* Many features and few examples: no moment. */
static void test_wide(int classes)
{
    check_group("no moment, %d classes", classes);
    struct set set = set_make(6, 60, classes, WIDE, NULL);
    double c[CLASSES * CLASSES], w[MOST], g[MOST];
    double *moment = moment_make(&set, false);
    matrix_identity(classes, c);
    struct forward *f = learner_make(&set, NULL, 1e-2);
    struct descent_result result =
        learner_minimise(f, &set, NULL, 60, moment, 1e-8, 1000, 2).result;
    learner_weights(f, &set, w);
    CHECK(result.converged, "converged");
    CHECK_NEAR(result.value / objective(&set, NULL, 60, c, 1e-2, w), 1, 5e-13, "the value");
    find_gradient(&set, NULL, 60, c, 1e-2, NULL, w, g);
    CHECK(check_norm(g, (WIDE + 1) * set.columns) < 1e-7, "a gradient of %g",
          check_norm(g, (WIDE + 1) * set.columns));
    forward_free(f);
    set_free(&set);
}

/* The same minimum through the steepest directions, by any number of threads. */
static void test_steep(int classes)
{
    check_group("the steepest directions, %d classes", classes);
    struct set set = set_make(6, 60, classes, WIDE, NULL);
    struct error err = {0};
    struct forward_metric metric;
    double w[MOST], other[MOST], value[2] = {0};
    CHECK(forward_metric_make(&set.problem, NULL, &metric, 1, &err) == 0 && !metric.moment
              && metric.steep.rows == WIDE + 1,
          "directions: %s", err.message);
    struct forward *plain = learner_make(&set, NULL, 1e-2);
    learner_minimise(plain, &set, NULL, 60, NULL, 1e-9, 1000, 1);
    learner_weights(plain, &set, w);
    for (int threads = 1; threads <= 2; threads++) {
        struct forward *f = learner_make(&set, NULL, 1e-2);
        struct forward_minimum minimum = {
            .epsilon = 1e-9, .evaluations = 1000, .metric = &metric, .threads = threads};
        CHECK(forward_minimise(f, &set.problem, set.y, NULL, 60, &minimum, &err) == 0,
              "a minimum: %s", err.message);
        CHECK(minimum.result.converged, "converged");
        value[threads - 1] = minimum.result.value;
        learner_weights(f, &set, other);
        for (int i = 0; i < (WIDE + 1) * set.columns; i++)
            CHECK_NEAR(other[i], w[i], 1e-6, "weight %d", i);
        /* On from there, where W is not 0: nearly at the end. */
        CHECK(forward_minimise(f, &set.problem, set.y, NULL, 60, &minimum, &err) == 0
                  && minimum.result.iterations <= 5,
              "%d steps from the minimum", (int)minimum.result.iterations);
        forward_free(f);
    }
    CHECK(value[0] == value[1], "other numbers by another number of threads");
    forward_metric_free(&metric);
    forward_free(plain);
    set_free(&set);
}

/* The minimum is reached however unlike the features are, by the moment in far fewer steps. */
static void test_scales(int classes)
{
    check_group("unlike scales, %d classes", classes);
    const double lambda = 1e-6, scale[D] = {1, 1, 1e3, 1e-3, 1e3, 1, 1e-3, 1, 1e3};
    struct set set = set_make(13, 400, classes, FEATURES, scale);
    double c[CLASSES * CLASSES], w[MOST], g[MOST];
    double *moment = moment_make(&set, true);
    matrix_identity(classes, c);
    struct forward *f = learner_make(&set, NULL, lambda);
    struct descent_result with = learner_minimise(f, &set, NULL, 400, moment, 1e-9, 1000, 1).result;
    learner_weights(f, &set, w);
    CHECK(with.converged, "converged");
    CHECK_NEAR(with.value / objective(&set, NULL, 400, c, lambda, w), 1, 5e-13, "the value");
    find_gradient(&set, NULL, 400, c, lambda, scale, w, g);
    for (int i = 0; i < D * set.columns; i++)
        CHECK(fabs(g[i]) < 1e-7 * scale[i / set.columns], "weight %d: a gradient of %g", i, g[i]);
    forward_free(f);
    f = learner_make(&set, NULL, lambda);
    struct descent_result without =
        learner_minimise(f, &set, NULL, 400, NULL, 1e-9, 5 * with.evaluations, 1).result;
    CHECK(!without.converged && without.value > with.value,
          "without the moment no less, %d evaluations, value %g", (int)without.evaluations,
          without.value - with.value);
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* Two features that are the same, one that is always 0, and no penalty: the moment has no inverse,
 * the value has a minimum. */
static void test_singular(int classes)
{
    check_group("features alike, %d classes", classes);
    struct set few = set_make(14, 400, classes, FEATURES - 2, NULL);
    struct set set = {.classes = classes, .columns = few.columns, .d = FEATURES, .y = few.y};
    struct error err = {0};
    double c[CLASSES * CLASSES], w[MOST], g[MOST];
    for (int64_t i = 0; i < 400; i++) {
        struct example from = problem_example(&few.problem, i),
                       x = {.label = from.label, .line = from.line};
        int32_t index[D];
        double value[D];
        for (int64_t e = 0; e < from.size; e++) {
            index[x.size] = from.index[e];
            value[x.size++] = from.value[e];
            if (from.index[e] == 1) {
                index[x.size] = FEATURES;
                value[x.size++] = from.value[e];
            }
        }
        x.index = index;
        x.value = value;
        CHECK(problem_append_example(&set.problem, &x, &err) == 0, "an example: %s", err.message);
    }
    double *moment = moment_make(&set, true), best = 0;
    matrix_identity(classes, c);
    for (int way = 0; way < 2; way++) {
        struct forward *f = learner_make(&set, NULL, 0);
        struct descent_result result =
            learner_minimise(f, &set, NULL, 400, way ? moment : NULL, 1e-7, 1000, 1).result;
        learner_weights(f, &set, w);
        CHECK(result.converged, "converged, %s", way ? "by the moment" : "without");
        CHECK_NEAR(result.value / objective(&set, NULL, 400, c, 0, w), 1, 5e-13, "the value, %s",
                   way ? "by the moment" : "without");
        find_gradient(&set, NULL, 400, c, 0, NULL, w, g);
        CHECK(check_norm(g, D * set.columns) < 1e-6, "a gradient of %g, %s",
              check_norm(g, D * set.columns), way ? "by the moment" : "without");
        if (way)
            CHECK_NEAR(result.value, best, 1e-10, "the same least value");
        best = result.value;
        forward_free(f);
    }
    memory_free(moment);
    set_free(&set);
    problem_free(&few.problem);
}

/* A learner that knows more features than the examples have: nothing but the penalty says what
 * their weights are. */
static void test_more_features(bool with)
{
    check_group("a learner of more features%s", with ? ", by the moment" : "");
    struct set wide = set_make(15, 300, 3, FEATURES, NULL),
               set = set_make(16, 300, 3, FEATURES - 3, NULL);
    double w[MOST], want[MOST];
    double *moment = moment_make(&set, true);
    struct forward *f = learner_make(&wide, NULL, 1e-2), *fresh = learner_make(&set, NULL, 1e-2);
    learner_minimise(f, &wide, NULL, 300, NULL, 1e-3, 1000, 1);
    struct descent_result result =
        learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-8, 1000, 1).result;
    struct descent_result other =
        learner_minimise(fresh, &set, NULL, 300, with ? moment : NULL, 1e-8, 1000, 1).result;
    learner_weights(f, &wide, w);
    learner_weights(fresh, &wide, want);
    CHECK_NEAR(result.value, other.value, 1e-12, "the value");
    for (int i = 0; i < D * 3; i++)
        CHECK_NEAR(w[i], want[i], 1e-6, "weight %d", i);
    forward_free(f);
    forward_free(fresh);
    memory_free(moment);
    set_free(&wide);
    set_free(&set);
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    test_moment();
    test_more_features(false);
    test_more_features(true);
    for (int i = 0; i < 3; i++) {
        const int K = classes[i];
        if (K < 7) {
            test_wide(K);
            test_steep(K);
        }
        test_scales(K);
        test_singular(K);
    }
    return check_finish();
}
