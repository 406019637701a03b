/* The number of steps that ten folds choose (learners/estimate/fine_estimate.h) beside a plain loop
 * over all numbers; when it is chosen so. */
#include "learners/estimate/confusion_estimate.h"
#include "learners/estimate/fine_estimate.h"
#include "learners/estimate/matrix_estimate.h"
#include "left_out.h"
#include "words.h"

#include <string.h>

enum {
    N = 2000,   /* so that not all of the folds judge */
    JUDGES = 8, /* have at least 1500 of them */
    JUDGED = N * JUDGES / FOLDS_FINE,
    MOST = 40, /* steps */
    PATIENCE = 6
};

static const double lambda = 1e-5;

struct set {
    struct problem problem;
    struct labels labels;
    int32_t y[N];
    double weight[N];
    const double *own; /* weight, or NULL */
    const double *c;
};

static void set_make(uint64_t seed, double noise, bool weighted, const double *c, struct set *set)
{
    struct error err = {0};
    check_group("texts, %g of the labels drawn anew", noise);
    make_words(seed, noise, N, &set->problem, set->y);
    CHECK(labels_parse("0-3", &set->labels, &err) == 0, "%s", err.message);
    for (int i = 0; i < N; i++)
        set->weight[i] = 1 + i % 3;
    set->own = weighted ? set->weight : NULL;
    set->c = c;
}

static void set_free(struct set *set)
{
    problem_free(&set->problem);
    labels_free(&set->labels);
}

static double log_likelihood(const double *c, int32_t y, const double *s, double temperature)
{
    double sum = 0, label = 0;
    for (int k = 0; k < K; k++) {
        sum += exp(temperature * s[k]);
        label += c[y * K + k] * exp(temperature * s[k]);
    }
    return log(label / sum);
}

/* The scores of a fold, one after the other, by so many steps on the others.  likelihood: out, of
 * its labels at 1/2, 1 and 2.  Returns the number of its examples. */
static int plain_fold(const struct set *set, const struct cross_scores_task *task,
                      const int64_t *fold, int64_t left_out, double *s, double likelihood[3])
{
    static double all[N * K];
    int rows = 0;
    score_left_out(task, fold, left_out, all);
    memset(likelihood, 0, 3 * sizeof *likelihood);
    for (int i = 0; i < N; i++) {
        if (fold[i] != left_out)
            continue;
        for (int t = 0; t < 3; t++)
            likelihood[t] += (set->own ? set->own[i] : 1)
                             * log_likelihood(set->c, set->y[i], all + i * K, t == 0 ? 0.5 : t);
        memcpy(s + rows++ * K, all + i * K, K * sizeof *s);
    }
    return rows;
}

/* Each fold is followed until PATIENCE steps have not been likelier; of the numbers that all have
 * come to the one that makes the labels of the judges likeliest.  temperature: out. */
static int64_t plain_steps(const struct set *set, double *temperature)
{
    static double s[MOST][JUDGED * K], weight[JUDGED], likelihood[MOST][JUDGES][3];
    static int32_t y[JUDGED];
    static int64_t fold[N];
    double c[K * K], largest = -INFINITY;
    struct estimate e = {.n = N, .classes = K, .matrix.c = c, .classifier.lambda = lambda};
    struct forward_metric metric;
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct cross_scores_task task = {
        .data = &data, .weight = set->own, .estimate = &e, .metric = &metric, .threads = 1};
    const struct fold_examples all = fold_examples_of(&data);
    struct error err = {0};
    int64_t made = MOST, best = 0;
    int rows = 0;
    memcpy(c, set->c, sizeof c);
    CHECK(folds_assign(&all, FOLDS_FINE, 1, fold, &err) == 0
              && forward_metric_make(&set->problem, set->own, &metric, 1, &err) == 0,
          "%s", err.message);
    for (int judge = 0; judge < JUDGES; judge++) {
        double best_here = -INFINITY;
        int count = 0, best_step = 0, step = 0;
        for (; step < MOST && step - best_step < PATIENCE; step++) {
            double *at_step = likelihood[step][judge];
            e.classifier.steps = step + 1;
            count = plain_fold(set, &task, fold, judge, s[step] + rows * K, at_step);
            for (int t = 0; t < 3; t++)
                if (at_step[t] > best_here) {
                    best_here = at_step[t];
                    best_step = step + 1;
                }
        }
        made = step < made ? step : made;
        for (int i = 0, row = rows; i < N; i++)
            if (fold[i] == judge) {
                weight[row] = set->weight[i];
                y[row++] = set->y[i];
            }
        rows += count;
    }
    CHECK_INT(rows, JUDGED, "examples that judge");
    for (int64_t step = 0; step < made; step++)
        for (int t = 0; t < 3; t++) {
            double sum = 0;
            for (int judge = 0; judge < JUDGES; judge++)
                sum += likelihood[step][judge][t];
            if (sum > largest) {
                largest = sum;
                best = step + 1;
            }
        }
    memory_free(
        em_calibrate(rows, K, y, set->own ? weight : NULL, 1, c, s[best - 1], temperature, &err));
    forward_metric_free(&metric);
    return best;
}

