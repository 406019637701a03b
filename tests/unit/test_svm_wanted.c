/* When an SVM is tried in place of softmax regression (estimate_wants_svm), by what is asked for
 * and by the data; lengths beyond those of an SVM, and the memory that is asked for. */
#include "check.h"
#include "learners/estimate/svm_estimate.h"
#include "svm_texts.h"

/* n examples of `size` entries each, with features up to d. */
static struct problem *some_rows(int64_t n, int64_t size, int64_t d)
{
    static struct problem problem;
    int32_t index[LONGEST];
    double value[LONGEST];
    problem = (struct problem){0};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = 0; e < size; e++) {
            index[e] = (int32_t)(d - (size - 1 - e) * (d / size) - (e < size - 1 ? i % 2 : 0));
            value[e] = 1;
        }
        const struct example x = {.index = index, .value = value, .size = size};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    CHECK_INT(problem.d, d, "features");
    return &problem;
}

/* early: is softmax regression stopped early? */
static void check_wants(const struct problem *problem, bool wanted, bool early, const char *what)
{
    const struct estimate_options automatic = {
        .fit = {.lambda = -1, .steps = -1}, .map = ESTIMATE_AUTO, .predicts = true};
    struct feature_map map = {0};
    struct estimate_options options = automatic;
    CHECK(estimate_wants_svm(&options, problem) == wanted, "%s", what);
    options.map = ESTIMATE_LINEAR;
    CHECK(!estimate_wants_svm(&options, problem), "%s, no map", what);
    options.map = ESTIMATE_RBF;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a map", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken", what);
    options = automatic;
    options.ridge_map = &map;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a map that is given", what);
    options = automatic;
    options.map_dims = 1;
    CHECK(estimate_wants_svm(&options, problem) == early, "%s, no map of one feature", what);
    options = automatic;
    options.matrix_only = true;
    CHECK(estimate_wants_svm(&options, problem) == wanted, "%s, no p", what);
    options.predicts = false;
    CHECK(!estimate_wants_svm(&options, problem), "%s, nothing to predict", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken, with nothing to predict", what);
    options = automatic;
    options.fit.lambda = 0.01;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a given lambda", what);
    options = automatic;
    options.fit.steps = 5;
    CHECK(!estimate_wants_svm(&options, problem), "%s, given steps", what);
    options.fit.steps = 0;
    CHECK(!estimate_wants_svm(&options, problem), "%s, to the minimum", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken, to the minimum", what);
}

static void test_wants(void)
{
    static const struct {
        int64_t n, size, d;
        bool wanted, early;
        const char *what;
    } cases[] = {{300, 20, 3000, true, true, "sparse, many features"},
                 {3000, 5, 100, false, false, "sparse, few features"},
                 {30, 60, 60, false, true, "dense, too few examples for the metric"},
                 {300, 60, 60, false, false, "dense"}};
    check_group("when an SVM is tried");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem *problem = some_rows(cases[i].n, cases[i].size, cases[i].d);
        check_wants(problem, cases[i].wanted, cases[i].early, cases[i].what);
        problem_free(problem);
    }
}

/* No SVM is tried where the mean square of the lengths is not finite or hardly above 0; memory that
 * is asked for beforehand is at least that of a table of weights. */
static void test_limits(void)
{
    static const double factors[] = {1e200, 1e-205, 0}; /* each times the one before */
    const struct plan plan = {.K = 4, .belief = FAIR};
    check_group("lengths beyond those of an SVM, and memory");
    struct texts *t = texts_make(&plan);
    const struct labelled data = {.problem = &t->problem, .y = t->y, .labels = &t->labels};
    const struct estimate_options options = options_of(t, true, 1);
    struct error err = {0};
    const double bytes = estimate_svm_bytes(&t->problem, t->K);
    CHECK(bytes >= weights_bytes(t->K, t->problem.d) + 8. * N * (double)t->K && bytes < 1e8,
          "%g bytes", bytes);
    CHECK(estimate_svm_bytes(&t->problem, 2 * t->K) > bytes, "more for more classes");
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        struct estimate e;
        start_estimate(t, &e);
        for (int64_t entry = 0; entry < t->problem.nnz; entry++)
            t->problem.value[entry] *= factors[f];
        CHECK_INT(estimate_try_svm(&data, true, &options, &e, &err), 0, "%s", err.message);
        CHECK_INT(e.classifier.kind, ESTIMATE_SOFTMAX, "lengths times %g", factors[f]);
        CHECK_NEAR(e.svm.cost, 0, 0, "lengths times %g", factors[f]);
        estimate_free(&e);
    }
    texts_free(t);
}

int main(void)
{
    test_wants();
    test_limits();
    return check_finish();
}
