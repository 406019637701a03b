/* The choice of a kernel: against plain ridge regression, on labels that ask for a smooth and for a
 * narrow one, and on features of which some hide the others. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/dense.h"
#include "learners/features/map_choice.c" /* for the examples at which derivatives are taken */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 900, D = 60, SCALED = 1200, MANY = CHOICE_FEW + 100, MORE = CHOICE_FEW + 600 };

/* Folds at random, the same in all calls. */
static const int64_t *some_folds(void)
{
    static int64_t fold[MORE];
    struct random g = random_seeded(30, 1);
    for (int i = 0; i < MORE; i++)
        fold[i] = random_below(&g, FOLDS_DEFAULT);
    return fold;
}

/* Points of the square 0 .. 1, whose class is the side of a circle, or the colour of a chessboard.
 * other: every second point's class is as of the other kind. */
static void make_points(struct problem *problem, int32_t *y, bool chessboard, bool other)
{
    struct random g = random_seeded(9, 1);
    struct error err = {0};
    *problem = (struct problem){.n = 0};
    for (int i = 0; i < N; i++) {
        const int32_t index[] = {1, 2};
        const double value[] = {random_uniform(&g), random_uniform(&g)};
        const struct example x = {.index = index, .value = value, .size = 2};
        y[i] = chessboard != (other && i % 2) ? ((int)(6 * value[0]) + (int)(6 * value[1])) % 2
                                              : hypot(value[0] - 0.5, value[1] - 0.5) > 0.4;
        CHECK(problem_append_example(problem, &x, &err) == 0, "memory");
    }
}

/* The squared errors of ridge regression in three folds, from the definition:
 * normal equations by Gaussian elimination of the library.  error: out, N.  Returns their sum. */
static double plain_errors(const struct problem *problem, const int32_t *y, const double *weight,
                           double gamma, double ridge, double *error)
{
    struct feature_map map;
    struct error err = {0};
    static double phi[N * D], a[D * D], inverse[D * D];
    const int64_t *of = some_folds();
    double sum = 0, rcond, total = 0;
    for (int i = 0; i < N; i++)
        total += weight[i];
    CHECK(map_of_kernel(problem, D, (struct map_kernel){.gamma = gamma}, 3, 1, &map, &err) == 0,
          "a map");
    CHECK(feature_map_rows(&map, problem, phi, &err) == 0, "its features");
    feature_map_free(&map);
    for (int fold = 0; fold < 3; fold++) {
        double right[D][2] = {{0}}, w[D][2] = {{0}};
        for (int cell = 0; cell < D * D; cell++)
            a[cell] = cell % (D + 1) == 0 ? ridge * total : 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; of[i] != fold && j < D; j++) {
                right[j][y[i]] += weight[i] * phi[i * D + j];
                for (int l = 0; l < D; l++)
                    a[j * D + l] += weight[i] * phi[i * D + j] * phi[i * D + l];
            }
        CHECK(dense_invert(D, a, inverse, &rcond, 1, &err) == 0, "memory");
        for (int j = 0; j < D; j++)
            for (int l = 0; l < D; l++)
                for (int k = 0; k < 2; k++)
                    w[j][k] += inverse[j * D + l] * right[l][k];
        for (int i = 0; i < N; i++) {
            if (of[i] != fold)
                continue;
            error[i] = 0;
            for (int k = 0; k < 2; k++) {
                double f = 0;
                for (int j = 0; j < D; j++)
                    f += w[j][k] * phi[i * D + j];
                error[i] += weight[i] * (f - (y[i] == k)) * (f - (y[i] == k));
            }
            sum += error[i];
        }
    }
    return sum;
}

