/* Are lines that follow each other alike? */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/neighbours.h"

enum { N = 600, CLASSES = 3, FEATURES = 4 };

/* Examples of three classes, each with a mean of its own.
 *
 * film    frames of a film of this length, which differ little, follow each other
 * sorted  class by class, else a class is drawn for each film
 * step    of each frame from the one before: 0, the same again */
static void make_films(struct problem *problem, int32_t *y, int film, bool sorted, double step)
{
    struct random g = {7};
    double value[FEATURES];
    static const int32_t index[] = {1, 2, 3, 4};
    *problem = (struct problem){0};
    for (int i = 0; i < N; i++) {
        const struct example x = {.index = index, .value = value, .size = FEATURES};
        if (i % film == 0)
            y[i] = (int32_t)(sorted ? i * CLASSES / N : random_below(&g, CLASSES));
        else
            y[i] = y[i - 1];
        for (int j = 0; j < FEATURES; j++) {
            const double draw = random_normal(&g);
            value[j] = i % film == 0 ? 10 * (j == y[i]) + draw : value[j] + step * draw;
        }
        CHECK_INT(problem_append_example(problem, &x, NULL), 0, "example %d", i);
    }
}

/* What is found of the first n of them. */
static struct neighbours find(int n, int film, bool sorted, double step)
{
    struct problem problem;
    int32_t y[N], value[CLASSES] = {0, 1, 2};
    struct labels labels = {.count = CLASSES, .value = value};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct neighbours found = {.asked = 7, .nearest = 7};
    make_films(&problem, y, film, sorted, step);
    problem.n = n;
    CHECK_INT(neighbours_find(&data, 1, &found, NULL), 0, "found");
    problem.n = N;
    problem_free(&problem);
    return found;
}

static void check_films(void)
{
    struct neighbours found;
    check_group("films of six frames");
    found = find(N, 6, false, 0.1);
    CHECK_INT(found.asked, NEIGHBOURS_ASKED, "asked");
    CHECK(found.nearest > 0.75 * NEIGHBOURS_ASKED && found.nearest < 0.92 * NEIGHBOURS_ASKED,
          "five of six frames have the next one after them: %lld", (long long)found.nearest);
    CHECK(neighbours_are_alike(&found), "alike");

    check_group("films of one frame, in any order and class by class");
    for (int sorted = 0; sorted < 2; sorted++) {
        found = find(N, 1, sorted, 0);
        CHECK_INT(found.asked, NEIGHBOURS_ASKED, "asked");
        CHECK(found.nearest > 0.02 * NEIGHBOURS_ASKED && found.nearest < 0.09 * NEIGHBOURS_ASKED,
              "one of twenty by chance, or a little less: %lld", (long long)found.nearest);
        CHECK(!neighbours_are_alike(&found), "not alike");
    }

    check_group("each line three times, as where three people have labelled it");
    for (int rounded = 0; rounded < 2; rounded++) {
        found = find(N, 3, false, rounded * 1e-9);
        CHECK(found.asked > 0.25 * NEIGHBOURS_ASKED && found.asked < 0.42 * NEIGHBOURS_ASKED,
              "one pair of three is not equal: %lld", (long long)found.asked);
        CHECK(!neighbours_are_alike(&found), "not alike");
    }
}

static void check_few(void)
{
    struct neighbours found;
    check_group("few examples");
    found = find(101, 101, false, 0.1);
    CHECK_INT(found.asked, 100, "all pairs");
    CHECK(neighbours_are_alike(&found), "alike");
    found = find(100, 100, false, 0.1);
    CHECK_INT(found.asked, 99, "all pairs");
    CHECK(!neighbours_are_alike(&found), "too few to tell");
    found = find(1, 1, false, 0);
    CHECK_INT(found.asked, 0, "one example has no neighbour");
    found = find(NEIGHBOURS_OTHERS - 1, 6, true, 0.1);
    CHECK_INT(found.asked, 0, "a class without enough others");
    found = find(NEIGHBOURS_OTHERS, NEIGHBOURS_OTHERS, true, 0.1);
    CHECK_INT(found.asked, NEIGHBOURS_OTHERS - 1, "just enough");
}

