/* The choice of a kernel: the scales and the metric by which it looks at features, of which some
 * hide the others. */
#include "map_choice_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far apart a kernel sees two examples that differ by 1 in feature j + 1. */
static double metric_weight(const struct feature_metric *metric, int j)
{
    double square = 0;
    if (metric->scale)
        return metric->scale[j];
    const double *row = metric->triangle + feature_metric_numbers(j);
    for (int i = 0; i <= j; i++)
        square += row[i] * row[i];
    return sqrt(square);
}

/* The sign of the second feature is the class, and nothing in the first one, whose values are a
 * thousand times as large: scales by standard deviations or by relevances, and on held-out examples
 * the kernel tells the classes. */
static void test_scales(bool relevant)
{
    enum { COUNT = 1200 };
    struct problem problem = {.n = 0}, raw = {0};
    int32_t *y = malloc(COUNT * sizeof *y), wrong = 0;
    double *phi = malloc(sizeof(double) * COUNT * D);
    struct random g = random_seeded(12, 1);
    struct feature_map map[2];
    struct error err = {0};
    check_group("scales%s", relevant ? " by relevances" : "");
    for (int i = 0; i < COUNT; i++) {
        const int32_t index[] = {1, 2, 3, 4};
        const double a = random_normal(&g),
                     value[] = {1000 * random_normal(&g), a, random_normal(&g), random_normal(&g)};
        const struct example x = {.index = index, .value = value, .size = relevant ? 4 : 2};
        y[i] = a > 0;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    for (int threads = 1; threads <= 2; threads++)
        CHECK(map_choose(&examples, D, 3, threads, &map[threads - 1], &raw, &err) == 0, "%s",
              err.message);
    CHECK(feature_map_equal(&map[0], &map[1]), "the same on two threads");
    CHECK_INT(map[0].metric.d, problem.d, "a metric");
    double weight[4];
    for (int j = 0; j < problem.d; j++)
        weight[j] = metric_weight(&map[0].metric, j);
    CHECK(weight[1] > 900 * weight[0], "the large feature does not hide the other one");
    for (int j = 2; j < problem.d; j++)
        CHECK(weight[j] < 0.6 * weight[1], "feature %d, which tells nothing, has less weight",
              j + 1);
    CHECK(feature_map_rows(&map[0], &problem, phi, &err) == 0, "its features");
    for (int i = 1; i < COUNT; i++) { /* the nearest of the examples before */
        int nearest = 0;
        double most = -INFINITY;
        for (int h = 0; h < i; h++) {
            double product = 0;
            for (int j = 0; j < D; j++)
                product += phi[i * D + j] * phi[h * D + j];
            if (product > most) {
                most = product;
                nearest = h;
            }
        }
        wrong += y[nearest] != y[i];
    }
    CHECK(wrong < COUNT / 5, "%d classes are not those of neighbours", (int)wrong);
    feature_map_free(&map[0]);
    feature_map_free(&map[1]);
    problem_free(&problem);
    free(phi);
    free(y);
}

enum { WEAK = 150 };

/* Two features that tell the class together, and one that is larger by a factor and tells nothing.
 * Labels are noisy. */
static void make_weak(uint64_t seed, double factor, struct problem *problem, int32_t *y)
{
    struct random g = random_seeded(seed, 1);
    *problem = (struct problem){.n = 0};
    for (int i = 0; i < WEAK; i++) {
        static const int32_t index[] = {1, 2, 3};
        const double value[] = {random_normal(&g), random_normal(&g), factor * random_normal(&g)};
        const struct example x = {.index = index, .value = value, .size = 3};
        y[i] = (value[0] * value[1] > 0) != (random_uniform(&g) < 0.2);
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

/* How scales do on these examples. */
struct scaled {
    bool taken, relevant; /* by the rule; by relevances */
    double error, right;  /* how far ahead of none, in standard errors */
    struct trial_result result;
    double scale[3];
};

/* The rule, by searches of its own: the better scales of two are taken if their squared error is
 * less by a standard error and more classes are right, by half of one. */
static void judge_scales(struct choice *c, const struct trial_result *plain, struct scaled *scaled)
{
    const size_t first = plain->g > 0 ? plain->g - 1 : 0;
    double scale[3];
    const struct feature_metric deviation = {.d = 3, .scale = scale};
    struct feature_metric relevance[TRIAL_SETS] = {{0}};
    const struct trial_metrics by[] = {trial_metrics_alike(&deviation),
                                       trial_metrics_each(relevance)};
    struct trial_result result[2];
    struct error err = {0};
    CHECK(relevance_unit_deviations(&c->trial.problem, 3, scale, &err) == 0
              && choice_search(c, &by[0], first, &result[0], &c->losses[CHOICE_DEVIATION], &err)
                     == 0,
          "%s", err.message);
    const bool scales = result[0].error < plain->error;
    CHECK(choice_relevances(c, scales ? &deviation : NULL, scales ? &result[0] : plain, false,
                            relevance, &err)
                  == 0
              && choice_search(c, &by[1], first, &result[1], &c->losses[CHOICE_RELEVANCE], &err)
                     == 0,
          "%s", err.message);
    scaled->relevant = result[1].error < result[0].error;
    const struct trial_losses
        *without = &c->losses[CHOICE_PLAIN],
        *with = &c->losses[scaled->relevant ? CHOICE_RELEVANCE : CHOICE_DEVIATION];
    scaled->error = plain_lead(without->error, with->error, WEAK);
    scaled->right = plain_lead(without->wrong, with->wrong, WEAK);
    scaled->taken = scaled->error > 1 && scaled->right > 0.5;
    scaled->result = scaled->taken ? result[scaled->relevant] : *plain;
    memcpy(scaled->scale, by[scaled->relevant].of[TRIAL_ALL]->scale, sizeof scaled->scale);
    choice_free_metrics(relevance);
}

/* Scales that help a little are taken if they help clearly. */
static void test_weak_scales(void)
{
    int near[2] = {0}, classes = 0, relevant[2] = {0};
    check_group("scales that help a little");
    for (int round = 0; round < 40; round++) {
        struct problem problem;
        int32_t y[WEAK];
        struct choice c;
        struct choice_pair pair;
        struct scaled want = {.taken = false};
        struct error err = {0};
        make_weak((uint64_t)round, 1 + round % 4, &problem, y);
        const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
        judge_lengths(&examples, WEAK, &c, &pair);
        judge_scales(&c, &pair.better.best, &want);
        CHECK(choice_lengths(&c, &examples, WEAK, &pair, &err) == 0
                  && choice_try_scales(&c, &pair.better, &err) == 0,
              "%s", err.message);
        const bool taken = pair.better.metric.scale;
        CHECK(taken == want.taken, "round %d: ahead by %g and %g", round, want.error, want.right);
        CHECK(pair.better.best.g == want.result.g && pair.better.best.ridge == want.result.ridge,
              "round %d: gamma", round);
        for (int j = 0; taken && j < 3; j++)
            CHECK_NEAR(pair.better.metric.scale[j], want.scale[j], 1e-12, "round %d: feature %d",
                       round, j);
        near[0] += want.right > 0.5 && want.error > 0.5 && want.error <= 1;
        near[1] += want.right > 0.5 && want.error > 1 && want.error <= 2;
        classes += want.error > 1 && want.right <= 0.5;
        relevant[want.relevant] += taken;
        feature_metric_free(&pair.better.metric);
        choice_free(&c);
        problem_free(&problem);
    }
    CHECK(near[0] > 0 && near[1] > 0, "%d a little less than clearly, %d a little more", near[0],
          near[1]);
    CHECK(classes > 0, "%d with classes that are not clearly right more often", classes);
    CHECK(relevant[0] > 0 && relevant[1] > 0, "%d by deviations, %d by relevances", relevant[0],
          relevant[1]);
}

/* What two features have in common is large, and tells nothing; the class is the sign of their
 * difference, of some examples the other one.  Then a feature that tells nothing, and one that is
 * always 0. */
static void make_turned(uint64_t seed, int64_t n, double common, struct problem *problem,
                        int32_t *y)
{
    struct random g = random_seeded(seed, 1);
    *problem = (struct problem){.n = 0};
    for (int64_t i = 0; i < n; i++) {
        static const int32_t index[] = {1, 2, 3, 4};
        const double both = common * random_normal(&g), apart = random_normal(&g),
                     value[] = {both + apart, both - apart, random_normal(&g), 0};
        const struct example x = {.index = index, .value = value, .size = 4};
        y[i] = (apart > 0) != (random_uniform(&g) < 0.2);
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

/* A metric looks along the difference. */
static void test_metric(void)
{
    enum { COUNT = 400 };
    static const int32_t index[] = {1, 2};
    static const double along[2][2] = {{1, 1}, {1, -1}};
    struct problem problem, raw = {0}, ways = {0}, seen = {0};
    int32_t y[COUNT];
    double square[2] = {0};
    struct feature_map map[2];
    struct error err = {0};
    check_group("a metric");
    make_turned(1, COUNT, 10, &problem, y);
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    for (int threads = 1; threads <= 2; threads++)
        CHECK(map_choose(&examples, D, 3, threads, &map[threads - 1], &raw, &err) == 0, "%s",
              err.message);
    CHECK(feature_map_equal(&map[0], &map[1]), "the same on two threads");
    CHECK(map[0].metric.triangle && map[0].metric.d == 4, "a metric of the four features");
    for (int way = 0; way < 2; way++) {
        const struct example x = {.index = index, .value = along[way], .size = 2};
        CHECK(problem_append_example(&ways, &x, &err) == 0, "memory");
    }
    CHECK(feature_metric_see(&map[0].metric, &ways, &seen, &err) == 0, "memory");
    for (int64_t e = 0; e < seen.nnz; e++)
        square[e / 4] += seen.value[e] * seen.value[e];
    CHECK(square[1] > 25 * square[0], "the difference counts %g, the sum %g", square[1], square[0]);
    for (int j = 0; j < 4; j++)
        CHECK_NEAR(map[0].metric.triangle[feature_metric_numbers(3) + j], 0, 0, "always 0");
    feature_map_free(&map[0]);
    feature_map_free(&map[1]);
    problem_free(&problem);
    problem_free(&ways);
    problem_free(&seen);
}

/* It is taken if it helps clearly, and has no more numbers than there are examples. */
static void test_weak_metric(void)
{
    int taken = 0, errors = 0, classes = 0;
    check_group("metrics that help a little");
    for (int round = 0; round < 40; round++) {
        struct problem problem;
        int32_t y[WEAK];
        struct choice c;
        struct choice_pair pair;
        struct trial_result result;
        struct feature_metric product[TRIAL_SETS] = {{0}};
        const struct trial_metrics by = trial_metrics_each(product);
        struct error err = {0};
        make_turned((uint64_t)round, WEAK, 0.5 + round % 4, &problem, y);
        const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
        judge_lengths(&examples, WEAK, &c, &pair);
        CHECK(choice_relevances(&c, NULL, &pair.better.best, true, product, &err) == 0, "%s",
              err.message);
        CHECK(choice_search(&c, &by, pair.better.best.g, &result, &c.losses[CHOICE_METRIC], &err)
                  == 0,
              "%s", err.message);
        const struct trial_losses *without = &c.losses[CHOICE_PLAIN],
                                  *with = &c.losses[CHOICE_METRIC];
        const double error = plain_lead(without->error, with->error, WEAK),
                     right = plain_lead(without->wrong, with->wrong, WEAK);
        const bool want = error > 1 && right > 1;
        c.d = 17; /* 153 numbers, of 150 examples */
        CHECK(choice_try_metric(&c, &pair.better, &err) == 0 && pair.better.metric.d == 0,
              "too many numbers");
        c.d = 4;
        CHECK(choice_try_metric(&c, &pair.better, &err) == 0, "%s", err.message);
        CHECK((pair.better.metric.d > 0) == want, "round %d: ahead by %g and %g", round, error,
              right);
        CHECK(!want
                  || (pair.better.best.g == result.g
                      && feature_metric_equal(&pair.better.metric, &product[TRIAL_ALL])),
              "round %d: that of all examples", round);
        taken += want;
        errors += error <= 1 && right > 1;
        classes += error > 1 && right <= 1;
        feature_metric_free(&pair.better.metric);
        choice_free_metrics(product);
        choice_free(&c);
        problem_free(&problem);
    }
    CHECK(taken > 0 && errors > 0 && classes > 0, "%d taken, %d by classes alone, %d by errors",
          taken, errors, classes);
}

int main(void)
{
    test_scales(false);
    test_scales(true);
    test_weak_scales();
    test_metric();
    test_weak_metric();
    return check_finish();
}
