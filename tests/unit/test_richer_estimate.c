/* Are examples at their lengths taken where these tell the class, and there alone?  Are features
 * of many scales brought to one? */
#include "check.h"
#include "common/base/random.h"
#include "learners/estimate/richer_estimate.h"
#include "quarter.h"

#include <math.h>

enum { N = 600, ORDERED = 500, FEATURES = 8 };

static bool wants_lengths(const struct estimate_options *options, const struct problem *problem)
{
    bool wants;
    CHECK_INT(estimate_wants_lengths(options, problem, &wants, NULL), 0, "lengths");
    return wants;
}

/* What tells the class of an example: its direction; its length; of every third one the direction,
 * of the others the length. */
enum cue { DIRECTION, LENGTH, EITHER };

static bool tells_length(enum cue cue, int i)
{
    return cue == LENGTH || (cue == EITHER && i % 3 > 0);
}

/* Points whose class is the side of `size` that their length is on, or that of the diagonal that
 * they are on; a fifth of the labels is wrong.  At length 1 only the latter can be told.  size: of
 * the lengths, in the mean.  problem: out; y, length: out, N. */
static void make_points(enum cue cue, struct problem *problem, int32_t *y, double size,
                        double *length)
{
    struct random g = random_seeded(7, 1);
    *problem = (struct problem){.keeps_lengths = true};
    for (int i = 0; i < N; i++) {
        const struct quarter_point point = quarter_append(&g, size, problem);
        length[i] = point.length;
        y[i] = tells_length(cue, i) ? length[i] > size : point.below;
        y[i] = random_uniform(&g) < 0.2 ? 1 - y[i] : y[i];
    }
}

/* size: of the lengths, in the mean; bias: to be found with them; 0: they are not to be taken. */
static void test_lengths(enum cue cue, const double *known, const double *weight, double size,
                         double bias)
{
    static const char *const names[] = {"directions", "lengths", "either"};
    struct problem problem, plain;
    struct estimate taken = {.n = 0};
    int32_t y[N];
    double length[N];
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct error err = {0};
    const struct estimate_options options = {
        .map = ESTIMATE_AUTO,
        .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 2, .weight = weight}};
    check_group("%s tell, of size %g, %s matrix%s", names[cue], size, known ? "a known" : "no",
                weight ? ", weights" : "");
    make_points(cue, &problem, y, size, length);
    CHECK(labels_parse("0,1", &labels, &err) == 0, "%s", err.message);
    CHECK(wants_lengths(&options, &problem), "they are tried");
    CHECK(estimate_choose_lengths(&data, known, &options, &taken.input, &err) == 0, "%s",
          err.message);
    plain = taken.input.lengthed;
    CHECK(!taken.input.scale, "features of one scale");
    CHECK_INT(plain.n, bias > 0 ? N : 0, "examples at their lengths");
    CHECK(plain.n == 0 || taken.input.bias == bias, "the bias");
    for (int64_t i = 0; i < plain.n; i++) {
        const struct example x = problem_example(&plain, i), unit = problem_example(&problem, i);
        CHECK(x.size == 3 && x.index[2] == 0 && x.value[2] == bias, "the bias of %d", (int)i);
        for (int j = 0; j < 2; j++)
            CHECK(x.index[j] == j + 1 && x.value[j] == unit.value[j] * length[i],
                  "feature %d of %d", j + 1, (int)i);
    }
    estimate_drop_lengths(&taken.input);
    problem_free(&problem);
    labels_free(&labels);
}

/* Five classes in an order, by a sum of the features and chance; two labels in five are wrong.  The
 * likelihood does not prefer the lengths clearly, the decisions do. */
