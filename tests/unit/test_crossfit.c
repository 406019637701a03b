/* What the steps of a path decide, the number of steps that is chosen by it, and the values of
 * lambda that are tried and chosen, also by weighted examples. */
#include "check.h"
#include "learners/estimate/crossfit.h"
#include "learners/noise/decisions.h"
#include "learners/noise/em.h"
#include "words.h"

#include <math.h>
#include <string.h>

enum {
    N = 360,
    MANY = 4800,
    NUMBERS = 60,
    MANY_CLASSES = 50,
    MANY_EACH = 16,
    NUMBERS_OF_LAMBDA = 13
};

static void decide(const struct crossfit *f, int32_t *decision)
{
    for (int i = 0; i < N; i++)
        decision[i] = (int32_t)weights_best(f->now.s + i * K, K);
}

/* Scores and decisions of f get other names. */
static void check_names(struct crossfit *f)
{
    static const int64_t from[K] = {2, 0, 3, 1};
    int32_t before[N], after[N], decision[CROSSFIT_NOTED][N];
    int differ = 0;
    decide(f, before);
    memcpy(decision, f->now.decision, sizeof decision);
    crossfit_rename(f, from);
    decide(f, after);
    for (int i = 0; i < N; i++) {
        differ += from[after[i]] != before[i];
        for (int step = 0; step < f->now.noted; step++)
            differ += from[f->now.decision[step * N + i]] != decision[step][i];
    }
    CHECK_INT(differ, 0, "decisions under other names");
}

/* Texts of four classes, and cross-fits of them. */
struct texts {
    int32_t y[MANY];
    struct problem problem;
    struct labels labels;
    struct labelled data;
    struct crossfit f;
};

/* n texts; free with texts_free. */
static void texts_start(struct texts *t, uint64_t seed, double noise, int n,
                        const struct crossfit_options *options)
{
    struct error err = {0};
    t->labels = (struct labels){0};
    t->data = (struct labelled){.problem = &t->problem, .y = t->y, .labels = &t->labels};
    make_words(seed, noise, n, &t->problem, t->y);
    CHECK(labels_parse("0-3", &t->labels, &err) == 0, "%s", err.message);
    CHECK(crossfit_start(&t->f, &t->data, options, &err) == 0, "%s", err.message);
}

static void texts_free(struct texts *t)
{
    crossfit_free(&t->f);
    labels_free(&t->labels);
    problem_free(&t->problem);
}

/* Of `from` steps or others, up to `last`, those whose decisions lead those of `from` by most, if
 * by more than one standard error. */
static int64_t plain_decided(const struct texts *t, const double *c,
                             int32_t decision[CROSSFIT_NOTED][N], int64_t from, int64_t last)
{
    double workspace[3 * K * K], largest = 1;
    int64_t best = from;
    struct decisions both = {N, K, t->y, decision[from - 1], NULL, t->f.em.weight};
    for (int64_t step = 1; step <= last; step++) {
        both.second = decision[step - 1];
        const double lead = decisions_lead(&both, c, workspace);
        if (lead > largest) {
            largest = lead;
            best = step;
        }
    }
    return best;
}

/* The number is that which leads by most, at most three beyond the likeliest; what a path has
 * decided is what fits of so many steps decide.  Returns in place of how many numbers one farther
 * on would be chosen. */
