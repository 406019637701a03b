/* Forward's minimum (learners/forward/forward_minimum.h) against the objective and the gradient of
 * forward_plain.h: values and gradients on the way and at the end, from weights that are there, of
 * a subset, of weighted examples, by any number of threads.
 *
 *   searched in   V = L' W, L L' = mean x x' / 2 + lambda I, so the gradient with respect to V is
 *                 L^-1 times that with respect to W */
#include "check.h"
#include "common/base/memory.h"
#include "common/data/rows.h"
#include "common/linalg/conjugate.h"
#include "common/linalg/lbfgs.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_settle.h"
#include "learners/forward/forward_state.h"

#include <string.h>

/* |g|, g with respect to V: L^-1 g, L by Cholesky of the moment and lambda. */
static double moment_norm(const struct set *set, const double *moment, double lambda,
                          const double *g)
{
    const int rows = set->d + 1, columns = set->columns;
    double l[D][D], v[D * CLASSES];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = moment[i * rows + j] + (i == j ? lambda : 0);
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
        for (int k = 0; k < columns; k++) {
            v[i * columns + k] = g[i * columns + k];
            for (int j = 0; j < i; j++)
                v[i * columns + k] -= l[i][j] * v[j * columns + k];
            v[i * columns + k] /= l[i][i];
        }
    }
    return check_norm(v, rows * columns);
}

/* The length that the header means. */
static double gradient_norm(const struct set *set, const double *moment, double lambda,
                            const double *g)
{
    return moment ? moment_norm(set, moment, lambda, g)
                  : check_norm(g, (set->d + 1) * set->columns);
}

/* The numbers that are reported are those of the plain sums at the weights, on the way and at the
 * end, and the end is where the gradient is as small as was asked. */
static void test_objective(int classes, double lambda, bool identity, bool with)
{
    check_group("the objective, %d classes, lambda %g%s%s", classes, lambda,
                identity ? ", no matrix" : "", with ? ", by the moment" : "");
    struct set set = set_make(1, 150, classes, FEATURES, NULL);
    const int size = D * set.columns;
    double c[CLASSES * CLASSES], w[MOST], g[MOST], zero[MOST] = {0};
    double *moment = moment_make(&set, true), *used = with ? moment : NULL;
    identity ? matrix_identity(classes, c) : matrix_make(2, classes, 0.7, c);
    find_gradient(&set, NULL, 150, c, lambda, NULL, zero, g);
    const double first = gradient_norm(&set, used, lambda, g);
    static const int limits[] = {1, 2, 4, 7, 1000};
    for (int i = 0; i < 5; i++) {
        struct forward *f = learner_make(&set, identity ? NULL : c, lambda);
        struct descent_result result =
            learner_minimise(f, &set, NULL, 150, used, 1e-7, limits[i], 1).result;
        learner_weights(f, &set, w);
        CHECK_NEAR(result.value / objective(&set, NULL, 150, c, lambda, w), 1, 5e-13,
                   "limit %d: the value", limits[i]);
        find_gradient(&set, NULL, 150, c, lambda, NULL, w, g);
        CHECK_NEAR(result.gradient, gradient_norm(&set, used, lambda, g), 1e-9,
                   "limit %d: the gradient", limits[i]);
        CHECK(limits[i] > 1 || memcmp(w, zero, (size_t)size * sizeof *w) == 0,
              "one pass goes nowhere");
        CHECK(result.converged == (limits[i] == 1000), "limit %d: converged", limits[i]);
        if (limits[i] == 1000) {
            CHECK(result.gradient <= 1e-7 * first * 1.000001, "gradient %g, %g at 0",
                  result.gradient, first);
            CHECK(check_norm(g, size) < 1e-6, "a gradient of %g", check_norm(g, size));
            struct descent_result again =
                learner_minimise(f, &set, NULL, 150, used, 1e-7, 1000, 1).result;
            CHECK_INT(again.iterations, 0, "iterations from the minimum");
            CHECK_NEAR(again.value / result.value, 1, 1e-13, "the value again");
        }
        forward_free(f);
    }
    memory_free(moment);
    set_free(&set);
}

