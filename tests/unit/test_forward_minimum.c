/* Forward's minimum against what its header says: the loss summed example by example and its
 * gradient by differences, and the rounds that an online learner goes on with.
 *
 *   F(W)          1/n sum_i -log sum_q C[y_i][q] p_iq + lambda/2 |W|^2,  p_i = softmax(W x_i); two
 *                 classes: p = softmax(0, w.x), and |w|^2
 *   searched in   V = L' W, L L' = mean x x' / 2 + lambda I, so the gradient with respect to V is
 *                 L^-1 times that with respect to W */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/linear/weights.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_state.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEATURES = 8,
    D = FEATURES + 1,
    CLASSES = 7,
    WIDE = 400,
    MOST = (WIDE + 1) * 3
}; /* feature 0 is the bias; MOST: numbers in W */

struct set {
    struct problem problem;
    int32_t *y;
    int classes, columns; /* columns of W: two classes have one */
    int32_t d;
};

/* W where the labels come from, four in ten of them by chance.  A feature in two, the last in ten;
 * the bias behind the others.  One feature in 100 of a wide set. */
static struct set set_make(uint64_t seed, int64_t n, int classes, int32_t d, const double *scale)
{
    struct error err = {0};
    struct random g = random_seeded(seed, (uint64_t)classes);
    struct set set = {.classes = classes,
                      .columns = classes > 2 ? classes : 1,
                      .d = d,
                      .y = calloc((size_t)n, sizeof *set.y)};
    int32_t index[WIDE + 1];
    double value[WIDE + 1], w[(WIDE + 1) * CLASSES];
    for (int i = 0; i < (d + 1) * classes; i++)
        w[i] = random_normal(&g);
    for (int64_t i = 0; i < n; i++) {
        double scores[CLASSES] = {0};
        int64_t size = 0;
        for (int32_t j = 1; j <= d + 1; j++) {
            int32_t feature = j <= d ? j : 0;
            bool there = random_uniform(&g) < (d > FEATURES && feature > 0 ? 0.01
                                               : j == FEATURES             ? 0.1
                                                                           : 0.5);
            /* the last example has the last feature, so that the set is as wide as it says */
            if (!there && feature != 0 && !(i == n - 1 && j == d))
                continue;
            double x = feature == 0 ? 1 : random_normal(&g);
            for (int k = 0; k < classes; k++)
                scores[k] += x * w[feature * classes + k];
            index[size] = feature;
            value[size] = x * (scale ? scale[feature] : 1);
            size++;
        }
        set.y[i] = random_uniform(&g) < 0.4 ? (int32_t)random_below(&g, classes)
                                            : (int32_t)weights_best(scores, classes);
        struct example x = {
            .label = set.y[i], .line = 3 * i + 5, .size = size, .index = index, .value = value};
        CHECK(problem_append_example(&set.problem, &x, &err) == 0, "an example: %s", err.message);
    }
    return set;
}

/* Those of a subset. */
static struct set set_part(const struct set *from, const int64_t *subset, int64_t n)
{
    struct error err = {0};
    struct set set = {.classes = from->classes,
                      .columns = from->columns,
                      .d = from->d,
                      .y = calloc((size_t)n, sizeof *set.y)};
    for (int64_t i = 0; i < n; i++) {
        struct example x = problem_example(&from->problem, subset[i]);
        CHECK(problem_append_example(&set.problem, &x, &err) == 0, "an example: %s", err.message);
        set.y[i] = from->y[subset[i]];
    }
    return set;
}

static void set_free(struct set *set)
{
    problem_free(&set->problem);
    free(set->y);
}

/* Columns that sum to 1, right with probability `right`, the rest by chance; c[1][0] is 0. */
static void matrix_make(uint64_t seed, int classes, double right, double *c)
{
    struct random g = random_seeded(seed, (uint64_t)classes);
    for (int q = 0; q < classes; q++) {
        double total = 0;
        for (int k = 0; k < classes; k++)
            total += c[k * classes + q] = k == q ? 0 : 0.05 + random_uniform(&g);
        for (int k = 0; k < classes; k++)
            c[k * classes + q] = k == q ? right : c[k * classes + q] * (1 - right) / total;
    }
    c[0] += c[classes], c[classes] = 0;
}