static int test_steps(const char *name, const double *c, uint64_t seed, double noise, bool weighted)
{
    static double weight[N];
    static struct texts t;
    static int32_t decision[CROSSFIT_NOTED][N];
    struct error err = {0};
    int beyond = 0;
    const struct crossfit_options options = {
        .weight = weighted ? weight : NULL, .lambda = -1, .steps = -1, .seed = 1, .threads = 2};
    check_group("steps by decisions, %s%s", name, weighted ? ", weights" : "");
    for (int i = 0; i < N; i++)
        weight[i] = 1 + i % 3;
    texts_start(&t, seed, noise, N, &options);
    CHECK(t.f.stops_early, "the number of steps is to be chosen");
    CHECK(crossfit_choose_lambda(&t.f, c, &err) == 0, "%s", err.message);
    const int64_t likeliest = t.f.now.steps, noted = t.f.now.noted;
    CHECK(noted >= likeliest && noted <= CROSSFIT_NOTED, "%d steps of %d", (int)likeliest,
          (int)noted);
    memcpy(decision, t.f.now.decision, sizeof decision);
    for (int64_t step = 1; step <= noted; step++) {
        t.f.now.steps = step;
        const int64_t last = step + 3 < noted ? step + 3 : noted,
                      chosen = crossfit_decide_steps(&t.f, c);
        CHECK_INT(chosen, plain_decided(&t, c, decision, step, last), "in place of %d steps",
                  (int)step);
        CHECK(step != likeliest || noise < 0.3 || weighted || chosen != likeliest,
              "noisy labels have another one");
        beyond += chosen != plain_decided(&t, c, decision, step, noted);
    }
    for (int64_t step = 1; step <= noted; step++) {
        int32_t fitted[N];
        int differ = 0;
        t.f.now.steps = step;
        CHECK(crossfit_scores(&t.f, c, &err) == 0, "%s", err.message);
        decide(&t.f, fitted);
        for (int i = 0; i < N; i++)
            differ += fitted[i] != decision[step - 1][i];
        CHECK_INT(differ, 0, "decisions of a fit of %d steps that the path has not", (int)step);
    }
    check_names(&t.f);
    texts_free(&t);
    return beyond;
}

/* How likely the held-out scores of lambda number `at` make the labels at the best of the three
 * temperatures, per label. */
static double likelihood(struct crossfit *f, const double *c, int64_t at, const int32_t *y)
{
    double sum[EM_TEMPERATURES] = {0}, workspace[K];
    struct error err = {0};
    f->now.at = at;
    CHECK(crossfit_choose_steps(f, c, &err) == 0, "%s", err.message);
    for (int i = 0; i < N; i++)
        em_add_likelihoods(K, c + y[i] * K, f->now.s + i * K, 1, workspace, sum);
    const double first = fmax(sum[0], sum[1]);
    return fmax(first, sum[2]) / N;
}

/* A matrix of columns alike tells nothing about weights: no step is made, and nothing of the fits
 * before is left. */
static void test_no_step(void)
{
    static struct texts t;
    double alike[K * K], telling[K * K], other = 0;
    struct error err = {0};
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 2};
    for (int i = 0; i < K * K; i++) {
        alike[i] = (i / K + 1) / 10.0;
        telling[i] = i % (K + 1) == 0;
    }
    check_group("a path without a step");
    texts_start(&t, 4, 0, N, &options);
    CHECK(crossfit_choose_steps(&t.f, telling, &err) == 0, "%s", err.message);
    CHECK(t.f.now.steps > 1 && t.f.now.noted > 0, "%d steps before", (int)t.f.now.steps);
    CHECK(crossfit_choose_steps(&t.f, alike, &err) == 0, "%s", err.message);
    CHECK_INT(t.f.now.steps, 1, "steps");
    CHECK_INT(t.f.now.noted, 0, "steps with decisions");
    for (int i = 0; i < N * K; i++)
        other = fmax(other, fabs(t.f.now.s[i]));
    CHECK_NEAR(other, 0, 0, "scores");
    texts_free(&t);
}

