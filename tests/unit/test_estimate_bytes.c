/* The memory that an estimate from noisy labels and a trial of a kernel are said to take, which is
 * asked for before they begin, beside what is allocated while they are made. */
#include "check.h"
#include "counted_memory.h"
#include "forward_drawn.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/features/kernel_trial.h"

/* What is allocated at once is no more than was said, and at least this share of it. */
static void check_taken(double said, double share, const char *what)
{
    const double taken = counted_most();
    CHECK(taken <= said, "%s: %g bytes where %g were said", what, taken, said);
    CHECK(taken >= share * said, "%s: %g bytes of %g", what, taken, said);
}

static void check_estimate_of(const struct drawn *drawn, const double *c,
                              const struct estimate_options *options, double share,
                              const char *what)
{
    const struct problem *problem = &drawn->problem;
    const struct labelled data = {.problem = problem, .y = drawn->y, .labels = &drawn->labels};
    const double said = estimate_noise_bytes(options, problem, drawn->labels.count, c != NULL);
    struct estimate e = {0};
    struct error err = {0};
    counted_start();
    CHECK_INT(estimate_noise(&data, c, options, &e, &err), 0, "%s: %s", what, err.message);
    check_taken(said, share, what);
    estimate_free(&e);
}

/* With many random features the workspace of solvers is little beside the features. */
static void test_estimate(void)
{
    struct drawn drawn;
    struct estimate_options options = {
        .fit = {.lambda = 1e-3, .steps = -1, .seed = 1, .threads = 1}};
    check_group("bytes of an estimate");
    drawn_make(1, 1200, 3, 1.5, three, &drawn);
    check_estimate_of(&drawn, NULL, &options, .9, "linear");
    check_estimate_of(&drawn, three, &options, .9, "a known matrix");
    options.fit.steps = 20;
    check_estimate_of(&drawn, three, &options, .8, "steps");
    options.fine = true;
    check_estimate_of(&drawn, NULL, &options, .8, "fine folds");
    options.fine = false;
    options.features = 50;
    check_estimate_of(&drawn, NULL, &options, .65, "random features");
    drawn_free(&drawn);
}

/* n examples of two classes with d features, and a map of `dims` more.  share: as above. */
static void check_trial(int64_t n, int64_t d, int64_t dims, double share)
{
    enum { MOST = 3000, WIDEST = 400, K = 2 };
    static const struct trial_metrics none = {{NULL}};
    static int32_t y[MOST], index[WIDEST];
    static int64_t fold[MOST];
    static double value[WIDEST];
    struct random g = random_seeded(4, 1);
    struct trial t = {.seed = 1, .threads = 1};
    struct trial_result result;
    struct trial_losses *losses;
    struct problem problem = {0};
    struct error err = {0};
    char what[64];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            index[j] = (int32_t)j + 1;
            value[j] = random_normal(&g);
        }
        const struct example x = {.index = index, .value = value, .size = d};
        CHECK(problem_append_example(&problem, &x, &err) == 0, "memory");
        y[i] = value[0] > 0;
        fold[i] = i % FOLDS_DEFAULT;
    }
    const struct trial_examples examples = {&problem, y, NULL, fold, K};
    const double said = trial_bytes(&problem, dims, K, 1);
    snprintf(what, sizeof what, "%d examples, %d features, %d of the map", (int)n, (int)d,
             (int)dims);
    counted_start();
    CHECK(trial_start(&t, n, dims, K, &err) == 0 && trial_draw(&t, &examples, n, false, &err) == 0
              && trial_judge(&t, &none, 2, &result, &losses, &err) == 0,
          "%s", err.message);
    check_taken(said, share, what);
    trial_free(&t);
    problem_free(&problem);
}

int main(void)
{
    test_estimate();
    check_group("bytes of a trial");
    check_trial(3000, 3, 20, .6);
    check_trial(300, 3, 160, .7);
    check_trial(150, 400, 120, .7);
    return check_finish();
}
