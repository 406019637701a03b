/* Classes that have changed places in the search for the matrix, classes whose noise is in doubt,
 * and classes that overlap without any noise. */
#include "check.h"
#include "common/base/random.h"
#include "forward_drawn.h"
#include "learners/estimate/climb.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/noise/em.h"

#include <string.h>

enum { K = 3, N = 600, OVERLAPPING = 150 };

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
        CHECK(climb_name_classes(c, K, from) == (o > 0), "order %d: was any changed?", o);
        CHECK(memcmp(c, wanted, sizeof c) == 0, "order %d", o);
        for (int k = 0; k < K; k++)
            CHECK_INT(order[o][from[k]], k, "order %d", o);
    }
    for (int turn = 0; turn < 200; turn++) {
        double c[K * K], before[K * K];
        int64_t from[K];
        for (int cell = 0; cell < K * K; cell++)
            before[cell] = c[cell] = random_uniform(&g) < 0.3 ? 0 : random_uniform(&g);
        climb_name_classes(c, K, from);
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
    memcpy(e.matrix.joint, joint, sizeof joint);
    CHECK(estimate_summarise(&em, true, &e, &err) == 0, "%s", err.message);
    CHECK(!e.matrix.doubtful[0], "many examples, most labels right");
    CHECK(e.matrix.doubtful[1] == alone, "three examples");
    CHECK(e.matrix.doubtful[2] == alone, "a joint that says otherwise");
    CHECK(e.matrix.thin, "a reason to look for another matrix in either case");
    e.matrix.c[0] = e.matrix.c[K] = 0.475;
    CHECK(estimate_summarise(&em, true, &e, &err) == 0 && e.matrix.doubtful[0],
          "a rival as likely");
    memset(e.matrix.doubtful, 0, K * sizeof *e.matrix.doubtful);
    e.matrix.thin = false;
    e.misfit = 0;
    CHECK(!estimate_is_doubtful(&e), "nothing is in doubt");
    e.matrix.led = true;
    CHECK(estimate_is_doubtful(&e), "a column that had to be led");
    estimate_free(&e);
    em_free(&em);
}

/* Class 1 is every third label, or every tenth; what looks like it are the first `left` examples,
 * and all else is class 0 in an even noise. */
static void test_lost(int every, int left, bool lost)
{
    static const double c[K * K] = {.8, .1, .1, .1, .8, .1, .1, .1, .8};
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
    CHECK(e.matrix.doubtful[1] == lost, "is it lost?");
    CHECK(!e.matrix.doubtful[0] && !e.matrix.doubtful[2], "nor are the others");
    estimate_free(&e);
    em_free(&em);
}

/* ---- the identity ---- */

/* Classes that overlap, with all labels right.  Softmax regression by itself makes held-out labels
 * likelier than it does through a matrix that takes some of the overlap for noise: so the matrix is
 * the identity. */
static void test_identity(uint64_t seed)
{
    static const double identity[K * K] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct drawn drawn;
    struct estimate e = {0};
    struct error err = {0};
    check_group("classes that overlap, seed %d", (int)seed);
    drawn_make(seed, OVERLAPPING, K, 0.3, identity, &drawn);
    const struct labelled data = {.problem = &drawn.problem, .y = drawn.y, .labels = &drawn.labels};
    const struct crossfit_options options = {.lambda = -1, .seed = 1, .threads = 1};
    CHECK(estimate_make(&data, NULL, ESTIMATE_NOTHING, &options, &e, &err) == 0, "%s", err.message);
    for (int cell = 0; cell < K * K; cell++)
        CHECK_NEAR(e.matrix.c[cell], identity[cell], 1e-12, "cell %d", cell);
    estimate_free(&e);
    drawn_free(&drawn);
}

int main(void)
{
    test_places();
    test_doubt(10, true);
    test_doubt(100, false);
    test_lost(3, 19, true);
    test_lost(3, 21, false);
    test_lost(10, 3, false);
    test_identity(12);
    test_identity(16);
    return check_finish();
}