/* Folds are fitted side by side where there are threads, to the same numbers. */
static void test_side_by_side(void)
{
    static int32_t y[N];
    static double alone[N * K];
    double c[K * K];
    struct problem problem;
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct error err = {0};
    int64_t steps = 0;
    for (int i = 0; i < K * K; i++)
        c[i] = i % (K + 1) == 0 ? 0.7 : 0.1;
    make_words(3, 0.3, N, &problem, y);
    check_group("folds side by side");
    CHECK(labels_parse("0-3", &labels, &err) == 0, "%s", err.message);
    for (int threads = 1; threads <= 4; threads++) {
        const struct crossfit_options options = {
            .lambda = -1, .steps = -1, .seed = 1, .threads = threads};
        struct crossfit f;
        CHECK(crossfit_start(&f, &data, &options, &err) == 0, "%s", err.message);
        CHECK_INT(f.at_once > 1, threads > 1, "%d at once on %d threads", f.at_once, threads);
        CHECK(crossfit_choose_lambda(&f, c, &err) == 0, "%s", err.message);
        if (threads == 1) {
            memcpy(alone, f.now.s, sizeof alone);
            steps = f.now.steps;
        }
        CHECK_INT(f.now.steps, steps, "steps, %d threads", threads);
        CHECK(memcmp(f.now.s, alone, sizeof alone) == 0, "other scores, %d threads", threads);
        crossfit_free(&f);
    }
    labels_free(&labels);
    problem_free(&problem);
}

/* Where neither a tenth of the first lambda nor ten times it is better, but what stands between. */
static void test_between(double noise, int64_t first, int64_t expected)
{
    static struct texts t;
    double c[K * K];
    struct error err = {0};
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1};
    for (int i = 0; i < K * K; i++)
        c[i] = i % (K + 1) == 0 ? 1 - noise * (K - 1) / K : noise / K;
    check_group("lambda number %d from %d on, %g of the labels drawn anew", (int)expected,
                (int)first, noise);
    texts_start(&t, 4, noise, N, &options);
    t.f.now.at = first;
    CHECK(crossfit_choose_lambda(&t.f, c, &err) == 0, "%s", err.message);
    CHECK_INT(t.f.now.at, expected, "lambda");
    const double chosen = likelihood(&t.f, c, expected, t.y);
    for (int64_t other = first - 2; other <= first + 2; other += 2)
        CHECK(chosen > likelihood(&t.f, c, other, t.y), "number %d is likelier", (int)other);
    texts_free(&t);
}

/* Where not all folds judge, the scores and decisions of each are those of its own fit. */
static void test_judges(int n, int64_t judges)
{
    static struct texts t;
    static double s[MANY * K];
    static const double c[K * K] = {.7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7};
    struct error err = {0};
    int differ = 0;
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 2};
    check_group("%d examples, of which %d folds judge", n, (int)judges);
    texts_start(&t, 5, 0.35, n, &options);
    CHECK_INT(t.f.judges, judges, "folds that judge");
    t.f.now.at = 0;
    CHECK(crossfit_choose_lambda(&t.f, c, &err) == 0, "%s", err.message);
    CHECK(t.f.now.at > 0, "lambda stays number %d", (int)t.f.now.at);
    memcpy(s, t.f.now.s, (size_t)(n * K) * sizeof *s);
    const int32_t *decision = t.f.now.decision + (t.f.now.steps - 1) * t.f.now.rows;
    for (int i = 0; i < n; i++)
        differ += decision[i] != weights_best(s + i * K, K);
    CHECK_INT(differ, 0, "decisions of the steps that were chosen");
    CHECK(crossfit_scores(&t.f, c, &err) == 0, "%s", err.message);
    CHECK(memcmp(s, t.f.now.s, (size_t)(n * K) * sizeof *s) == 0, "the scores");
    texts_free(&t);
}

