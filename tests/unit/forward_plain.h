/* Examples with wrong labels, a learner of forward on them, and the objective that it should make
 * least, summed example by example, with its gradient by differences: what the tests of its minimum
 * share.  An error is a failed check.
 *
 *   F(W)   1/n sum_i -log sum_q C[y_i][q] p_iq + lambda/2 |W|^2,  p_i = softmax(W x_i); two
 *          classes: p = softmax(0, w.x), and |w|^2 */
#ifndef TESTS_UNIT_FORWARD_PLAIN_H
#define TESTS_UNIT_FORWARD_PLAIN_H

#include "check.h"
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
static inline struct set set_make(uint64_t seed, int64_t n, int classes, int32_t d,
                                  const double *scale)
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
static inline struct set set_part(const struct set *from, const int64_t *subset, int64_t n)
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

static inline void set_free(struct set *set)
{
    problem_free(&set->problem);
    free(set->y);
}

/* Columns that sum to 1, right with probability `right`, the rest by chance; c[1][0] is 0. */
static inline void matrix_make(uint64_t seed, int classes, double right, double *c)
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

static inline void matrix_identity(int classes, double *c)
{
    for (int i = 0; i < classes * classes; i++)
        c[i] = i % (classes + 1) == 0;
}

static inline struct forward *learner_make(const struct set *set, const double *c, double lambda)
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

static inline void learner_learn(struct forward *f, const struct set *set, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        struct error err = {0};
        struct example x = problem_example(&set->problem, i);
        CHECK(forward_learn(f, &x, set->y[i], 1, &err) == 0, "a round: %s", err.message);
    }
}

/* w: out, (d + 1) x columns, zero where the learner has no row yet. */
static inline void learner_weights(const struct forward *f, const struct set *set, double *w)
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
static inline double *moment_make(const struct set *set, bool pays)
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

static inline struct forward_minimum learner_minimise(struct forward *f, const struct set *set,
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

static inline void find_scores(const struct set *set, const double *w, const struct example *x,
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
static inline double log_sum(const double *c, const double *scores, int classes)
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
static inline double objective(const struct set *set, const int64_t *subset, int64_t n,
                               const double *c, double lambda, const double *w)
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
static inline void find_gradient(const struct set *set, const int64_t *subset, int64_t n,
                                 const double *c, double lambda, const double *scale, double *w,
                                 double *g)
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

#endif