/* The smoothest gamma that no narrower one is better than by half a standard error. */
static double plain_choice(const struct problem *problem, const int32_t *y, const double *weight,
                           double unit)
{
    static double error[N], best[N], least[N];
    double want = 0;
    for (double f = 0.5; f <= 16; f *= 2) {
        double sum = INFINITY, gain = 0, squares = 0;
        for (double ridge = 1e-2; ridge > 5e-7; ridge /= 10) {
            const double all = plain_errors(problem, y, weight, f * unit, ridge, error);
            if (all < sum) {
                sum = all;
                memcpy(least, error, sizeof least);
            }
        }
        for (int i = 0; i < N; i++) {
            gain += best[i] - least[i];
            squares += (best[i] - least[i]) * (best[i] - least[i]);
        }
        if (f < 1 || gain > 0.5 * sqrt(squares)) {
            want = f * unit;
            memcpy(best, least, sizeof best);
        }
    }
    return want;
}

/* weighted: every second label is of the other kind, and weighs little. */
static void test_choice(bool chessboard, bool weighted)
{
    struct problem problem, raw = {0};
    int32_t y[N];
    struct feature_map map[2], usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, 3);
    struct error err = {0};
    double weight[N];
    check_group("%s%s", chessboard ? "a chessboard" : "a disc", weighted ? ", weights" : "");
    make_points(&problem, y, chessboard, weighted);
    for (int i = 0; i < N; i++)
        weight[i] = weighted ? (i % 2 ? 0.001 : 7) : 1;
    CHECK(feature_map_fit(&usual, &problem, &err) == 0, "the unit");
    const double want = plain_choice(&problem, y, weight, usual.gamma / 2);
    const struct trial_examples examples = {&problem, y, weighted ? weight : NULL, some_folds(), 2};
    for (int threads = 1; threads <= 2; threads++)
        CHECK(map_choose(&examples, D, 3, threads, &map[threads - 1], &raw, &err) == 0, "%s",
              err.message);
    /* Chance may prefer scales, which are nearly the same for features that are alike. */
    const double *scale = map[0].metric.scale, shared = scale ? scale[0] * scale[1] : 1;
    CHECK(!scale || fabs(scale[1] / scale[0] - 1) < 0.05, "features that are alike");
    CHECK_NEAR(map[0].gamma * shared, want, (scale ? 0.1 : 1e-12) * want,
               "the smoothest gamma with so small an error");
    CHECK_INT(map[0].dims, D, "its dims");
    CHECK(feature_map_equal(&map[0], &map[1]), "the same on two threads");
    CHECK(chessboard == (map[0].gamma * shared > 6 * usual.gamma), "narrow where labels are");
    feature_map_free(&map[0]);
    feature_map_free(&map[1]);
    feature_map_free(&usual);
    problem_free(&problem);
}

/* More points than the lengths are chosen by, of all directions and lengths, whose class is their
 * length's side of 1, or their direction's. At length 1 only the latter can be told. */