/* Classes by the sign of some of the features, all of which are `size` times as large. */
static void make_numbers(uint64_t seed, double size, int n, struct problem *problem, int32_t *y)
{
    struct random g = random_seeded(seed, 1);
    *problem = (struct problem){0};
    for (int i = 0; i < n; i++) {
        int32_t index[NUMBERS];
        double value[NUMBERS], sum = 0;
        for (int j = 0; j < NUMBERS; j++) {
            index[j] = 1 + j;
            value[j] = size * (2 * random_uniform(&g) - 1);
            sum += j < NUMBERS / 4 ? value[j] : 0;
        }
        y[i] = random_uniform(&g) < 0.3 ? (int32_t)random_below(&g, 2) : sum > 0;
        const struct example x = {.index = index, .value = value, .size = NUMBERS, .length = 1};
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

/* Where features are large and overfit, lambda has to be so many decades above 1e-4.  Returns how
 * likely the labels are by the first of its values, per label. */
static double test_size(double size, int64_t decades)
{
    static int32_t y[N];
    static const double c[4] = {1, 0, 0, 1};
    struct problem problem;
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct crossfit f;
    struct error err = {0};
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1};
    double workspace[2], sum[EM_TEMPERATURES] = {0};
    make_numbers(6, size, N, &problem, y);
    check_group("features of size %g", size);
    CHECK(labels_parse("0-1", &labels, &err) == 0, "%s", err.message);
    CHECK(crossfit_start(&f, &data, &options, &err) == 0, "%s", err.message);
    CHECK_INT(f.decades, decades, "decades of the spread");
    CHECK_NEAR(crossfit_lambda(&f, CROSSFIT_FIRST - 2 * decades), 1e-4 * pow(10, (double)decades),
               1e-15 * pow(10, (double)decades), "so many decades up");
    CHECK(crossfit_first_lambda(&f, c, &err) == 0, "%s", err.message);
    CHECK_INT(f.now.at, CROSSFIT_FIRST - 2 * decades, "the number to begin with");
    CHECK(crossfit_scores(&f, c, &err) == 0, "%s", err.message);
    for (int i = 0; i < N; i++)
        em_add_likelihoods(2, c + y[i] * 2, f.now.s + i * 2, 1, workspace, sum);
    crossfit_free(&f);
    labels_free(&labels);
    problem_free(&problem);
    return fmax(fmax(sum[0], sum[1]), sum[2]) / N;
}

/* The labels are about as likely whatever the unit of the features is. */
static void test_sizes(void)
{
    const double one = test_size(0.3, 0), large = test_size(30, 4), huge = test_size(3e4, 10);
    CHECK(fabs(large - one) < 0.01 && fabs(huge - one) < 0.01,
          "log-likelihoods %.4f, %.4f and %.4f", one, large, huge);
}

/* Of features too many for the metric, as far from 0 as `offset`, lambda begins with that number.
 */
static void test_common(double offset, int64_t first)
{
    enum { EXAMPLES = 30, WIDE = 40 };
    static const double c[4] = {1, 0, 0, 1};
    int32_t y[EXAMPLES], index[WIDE];
    double value[WIDE];
    struct random g = random_seeded(1, 1);
    struct problem problem = {0};
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct crossfit f;
    struct error err = {0};
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1};
    check_group("features near %g", offset);
    for (int i = 0; i < EXAMPLES; i++) {
        y[i] = i % 2;
        for (int j = 0; j < WIDE; j++) {
            index[j] = 1 + j;
            value[j] = offset + random_normal(&g);
        }
        const struct example x = {.index = index, .value = value, .size = WIDE, .length = 1};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    CHECK(labels_parse("0-1", &labels, &err) == 0, "%s", err.message);
    CHECK(crossfit_start(&f, &data, &options, &err) == 0, "%s", err.message);
    CHECK(crossfit_first_lambda(&f, c, &err) == 0, "%s", err.message);
    CHECK_INT(f.now.at, first, "the number to begin with");
    crossfit_free(&f);
    labels_free(&labels);
    problem_free(&problem);
}

/* Many classes, as many examples of each: normal around their means, at unit length.  `noise` of
 * the labels y are drawn anew; look: the classes. */
static void make_many_classes(uint64_t seed, int n, double noise, struct problem *problem,
                              int32_t *y, int32_t *look)
{
    struct random g = random_seeded(seed, 1);
    *problem = (struct problem){0};
    for (int i = 0; i < n; i++) {
        int32_t index[NUMBERS];
        double value[NUMBERS], squares = 0;
        struct random mean = random_seeded(0, (uint64_t)(i % MANY_CLASSES));
        look[i] = i % MANY_CLASSES;
        y[i] = random_uniform(&g) < noise ? (int32_t)random_below(&g, MANY_CLASSES) : look[i];
        for (int j = 0; j < NUMBERS; j++) {
            index[j] = 1 + j;
            value[j] = 0.7 * random_normal(&mean) + random_normal(&g);
            squares += value[j] * value[j];
        }
        for (int j = 0; j < NUMBERS; j++)
            value[j] /= sqrt(squares);
        const struct example x = {.index = index, .value = value, .size = NUMBERS, .length = 1};
        CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
    }
}

/* The search begins on either side.  By the likelihood alone a weaker penalty would be chosen,
 * which decides for six in a hundred fewer of the true classes. */
static void test_many_classes(int64_t first)
{
    static int32_t y[MANY_CLASSES * MANY_EACH], look[MANY_CLASSES * MANY_EACH];
    static double c[MANY_CLASSES * MANY_CLASSES];
    const int n = MANY_CLASSES * MANY_EACH;
    struct problem problem;
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct crossfit f;
    struct error err = {0};
    const struct crossfit_options options = {.lambda = -1, .steps = -1, .seed = 1, .threads = 1};
    int right = 0;
    check_group("many classes of few examples, from number %d on", (int)first);
    make_many_classes(3, n, 0.2, &problem, y, look);
    for (int cell = 0; cell < MANY_CLASSES * MANY_CLASSES; cell++)
        c[cell] = cell % (MANY_CLASSES + 1) == 0 ? 0.8 : 0.2 / (MANY_CLASSES - 1);
    CHECK(labels_parse("0-49", &labels, &err) == 0, "%s", err.message); /* MANY_CLASSES */
    CHECK(crossfit_start(&f, &data, &options, &err) == 0, "%s", err.message);
    f.now.at = first;
    CHECK(crossfit_choose_lambda(&f, c, &err) == 0, "%s", err.message);
    for (int i = 0; i < n; i++)
        right += weights_best(f.now.s + i * MANY_CLASSES, MANY_CLASSES) == look[i];
    CHECK(right > 730, "true classes of %d by lambda number %d: %d", n, (int)f.now.at, right);
    crossfit_free(&f);
    labels_free(&labels);
    problem_free(&problem);
}

/* ---- lambda by weighted examples ---- */

/* Where the weights of the examples count in a choice by hand. */
struct counted {
    bool temperature, likelihood;
};

static double counted_weight(bool counts, const struct crossfit *f, int i)
{
    return counts ? em_weight(&f->em, i) : 1;
}

/* That of the three temperatures at which scores make the labels likeliest. */
static double plain_temperature(const struct crossfit *f, const double *c, const double *s,
                                bool counts)
{
    double sum[EM_TEMPERATURES] = {0}, p[K];
    int best = 0;
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        for (int i = 0; i < N; i++)
            sum[t] += counted_weight(counts, f, i)
                      * em_log_likelihood(c + f->y[i] * K, K, s + i * K, em_temperatures[t], p);
        if (sum[t] > sum[best])
            best = t;
    }
    return em_temperatures[best];
}

