/* What the options of an estimate from noisy labels come to: the map, the lengths, the number of
 * random features, fine folds of few examples. */
#include "check.h"
#include "forward_drawn.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/estimate/richer_estimate.h"
#include "learners/features/map_choice.h"

#include <string.h>

static bool wants_lengths(const struct estimate_options *options, const struct problem *problem)
{
    bool wants;
    CHECK_INT(estimate_wants_lengths(options, problem, &wants, NULL), 0, "lengths");
    return wants;
}

/* ---- the map ---- */

static void check_settled(const struct estimate_options *given, double bias, int64_t map,
                          const char *linear_for, const char *what)
{
    struct estimate_options options = *given;
    struct error err = {0};
    CHECK_INT(estimate_settle_map(&options, bias, &err), 0, "%s: %s", what, err.message);
    CHECK_INT(options.map, map, "%s", what);
    CHECK(linear_for ? options.linear_for && strcmp(options.linear_for, linear_for) == 0
                     : !options.linear_for,
          "%s: for which option", what);
}

static void check_refused(const struct estimate_options *given, double bias, const char *why)
{
    struct estimate_options options = *given;
    struct error err = {0};
    CHECK_INT(estimate_settle_map(&options, bias, &err), -1, "refused: %s", why);
    CHECK(err.usage && strstr(err.message, why), "%s: %s", why, err.message);
}

/* With a bias a map that is not asked for is linear, and one that is asked for is refused, as are
 * options of a map where there is none. */
static void test_map(void)
{
    const struct estimate_options automatic = {.map = ESTIMATE_AUTO}, rbf = {.map = ESTIMATE_RBF},
                                  linear = {.map = ESTIMATE_LINEAR},
                                  number = {.map = ESTIMATE_MAPS + ESTIMATE_RBF};
    struct estimate_options some = automatic;
    check_group("the map");
    check_settled(&automatic, -1, ESTIMATE_AUTO, NULL, "no bias");
    check_settled(&automatic, 0, ESTIMATE_LINEAR, "-B", "a bias of 0");
    check_settled(&rbf, -1, ESTIMATE_RBF, NULL, "-t rbf");
    check_settled(&number, -1, ESTIMATE_RBF, NULL, "-t 2");
    check_settled(&linear, 1, ESTIMATE_LINEAR, NULL, "-t linear with a bias");
    check_refused(&rbf, 0, "-B is for -t linear");
    some.map_dims = 1;
    check_settled(&some, -1, ESTIMATE_AUTO, NULL, "-D");
    check_refused(&some, 1, "-D and -g describe the features of a kernel");
    some.map_dims = 0;
    some.map_gamma = 1e-9;
    check_refused(&some, 1, "-D and -g describe the features of a kernel");
}

/* What does not hold the data in memory is linear unless a map is asked for, which is refused. */
static void test_size(void)
{
    struct estimate_options options = {.map = ESTIMATE_AUTO};
    struct error err = {0};
    check_group("data that are not held");
    CHECK_INT(estimate_settle_size(&options, false, "--sample", &err), 0, "%s", err.message);
    CHECK(options.map == ESTIMATE_LINEAR && strcmp(options.linear_for, "--sample") == 0,
          "linear for it");
    options = (struct estimate_options){.map = ESTIMATE_MAPS + ESTIMATE_LINEAR};
    CHECK_INT(estimate_settle_size(&options, true, "--sample", &err), 0, "-t 0: %s", err.message);
    CHECK(!options.linear_for, "as was asked");
    options.map = ESTIMATE_MAPS + ESTIMATE_RBF;
    CHECK_INT(estimate_settle_size(&options, true, "--sample", &err), -1, "-t 2");
    CHECK(strstr(err.message, "-t rbf needs the data in memory: it does not go with --sample"),
          "%s", err.message);
    options.map = ESTIMATE_RBF;
    estimate_lack_memory(&options);
    CHECK(options.map == ESTIMATE_RBF && !options.lacks_memory, "a map that is asked for stays");
    options.map = ESTIMATE_AUTO;
    estimate_lack_memory(&options);
    CHECK(options.map == ESTIMATE_LINEAR && options.lacks_memory && options.tries_lengths,
          "another is for lack of memory");
}

/* Lengths can only be chosen by a map that has no gamma, whose unit they are, and not where the
 * unit of length was asked for. */
