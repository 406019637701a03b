/* An estimate from given scores: three starting points, columns that their diagonals lead, and
 * estimates that go on with other scores. */
#include "check.h"
#include "common/base/random.h"
#include "learners/estimate/climb.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/estimate/scores_estimate.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/start.h"

#include <string.h>

enum { K = 3, N = 600, FEW = 120 };

/* ---- starting points ---- */

/* Every other example has large scores, most of which are for the label, right or wrong; the others
 * have small ones for the true class.  Sharp probabilities, by which hardly any label is wrong, and
 * dull ones, by which many are, explain the labels about as well.  s, y, fold: out. */
static void make_torn(double *s, int32_t *y, int64_t *fold)
{
    struct random g = random_seeded(17131, 1);
    for (int i = 0; i < FEW; i++) {
        const int truth = (int)random_below(&g, K);
        y[i] = random_uniform(&g) < 0.4 ? (truth + 1) % K : truth;
        fold[i] = i / 3 % 3;
        const bool large = i % 2 > 0, right = random_uniform(&g) < (large ? 0.25 : 1);
        for (int k = 0; k < K; k++)
            s[i * K + k] = (large ? 5 : 0.0625)
                           * ((k == (right ? truth : y[i])) + random_normal(&g));
    }
    em_level_all(FEW, K, s);
}

/* Rounds of EM, while they make the labels likelier, from c (in, out).  The likelihood. */
static double plain_climb(struct em *em, const double *s, double *c)
{
    double before, likelihood = -INFINITY, temperature;
    int rounds = 0;
    do {
        before = likelihood;
        likelihood = em_temperature(em, s, c, EM_STEPS, c, &temperature);
        rounds++;
    } while (rounds < CLIMB_ROUNDS && likelihood >= before + CLIMB_LEAST_GAIN);
    return likelihood;
}

/* EM from the confident joint and from even noise ends with matrices that disagree, and with one
 * that makes the labels likelier from anchors: so the estimate is that of the third starting
 * point, with its prior. */
static void test_third_start(void)
{
    static double s[FEW * K];
    static int32_t y[FEW];
    static int64_t fold[FEW];
    double identity[K * K], end[CLIMB_STARTS][K * K], likelihood[CLIMB_STARTS], share[K],
        temperature;
    double *c = end[CLIMB_ANCHORS];
    struct em em, plain;
    struct estimate e = {0};
    struct error err = {0};
    check_group("a third starting point");
    make_torn(s, y, fold);
    CHECK(em_start(&plain, FEW, K, y, fold, 1, &err) == 0, "%s", err.message);
    plain.prior = EM_FIRST_PRIOR;
    start_identity(identity, K);
    em_probabilities(&plain, s, identity, 1);
    CHECK(start_confident_joint(&plain, end[CLIMB_JOINT], &err) == 0, "%s", err.message);
    start_even_noise(&plain, end[CLIMB_EVEN]);
    em_temperature(&plain, s, identity, 0, NULL, &temperature);
    CHECK(start_anchors(&plain, c, &err) == 0, "%s", err.message);
    for (int start = 0; start < CLIMB_STARTS; start++) {
        likelihood[start] = plain_climb(&plain, s, end[start]);
        if (start == CLIMB_EVEN)
            em_shares(&plain, end[start], share);
    }
    CHECK(likelihood[CLIMB_ANCHORS] > likelihood[CLIMB_JOINT]
              && likelihood[CLIMB_ANCHORS] > likelihood[CLIMB_EVEN],
          "log-likelihoods %g and %g, from anchors %g", likelihood[CLIMB_JOINT],
          likelihood[CLIMB_EVEN], likelihood[CLIMB_ANCHORS]);
    plain.leads = true;
    CHECK(!em_let_lead(c, K), "a wrong label leads a column");
    em_temperature(&plain, s, c, EM_STEPS, c, &temperature);
    CHECK(em_choose_prior(&plain, c, &err) == 0, "%s", err.message);
    em_temperature(&plain, s, c, EM_STEPS, c, &temperature);

    CHECK(em_start(&em, FEW, K, y, fold, 1, &err) == 0, "%s", err.message);
    CHECK(estimate_from_scores(&em, s, NULL, &e, NULL, &err) == 0, "%s", err.message);
    CHECK(e.matrix.disagreement >= ESTIMATE_DISAGREEMENT, "the first two disagree about %g",
          e.matrix.disagreement);
    CHECK_NEAR(e.matrix.disagreement,
               climb_disagreement(end[CLIMB_JOINT], end[CLIMB_EVEN], K, share), 1e-9,
               "disagreement");
    for (int cell = 0; cell < K * K; cell++)
        CHECK_NEAR(e.matrix.c[cell], c[cell], 1e-9, "cell %d", cell);
    estimate_free(&e);
    em_free(&plain);
    em_free(&em);
}