/* Are the scores `other` better than `now`, as crossfit.h says it? */
static bool plain_prefers(const struct crossfit *f, const double *c, const double *now,
                          const double *other, struct counted counts)
{
    const double before = plain_temperature(f, c, now, counts.temperature),
                 after = plain_temperature(f, c, other, counts.temperature);
    int32_t first[N], second[N];
    double weight[N], p[K], workspace[3 * K * K];
    const struct decisions both = {N, K, f->y, first, second, weight};
    struct paired gain = {0};
    for (int i = 0; i < N; i++) {
        const double *row = c + f->y[i] * K,
                     was = em_log_likelihood(row, K, now + i * K, before, p),
                     is = em_log_likelihood(row, K, other + i * K, after, p);
        paired_add(&gain, counted_weight(counts.likelihood, f, i) * (is - was));
        first[i] = (int32_t)weights_best(now + i * K, K);
        second[i] = (int32_t)weights_best(other + i * K, K);
        weight[i] = em_weight(&f->em, i);
    }
    return crossfit_prefers(paired_errors(&gain), decisions_lead(&both, c, workspace));
}

/* The number of lambda from `at` on: to larger numbers as long as these are better or, if none is,
 * to smaller ones. */
static int64_t plain_lambda(struct crossfit *f, const double *c, int64_t at, struct counted counts)
{
    static double now[N * K], other[N * K];
    const int64_t first = at;
    struct error err = {0};
    for (int64_t stride = 1; stride >= -1 && at == first; stride -= 2) {
        bool better = true;
        f->now.at = first;
        CHECK(crossfit_scores(f, c, &err) == 0, "%s", err.message);
        memcpy(now, f->now.s, sizeof now);
        while (better && at + stride >= 0 && at + stride < NUMBERS_OF_LAMBDA) {
            f->now.at = at + stride;
            CHECK(crossfit_scores(f, c, &err) == 0, "%s", err.message);
            memcpy(other, f->now.s, sizeof other);
            better = plain_prefers(f, c, now, other, counts);
            memcpy(now, other, sizeof now);
            at += better ? stride : 0;
        }
    }
    return at;
}