static void test_lengths(void)
{
    struct estimate_options options = {.map = ESTIMATE_AUTO};
    check_group("lengths");
    CHECK(estimate_keeps_lengths(&options, false), "-t auto");
    CHECK(!estimate_keeps_lengths(&options, true), "with -l");
    options.map = ESTIMATE_RBF;
    CHECK(estimate_keeps_lengths(&options, false), "-t rbf");
    options.map_gamma = 0.5;
    CHECK(!estimate_keeps_lengths(&options, false), "with -g");
    options = (struct estimate_options){.map = ESTIMATE_LINEAR};
    for (int given = 0; given < 2; given++)
        CHECK(estimate_keeps_lengths(&options, given), "-t linear, which does not choose");
    options.tries_lengths = true;
    CHECK(estimate_keeps_lengths(&options, false) && !estimate_keeps_lengths(&options, true),
          "a linear map that tries them");
}

/* ---- what is tried ---- */

/* By the memory that it takes. */
static bool as_many_features(const struct problem *problem, enum estimate_map map, bool known,
                             int64_t features)
{
    struct estimate_options options = {
        .map = map, .features = -1, .fit = {.lambda = -1, .steps = -1, .threads = 1}};
    const double bytes = estimate_noise_bytes(&options, problem, 3, known);
    options.features = features;
    const double want = estimate_noise_bytes(&options, problem, 3, false);
    return !(bytes < want || bytes > want);
}

static void test_features(void)
{
    const struct problem few = {.n = 1000, .d = 100, .nnz = 100000},
                         more = {.n = 1000, .d = 101, .nnz = 101000};
    check_group("random features that are tried");
    CHECK(as_many_features(&few, ESTIMATE_LINEAR, false, 300), "300, of 100 features");
    CHECK(as_many_features(&more, ESTIMATE_LINEAR, false, 0), "none, of 101");
    CHECK(as_many_features(&few, ESTIMATE_LINEAR, true, 0), "none, of a known matrix");
    CHECK(as_many_features(&few, ESTIMATE_RBF, false, 0), "none beside a map");
}

/* Fits to nine tenths are made of text where a classifier is wanted whose steps are not given; and
 * where p is to be fine. */
static void test_fine_bytes(void)
{
    const struct problem text = {.n = 1000, .d = 100000, .nnz = 50000};
    struct estimate_options options = {.fit = {.lambda = -1, .steps = -1, .threads = 1}};
    check_group("memory of fits to nine tenths");
    const double chooses = estimate_noise_bytes(&options, &text, 20, false);
    options.matrix_only = true;
    const double matrix = estimate_noise_bytes(&options, &text, 20, false);
    CHECK(matrix < chooses, "%g bytes of a matrix, %g with a classifier", matrix, chooses);
    options.fine = true;
    CHECK_NEAR(estimate_noise_bytes(&options, &text, 20, false), chooses, 0, "fine p");
}

/* Lengths are tried where their squares can be summed, which takes the examples once more, and the
 * probabilities of two fits. */
static void test_length_trials(void)
{
    enum { COUNT = 1000 };
    static double length[COUNT];
    const struct estimate_options options = {.map = ESTIMATE_AUTO,
                                             .fit = {.lambda = -1, .steps = -1, .threads = 1}};
    struct problem problem = {
        .n = COUNT, .d = 10, .nnz = 10 * COUNT, .keeps_lengths = true, .length = length};
    check_group("lengths that are tried");
    length[COUNT - 1] = 1e100;
    CHECK(wants_lengths(&options, &problem), "up to 1e100");
    const double with = estimate_noise_bytes(&options, &problem, 3, false);
    length[COUNT - 1] = 1.01e100;
    CHECK(!wants_lengths(&options, &problem), "beyond that");
    const double without = estimate_noise_bytes(&options, &problem, 3, false);
    CHECK(with - without >= problem_bytes(COUNT, 11 * COUNT, false), "%g bytes of %g",
          with - without, with);
    CHECK(estimate_lengths_bytes(&problem, 13) - estimate_lengths_bytes(&problem, 3)
              >= 8. * 2 * COUNT * (13 - 3),
          "more classes");
}

/* Not where they are not known, nor where the map is to be linear, unless they are asked for, nor
 * with text. */