/* ---- a matrix that is known ---- */

/* It stays as it is, and is no reason to doubt its classes; only the temperature is sought.  tell:
 * do the scores tell the classes?  Else the labels are by chance. */
static void test_known(bool tell)
{
    static const double c[] = {1, .1, 0, 0, .9, 0, 0, 0, 1};
    static double s[N * K];
    int32_t y[N];
    int64_t fold[N];
    struct em em;
    struct estimate e = {0};
    struct progress progress = {0};
    struct error err = {0};
    check_group("a known matrix, scores that tell %s", tell ? "the classes" : "nothing");
    for (int i = 0; i < N; i++) {
        const int look = i / 3 % 3;
        y[i] = look == 1 && i % 10 == 0 ? 0 : look;
        fold[i] = i % 3;
        for (int k = 0; k < K; k++) /* one in eight looks like another class */
            s[i * K + k] = !tell || k == (look + (i % 8 == 1)) % K ? 0 : -1;
    }
    CHECK(em_start(&em, N, K, y, fold, 1, &err) == 0, "%s", err.message);
    CHECK(estimate_from_scores(&em, s, c, &e, &progress, &err) == 0, "%s", err.message);
    CHECK(memcmp(e.matrix.c, c, sizeof c) == 0, "the matrix is kept");
    CHECK(progress.steps == 1 && progress.most == 1, "a step of progress");
    CHECK(e.by_chance == !tell, "labels by chance: %d", e.by_chance);
    for (int k = 0; tell && k < K; k++) {
        CHECK(!e.matrix.doubtful[k], "class %d is identifiable", k);
        CHECK_NEAR(e.share[k], 1. / 3, .03, "the share of class %d", k);
    }
    if (tell) {
        const double warmer = em_probabilities(&em, s, c, 1.2 * e.classifier.temperature),
                     colder = em_probabilities(&em, s, c, e.classifier.temperature / 1.2);
        CHECK(e.likelihood > warmer && e.likelihood > colder,
              "the likeliest temperature: %g, not %g or %g", e.likelihood, warmer, colder);
    }
    estimate_free(&e);
    em_free(&em);
}

/* ---- columns that their diagonals lead ---- */

/* Scores of example i, which looks like a class: those of the others are -least, or down to 4 less.
 */
static void put_scores(int i, int look, int least, double *s)
{
    for (int k = 0; k < K; k++)
        s[i * K + k] = k == look ? 0 : -least - (i + k) % 5;
}

/* Of two examples in three that look like class 1 the label is 0: without the assumption that no
 * wrong label leads, they would be examples of class 1. */
static void test_lead(void)
{
    static double s[N * K];
    int32_t y[N];
    int64_t fold[N];
    struct em em;
    struct estimate e = {0};
    struct error err = {0};
    check_group("columns that their diagonals lead");
    for (int i = 0; i < N; i++) {
        const int look = i % 6 < 3 ? 1 : i % 6 < 5 ? 0 : 2;
        y[i] = look == 1 && i % 3 < 2 ? 0 : look;
        fold[i] = i / 6 % 3;
        put_scores(i, look, 4, s);
    }
    CHECK(em_start(&em, N, K, y, fold, 1, &err) == 0, "%s", err.message);
    CHECK(estimate_from_scores(&em, s, NULL, &e, NULL, &err) == 0, "%s", err.message);
    for (int k = 0; k < K; k++)
        for (int l = 0; l < K; l++)
            CHECK(e.matrix.c[l * K + k] <= e.matrix.c[k * K + k], "label %d of class %d: %g, of %g",
                  l, k, e.matrix.c[l * K + k], e.matrix.c[k * K + k]);
    CHECK(e.matrix.c[1] > 0.4, "what looks like class 1 is still called 0: %g", e.matrix.c[1]);
    CHECK(!e.by_chance, "the scores tell of the labels");
    estimate_free(&e);
    em_free(&em);
}

/* An estimate with the matrix c and even shares goes on with scores, the largest of each example 0.
 * e: out. */
static void go_on(const double *c, const double *s, const int32_t *y, struct estimate *e)
{
    int64_t fold[N];
    struct em em;
    struct error err = {0};
    for (int i = 0; i < N; i++)
        fold[i] = i / 6 % 3;
    CHECK(em_start(&em, N, K, y, fold, 1, &err) == 0, "%s", err.message);
    CHECK(estimate_allocate(N, K, c, e, &err) == 0, "%s", err.message);
    for (int k = 0; k < K; k++)
        e->share[k] = 1. / 3;
    e->matrix.gamma = 1;
    CHECK(estimate_continue_from_scores(&em, s, e, &err) == 0, "%s", err.message);
    em_free(&em);
}