static void matrix_identity(int classes, double *c)
{
    for (int i = 0; i < classes * classes; i++)
        c[i] = i % (classes + 1) == 0;
}

static struct forward *learner_make(const struct set *set, const double *c, double lambda)
{
    struct error err = {0};
    struct labels labels = {0};
    struct forward_options options = forward_usual(lambda, c);
    for (int32_t k = 0; k < set->classes; k++)
        labels_add(&labels, k, NULL);
    struct forward *f = forward_new(&options, &labels, &err);
    CHECK(f, "a learner: %s", err.message);
    labels_free(&labels);
    return f;
}

static void learner_learn(struct forward *f, const struct set *set, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        struct error err = {0};
        struct example x = problem_example(&set->problem, i);
        CHECK(forward_learn(f, &x, set->y[i], 1, &err) == 0, "a round: %s", err.message);
    }
}

/* w: out, (d + 1) x columns, zero where the learner has no row yet. */
static void learner_weights(const struct forward *f, const struct set *set, double *w)
{
    struct error err = {0};
    struct weights weights = {0};
    memset(w, 0, (size_t)((set->d + 1) * set->columns) * sizeof *w);
    CHECK(forward_weights(f, &weights, &err) == 0, "weights: %s", err.message);
    for (int64_t j = 0; j < weights.rows && j <= set->d; j++)
        for (int64_t k = 0; k < set->columns; k++)
            w[j * set->columns + k] = weights.w[j * weights.stride + k];
    weights_free(&weights);
}

/* The moment, made if it pays, and whether it is to. */
static double *moment_make(const struct set *set, bool pays)
{
    struct error err = {0};
    struct forward_metric metric;
    CHECK(forward_metric_make(&set->problem, NULL, &metric, 1, &err) == 0, "a metric: %s",
          err.message);
    CHECK(!metric.moment == !pays, "a moment that %s",
          pays ? "pays is not there" : "does not pay is there");
    steep_free(&metric.steep);
    return metric.moment;
}

static struct forward_minimum learner_minimise(struct forward *f, const struct set *set,
                                               const int64_t *subset, int64_t n,
                                               const double *moment, double epsilon,
                                               int64_t evaluations, int threads)
{
    struct error err = {0};
    const struct forward_metric metric = {.moment = (double *)moment};
    struct forward_minimum minimum = {.measures_mean = true,
                                      .epsilon = epsilon,
                                      .evaluations = evaluations,
                                      .metric = moment ? &metric : NULL,
                                      .threads = threads};
    CHECK(forward_minimise(f, &set->problem, set->y, subset, n, &minimum, &err) == 0,
          "a minimum: %s", err.message);
    CHECK(minimum.result.evaluations <= evaluations, "%d evaluations of %d",
          (int)minimum.result.evaluations, (int)evaluations);
    return minimum;
}

/* ---- the objective ---- */

static void find_scores(const struct set *set, const double *w, const struct example *x,
                        double *scores)
{
    for (int k = 0; k < set->classes; k++) {
        scores[k] = 0;
        for (int64_t e = 0; e < x->size; e++)
            scores[k] += x->value[e]
                         * (set->classes > 2 ? w[x->index[e] * set->columns + k]
                            : k == 1         ? w[x->index[e]]
                                             : 0);
    }
}

/* log of the sum of c exp(score), which may be smaller or larger than any number: -INFINITY when
 * each c is 0.  c NULL: each is 1. */
static double log_sum(const double *c, const double *scores, int classes)
{
    double largest = -INFINITY, sum = 0;
    for (int k = 0; k < classes; k++)
        if ((!c || c[k] > 0) && scores[k] > largest)
            largest = scores[k];
    for (int k = 0; k < classes; k++)
        if (!c || c[k] > 0)
            sum += (c ? c[k] : 1) * exp(scores[k] - largest);
    return sum > 0 ? largest + log(sum) : -INFINITY;
}