/* From weights that were learnt online (lambda > 0: with decays that are due): the first pass is at
 * these, and the gradient is compared with that at W = 0. */
static void test_begin(int classes, double lambda, bool with)
{
    check_group("from weights that are there, %d classes, lambda %g%s", classes, lambda,
                with ? ", by the moment" : "");
    struct set set = set_make(3, 300, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], w[MOST], after[MOST], g[MOST], zero[MOST] = {0};
    double *moment = moment_make(&set, true), *used = with ? moment : NULL;
    matrix_make(4, classes, 0.8, c);
    find_gradient(&set, NULL, 300, c, lambda, NULL, zero, g);
    const double first = gradient_norm(&set, used, lambda, g);
    for (int less = 0; less < 2; less++) {
        struct forward *f = learner_make(&set, c, lambda);
        learner_learn(f, &set, 0, 200);
        learner_weights(f, &set, w);
        struct descent_result result =
            learner_minimise(f, &set, NULL, 300, used, 1e-9, 1, 1).result;
        learner_weights(f, &set, after);
        for (int i = 0; i < D * set.columns; i++)
            CHECK_NEAR(after[i], w[i], 1e-13, "weight %d after one pass", i);
        CHECK_NEAR(result.value / objective(&set, NULL, 300, c, lambda, w), 1, 5e-13,
                   "the value there");
        find_gradient(&set, NULL, 300, c, lambda, NULL, w, g);
        CHECK_NEAR(result.gradient, gradient_norm(&set, used, lambda, g), 1e-9,
                   "the gradient there");
        result = learner_minimise(f, &set, NULL, 300, used,
                                  (less ? 0.9999 : 1.0001) * result.gradient / first, 1000, 1)
                     .result;
        CHECK(result.converged && (result.iterations > 0) == less, "%d iterations from epsilon %s",
              (int)result.iterations, less ? "just below" : "just above");
        forward_free(f);
    }
    memory_free(moment);
    set_free(&set);
}

/* There is one minimum: with and without the moment, with the matrix that is the identity and no
 * matrix, from elsewhere, and in another order. */
static void test_convex(int classes)
{
    check_group("one minimum, %d classes", classes);
    struct set set = set_make(5, 400, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], want[MOST], w[MOST];
    double *moment = moment_make(&set, true);
    int64_t backwards[400];
    for (int64_t i = 0; i < 400; i++)
        backwards[i] = 399 - i;
    matrix_identity(classes, c);
    for (int way = 0; way < 5; way++) {
        struct forward *f = learner_make(&set, way == 2 ? c : NULL, 1e-2);
        if (way == 3)
            learner_minimise(f, &set, backwards, 50, NULL, 1e-3, 1000, 1);
        CHECK(learner_minimise(f, &set, way == 4 ? backwards : NULL, 400, way == 1 ? NULL : moment,
                               1e-8, 1000, 1)
                  .result.converged,
              "converged, way %d", way);
        learner_weights(f, &set, way ? w : want);
        for (int i = 0; way && i < D * set.columns; i++)
            CHECK_NEAR(w[i], want[i], 1e-6, "weight %d, way %d", i, way);
        forward_free(f);
    }
    memory_free(moment);
    set_free(&set);
}

/* A part of the examples, with the moment of all, and a problem that holds only these, with its own
 * and with none. */
