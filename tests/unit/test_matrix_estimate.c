/* Classes that have changed places in the search for the matrix, and classes whose noise is in
 * doubt. */
#include "check.h"
#include "common/base/random.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/estimate/scores_estimate.h"
#include "learners/noise/em_prior.h"

#include <string.h>

enum { K = 3, N = 600 };

/* The columns are those of `before`, and no exchange of two is better. */
static void check_places(const double *c, const double *before, const int64_t *from)
{
    for (int k = 0; k < K; k++) {
        for (int l = 0; l < K; l++)
            CHECK(c[l * K + k] == before[l * K + from[k]], "column %d", k);
        for (int q = 0; q < k; q++)
            CHECK(from[k] != from[q] && c[k * K + k] * c[q * K + q] >= c[k * K + q] * c[q * K + k],
                  "classes %d and %d", q, k);
    }
}

static void test_places(void)
{
    static const double wanted[K * K] = {.5, .2, .3, .3, .7, .1, .2, .1, .6};
    static const int order[6][K] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct random g = random_seeded(1, 1);
    check_group("classes get their places");
    for (int o = 0; o < 6; o++) {
        double c[K * K];
        int64_t from[K];
        for (int cell = 0; cell < K * K; cell++)
            c[cell] = wanted[cell / K * K + order[o][cell % K]];
        CHECK(estimate_put_in_place(c, K, from) == (o > 0), "order %d: was any changed?", o);
        CHECK(memcmp(c, wanted, sizeof c) == 0, "order %d", o);
        for (int k = 0; k < K; k++)
            CHECK_INT(order[o][from[k]], k, "order %d", o);
    }
    for (int turn = 0; turn < 200; turn++) {
        double c[K * K], before[K * K];
        int64_t from[K];
        for (int cell = 0; cell < K * K; cell++)
            before[cell] = c[cell] = random_uniform(&g) < 0.3 ? 0 : random_uniform(&g);
        estimate_put_in_place(c, K, from);
        check_places(c, before, from);
    }
}

/* ---- classes in doubt ---- */

/* Sure probabilities: 100 examples of class 0, three of class 1, the rest of class 2.  Nearly all
 * labels are right, and the joint says that class 2 is as often called 0. */
static void test_doubt(double prior, bool alone)
{
    static const double c[K * K] = {.9, .05, .05, .05, .9, .05, .05, .05, .9},
                              joint[K * K] = {.9, .05, .5, .05, .9, .1, .05, .05, .4};
    int32_t y[N];
    struct em em;
    struct estimate e = {0};
    struct error err = {0};
    check_group("classes in doubt, prior %g", prior);
    for (int i = 0; i < N; i++)
        y[i] = i < 100 ? 0 : i < 103 ? 1 : 2;
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = prior;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++)
            em.p[i * K + k] = k == y[i] ? 0.98 : 0.01;
    CHECK(estimate_allocate(N, K, c, &e, &err) == 0, "%s", err.message);
    memcpy(e.joint, joint, sizeof joint);
    CHECK(estimate_summarise(&em, true, &e, &err) == 0, "%s", err.message);
    CHECK(!e.doubtful[0], "many examples, most labels right");
    CHECK(e.doubtful[1] == alone, "three examples");
    CHECK(e.doubtful[2] == alone, "a joint that says otherwise");
    CHECK(e.thin, "a reason to look for another matrix in either case");
    e.c[0] = e.c[K] = 0.475;
    CHECK(estimate_summarise(&em, true, &e, &err) == 0 && e.doubtful[0], "a rival as likely");
    memset(e.doubtful, 0, K * sizeof *e.doubtful);
    e.thin = false;
    e.misfit = 0;
    CHECK(!estimate_is_doubtful(&e), "nothing is in doubt");
    e.led = true;
    CHECK(estimate_is_doubtful(&e), "a column that had to be led");
    estimate_free(&e);
    em_free(&em);
}

/* Class 1 is every third label, or every tenth; what looks like it are the first `left` examples,
 * and all else is class 0 in an even noise. */
static void test_lost(int every, int left, bool lost)
{
    static const double c[K * K] = {.6, .2, .2, .2, .6, .2, .2, .2, .6};
    int32_t y[N];
    struct em em;
    struct estimate e = {0};
    struct error err = {0};
    check_group("one label in %d is of a class with %d examples", every, left);
    for (int i = 0; i < N; i++)
        y[i] = i % every == 0 ? 1 : i % 5 == 1 ? 2 : 0;
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = 1000;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++)
            em.p[i * K + k] = k == (i < left ? 1 : i < 100 ? 2 : 0) ? 1 - 2e-6 : 1e-6;
    CHECK(estimate_allocate(N, K, c, &e, &err) == 0, "%s", err.message);
    CHECK(estimate_summarise(&em, false, &e, &err) == 0, "%s", err.message);
    CHECK(e.doubtful[1] == lost, "is it lost?");
    CHECK(!e.doubtful[0] && !e.doubtful[2], "nor are the others");
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
            CHECK(e.c[l * K + k] <= e.c[k * K + k], "label %d of class %d: %g, of %g", l, k,
                  e.c[l * K + k], e.c[k * K + k]);
    CHECK(e.c[1] > 0.4, "what looks like class 1 is still called 0: %g", e.c[1]);
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
    e->gamma = 1;
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
        CHECK_NEAR(errors_against(e.c[1]), 2, 0.5, "standard errors that are left");
    else
        CHECK(e.c[1] == first, "class 1 called 0: %g", e.c[1]);
    CHECK_NEAR(e.c[4], 1 - e.c[1], 0.01, "class 1 called 1");
    CHECK_NEAR(e.joint[1], goes ? 0.1 : 0, goes ? 0.02 : 0, "class 1 called 0 in the joint");
    CHECK_NEAR(e.deviation[1], goes ? error_of(e.c[1]) : 0, goes ? 5e-4 : 0, "its error");
    CHECK(e.gamma == (goes ? 0 : 1) && e.likelihood == 0, "what the matrix is by");
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
    CHECK(memcmp(e.c, c, sizeof c) == 0, "class 1 called 1: %g", e.c[4]);
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
    CHECK(e.c[0] > 0.95 && e.c[8] > 0.9, "it went on: %g, %g", e.c[0], e.c[8]);
    CHECK_NEAR(e.c[1], e.c[4], 1e-9, "the lead of class 1");
    estimate_free(&e);
}

int main(void)
{
    test_places();
    test_doubt(10, true);
    test_doubt(100, false);
    test_lost(3, 19, true);
    test_lost(3, 21, false);
    test_lost(10, 3, false);
    test_lead();
    test_better_scores(1. / 3);
    test_better_scores(0.05);
    test_no_better_scores();
    test_lead_goes_on();
    return check_finish();
}