/* Labels that cannot be are left out of the sum: whatever they add, it is the same everywhere. */
static double objective(const struct set *set, const int64_t *subset, int64_t n, const double *c,
                        double lambda, const double *w)
{
    double sum = 0, square = 0, scores[CLASSES];
    for (int64_t i = 0; i < n; i++) {
        int64_t e = subset ? subset[i] : i;
        struct example x = problem_example(&set->problem, e);
        find_scores(set, w, &x, scores);
        double q = log_sum(c + set->y[e] * set->classes, scores, set->classes);
        sum += q > -INFINITY ? log_sum(NULL, scores, set->classes) - q : 0;
    }
    for (int i = 0; i < (set->d + 1) * set->columns; i++)
        square += w[i] * w[i];
    return sum / (double)n + lambda / 2 * square;
}

/* Differences of four values, so that h need not be tiny; scale: of the features (NULL: 1), h is
 * less where they are large. */
static void find_gradient(const struct set *set, const int64_t *subset, int64_t n, const double *c,
                          double lambda, const double *scale, double *w, double *g)
{
    static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
    for (int i = 0; i < (set->d + 1) * set->columns; i++) {
        double here = w[i], h = 2e-3 / (scale ? scale[i / set->columns] : 1), sum = 0;
        for (int k = 0; k < 4; k++) {
            w[i] = here + at[k] * h;
            sum += factor[k] * objective(set, subset, n, c, lambda, w);
        }
        w[i] = here;
        g[i] = sum / (12 * h);
    }
}

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

/* ---- the minimum ---- */

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
        struct lbfgs_result result =
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
            struct lbfgs_result again =
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
        struct lbfgs_result result = learner_minimise(f, &set, NULL, 300, used, 1e-9, 1, 1).result;
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

