/* The number of steps that ten folds choose (learners/estimate/fine_estimate.h), by likelihood and
 * by decisions, beside plain loops over all numbers; when it is chosen so. */
#include "learners/estimate/confusion_estimate.h"
#include "learners/estimate/fine_estimate.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/noise/decisions.h"
#include "left_out.h"
#include "words.h"

#include <string.h>

enum {
    N = 2000,   /* so that not all of the folds judge */
    JUDGES = 8, /* have at least 1500 of them */
    JUDGED = N * JUDGES / FOLDS_FINE,
    MOST = 40,  /* steps */
    NOTED = 16, /* of these, whose decisions are compared */
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

/* Texts that begin with certain words have the label of the class after their own: no matrix says
 * so. */
static void set_mislabel_region(struct set *set)
{
    for (int i = 0; i < N; i++) {
        const int32_t first = problem_example(&set->problem, i).index[0];
        if (first > 140 && first < 1000)
            set->y[i] = (set->y[i] + 1) % K;
    }
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

/* Folds 0 .. folds-1, each followed until PATIENCE steps have not been likelier. */
struct paths {
    double s[MOST][N * K], likelihood[MOST][FOLDS_FINE][3];
    double weight[N];
    int32_t y[N];
    int rows;     /* examples, fold after fold */
    int64_t made; /* steps that all folds have made */
};

static void plain_paths(const struct set *set, int folds, struct paths *paths)
{
    static int64_t fold[N];
    double c[K * K];
    struct estimate e = {.n = N, .classes = K, .matrix.c = c, .classifier.lambda = lambda};
    struct forward_metric metric;
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct cross_scores_task task = {
        .data = &data, .weight = set->own, .estimate = &e, .metric = &metric, .threads = 1};
    const struct fold_examples all = fold_examples_of(&data);
    struct error err = {0};
    memcpy(c, set->c, sizeof c);
    CHECK(folds_assign(&all, FOLDS_FINE, 1, fold, &err) == 0
              && forward_metric_make(&set->problem, set->own, &metric, 1, &err) == 0,
          "%s", err.message);
    paths->rows = 0;
    paths->made = MOST;
    for (int k = 0; k < folds; k++) {
        double best_here = -INFINITY;
        int count = 0, best_step = 0, step = 0;
        for (; step < MOST && step - best_step < PATIENCE; step++) {
            double *at_step = paths->likelihood[step][k];
            e.classifier.steps = step + 1;
            count = plain_fold(set, &task, fold, k, paths->s[step] + paths->rows * K, at_step);
            for (int t = 0; t < 3; t++)
                if (at_step[t] > best_here) {
                    best_here = at_step[t];
                    best_step = step + 1;
                }
        }
        paths->made = step < paths->made ? step : paths->made;
        for (int i = 0, row = paths->rows; i < N; i++)
            if (fold[i] == k) {
                paths->weight[row] = set->weight[i];
                paths->y[row++] = set->y[i];
            }
        paths->rows += count;
    }
    forward_metric_free(&metric);
}

/* The temperature at which the scores of so many steps make the labels likeliest. */
static double plain_temperature(const struct set *set, struct paths *paths, int64_t steps)
{
    struct error err = {0};
    double temperature;
    memory_free(em_calibrate(paths->rows, K, paths->y, set->own ? paths->weight : NULL, 1, set->c,
                             paths->s[steps - 1], &temperature, &err));
    return temperature;
}

/* The number that makes the labels of the judges likeliest, of those that all have come to. */
static int64_t plain_steps(const struct set *set, struct paths *paths)
{
    double largest = -INFINITY;
    int64_t best = 0;
    plain_paths(set, JUDGES, paths);
    CHECK_INT(paths->rows, JUDGED, "examples that judge");
    for (int64_t step = 0; step < paths->made; step++)
        for (int t = 0; t < 3; t++) {
            double sum = 0;
            for (int judge = 0; judge < JUDGES; judge++)
                sum += paths->likelihood[step][judge][t];
            if (sum > largest) {
                largest = sum;
                best = step + 1;
            }
        }
    return best;
}

static void decide(const struct paths *paths, int64_t steps, int32_t *decision)
{
    for (int i = 0; i < N; i++) {
        const double *s = paths->s[steps - 1] + i * K;
        decision[i] = 0;
        for (int k = 1; k < K; k++)
            if (s[k] > s[decision[i]])
                decision[i] = k;
    }
}

/* The number whose decisions are better than those of `before` by most standard errors, and by more
 * than one; or `before`.  paths: of all folds. */
static int64_t plain_decided(const struct set *set, const struct paths *paths, int64_t before)
{
    static int32_t first[N], second[N];
    double workspace[3 * K * K], most = 1;
    const struct decisions both = {.n = N,
                                   .K = K,
                                   .y = paths->y,
                                   .first = first,
                                   .second = second,
                                   .weight = set->own ? paths->weight : NULL};
    int64_t best = before;
    const int64_t noted = paths->made < NOTED ? paths->made : NOTED;
    if (before > noted)
        return before;
    decide(paths, before, first);
    for (int64_t steps = 1; steps <= noted; steps++) {
        decide(paths, steps, second);
        const double lead = decisions_lead(&both, set->c, workspace);
        if (lead > most) {
            most = lead;
            best = steps;
        }
    }
    return best;
}

static struct crossfit_options options_of(const struct set *set)
{
    return (struct crossfit_options){
        .weight = set->own, .lambda = -1, .steps = -1, .seed = 1, .threads = 2};
}

/* Of 7 steps: by likelihood or by decisions.  Number and temperature are new, where decisions leave
 * the number as it was both stay; and so does all else. */
static int64_t test_number(const char *name, const struct set *set, bool by_decisions,
                           int64_t before)
{
    static struct paths paths;
    struct estimate e;
    struct error err = {0};
    double c[K * K], p[K] = {0.25, 0.5, 0.125, 0.125};
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct crossfit_options options = options_of(set);
    check_group("steps by %s in ten folds, %s%s, %d before",
                by_decisions ? "decisions" : "likelihood", name, set->own ? ", weights" : "",
                (int)before);
    memcpy(c, set->c, sizeof c);
    e = (struct estimate){.n = N,
                          .classes = K,
                          .matrix.c = c,
                          .p = p,
                          .classifier = {.lambda = lambda, .steps = before, .temperature = -1},
                          .likelihood = -1};
    CHECK((by_decisions ? estimate_fine_decisions(&data, &options, &e, &err)
                        : estimate_fine_steps(&data, &options, &e, &err))
              == 0,
          "%s", err.message);
    if (by_decisions)
        plain_paths(set, FOLDS_FINE, &paths);
    const int64_t steps = by_decisions ? plain_decided(set, &paths, before)
                                       : plain_steps(set, &paths);
    const double temperature = by_decisions && steps == before
                                   ? -1
                                   : plain_temperature(set, &paths, steps);
    CHECK_INT(e.classifier.steps, steps, "the number");
    CHECK_NEAR(e.classifier.temperature, temperature, 1e-6, "the temperature");
    CHECK(memcmp(c, set->c, sizeof c) == 0 && e.p == p && p[1] == 0.5
              && e.classifier.lambda == lambda && e.likelihood == -1,
          "all else stays");
    return steps;
}

enum how { STAYS, BY_LIKELIHOOD, BY_DECISIONS };

/* c: as given; NULL: it is estimated.  moves: is the number another one then? */
static void test_when(const char *name, const struct set *set, const double *c, bool decided,
                      enum how how, bool moves)
{
    const struct labelled data = {.problem = &set->problem, .y = set->y, .labels = &set->labels};
    const struct estimate_options options = {.fit = options_of(set)};
    const struct crossfit_options fit = options.fit;
    struct estimate three_folds = {0}, whole = {0};
    struct error err = {0};
    check_group("when ten folds choose the steps, %s", name);
    CHECK(estimate_make(&data, c, c ? ESTIMATE_MATRIX : ESTIMATE_NOTHING, &fit, &three_folds, &err)
                  == 0
              && estimate_noise(&data, c, &options, &whole, &err) == 0,
          "%s", err.message);
    CHECK(three_folds.classifier.steps_by_decisions == decided
              && whole.classifier.steps_by_decisions == decided,
          "by decisions or not");
    CHECK((three_folds.misfit > 0) == (how == BY_DECISIONS || !c), "a misfit of %g",
          three_folds.misfit);
    const int64_t before = three_folds.classifier.steps;
    int status = 0;
    if (how == BY_LIKELIHOOD)
        status = estimate_fine_steps(&data, &fit, &three_folds, &err);
    else if (how == BY_DECISIONS)
        status = estimate_fine_decisions(&data, &fit, &three_folds, &err);
    CHECK(status == 0, "%s", err.message);
    CHECK((three_folds.classifier.steps != before) == moves, "%d steps, before %d",
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
    static struct set noisy, weighted, unfit, misled, heavy, region;
    set_make(8, 0.1, false, even, &noisy);
    set_make(8, 0.1, true, even, &weighted);
    set_make(8, 0.08, false, identity, &unfit);
    set_make(3, 0.4, false, identity, &misled);
    set_make(3, 0.4, true, identity, &heavy);
    set_make(3, 0, false, NULL, &region);
    set_mislabel_region(&region);
    test_number("even noise", &noisy, false, 7);
    test_number("even noise", &weighted, false, 7);
    test_number("the identity", &misled, false, 7);
    test_number("the identity", &misled, true, 4);
    test_number("the identity", &misled, true, 10); /* more than all folds have made */
    test_number("the identity", &heavy, true, 4);
    test_number("few labels that the identity does not fit", &unfit, true, 4);
    test_number("few labels that the identity does not fit", &unfit, true, 7);
    test_when("even noise", &noisy, even, false, BY_LIKELIHOOD, true);
    test_when("a few labels that the identity does not fit", &unfit, identity, false, BY_DECISIONS,
              true);
    test_when("many", &misled, identity, true, BY_DECISIONS, false);
    test_when("noise of a region, nothing known", &region, NULL, false, STAYS, false);
    set_free(&noisy);
    set_free(&weighted);
    set_free(&unfit);
    set_free(&misled);
    set_free(&heavy);
    set_free(&region);
    return check_finish();
}