/* One text in four counts as much as sixteen others do.  Every fit makes the same number of steps
 * from nothing, so that the search is the walk above; it ends elsewhere where the weights do not
 * count for the temperatures, or not for the gain in likelihood. */
static void test_weighted_choice(void)
{
    static const struct counted all = {true, true}, no_temperature = {.likelihood = true},
                                no_likelihood = {.temperature = true};
    static double weight[N];
    static struct texts t;
    double c[K * K];
    struct error err = {0};
    const struct crossfit_options options = {
        .weight = weight, .lambda = -1, .steps = 12, .seed = 1, .threads = 2};
    check_group("lambda by weighted examples");
    for (int i = 0; i < K * K; i++)
        c[i] = i % (K + 1) == 0 ? 0.7 : 0.1;
    for (int i = 0; i < N; i++)
        weight[i] = i % 4 == 0 ? 16 : 1;
    texts_start(&t, 12, 0.4, N, &options);
    CHECK_INT(t.f.judges, FOLDS_DEFAULT, "folds that judge");
    const int64_t expected = plain_lambda(&t.f, c, CROSSFIT_FIRST, all);
    CHECK(expected != plain_lambda(&t.f, c, CROSSFIT_FIRST, no_temperature),
          "weights change no temperature: number %d", (int)expected);
    CHECK(expected != plain_lambda(&t.f, c, CROSSFIT_FIRST, no_likelihood),
          "weights change no gain: number %d", (int)expected);
    t.f.now.at = CROSSFIT_FIRST;
    CHECK(crossfit_choose_lambda(&t.f, c, &err) == 0, "%s", err.message);
    CHECK_INT(t.f.now.at, expected, "the number");
    texts_free(&t);
}

int main(void)
{
    static const double even[K * K] = {.7, .1, .1, .1, .1, .7, .1, .1,
                                       .1, .1, .7, .1, .1, .1, .1, .7},
                                 identity[K * K] = {
                                     [0] = 1, [K + 1] = 1, [2 * K + 2] = 1, [3 * K + 3] = 1};
    test_steps("even noise", even, 3, 0.35, false);
    test_steps("even noise", even, 3, 0.35, true);
    test_steps("the identity, noisy labels", identity, 3, 0.35, false);
    test_steps("clean labels", identity, 3, 0, false);
    CHECK(test_steps("the identity, few noisy labels", identity, 6, 0.1, false) > 0,
          "some numbers are too far on");
    test_between(0.7, 6, 7);
    test_weighted_choice();
    test_no_step();
    test_side_by_side();
    test_sizes();
    test_common(0, CROSSFIT_FIRST);
    test_common(10, CROSSFIT_FIRST + 4);
    test_common(1e4, 12); /* the last one */
    test_many_classes(CROSSFIT_FIRST);
    test_many_classes(CROSSFIT_FIRST - 2);
    test_judges(2400, 2);
    test_judges(MANY, 1);
    return check_finish();
}