/* Many features and few examples: no moment. */
static void test_wide(int classes)
{
    check_group("no moment, %d classes", classes);
    struct set set = set_make(6, 60, classes, WIDE, NULL);
    double c[CLASSES * CLASSES], w[MOST], g[MOST];
    double *moment = moment_make(&set, false);
    matrix_identity(classes, c);
    struct forward *f = learner_make(&set, NULL, 1e-2);
    struct lbfgs_result result = learner_minimise(f, &set, NULL, 60, moment, 1e-8, 1000, 2).result;
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
    struct lbfgs_result result =
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
    struct lbfgs_result first = {0};
    matrix_make(9, classes, 0.7, c);
    for (int threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
        struct forward *f = learner_make(&set, c, 1e-4);
        struct lbfgs_result result =
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
    struct lbfgs_result result =
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

/* ---- the moment ---- */

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
    struct lbfgs_result with = learner_minimise(f, &set, NULL, 400, moment, 1e-9, 1000, 1).result;
    learner_weights(f, &set, w);
    CHECK(with.converged, "converged");
    CHECK_NEAR(with.value / objective(&set, NULL, 400, c, lambda, w), 1, 5e-13, "the value");
    find_gradient(&set, NULL, 400, c, lambda, scale, w, g);
    for (int i = 0; i < D * set.columns; i++)
        CHECK(fabs(g[i]) < 1e-7 * scale[i / set.columns], "weight %d: a gradient of %g", i, g[i]);
    forward_free(f);
    f = learner_make(&set, NULL, lambda);
    struct lbfgs_result without =
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
        struct lbfgs_result result =
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
    struct lbfgs_result result =
        learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-8, 1000, 1).result;
    struct lbfgs_result other =
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
    struct lbfgs_result result = learner_minimise(f, &set, NULL, 300, moment, 1e-8, 1, 1).result;
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

/* ---- going on ---- */

/* The learner's rounds in a plain loop, as forward.c has them. */
struct plain {
    const struct set *set;
    const double *c;
    double lambda, eta;
    double w[D * CLASSES], s[D * CLASSES]; /* w after the last round of its feature */
    int64_t since[D];                      /* rounds that its decay is due for */
    struct round_counts counts;
};

/* The gradient's factors of a round, which is counted.  False: the label cannot be. */
static bool plain_round(struct plain *plain, const struct example *x, int32_t y, double *factor)
{
    const int K = plain->set->classes;
    double p[CLASSES], q = 0;
    find_scores(plain->set, plain->w, x, p);
    const double all = log_sum(NULL, p, K);
    for (int k = 0; k < K; k++) {
        p[k] = exp(p[k] - all);
        q += plain->c[y * K + k] * p[k];
    }
    plain->counts.rounds++;
    plain->counts.mistakes += weights_best(p, K) != y;
    plain->counts.updates += q > 0;
    for (int k = 0; k < plain->set->columns && q > 0; k++) {
        int class = K > 2 ? k : 1;
        factor[k] = p[class] - plain->c[y * K + class] * p[class] / q;
    }
    return q > 0;
}

/* One pass at the same weights. */
static void plain_settle(struct plain *plain, const int64_t *subset, int64_t n)
{
    const int columns = plain->set->columns;
    double factor[CLASSES];
    plain->counts = (struct round_counts){0};
    for (int i = 0; i < D * columns; i++)
        plain->s[i] = 0.01;
    for (int j = 0; j < D; j++)
        plain->since[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = subset ? subset[i] : i;
        struct example x = problem_example(&plain->set->problem, at);
        if (!plain_round(plain, &x, plain->set->y[at], factor))
            continue;
        for (int64_t e = 0; e < x.size; e++)
            for (int k = 0; k < columns; k++)
                plain->s[x.index[e] * columns + k] += factor[k] * x.value[e] * factor[k]
                                                      * x.value[e];
    }
}

static void plain_learn(struct plain *plain, int64_t i)
{
    const int columns = plain->set->columns;
    struct example x = problem_example(&plain->set->problem, i);
    double factor[CLASSES];
    bool possible = plain_round(plain, &x, plain->set->y[i], factor);
    for (int j = 0; j < D; j++)
        plain->since[j]++;
    for (int64_t e = 0; possible && e < x.size; e++) {
        int32_t j = x.index[e];
        for (int k = 0; k < columns; k++) {
            double g = factor[k] * x.value[e], *w = &plain->w[j * columns + k],
                   *s = &plain->s[j * columns + k];
            *s += g * g;
            *w /= 1 + (double)plain->since[j] * plain->lambda * plain->eta / sqrt(*s);
            *w -= plain->eta * g / sqrt(*s);
        }
        plain->since[j] = 0;
    }
}

static void check_plain(const struct plain *plain, const struct forward *f, int round)
{
    const int columns = plain->set->columns;
    double w[MOST];
    learner_weights(f, plain->set, w);
    for (int i = 0; i < D * columns; i++)
        CHECK_NEAR(w[i],
                   plain->w[i]
                       / (1
                          + (double)plain->since[i / columns] * plain->lambda * plain->eta
                                / sqrt(plain->s[i])),
                   1e-12, "round %d, weight %d", round, i);
    struct round_counts counts = forward_counts(f);
    CHECK_INT(counts.rounds, plain->counts.rounds, "round %d: rounds", round);
    CHECK_INT(counts.mistakes, plain->counts.mistakes, "round %d: mistakes", round);
    CHECK_INT(counts.updates, plain->counts.updates, "round %d: updates", round);
}

/* After settling each weight goes on as if the examples had been seen once; part: of the examples,
 * and a label that cannot be. */
static void test_settle(int classes, double lambda, bool part, bool learnt)
{
    check_group("settled, %d classes, lambda %g%s%s", classes, lambda, part ? ", a part" : "",
                learnt ? ", after rounds" : "");
    struct set set = set_make(18, 300, classes, FEATURES, NULL);
    int64_t subset[100];
    for (int i = 0; i < 100; i++)
        subset[i] = 299 - 2 * i;
    set.problem.nnz = set.problem.row_start[300] =
        set.problem.row_start[299]; /* the last has no entries: scores of 0, the smallest class */
    set.y[299] = 1;
    double c[CLASSES * CLASSES], before[MOST], w[MOST];
    matrix_make(19, classes, 0.7, c);
    for (int q = 0; part && classes > 2 && q < classes; q++) {
        c[classes + q] += c[q];
        c[q] = 0;
    }
    struct forward *f = learner_make(&set, c, lambda);
    if (learnt)
        learner_learn(f, &set, 0, 150);
    const int64_t n = part ? 100 : 300;
    learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-3, 6, 1);
    learner_weights(f, &set, before);
    struct error err = {0};
    struct round_counts counts[2];
    for (int final = 1; final >= 0; final--) {
        CHECK_INT(
            forward_settle(f, &set.problem, set.y, NULL, part ? subset : NULL, n, final, &err), 0,
            "memory");
        counts[final] = forward_counts(f);
    }
    learner_weights(f, &set, w);
    CHECK(memcmp(w, before, (size_t)(D * set.columns) * sizeof *w) == 0, "settling moves nothing");
    CHECK_INT(counts[0].rounds, n, "rounds");
    CHECK(memcmp(&counts[0], &counts[1], sizeof *counts) == 0, "the counts of a final model");
    struct plain plain = {.set = &set, .c = c, .lambda = lambda, .eta = 0.5};
    memcpy(plain.w, w, (size_t)(D * set.columns) * sizeof *w);
    plain_settle(&plain, part ? subset : NULL, n);
    check_plain(&plain, f, 0);
    for (int i = 0; i < 40; i++) {
        int64_t at = (7 * i + 299) % 300;
        learner_learn(f, &set, at, at + 1);
        plain_learn(&plain, at);
        check_plain(&plain, f, i + 1);
    }
    forward_free(f);
    set_free(&set);
}