/* Each has a feature of its own. */
static void check_ties(void)
{
    struct problem problem = {0};
    int32_t y[N] = {0}, value[] = {0};
    const struct labels labels = {.count = 1, .value = value};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct neighbours found;
    check_group("all as far from each other");
    for (int i = 0; i < N; i++) {
        const int32_t index[] = {1 + i};
        const struct example x = {.index = index, .value = (const double[]){1}, .size = 1};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    CHECK_INT(neighbours_find(&data, 1, &found, NULL), 0, "found");
    CHECK_INT(found.asked, NEIGHBOURS_ASKED, "asked");
    CHECK_INT(found.nearest, 0, "no one is nearer than the others");
    problem_free(&problem);
}

/* Examples of one feature, a number of 0 .. 9999 times `unit`.  The first `walk` go on from each
 * other by less than 400, and one in ten by nothing; the others are drawn. */
static void make_line(struct problem *problem, int32_t *y, int n, int walk, double unit)
{
    struct random g = {8};
    int64_t place = 0;
    *problem = (struct problem){0};
    for (int i = 0; i < n; i++) {
        static const int32_t index[] = {1};
        const int64_t step = i % 10 == 0 ? 0 : random_below(&g, 400);
        place = i < walk ? (place + step) % 10000 : random_below(&g, 10000);
        const double value = unit * (double)place;
        const struct example x = {.index = index, .value = &value, .size = 1};
        CHECK_INT(problem_append_example(problem, &x, NULL), 0, "example %d", i);
        y[i] = i * CLASSES / n;
    }
}

/* The next one is the nearest if none of NEIGHBOURS_OTHERS examples, drawn from those of its class,
 * is as near.  A pair of equal ones is not asked. */
static void check_chance(void)
{
    enum { SEEDS = 100 };
    struct problem problem;
    int32_t y[NEIGHBOURS_ASKED], value[CLASSES] = {0, 1, 2};
    struct labels labels = {.count = CLASSES, .value = value};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct neighbours found;
    double mean = 0, variance = 0;
    int64_t asked = 0, nearest = 0;
    check_group("the nearest of as many others");
    make_line(&problem, y, NEIGHBOURS_ASKED, NEIGHBOURS_ASKED, 1);
    for (int i = 0; i < NEIGHBOURS_ASKED - 1; i++) {
        const double *x = problem.value, next = fabs(x[i] - x[i + 1]);
        int count = 0, near = 0;
        for (int j = 0; j < NEIGHBOURS_ASKED; j++)
            if (y[j] == y[i + 1]) {
                count++;
                near += j != i && j != i + 1 && fabs(x[i] - x[j]) <= next;
            }
        if (next > 0) {
            const double chance = pow(1 - (double)near / count, NEIGHBOURS_OTHERS);
            asked++;
            mean += chance;
            variance += chance * (1 - chance);
        }
    }
    for (int seed = 0; seed < SEEDS; seed++) {
        CHECK_INT(neighbours_find(&data, seed, &found, NULL), 0, "found");
        CHECK_INT(found.asked, asked, "asked");
        nearest += found.nearest;
    }
    CHECK(fabs((double)nearest / SEEDS - mean) < 4 * sqrt(variance / SEEDS),
          "%g in the mean, not %g", (double)nearest / SEEDS, mean);
    problem_free(&problem);
}

/* The pairs are drawn from all of the file, and what is found does not depend on the unit of the
 * features.  (Powers of two: rounding is the same.) */
static void check_half_a_walk(void)
{
    enum { COUNT = 4 * NEIGHBOURS_ASKED };
    struct problem problem;
    int32_t y[COUNT] = {0}, value[CLASSES] = {0, 1, 2};
    struct labels labels = {.count = CLASSES, .value = value};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct neighbours found, same;
    check_group("half of the file goes on from line to line");
    for (int exponent = -60; exponent <= 60; exponent += 60) {
        make_line(&problem, y, COUNT, COUNT / 2, ldexp(1, exponent));
        CHECK_INT(neighbours_find(&data, 1, exponent < 0 ? &same : &found, NULL), 0, "found");
        problem_free(&problem);
        if (exponent < 0)
            continue;
        CHECK(found.asked == same.asked && found.nearest == same.nearest,
              "unit 2^%d: %lld of %lld, not %lld of %lld", exponent, (long long)found.nearest,
              (long long)found.asked, (long long)same.nearest, (long long)same.asked);
    }
    CHECK(found.asked > 0.9 * NEIGHBOURS_ASKED && found.asked < NEIGHBOURS_ASKED, "asked: %lld",
          (long long)found.asked);
    CHECK(found.nearest > 0.2 * NEIGHBOURS_ASKED && found.nearest < 0.35 * NEIGHBOURS_ASKED,
          "nearest: %lld", (long long)found.nearest);
}

/* Half of the pairs is not enough. */
static void check_half(void)
{
    check_group("a half, and one more");
    for (int64_t nearest = 100; nearest <= 101; nearest++) {
        const struct neighbours found = {.asked = 200, .nearest = nearest};
        CHECK(neighbours_are_alike(&found) == (nearest > 100), "%lld of 200", (long long)nearest);
    }
}

int main(void)
{
    check_films();
    check_few();
    check_ties();
    check_chance();
    check_half_a_walk();
    check_half();
    return check_finish();
}