static struct crossfit_options options_of(const struct set *set)
{
    return (struct crossfit_options){
        .weight = set->own, .lambda = -1, .steps = -1, .seed = 1, .threads = 2};
}

/* The number and its temperature are new, all else is as it was. */
static void test_number(const char *name, const struct set *set)
{
    struct estimate e;
    struct error err = {0};
    double c[K * K], p[K] = {0.25, 0.5, 0.125, 0.125}, temperature = 0;
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct crossfit_options options = options_of(set);
    check_group("steps by ten folds, %s%s", name, set->own ? ", weights" : "");
    memcpy(c, set->c, sizeof c);
    e = (struct estimate){
        .n = N, .classes = K, .matrix.c = c, .p = p, .classifier.lambda = lambda, .likelihood = -1};
    CHECK(estimate_fine_steps(&data, &options, &e, &err) == 0, "%s", err.message);
    CHECK_INT(e.classifier.steps, plain_steps(set, &temperature), "the number");
    CHECK_NEAR(e.classifier.temperature, temperature, 1e-6, "the temperature");
    CHECK(memcmp(c, set->c, sizeof c) == 0 && e.p == p && p[1] == 0.5
              && e.classifier.lambda == lambda && e.likelihood == -1,
          "all else stays");
}

/* A number that decisions have chosen stays, and one of labels that do not fit the matrix; another
 * one is chosen anew. */
static void test_when(const char *name, const struct set *set, bool decided, bool misfit)
{
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct estimate_options options = {.fit = options_of(set)};
    const struct crossfit_options fit = options.fit;
    struct estimate three_folds = {0}, whole = {0};
    struct error err = {0};
    check_group("when ten folds choose the steps, %s", name);
    CHECK(estimate_make(&data, set->c, ESTIMATE_MATRIX, &fit, &three_folds, &err) == 0
              && estimate_noise(&data, set->c, &options, &whole, &err) == 0,
          "%s", err.message);
    const bool stays = decided || misfit;
    CHECK(three_folds.classifier.steps_by_decisions == decided
              && whole.classifier.steps_by_decisions == decided,
          "by decisions or not");
    CHECK((three_folds.misfit > 0) == misfit, "a misfit of %g", three_folds.misfit);
    const int64_t before = three_folds.classifier.steps;
    if (!stays)
        CHECK(estimate_fine_steps(&data, &fit, &three_folds, &err) == 0, "%s", err.message);
    CHECK(stays || three_folds.classifier.steps != before, "%d steps, before %d",
          (int)three_folds.classifier.steps, (int)before);
    CHECK_INT(whole.classifier.steps, three_folds.classifier.steps, "the number");
    CHECK(whole.classifier.temperature == three_folds.classifier.temperature, "the temperature");
    estimate_free(&three_folds);
    estimate_free(&whole);
}

int main(void)
{
    static const double even[K * K] = {.925, .025, .025, .025, .025, .925, .025, .025,
                                       .025, .025, .925, .025, .025, .025, .025, .925},
                                 identity[K * K] = {
                                     [0] = 1, [K + 1] = 1, [2 * K + 2] = 1, [3 * K + 3] = 1};
    static struct set noisy, weighted, unfit, misled;
    set_make(8, 0.1, false, even, &noisy);
    set_make(8, 0.1, true, even, &weighted);
    set_make(8, 0.08, false, identity, &unfit);
    set_make(3, 0.4, false, identity, &misled);
    test_number("even noise", &noisy);
    test_number("even noise", &weighted);
    test_number("the identity", &misled);
    test_when("even noise", &noisy, false, false);
    test_when("a few labels that the identity does not fit", &unfit, false, true);
    test_when("many", &misled, true, true);
    set_free(&noisy);
    set_free(&weighted);
    set_free(&unfit);
    set_free(&misled);
    return check_finish();
}