/* Another matrix and lambda: the weights stay (after rounds: with the decays of the old lambda that
 * are due), and what comes is by the new ones. */
static void test_change(int classes, bool learnt)
{
    check_group("another matrix, %d classes%s", classes, learnt ? ", after rounds" : "");
    struct set set = set_make(20, 300, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], to[CLASSES * CLASSES], scratch[CLASSES * CLASSES], before[MOST],
        w[MOST], g[MOST];
    const size_t bytes = (size_t)(D * set.columns) * sizeof *w;
    double *moment = moment_make(&set, true);
    matrix_make(21, classes, 0.8, c);
    matrix_make(22, classes, 0.6, to);
    memcpy(scratch, to, sizeof scratch);
    struct forward *f = learner_make(&set, c, 1e-2);
    if (learnt)
        learner_learn(f, &set, 0, 150);
    else
        learner_minimise(f, &set, NULL, 300, moment, 1e-7, 1000, 1);
    learner_weights(f, &set, before);
    forward_change(f, scratch, 1e-3, 0);
    memset(scratch, 0, sizeof scratch); /* it was copied */
    learner_weights(f, &set, w);
    for (int i = 0; i < D * set.columns; i++)
        CHECK_NEAR(w[i], before[i], 1e-13, "weight %d stays", i);
    const struct forward_options *options = forward_get_options(f);
    CHECK(options->lambda == 1e-3, "lambda %g", options->lambda);
    CHECK(options->confusion
              && memcmp(options->confusion, to, (size_t)(classes * classes) * sizeof *to) == 0,
          "the matrix");
    struct lbfgs_result result = learner_minimise(f, &set, NULL, 300, moment, 1e-7, 1000, 1).result;
    learner_weights(f, &set, w);
    CHECK(result.converged && memcmp(w, before, bytes) != 0, "another minimum");
    CHECK_NEAR(result.value / objective(&set, NULL, 300, to, 1e-3, w), 1, 5e-13, "the value");
    struct error err = {0};
    find_gradient(&set, NULL, 300, to, 1e-3, NULL, w, g);
    CHECK(check_norm(g, D * set.columns) < 1e-6, "a gradient of %g",
          check_norm(g, D * set.columns));
    matrix_identity(classes, scratch); /* there is one minimum again, wherever it came from */
    forward_change(f, scratch, 1e-2, 0);
    learner_minimise(f, &set, NULL, 300, moment, 1e-8, 1000, 1);
    learner_weights(f, &set, w);
    struct forward *fresh = learner_make(&set, NULL, 1e-2);
    learner_minimise(fresh, &set, NULL, 300, moment, 1e-8, 1000, 1);
    learner_weights(fresh, &set, before);
    for (int i = 0; i < D * set.columns; i++)
        CHECK_NEAR(w[i], before[i], 1e-6, "weight %d of no matrix", i);
    forward_free(fresh);
    forward_change(f, to, 1e-3, 0); /* rounds, too */
    CHECK_INT(forward_settle(f, &set.problem, set.y, NULL, NULL, 300, false, &err), 0, "memory");
    learner_weights(f, &set, w);
    struct plain plain = {.set = &set, .c = to, .lambda = 1e-3, .eta = 0.5};
    memcpy(plain.w, w, bytes);
    plain_settle(&plain, NULL, 300);
    for (int i = 0; i < 10; i++) {
        learner_learn(f, &set, i, i + 1);
        plain_learn(&plain, i);
        check_plain(&plain, f, i + 1);
    }
    forward_free(f);
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

struct way {
    int64_t steps, enough;
    int columns;
    double w[30][MOST];
};

static bool see(void *context, const struct weights *w, int64_t step)
{
    struct way *way = context;
    CHECK_INT(step, ++way->steps, "the number of a step");
    for (int64_t j = 0; j < w->rows; j++)
        for (int k = 0; k < way->columns; k++)
            way->w[step - 1][j * way->columns + k] = w->w[j * w->stride + k];
    return step < way->enough;
}

/* The option `steps` ends on the way to the minimum, where whoever is shown the way has seen it: at
 * the mean of the last two steps, which are where as many evaluations lead; each step makes the
 * objective smaller. */
static void test_way(int classes, bool with)
{
    check_group("the way, %d classes%s", classes, with ? ", by the moment" : "");
    struct set set = set_make(23, 300, classes, FEATURES, NULL);
    const size_t bytes = (size_t)(D * set.columns) * sizeof(double);
    static struct way way;
    struct error err = {0};
    double c[CLASSES * CLASSES], w[MOST];
    double *moment = moment_make(&set, true);
    matrix_make(24, classes, 0.8, c);
    way = (struct way){.columns = set.columns, .enough = 30};
    struct forward *f = learner_make(&set, c, 1e-3);
    const struct forward_metric metric = {.moment = moment};
    struct forward_minimum minimum = {.measures_mean = true,
                                      .epsilon = 1e-3,
                                      .evaluations = 1000,
                                      .metric = with ? &metric : NULL,
                                      .threads = 2,
                                      .visit = see,
                                      .context = &way};
    CHECK(forward_minimise(f, &set.problem, set.y, NULL, 300, &minimum, &err) == 0, "a way: %s",
          err.message);
    const int64_t steps = way.steps;
    CHECK(steps > 3, "%d steps", (int)steps);
    CHECK_INT(minimum.result.iterations, steps, "steps");
    learner_weights(f, &set, w);
    CHECK(memcmp(w, way.w[steps - 1], bytes) == 0, "the last step is not the end");
    forward_free(f);
    double last[MOST] = {0}, last_value = INFINITY;
    for (int64_t s = 1; s <= steps; s++) {
        f = learner_make(&set, NULL, 1);
        forward_change(f, c, 1e-3, s);
        CHECK_INT(forward_get_options(f)->steps, s, "the option");
        struct lbfgs_result result =
            learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-3, 1000, 1).result;
        learner_weights(f, &set, w);
        CHECK_INT(result.iterations, s, "steps");
        CHECK(result.converged && memcmp(w, way.w[s - 1], bytes) == 0, "another end after %d steps",
              (int)s);
        CHECK_NEAR(result.value, objective(&set, NULL, 300, c, 1e-3, w), 1e-12, "the value there");
        forward_free(f);
        f = learner_make(&set, c, 1e-3);
        result = learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-9,
                                  result.evaluations - 1, 1)
                     .result;
        learner_weights(f, &set, w);
        CHECK_INT(result.iterations, s, "steps in as many evaluations");
        CHECK(result.value < last_value, "step %d goes up", (int)s);
        for (int i = 0; i < D * set.columns; i++) {
            CHECK_NEAR(way.w[s - 1][i], s > 1 ? (last[i] + w[i]) / 2 : w[i], 1e-14,
                       "the mean of the steps %d and %d", (int)s - 1, (int)s);
            last[i] = w[i];
        }
        last_value = result.value;
        forward_free(f);
    }
    way.steps = 0, way.enough = 2;
    f = learner_make(&set, c, 1e-3);
    CHECK(forward_minimise(f, &set.problem, set.y, NULL, 300, &minimum, &err) == 0, "a way: %s",
          err.message);
    learner_weights(f, &set, w);
    CHECK(minimum.result.iterations == 2 && memcmp(w, way.w[1], bytes) == 0,
          "it was not left at step 2");
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* ---- on disk ---- */