static void test_subset(int classes)
{
    check_group("a subset, %d classes", classes);
    struct set set = set_make(7, 500, classes, FEATURES, NULL);
    int64_t subset[200];
    for (int64_t i = 0; i < 200; i++)
        subset[i] = 2 * i + 1 + (i > 120);
    struct set part = set_part(&set, subset, 200);
    double c[CLASSES * CLASSES], w[MOST], other[MOST], g[MOST];
    double *moment = moment_make(&set, true), *own = moment_make(&part, true);
    const double *moments[] = {moment, own, NULL};
    matrix_identity(classes, c);
    struct forward *f = learner_make(&set, NULL, 1e-2);
    struct descent_result result =
        learner_minimise(f, &set, subset, 200, moment, 1e-8, 1000, 2).result;
    learner_weights(f, &set, w);
    CHECK_NEAR(result.value / objective(&set, subset, 200, c, 1e-2, w), 1, 5e-13, "the value");
    find_gradient(&set, subset, 200, c, 1e-2, NULL, w, g);
    CHECK(check_norm(g, D * set.columns) < 1e-7, "a gradient of %g",
          check_norm(g, D * set.columns));
    forward_free(f);
    for (int m = 0; m < 3; m++) {
        f = learner_make(&part, NULL, 1e-2);
        learner_minimise(f, &part, NULL, 200, moments[m], 1e-8, 1000, 1);
        learner_weights(f, &part, other);
        for (int i = 0; i < D * set.columns; i++)
            CHECK_NEAR(other[i], w[i], 1e-6, "weight %d, moment %d", i, m);
        forward_free(f);
    }
    memory_free(moment);
    memory_free(own);
    set_free(&part);
    set_free(&set);
}

static void test_threads(int classes, bool with)
{
    check_group("threads, %d classes%s", classes, with ? ", by the moment" : "");
    struct set set = set_make(8, 3001, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], one[MOST], more[MOST];
    double *moment = moment_make(&set, true);
    struct descent_result first = {0};
    matrix_make(9, classes, 0.7, c);
    for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
        struct forward *f = learner_make(&set, c, 1e-4);
        struct descent_result result =
            learner_minimise(f, &set, NULL, 3001, with ? moment : NULL, 1e-9, 12, threads).result;
        learner_weights(f, &set, threads == 1 ? one : more);
        if (threads == 1)
            first = result;
        CHECK(threads == 1 || memcmp(one, more, (size_t)(D * set.columns) * sizeof *one) == 0,
              "%d threads: other weights", threads);
        CHECK(result.value == first.value && result.gradient == first.gradient
                  && result.evaluations == first.evaluations
                  && result.iterations == first.iterations,
              "%d threads: other numbers", threads);
        forward_free(f);
    }
    memory_free(moment);
    set_free(&set);
}

/* An example of weight c is c examples: the same minimum, the same way to it (by the metric too,
 * where the sums are taken alike), the same sums of squares; and all weights times 8 change nothing
 * but the squares. */