static void test_no_length_trials(void)
{
    static double length[5] = {1, 1, 1, 1, 1};
    const struct estimate_options chosen = {.map = ESTIMATE_AUTO},
                                  linear = {.map = ESTIMATE_LINEAR},
                                  asked = {.map = ESTIMATE_LINEAR, .tries_lengths = true};
    const struct problem known = {.n = 5,
                                  .d = 2,
                                  .nnz = 9,
                                  .keeps_lengths = true,
                                  .length = length},
                         unknown = {.n = 5, .d = 2, .nnz = 9};
    struct problem text = known;
    text.d++; /* more squares than values */
    check_group("lengths that are not tried");
    CHECK(wants_lengths(&chosen, &known), "a map that is chosen");
    CHECK(wants_lengths(&asked, &known), "lengths that are asked for");
    CHECK(!wants_lengths(&linear, &known), "a linear map");
    CHECK(!wants_lengths(&chosen, &unknown) && !wants_lengths(&asked, &unknown),
          "lengths that are not known");
    CHECK(!wants_lengths(&chosen, &text) && !wants_lengths(&asked, &text), "text");
}

/* A map holds its landmarks, and of each of them all features. */
static void test_map_bytes(void)
{
    const struct problem narrow = {.n = 10000, .d = 1000, .nnz = 1000000},
                         wide = {.n = 10000, .d = 101000, .nnz = 1000000};
    const struct estimate_options options = {
        .map = ESTIMATE_RBF, .map_dims = 500, .fit = {.lambda = 1e-3, .steps = 0, .threads = 1}};
    check_group("memory of a map");
    CHECK(estimate_noise_bytes(&options, &wide, 2, false)
                  - estimate_noise_bytes(&options, &narrow, 2, false)
                  - (map_choice_bytes(&wide, 2) - map_choice_bytes(&narrow, 2))
              >= 8. * 500 * 100000,
          "features of landmarks");
}

/* For cross-validation an estimate is held beside the examples of a part; but not where no other
 * classifier than softmax regression may be chosen. */
static void test_part_bytes(void)
{
    const struct problem problem = {.n = 10000, .d = 100, .nnz = 1000000};
    struct estimate_options options = {
        .map = ESTIMATE_RBF, .map_dims = 100, .fit = {.lambda = 1e-3, .steps = -1, .threads = 1}};
    check_group("memory of an estimate that is held");
    CHECK_NEAR(estimate_part_bytes(&options, &problem, 3), 0, 0, "a lambda that is given");
    options.fit.lambda = -1;
    const double held = estimate_part_bytes(&options, &problem, 3),
                 part = problem_bytes(10000, 1000000, false);
    CHECK(held >= part + problem_dense_bytes(10000, 100, false) + 8. * 10000 * 3,
          "%g bytes, %g of them a part", held, part);
    CHECK(estimate_part_bytes(&options, &problem, 13) - held >= 8. * 10000 * 10, "more classes");
    options.map = ESTIMATE_LINEAR;
    CHECK_NEAR(estimate_part_bytes(&options, &problem, 3), 0, 0, "no map, and no text");
}

/* Nine examples have no ten folds: p stays that of three. */
static void test_few(void)
{
    struct estimate three_folds = {0}, fine = {0};
    struct estimate_options options = {
        .fit = {.lambda = 1e-2, .steps = -1, .seed = 1, .threads = 1}};
    struct problem problem = {0};
    struct error err = {0};
    int32_t y[9];
    struct labels labels = labels_make(2);
    check_group("fine folds of nine examples");
    for (int i = 0; i < 9; i++) {
        const int32_t index = 1 + i % 3;
        const double value = 1 + i;
        const struct example x = {.index = &index, .value = &value, .size = 1};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
        y[i] = i % 3 == 0;
    }
    const struct labelled data = {.problem = &problem, .y = y, .labels = &labels};
    CHECK_INT(estimate_noise(&data, NULL, &options, &three_folds, &err), 0, "%s", err.message);
    options.fine = true;
    CHECK_INT(estimate_noise(&data, NULL, &options, &fine, &err), 0, "%s", err.message);
    for (int cell = 0; cell < 2 * 9 && fine.p && three_folds.p; cell++)
        CHECK_NEAR(fine.p[cell], three_folds.p[cell], 0, "p %d", cell);
    estimate_free(&three_folds);
    estimate_free(&fine);
    labels_free(&labels);
    problem_free(&problem);
}

int main(void)
{
    test_map();
    test_size();
    test_lengths();
    test_features();
    test_fine_bytes();
    test_length_trials();
    test_no_length_trials();
    test_map_bytes();
    test_part_bytes();
    test_few();
    return check_finish();
}