static void test_ordered(void)
{
    static int32_t y[ORDERED];
    static const double bound[] = {-0.84, -0.25, 0.25, 0.84}; /* fifths of a normal distribution */
    struct random g = random_seeded(39, 1);
    struct problem problem = {.keeps_lengths = true};
    struct estimate_input input = {.map = NULL};
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct error err = {0};
    const struct estimate_options options = {
        .map = ESTIMATE_AUTO, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 2}};
    check_group("ordered classes");
    for (int i = 0; i < ORDERED; i++) {
        int32_t index[FEATURES];
        double value[FEATURES], sum = 0, squares = 0;
        for (int j = 0; j < FEATURES; j++) {
            index[j] = j + 1;
            value[j] = random_normal(&g);
            sum += value[j] / sqrt(FEATURES);
            squares += value[j] * value[j];
        }
        for (int j = 0; j < FEATURES; j++)
            value[j] /= sqrt(squares);
        sum = (sum + 0.3 * random_normal(&g)) / sqrt(1 + 0.3 * 0.3);
        for (y[i] = 0; y[i] < 4 && sum > bound[y[i]]; y[i]++)
            ;
        y[i] = random_uniform(&g) < 0.5 ? (int32_t)random_below(&g, 5) : y[i];
        const struct example x = {
            .index = index, .value = value, .size = FEATURES, .length = sqrt(squares)};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    CHECK(labels_parse("0-4", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_choose_lengths(&data, NULL, &options, &input, &err) == 0, "%s", err.message);
    CHECK_INT(input.lengthed.n, ORDERED, "examples at their lengths");
    estimate_drop_lengths(&input);
    problem_free(&problem);
    labels_free(&labels);
}

/* As many features as examples, so that the search stops early; one of them is large, another one
 * tells the class. */
static void test_scales(bool differ)
{
    enum { COUNT = 300 };
    static int32_t y[COUNT];
    const double large = differ ? 1e4 : 2;
    struct random g = random_seeded(3, 1);
    struct problem problem = {.keeps_lengths = true};
    struct labels labels = {0};
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    struct estimate e = {.n = 0};
    struct error err = {0};
    const struct estimate_options options = {
        .map = ESTIMATE_AUTO, .fit = {.lambda = -1, .steps = -1, .seed = 1, .threads = 2}};
    check_group(differ ? "features of many scales" : "features of one scale");
    for (int i = 0; i < COUNT; i++) {
        y[i] = random_uniform(&g) < 0.5;
        const int32_t index[] = {1, 2 + y[i], 4 + i / 5};
        const double size = large * (1 + random_uniform(&g)), length = hypot(size, sqrt(2)),
                     value[] = {size / length, 1 / length, 1 / length};
        const struct example x = {.index = index, .value = value, .size = 3, .length = length};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    CHECK(labels_parse("0,1", &labels, &err) == 0, "%s", err.message);
    CHECK_INT(wants_lengths(&options, &problem), differ, "they are tried");
    if (differ) {
        CHECK(estimate_choose_lengths(&data, NULL, &options, &e.input, &err) == 0, "%s",
              err.message);
        CHECK(e.input.lengthed.n == COUNT && e.input.scale, "they are taken");
        const double scale = e.input.scale[0], first = e.input.lengthed.value[0];
        CHECK(scale > 1 / (2 * large) && scale < 1 / large && fabs(e.input.scale[1] - 1) < 1e-9,
              "one over the sizes");
        struct weights w = weights_make(1, 0);
        CHECK(weights_grow(&w, problem.d, &err) == 0, "%s", err.message);
        for (int64_t j = 0; j < w.rows; j++)
            w.w[j * w.stride] = 3;
        estimate_undo_scale(&e, &w);
        CHECK(w.w[0] == 3 && w.w[w.stride] == 3 * scale, "its weights");
        CHECK_NEAR(first / scale, problem.value[0] * problem.length[0], 1e-9 * large,
                   "its examples, as they came");
        CHECK(e.input.lengthed.value[3] == e.input.bias, "the bias is not scaled");
        weights_free(&w);
    }
    estimate_drop_lengths(&e.input);
    problem_free(&problem);
    labels_free(&labels);
}

int main(void)
{
    static const double known[] = {0.8, 0.2, 0.2, 0.8};
    static double weight[N];
    test_lengths(DIRECTION, NULL, NULL, 1, 0);
    test_lengths(DIRECTION, known, NULL, 1, 0);
    test_lengths(LENGTH, NULL, NULL, 1, 1);
    test_lengths(LENGTH, known, NULL, 1, 1);
    test_lengths(LENGTH, NULL, NULL, 10, 10);
    test_lengths(LENGTH, NULL, NULL, 100, 100);
    test_lengths(LENGTH, NULL, NULL, 1000, 1000);
    test_lengths(EITHER, NULL, NULL, 1, 1);
    for (int i = 0; i < N; i++)
        weight[i] = tells_length(EITHER, i) ? 1 : 1000;
    test_lengths(EITHER, NULL, weight, 1, 0);
    test_ordered();
    test_scales(false);
    test_scales(true);
    return check_finish();
}