static void test_weights(int classes, int32_t d, bool with)
{
    enum { FEW = 150, ALL = 300 };
    check_group("weights, %d classes, %d features%s", classes, (int)d, with ? ", a metric" : "");
    struct set all = set_make(31, ALL, classes, d, NULL);
    int64_t subset[FEW], copies[ALL];
    double weight[FEW], larger[FEW], c[CLASSES * CLASSES], w[3][MOST];
    for (int64_t i = 0, n = 0; i < FEW; i++) {
        subset[i] = 2 * i + 1;
        weight[i] = 1 + (double)((i + 1) % 3); /* 2, 3, 1 */
        larger[i] = 8 * weight[i];
        for (int64_t copy = 0; copy < (int64_t)weight[i]; copy++)
            copies[n++] = subset[i];
    }
    struct set few = set_part(&all, subset, FEW), repeated = set_part(&all, copies, ALL);
    const struct set *set[3] = {&few, &repeated, &few};
    const double *weights[3] = {weight, NULL, larger};
    const int64_t n[3] = {FEW, ALL, FEW};
    struct forward *f[3];
    matrix_make(32, classes, 0.8, c);
    for (int64_t steps = 0; steps <= 5; steps += 5) {
        double value[3];
        for (int way = 0; way < 3; way++) {
            struct error err = {0};
            struct forward_metric metric;
            CHECK(forward_metric_make(&set[way]->problem, weights[way], &metric, 1, &err) == 0,
                  "a metric: %s", err.message);
            struct forward_minimum minimum = {.weight = weights[way],
                                              .measures_mean = true,
                                              .epsilon = 1e-9,
                                              .evaluations = 5000,
                                              .metric = with ? &metric : NULL,
                                              .threads = 2};
            f[way] = learner_make(set[way], c, 1e-2);
            forward_change(f[way], c, 1e-2, steps);
            CHECK(forward_minimise(f[way], &set[way]->problem, set[way]->y, NULL, n[way], &minimum,
                                   &err)
                      == 0,
                  "a minimum: %s", err.message);
            forward_metric_free(&metric);
            value[way] = minimum.result.value;
            learner_weights(f[way], set[way], w[way]);
            CHECK_INT(forward_settle(f[way], &set[way]->problem, set[way]->y, weights[way], NULL,
                                     n[way], false, &err),
                      0, "memory");
        }
        CHECK_NEAR(value[0], value[1], 1e-9, "the value, %d steps", (int)steps);
        CHECK_NEAR(value[0], value[2], 1e-12, "the value, %d steps, larger weights", (int)steps);
        for (int i = 0; i < (d + 1) * few.columns; i++) {
            CHECK_NEAR(w[0][i], w[1][i], 1e-6, "weight %d, %d steps", i, (int)steps);
            CHECK_NEAR(w[0][i], w[2][i], 1e-9, "weight %d, %d steps, larger", i, (int)steps);
        }
        if (steps == 0) { /* repeated examples add c g^2, one of weight c (c g)^2 */
            const double delta = f[0]->options.delta;
            for (int64_t i = 0; i < f[0]->squares.rows * f[0]->squares.stride; i++)
                CHECK_NEAR(f[2]->squares.w[i] - delta, 64 * (f[0]->squares.w[i] - delta), 1e-6,
                           "sum of squares %d", (int)i);
        }
        for (int way = 0; way < 3; way++)
            forward_free(f[way]);
    }
    set_free(&few);
    set_free(&repeated);
    set_free(&all);
}

static void test_bytes(void)
{
    check_group("bytes");
    const double bytes = forward_minimum_bytes(1000, 100000, 10, 1000),
                 none = forward_minimum_bytes(20000, 1002000, 10, 1000),
                 moment = forward_minimum_bytes(20000, 1002001, 10, 1000);
    CHECK(bytes >= 2.5 * 8 * 10 * 1001 && bytes < 3e6, "%g bytes", bytes);
    CHECK(moment - none >= lbfgs_bytes(12 * 1001) - conjugate_bytes(12 * 1001) + 16. * 1001 * 1001
                               - steep_bytes(1000) - 1e5,
          "%g bytes with a moment, %g without", moment, none);
    CHECK(forward_minimum_bytes(1000, 100000, 20, 1000) > bytes, "more for more classes");
    CHECK(forward_minimum_disk_bytes(1000000, 100000000, 10, 10000, 2)
              < forward_minimum_bytes(1000000, 100000000, 10, 10000),
          "less for data on disk");
    CHECK(forward_minimum_disk_bytes(1000000, 1000000, 10, 100000, 2)
              == forward_minimum_bytes(1000000, 1000000, 10, 100000) + rows_batch_bytes(),
          "a batch more for many features on disk");
    CHECK(forward_minimum_bytes(1000, 100000000, 10, 1000) >= bytes, "no less for more entries");
    CHECK(forward_minimum_bytes(1600, 16000000, 3, 10000) >= 8. * 16 * 96 * 10000,
          "the blocks of dense examples");
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    test_bytes();
    for (int i = 0; i < 3; i++) {
        const int K = classes[i];
        for (int with = 0; with < 2; with++) {
            test_objective(K, 1e-2, true, with);
            test_objective(K, 1e-2, false, with);
            test_objective(K, 1e-3, false, with);
            test_begin(K, 0, with);
            test_begin(K, 1e-2, with);
            test_threads(K, with);
        }
        test_convex(K);
        test_subset(K);
    }
    test_weights(2, FEATURES, false);
    test_weights(7, FEATURES, true);
    test_weights(3, WIDE, false);
    test_weights(3, WIDE, true);
    return check_finish();
}
