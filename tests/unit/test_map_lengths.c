/* The choice of a kernel: of examples at unit length, or as they were. */
#include "map_choice_cases.h"

#include <math.h>
#include <string.h>

enum { MANY = CHOICE_FEW + 100 };

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

/* Where few examples do not clearly tell of lengths, all do.  The class of the few is their
 * direction's, so that they are clear, or random; of the others, which weigh much more, it is their
 * length's or their direction's. */
static void test_open_lengths(bool tell, bool clear)
{
    static double weight[MORE];
    static int32_t y[MORE];
    static bool few[MORE];
    struct problem problem = {.keeps_lengths = true}, raw = {0};
    struct choice c;
    struct choice_pair pair;
    struct random g = random_seeded(14, 1);
    struct feature_map map;
    struct error err = {0};
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
    judge_lengths(&examples, CHOICE_FEW, &c, &pair);
    const double lead = plain_lead(c.losses[CHOICE_PLAIN].error, c.losses[CHOICE_AT_LENGTH].error,
                                   CHOICE_FEW);
    CHECK(pair.open == !clear && clear == (fabs(lead) > 3), "few are ahead by %g", lead);
    choice_free(&c);
    CHECK(map_choose(&examples, D, 3, 2, &map, &raw, &err) == 0, "%s", err.message);
    CHECK_INT(raw.n, tell && !clear ? MORE : 0, "examples at their lengths");
    feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

/* Where few examples are all, lengths that these do not tell of as they are may tell with scales:
 * the classes are stripes of one feature of three, of the examples at their lengths or not, with
 * 30 % of the labels wrong. */
static void test_scaled_lengths(bool at_length)
{
    static int32_t y[CHOICE_FEW];
    struct problem problem = {.keeps_lengths = true}, raw = {0};
    struct choice c;
    struct choice_pair pair;
    struct random g = random_seeded(15, 1);
    struct feature_map map;
    struct error err = {0};
    check_group("stripes %s", at_length ? "at their lengths" : "at unit length");
    for (int i = 0; i < CHOICE_FEW; i++) {
        static const int32_t index[] = {1, 2, 3};
        double value[3], squares = 0;
        for (int j = 0; j < 3; j++) {
            value[j] = 2 * random_uniform(&g) - 1;
            squares += value[j] * value[j];
        }
        const double length = sqrt(squares);
        for (int j = 0; j < 3; j++)
            value[j] /= length;
        const struct example x = {.index = index, .value = value, .size = 3, .length = length};
        y[i] = (sin(9 * value[0] * (at_length ? length : 1)) > 0) != (random_uniform(&g) < 0.3);
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
    }
    const struct trial_examples examples = {&problem, y, NULL, some_folds(), 2};
    judge_lengths(&examples, CHOICE_FEW, &c, &pair);
    CHECK(pair.open && !pair.better.at_length, "unit length is ahead, but not clearly");
    choice_free(&c);
    CHECK(map_choose(&examples, D, 3, 2, &map, &raw, &err) == 0, "%s", err.message);
    CHECK_INT(raw.n, at_length ? CHOICE_FEW : 0, "examples at their lengths");
    CHECK(map.metric.d > 0, "a metric");
    feature_map_free(&map);
    problem_free(&raw);
    problem_free(&problem);
}

int main(void)
{
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
    test_scaled_lengths(true);
    test_scaled_lengths(false);
    return check_finish();
}
