/* Probabilities of the true class where features are many: the number of steps that the estimate
 * chooses (learners/estimate/matrix_estimate.h) is that of the largest likelihood of held-out
 * labels, whoever makes the steps. */
#include "check.h"
#include "forward_drawn.h"
#include "learners/estimate/matrix_estimate.h"

/* What was drawn, and twenty features of each example that say nothing of its class and that few
 * others have: learnt by heart at the minimum. */
static void drawn_widen(struct drawn *drawn)
{
    enum { NOISE = 20, EACH = 200 };
    struct random g = random_seeded(10, 3);
    struct problem wide = {.n = 0};
    for (int64_t i = 0; i < drawn->problem.n; i++) {
        struct example narrow = problem_example(&drawn->problem, i);
        int32_t index[D + NOISE];
        double value[D + NOISE];
        memcpy(index, narrow.index, D * sizeof *index);
        memcpy(value, narrow.value, D * sizeof *value);
        for (int e = 0; e < NOISE; e++) {
            index[D + e] = D + EACH * e + (int32_t)random_below(&g, EACH);
            value[D + e] = random_normal(&g) / 3;
        }
        struct example example = {.label = narrow.label,
                                  .line = narrow.line,
                                  .size = D + NOISE,
                                  .index = index,
                                  .value = value};
        CHECK(problem_append_example(&wide, &example, NULL) == 0, "memory");
    }
    problem_free(&drawn->problem);
    drawn->problem = wide;
}

static bool find_probabilities_by(const struct drawn *drawn, const double *c, double lambda,
                                  int64_t steps, int threads, struct estimate *e)
{
    struct error err = {0};
    struct progress progress = {0};
    const struct labelled data = {
        .problem = &drawn->problem, .y = drawn->y, .labels = &drawn->labels};
    const struct crossfit_options options = {
        .lambda = lambda, .steps = steps, .seed = 1, .threads = threads, .progress = &progress};
    *e = (struct estimate){0};
    bool found = estimate_make(&data, c, ESTIMATE_MATRIX, &options, e, &err) == 0;
    CHECK(found, "probabilities: %s", err.message);
    check_progress(&progress);
    return found;
}

/* With many features the number of steps that is chosen is that of the largest likelihood, whoever
 * makes the steps; and what was chosen gives the same when it is asked for. */
static void test_early(int classes, const double *c)
{
    check_group("stopping early, %d classes", classes);
    struct drawn drawn;
    struct estimate e, other;
    drawn_make(13, 1100, classes, 3, c, &drawn);
    for (int i = 1024; i < 1100; i++) /* the likelihood is summed in blocks of 1024: the last alone
                                         would choose otherwise */
        drawn.y[i] = (drawn.y[i] + 1) % classes;
    if (find_probabilities_by(&drawn, c, 1e-7, -1, 1, &e))
        CHECK_INT(e.classifier.steps, 0, "steps where features are few");
    estimate_free(&e);
    drawn_widen(&drawn);
    const size_t bytes = (size_t)(drawn.problem.n * classes) * sizeof(double);
    double best = -INFINITY;
    for (int steps = 1; steps <= 20; steps++) {
        if (find_probabilities_by(&drawn, c, 1e-7, steps, 2, &other)) {
            CHECK_INT(other.classifier.steps, steps, "steps that were asked for");
            best = other.likelihood > best ? other.likelihood : best;
        }
        estimate_free(&other);
    }
    for (int chosen = 0; chosen < 2; chosen++) {
        if (!find_probabilities_by(&drawn, c, chosen ? -1 : 1e-7, -1, 1, &e))
            break;
        check_estimate(&drawn, &e);
        /* Many examples are judged by one fold, which need not prefer what all three do. */
        CHECK(e.classifier.steps > 0 && e.likelihood > best - 3e-3,
              "%d steps, lambda %g: %g, where %g is the best", (int)e.classifier.steps,
              e.classifier.lambda, e.likelihood, best);
        for (int threads = 2; threads <= 5; threads += 3) {
            if (find_probabilities_by(&drawn, c, e.classifier.lambda, e.classifier.steps, threads,
                                      &other))
                CHECK(memcmp(e.p, other.p, bytes) == 0 && e.likelihood == other.likelihood,
                      "asked for what was chosen, %d threads", threads);
            estimate_free(&other);
            if (find_probabilities_by(&drawn, c, chosen ? -1 : 1e-7, -1, threads, &other))
                CHECK(memcmp(e.p, other.p, bytes) == 0
                          && e.classifier.steps == other.classifier.steps
                          && e.classifier.lambda == other.classifier.lambda,
                      "%d threads choose otherwise", threads);
            estimate_free(&other);
        }
        estimate_free(&e);
    }
    if (find_probabilities_by(&drawn, c, 1e-7, 0, 1, &e))
        CHECK(e.classifier.steps == 0 && e.likelihood < best - 0.01,
              "at the minimum %g, where %g is the best", e.likelihood, best);
    estimate_free(&e);
    drawn_free(&drawn);
}

int main(void)
{
    test_early(2, two);
    test_early(3, three);
    return check_finish();
}
