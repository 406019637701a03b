/* The choice of a kernel: its gamma, against plain ridge regression, on labels that ask for a
 * smooth and for a narrow one. */
#include "common/linalg/dense.h"
#include "map_choice_cases.h"

#include <math.h>
#include <string.h>

enum { N = 900 };

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

static int chessboard_colour(const double *value)
{
    return ((int)(4 * value[0]) + (int)(4 * value[1])) % 2;
}

/* The gamma of the few examples that are drawn, by its number. */
static size_t few_choose(const struct trial_examples *examples)
{
    struct choice c;
    struct choice_pair pair;
    judge_lengths(examples, CHOICE_FEW, &c, &pair);
    CHECK(!pair.open, "there are no lengths");
    choice_free(&c);
    return pair.better.best.g;
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
                  - (trial_bytes(&enough, 55, 3, 1) - trial_bytes(&few, 54, 3, 1))
              >= 8. * ((TRIAL_SETS + 1) * 55 + 100) + problem_bytes(55, 550, false),
          "a metric");
    longer.n *= 1000;
    longer.nnz *= 1000;
    CHECK(map_choice_bytes(&longer, 3) - map_choice_bytes(&problem, 3)
                  - (trial_bytes(&longer, CHOICE_DIMS, 3, 1)
                     - trial_bytes(&problem, CHOICE_DIMS, 3, 1))
              >= 999000. * 2 * 8 * CHOICE_SEARCHES,
          "more examples");
    const struct problem genes = {.n = 12, .d = 1000000, .nnz = 12000000};
    CHECK(map_choice_bytes(&genes, 3) < trial_bytes(&genes, 12, 3, 1) + 8e6 * 100,
          "no more landmarks and derivatives than examples");
}

int main(void)
{
    test_bytes();
    test_range(false);
    test_range(true);
    for (int kind = 0; kind < 4; kind++)
        test_choice(kind % 2, kind / 2);
    test_all(true);
    test_all(false);
    test_slopes();
    return check_finish();
}