/* By how many standard errors 20 wrong labels of 200 are likelier by the rate 1/10 than by
 * `rate`. */
static double errors_against(double rate)
{
    const double wrong = log(0.1 / rate), right = log(0.9 / (1 - rate));
    return (20 * wrong + 180 * right) / sqrt(20 * wrong * wrong + 180 * right * right);
}

/* The standard error of a rate by 20 wrong labels of 200, and the first prior. */
static double error_of(double rate)
{
    const double right = 1 - rate;
    return 1 / sqrt(20 / (rate * rate) + 180 / (right * right) + EM_FIRST_PRIOR / (rate * right));
}

/* By scores that tell the classes one label in ten of class 1 is wrong.  first: the estimate before
 * has so much noise there; it goes on only to less, and no further than until 1/10 is not likelier
 * by two standard errors. */
static void test_better_scores(double first)
{
    const bool goes = first > 0.1;
    const double c[] = {1, first, 0, 0, 1 - first, 0, 0, 0, 1};
    static double s[N * K];
    int32_t y[N];
    struct estimate e = {0};
    check_group("an estimate of %g goes on with other scores", first);
    for (int i = 0; i < N; i++) {
        const int look = i / 3 % 3;
        y[i] = look == 1 && i % 10 == 0 ? 0 : look;
        put_scores(i, look, 9, s);
    }
    go_on(c, s, y, &e);
    if (goes)
        CHECK_NEAR(errors_against(e.matrix.c[1]), 2, 0.5, "standard errors that are left");
    else
        CHECK(e.matrix.c[1] == first, "class 1 called 0: %g", e.matrix.c[1]);
    CHECK_NEAR(e.matrix.c[4], 1 - e.matrix.c[1], 0.01, "class 1 called 1");
    CHECK_NEAR(e.matrix.joint[1], goes ? 0.1 : 0, goes ? 0.02 : 0, "class 1 called 0 in the joint");
    CHECK_NEAR(e.matrix.standard_error[1], goes ? error_of(e.matrix.c[1]) : 0, goes ? 5e-4 : 0,
               "its error");
    CHECK(e.matrix.gamma == (goes ? 0 : 1) && e.likelihood == 0, "what the matrix is by");
    for (int k = 0; k < K; k++)
        CHECK_NEAR(e.share[k], 1. / 3, 0.01, "the share of class %d", k);
    estimate_free(&e);
}

/* Scores that say nothing: that there is less noise is as likely, and no reason. */
static void test_no_better_scores(void)
{
    static const double c[] = {.6, .2, .2, .2, .6, .2, .2, .2, .6}, even[N * K] = {0};
    int32_t y[N];
    struct estimate e = {0};
    check_group("an estimate does not go on with scores that say nothing");
    for (int i = 0; i < N; i++)
        y[i] = i % 3;
    go_on(c, even, y, &e);
    CHECK(memcmp(e.matrix.c, c, sizeof c) == 0, "class 1 called 1: %g", e.matrix.c[4]);
    CHECK(e.matrix.gamma == 1 && e.matrix.joint[0] == 0, "what the matrix is by stays, too");
    estimate_free(&e);
}

/* It keeps to matrices whose columns are led by their diagonals: labels as in test_lead. */
static void test_lead_goes_on(void)
{
    static const double c[] = {.8, .5, .1, .1, .5, .1, .1, 0, .8};
    static double s[N * K];
    int32_t y[N];
    struct estimate e = {0};
    check_group("columns are led by their diagonals with other scores, too");
    for (int i = 0; i < N; i++) {
        const int look = i % 6 < 3 ? 1 : i % 6 < 5 ? 0 : 2;
        y[i] = look == 1 && i % 3 < 2 ? 0 : look;
        put_scores(i, look, 4, s);
    }
    go_on(c, s, y, &e);
    CHECK(e.matrix.c[0] > 0.95 && e.matrix.c[8] > 0.9, "it went on: %g, %g", e.matrix.c[0],
          e.matrix.c[8]);
    CHECK_NEAR(e.matrix.c[1], e.matrix.c[4], 1e-9, "the lead of class 1");
    estimate_free(&e);
}

int main(void)
{
    test_third_start();
    test_known(true);
    test_known(false);
    test_lead();
    test_better_scores(1. / 3);
    test_better_scores(0.05);
    test_no_better_scores();
    test_lead_goes_on();
    return check_finish();
}