/* Weights from examples on disk are those from memory, for a subset (or all) and any threads. */
static void test_disk(int classes, int32_t d, bool part)
{
    enum { N = 1500 };
    check_group("on disk, %d classes, %d features%s", classes, (int)d, part ? ", a part" : "");
    struct error err = {0};
    struct set set = set_make(29, N, classes, d, NULL);
    double c[CLASSES * CLASSES], held[MOST + CLASSES * D], disk[MOST + CLASSES * D];
    int64_t subset[N], n = 0;
    for (int64_t i = 0; i < N; i++)
        if (!part || i % 5 < 2 || i == N - 1)
            subset[n++] = i;
    matrix_make(31, classes, 0.7, c);
    struct forward *f = learner_make(&set, c, 1e-3);
    learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-4, 100, 2);
    CHECK(forward_settle(f, &set.problem, set.y, NULL, subset, n, false, &err) == 0, "settled");
    const struct round_counts counts = forward_counts(f);
    learner_weights(f, &set, held);
    forward_free(f);
    CHECK(problem_to_disk(&set.problem, ".", &err) == 0, "to disk: %s", err.message);
    for (int threads = 1; threads <= 3; threads++) {
        f = learner_make(&set, c, 1e-3);
        learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-4, 100, threads);
        CHECK(forward_settle(f, &set.problem, set.y, NULL, subset, n, false, &err) == 0, "settled");
        CHECK_INT(forward_counts(f).mistakes, counts.mistakes, "mistakes");
        CHECK_INT(forward_counts(f).updates, counts.updates, "updates");
        learner_weights(f, &set, disk);
        CHECK(memcmp(held, disk, (size_t)((d + 1) * set.columns) * sizeof *held) == 0,
              "%d threads: the same weights", threads);
        forward_free(f);
    }
    set_free(&set);
}