static void test_lengths(bool by_length)
{
    struct problem problem = {.keeps_lengths = true}, raw = {0};
    int32_t y[MANY];
    double length[MANY];
    struct random g = random_seeded(10, 1);
    struct feature_map map;
    struct error err = {0};
    check_group(by_length ? "lengths that tell" : "lengths that do not");
    for (int i = 0; i < MANY; i++) {
        const int32_t index[] = {1, 2};
        const double a = random_uniform(&g), up = random_uniform(&g) < 0.5 ? -1 : 1;
        const double value[] = {2 * a - 1, up * sqrt(1 - (2 * a - 1) * (2 * a - 1))};
        length[i] = 0.5 + random_uniform(&g);
        y[i] = by_length ? length[i] > 1 : value[0] > 0;
        const struct example x = {.index = index, .value = value, .size = 2, .length = length[i]};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    CHECK(map_choose(&examples, D, 3, 2, &map, &raw, &err) == 0, "%s", err.message);
    CHECK_INT(raw.n, by_length ? MANY : 0, "examples at their lengths");
    CHECK(!by_length || !map.metric.scale, "scales that are no better than the lengths alone");
    for (int64_t i = 0; i < raw.n; i++) {
        const struct example x = problem_example(&raw, i);
        CHECK_NEAR(sqrt(example_squared_norm(&x)), length[i], 1e-12, "length of %d", (int)i);
    }
    feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

/* Lengths that do not tell leave the choice as it is where they are not known. */
static void test_lengths_lose(void)
{
    enum { COUNT = 300 };
    struct problem problem[2] = {{.keeps_lengths = true}, {.keeps_lengths = false}}, raw = {0};
    int32_t y[COUNT];
    struct random g = random_seeded(14, 1);
    struct feature_map map[2];
    struct error err = {0};
    check_group("lengths that do not tell, beside none");
    for (int i = 0; i < COUNT; i++) {
        static const int32_t index[] = {1, 2};
        const double a = 6 * random_uniform(&g), value[] = {cos(a), sin(a)};
        y[i] = a > 3;
        const struct example x = {
            .index = index, .value = value, .size = 2, .length = 3 + 4 * random_uniform(&g)};
        for (int way = 0; way < 2; way++)
            CHECK(problem_append_example(&problem[way], &x, &err) == 0, "memory");
    }
    for (int way = 0; way < 2; way++) {
        const struct trial_examples examples = {&problem[way], y, NULL, some_folds(), 2};
        CHECK(map_choose(&examples, D, 3, 1, &map[way], &raw, &err) == 0, "%s", err.message);
        CHECK_INT(raw.n, 0, "examples at their lengths");
    }
    CHECK(feature_map_equal(&map[0], &map[1]), "the same map: gammas %g and %g", map[0].gamma,
          map[1].gamma);
    for (int way = 0; way < 2; way++) {
        feature_map_free(&map[way]);
        problem_free(&problem[way]);
    }
}

/* Examples that are all alike have no gamma, and are refused for that; with lengths that differ
 * they have one as they were, with lengths that are alike, too, they have none either way. */
static void test_no_gamma(bool keeps, bool differ)
{
    enum { COUNT = 90 };
    struct problem problem = {.keeps_lengths = keeps}, raw = {0};
    int32_t y[COUNT];
    struct feature_map map;
    struct error err = {0};
    const bool fits = keeps && differ;
    check_group("examples that are alike, %s", fits    ? "but for their lengths"
                                               : keeps ? "as are their lengths"
                                                       : "whose lengths are not known");
    for (int i = 0; i < COUNT; i++) {
        static const int32_t index = 1;
        static const double value = 1;
        y[i] = i % 2;
        const double length = differ ? 1 + i % 2 : 2;
        const struct example x = {.index = &index, .value = &value, .size = 1, .length = length};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    const int status = map_choose(&examples, 20, 3, 1, &map, &raw, &err);
    CHECK_INT(status, fits ? 0 : FEATURE_MAP_UNFIT, "the status: %s", err.message);
    CHECK(fits || strstr(err.message, "the variance of the features is 0"), "%s", err.message);
    CHECK_INT(raw.n, fits ? COUNT : 0, "examples at their lengths");
    if (status == 0)
        feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

/* Lengths of 1 but for rounding are no choice. */
static void test_rounded_lengths(double rounding)
{
    enum { COUNT = 90 };
    struct problem problem = {.keeps_lengths = true}, raw = {0};
    int32_t y[COUNT];
    struct random g = random_seeded(13, 1);
    struct feature_map map;
    struct error err = {0};
    check_group("lengths of 1 but for rounding");
    for (int i = 0; i < COUNT; i++) {
        static const int32_t index[] = {1, 2};
        const double a = 6 * random_uniform(&g), value[] = {cos(a), sin(a)};
        y[i] = a > 3;
        const struct example x = {.index = index,
                                  .value = value,
                                  .size = 2,
                                  .length = y[i] ? 1 + rounding : 1 - rounding};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    CHECK(map_choose(&examples, 20, 3, 1, &map, &raw, &err) == 0, "%s", err.message);
    CHECK_INT(raw.n, 0, "examples at their lengths");
    feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

/* By how many standard errors of the difference the second losses are less. */
static double plain_lead(const double *first, const double *second, int64_t n)
{
    double gain = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        gain += first[i] - second[i];
        squares += (first[i] - second[i]) * (first[i] - second[i]);
    }
    return squares > 0 ? gain / sqrt(squares) : 0;
}

/* Which of MORE examples of two features are the few that are drawn.  few: out, MORE. */
static void find_few(const struct trial_examples *examples, bool *few)
{
    struct trial trial = {.seed = 3, .threads = 1};
    struct error err = {0};
    int drawn = 0;
    CHECK(trial_start(&trial, MORE, D, 2, &err) == 0
              && trial_draw(&trial, examples, CHOICE_FEW, false, &err) == 0,
          "%s", err.message);
    for (int i = 0; i < MORE; i++) {
        const double *value = examples->problem->value + 2 * (ptrdiff_t)i;
        few[i] = drawn < trial.problem.n
                 && memcmp(value, trial.problem.value + 2 * (ptrdiff_t)drawn, sizeof *value) == 0;
        drawn += few[i];
    }
    trial_free(&trial);
    CHECK_INT(drawn, CHOICE_FEW, "found");
}

/* Where few examples do not clearly tell of lengths, all do.  The class of the few is their
 * direction's, so that they are clear, or random; of the others, which weigh much more, it is their
 * length's or their direction's. */
static void test_open_lengths(bool tell, bool clear)
{
    static double weight[MORE];
    static int32_t y[MORE];
    static bool few[MORE];
    struct problem problem = {.keeps_lengths = true}, raw = {0};
    struct choice c = {.trial = {.d = 2, .seed = 3, .threads = 2}};
    struct choice_kernel kernel;
    struct random g = random_seeded(14, 1);
    struct feature_map map;
    struct error err = {0};
    bool open;
    check_group("lengths that %s for all%s", tell ? "tell" : "do not tell",
                clear ? ", clear for few" : "");
    for (int i = 0; i < MORE; i++) {
        static const int32_t index[] = {1, 2};
        const double a = 6.2 * random_uniform(&g), value[] = {cos(a), sin(a)},
                     by = 0.5 * (2 * random_uniform(&g) - 1);
        const struct example x = {.index = index, .value = value, .size = 2, .length = 1 + by};
        y[i] = tell ? by > 0 : value[0] > 0;
        weight[i] = 1000;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, weight, some_folds(), 2};
    find_few(&examples, few);
    for (int i = 0; i < MORE; i++) {
        const double *value = problem.value + 2 * (ptrdiff_t)i;
        if (!few[i])
            continue;
        y[i] = clear ? value[0] > 0 : random_uniform(&g) < 0.5;
        weight[i] = 1;
    }
    CHECK(choice_start(&c, MORE, D, 2, &err) == 0
              && choice_lengths(&c, &examples, CHOICE_FEW, &kernel, &open, &err) == 0,
          "%s", err.message);
    const double lead = plain_lead(c.losses[CHOICE_PLAIN].error, c.losses[CHOICE_AT_LENGTH].error,
                                   CHOICE_FEW);
    CHECK(open == !clear && clear == (fabs(lead) > 3), "few are ahead by %g", lead);
    choice_free(&c);
    CHECK(map_choose(&examples, D, 3, 2, &map, &raw, &err) == 0, "%s", err.message);
    CHECK_INT(raw.n, tell && !clear ? MORE : 0, "examples at their lengths");
    feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

static int chessboard_colour(const double *value)
{
    return ((int)(4 * value[0]) + (int)(4 * value[1])) % 2;
}

/* The gamma of the few examples that are drawn, by its number. */
static size_t few_choose(const struct trial_examples *examples)
{
    struct choice c = {.trial = {.d = examples->problem->d, .seed = 3, .threads = 2}};
    struct choice_kernel kernel;
    struct error err = {0};
    bool open;
    CHECK(choice_start(&c, examples->problem->n, D, 2, &err) == 0
              && choice_lengths(&c, examples, CHOICE_FEW, &kernel, &open, &err) == 0,
          "%s", err.message);
    CHECK(!open, "there are no lengths");
    choice_free(&c);
    return kernel.best.g;
}

/* The few examples that are drawn say where the search begins, one before their gamma, not where it
 * ends.  Their classes are drawn at random, and those of the others, which weigh much more, are a
 * chessboard's colours; or the other way round. */
static void test_all(bool narrower)
{
    static double weight[MORE];
    static int32_t y[MORE];
    static bool few[MORE];
    struct problem problem = {.n = 0}, raw = {0};
    struct random g = random_seeded(11, 1);
    struct feature_map map, usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, 3);
    struct error err = {0};
    check_group("all examples choose %s gamma", narrower ? "a larger" : "the first");
    for (int i = 0; i < MORE; i++) {
        const int32_t index[] = {1, 2};
        const double value[] = {random_uniform(&g), random_uniform(&g)};
        const struct example x = {.index = index, .value = value, .size = 2};
        y[i] = narrower ? chessboard_colour(value) : (int32_t)random_below(&g, 2);
        weight[i] = 1000;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, weight, some_folds(), 2};
    find_few(&examples, few);
    for (int i = 0; i < MORE; i++) {
        const double *value = problem.value + 2 * (ptrdiff_t)i;
        if (!few[i])
            continue;
        y[i] = narrower ? (int32_t)random_below(&g, 2) : chessboard_colour(value);
        weight[i] = 1;
    }
    CHECK(feature_map_fit(&usual, &problem, &err) == 0, "the unit");
    CHECK(map_choose(&examples, D, 3, 2, &map, &raw, &err) == 0, "%s", err.message);
    const double shared = map.metric.scale ? map.metric.scale[0] * map.metric.scale[1] : 1,
                 gamma = map.gamma * shared / usual.gamma;
    const size_t first = few_choose(&examples);
    if (narrower) {
        CHECK(gamma > 2, "narrow as the chessboard asks: %g of the usual", gamma);
    } else {
        CHECK(first > 1, "few ask for a narrow one: %d", (int)first);
        CHECK_NEAR(gamma, ldexp(0.25, (int)first - 1), map.metric.scale ? 0.1 : 1e-12,
                   "one before theirs");
    }
    feature_map_free(&map);
    feature_map_free(&usual);
    problem_free(&problem);
}

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
    enum { COUNT = SCALED };
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
    struct trial_metrics by[2];
    struct trial_result result[2];
    struct error err = {0};
    for (int set = 0; set < TRIAL_SETS; set++) {
        by[0].of[set] = &deviation;
        by[1].of[set] = &relevance[set];
    }
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
        struct choice c = {.trial = {.d = 3, .seed = 3, .threads = 1}};
        struct choice_kernel kernel;
        struct scaled want = {.taken = false};
        struct error err = {0};
        bool open;
        make_weak((uint64_t)round, 1 + round % 4, &problem, y);
        const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
        CHECK(choice_start(&c, WEAK, D, 2, &err) == 0
                  && choice_lengths(&c, &examples, WEAK, &kernel, &open, &err) == 0,
              "%s", err.message);
        judge_scales(&c, &kernel.best, &want);
        CHECK(choice_lengths(&c, &examples, WEAK, &kernel, &open, &err) == 0
                  && choice_try_scales(&c, &kernel, &err) == 0,
              "%s", err.message);
        const bool taken = kernel.metric.scale;
        CHECK(taken == want.taken, "round %d: ahead by %g and %g", round, want.error, want.right);
        CHECK(kernel.best.g == want.result.g && kernel.best.ridge == want.result.ridge,
              "round %d: gamma", round);
        for (int j = 0; taken && j < 3; j++)
            CHECK_NEAR(kernel.metric.scale[j], want.scale[j], 1e-12, "round %d: feature %d", round,
                       j);
        near[0] += want.right > 0.5 && want.error > 0.5 && want.error <= 1;
        near[1] += want.right > 0.5 && want.error > 1 && want.error <= 2;
        classes += want.error > 1 && want.right <= 0.5;
        relevant[want.relevant] += taken;
        feature_metric_free(&kernel.metric);
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
        struct choice c = {.trial = {.d = 4, .seed = 3, .threads = 1}};
        struct choice_kernel kernel;
        struct trial_result result;
        struct feature_metric product[TRIAL_SETS] = {{0}};
        struct trial_metrics by;
        struct error err = {0};
        bool open;
        make_turned((uint64_t)round, WEAK, 0.5 + round % 4, &problem, y);
        const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
        CHECK(choice_start(&c, WEAK, D, 2, &err) == 0
                  && choice_lengths(&c, &examples, WEAK, &kernel, &open, &err) == 0
                  && choice_relevances(&c, NULL, &kernel.best, true, product, &err) == 0,
              "%s", err.message);
        for (int set = 0; set < TRIAL_SETS; set++)
            by.of[set] = &product[set];
        CHECK(choice_search(&c, &by, kernel.best.g, &result, &c.losses[CHOICE_METRIC], &err) == 0,
              "%s", err.message);
        const struct trial_losses *without = &c.losses[CHOICE_PLAIN],
                                  *with = &c.losses[CHOICE_METRIC];
        const double error = plain_lead(without->error, with->error, WEAK),
                     right = plain_lead(without->wrong, with->wrong, WEAK);
        const bool want = error > 1 && right > 1;
        c.trial.d = 17; /* 153 numbers, of 150 examples */
        CHECK(choice_try_metric(&c, &kernel, &err) == 0 && kernel.metric.d == 0,
              "too many numbers");
        c.trial.d = 4;
        CHECK(choice_try_metric(&c, &kernel, &err) == 0, "%s", err.message);
        CHECK((kernel.metric.d > 0) == want, "round %d: ahead by %g and %g", round, error, right);
        CHECK(!want
                  || (kernel.best.g == result.g
                      && feature_metric_equal(&kernel.metric, &product[TRIAL_ALL])),
              "round %d: that of all examples", round);
        taken += want;
        errors += error <= 1 && right > 1;
        classes += error > 1 && right <= 1;
        feature_metric_free(&kernel.metric);
        choice_free_metrics(product);
        choice_free(&c);
        problem_free(&problem);
    }
    CHECK(taken > 0 && errors > 0 && classes > 0, "%d taken, %d by classes alone, %d by errors",
          taken, errors, classes);
}

/* Gammas that no model file may say are not chosen: where values are tiny and labels alternate, the
 * best would be larger; where they are huge and tell nothing, the smoothest one would be smaller.
 * (The index is so large that the data count as sparse, and are not scaled.) */
static void test_range(bool huge)
{
    enum { COUNT = 200 };
    struct problem problem = {.n = 0}, raw = {0};
    int32_t y[COUNT];
    struct feature_map map;
    struct error err = {0};
    check_group("the range of gamma, %s values", huge ? "huge" : "tiny");
    for (int i = 0; i < COUNT; i++) {
        const int32_t index = 100000;
        const double value = huge ? (i % 2 ? 9.5e149 : -9.5e149) : 4e-151 * (i % 10);
        const struct example x = {.index = &index, .value = &value, .size = 1};
        y[i] = huge ? i / 2 % 2 : i % 2;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    CHECK(map_choose(&examples, D, 3, 1, &map, &raw, &err) == 0, "%s", err.message);
    if (huge)
        CHECK(map.gamma >= FEATURE_MAP_LEAST_GAMMA && map.gamma < 1e-299, "in range: %g",
              map.gamma);
    else
        CHECK(map.gamma > 1e299 && map.gamma <= FEATURE_MAP_MOST_GAMMA, "in range: %g", map.gamma);
    feature_map_free(&map);
    problem_free(&problem);
}

/* Of examples whose feature is their number, from 1 on, those that are drawn without a fold. */
static void check_slopes(struct trial *t, int64_t left_out)
{
    struct problem some = {0}, others = {0};
    struct error err = {0};
    int64_t left = 0, differ = 0;
    for (int i = 0; i < N; i++)
        left += t->fold[i] != left_out;
    CHECK_INT(choice_draw_slopes(t, left_out, &some, &err), 0, "%s", err.message);
    CHECK_INT(some.n, left < CHOICE_SLOPES ? left : CHOICE_SLOPES, "how many");
    for (int64_t i = 0; i < some.n; i++) {
        CHECK(i == 0 || some.value[i] > some.value[i - 1], "in order, each once");
        CHECK(t->fold[(int)some.value[i] - 1] != left_out, "%g is not left out", some.value[i]);
    }
    CHECK(some.value[0] < N / 20. && some.value[some.n - 1] > N - N / 20., "from all of them");
    t->seed++;
    CHECK_INT(choice_draw_slopes(t, left_out, &others, &err), 0, "%s", err.message);
    t->seed--;
    for (int64_t i = 0; i < some.n && i < others.n; i++)
        differ += some.value[i] < others.value[i] || some.value[i] > others.value[i];
    CHECK((differ > 0) == (left > CHOICE_SLOPES), "others by another seed, where there are others");
    CHECK_INT(choice_draw_slopes(t, left_out, &others, &err), 0, "%s", err.message);
    CHECK_INT(others.n, some.n, "none is left of those drawn before");
    problem_free(&some);
    problem_free(&others);
}

/* More than half of the examples are in one fold: fewer are left than may be drawn. */
static void test_slopes(void)
{
    static const int32_t index = 1;
    struct trial t = {.seed = 3, .threads = 1};
    struct problem problem = {.n = 0};
    struct error err = {0};
    static int32_t y[N];
    static int64_t fold[N];
    struct random g = random_seeded(31, 1);
    check_group("examples at which derivatives are taken");
    for (int i = 0; i < N; i++) {
        const double value = i + 1;
        const struct example x = {.index = &index, .value = &value, .size = 1};
        fold[i] = random_below(&g, 6) / 4 + random_below(&g, 7) / 6;
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, fold, 1};
    CHECK(trial_start(&t, N, D, 1, &err) == 0 && trial_draw(&t, &examples, N, false, &err) == 0,
          "%s", err.message);
    for (int64_t left_out = FOLDS_ALL; left_out < FOLDS_DEFAULT; left_out++)
        check_slopes(&t, left_out);
    trial_free(&t);
    problem_free(&problem);
}

/* Beside a trial's: with each feature a scale, a deviation, its relevances and a derivative at each
 * of the examples; with each example two losses of each search. */
static void test_bytes(void)
{
    const struct problem problem = {.n = 1000, .d = 10, .nnz = 10000};
    struct problem wider = problem, longer = problem;
    check_group("bytes of a choice");
    wider.d += 1000000;
    CHECK(map_choice_bytes(&wider, 3) - map_choice_bytes(&problem, 3)
                  - (trial_bytes(&wider, CHOICE_DIMS, 3, 1)
                     - trial_bytes(&problem, CHOICE_DIMS, 3, 1))
              >= 8e6 * (2 + TRIAL_SETS + CHOICE_SLOPES),
          "more features");
    const struct problem few = {.n = 54, .d = 10, .nnz = 540},
                         enough = {.n = 55, .d = 10, .nnz = 550};
    CHECK(map_choice_bytes(&enough, 3) - map_choice_bytes(&few, 3)
                  - (trial_bytes(&enough, CHOICE_DIMS, 3, 1) - trial_bytes(&few, CHOICE_DIMS, 3, 1))
              >= 8. * (TRIAL_SETS * 55 + 100) + problem_bytes(55, 550, false),
          "a metric");
    longer.n *= 1000;
    longer.nnz *= 1000;
    CHECK(map_choice_bytes(&longer, 3) - map_choice_bytes(&problem, 3)
                  - (trial_bytes(&longer, CHOICE_DIMS, 3, 1)
                     - trial_bytes(&problem, CHOICE_DIMS, 3, 1))
              >= 999000. * 2 * 8 * CHOICE_SEARCHES,
          "more examples");
}

int main(void)
{
    test_bytes();
    test_range(false);
    test_range(true);
    for (int kind = 0; kind < 4; kind++)
        test_choice(kind % 2, kind / 2);
    test_scales(false);
    test_scales(true);
    test_weak_scales();
    test_metric();
    test_weak_metric();
    test_lengths(true);
    test_lengths(false);
    test_lengths_lose();
    test_no_gamma(false, false);
    test_no_gamma(true, false);
    test_no_gamma(true, true);
    test_rounded_lengths(1e-9);
    test_rounded_lengths(-1e-9);
    test_open_lengths(true, false);
    test_open_lengths(true, true);
    test_open_lengths(false, false);
    test_all(true);
    test_all(false);
    test_slopes();
    return check_finish();
}