static void test_bytes(void)
{
    check_group("bytes");
    const double bytes = forward_minimum_bytes(1000, 100000, 10, 1000);
    CHECK(isfinite(bytes) && bytes >= lbfgs_bytes(10 * 1001, 1), "%g bytes", bytes);
    CHECK(forward_minimum_bytes(1000, 100000, 20, 1000) > bytes, "more for more classes");
    CHECK(forward_minimum_disk_bytes(1000000, 100000000, 10, 10000, 2)
              < forward_minimum_bytes(1000000, 100000000, 10, 10000),
          "less for data on disk");
    CHECK(forward_minimum_disk_bytes(1000000, 1000000, 10, 100000, 2)
              < forward_minimum_bytes(1000000, 1000000, 10, 100000),
          "less for many features on disk");
    CHECK(forward_minimum_bytes(1000, 100000000, 10, 1000) >= bytes, "no less for more entries");
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    test_moment();
    test_more_features(false);
    test_more_features(true);
    test_bytes();
    test_nobody_to_blame();
    for (int i = 0; i < 3; i++) {
        const int K = classes[i];
        for (int with = 0; with < 2; with++) {
            test_objective(K, 1e-2, true, with);
            test_objective(K, 1e-2, false, with);
            test_objective(K, 1e-3, false, with);
            test_begin(K, 0, with);
            test_begin(K, 1e-2, with);
            test_threads(K, with);
            test_impossible(K, with);
            test_far(K, with);
            test_way(K, with);
            test_too_large(K, with, false, 1e200);
            test_too_large(K, with, true,
                           1e200); /* wrong by far with one sign, right with the other */
            test_too_large(K, with, true, -1e200);
        }
        test_convex(K);
        if (K < 7) {
            test_wide(K);
            test_steep(K);
        }
        test_subset(K);
        test_scales(K);
        test_singular(K);
        test_settle(K, 0, false, false);
        test_settle(K, 1e-2, false, false);
        test_settle(K, 1e-2, false, true);
        test_settle(K, 1e-3, true, false);
        test_change(K, false);
        test_change(K, true);
    }
    test_weights(2, FEATURES, false);
    test_weights(7, FEATURES, true);
    test_weights(3, WIDE, false);
    test_weights(3, WIDE, true);
    for (int part = 0; part < 2; part++) {
        test_disk(2, FEATURES, part);
        test_disk(7, FEATURES, part);
        test_disk(2, WIDE, part);
        test_disk(3, WIDE, part);
    }
    return check_finish();
}
