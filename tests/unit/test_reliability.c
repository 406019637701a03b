/* Standard errors of noise rates against the information matrix by differences, and classes that a
 * wrong label rivals. */
#include "check.h"
#include "common/base/random.h"
#include "dense_plain.h"
#include "learners/noise/reliability.h"

#include <math.h>
#include <string.h>

enum { K = 4, N = 300 };

/* Log-probability of the label y, where the rate of class k is larger by `step`. */
static double label_at(const double *c, const double *p, int y, int k, double step)
{
    double q = 0;
    for (int l = 0; l < K; l++) {
        double entry = c[y * K + l];
        if (l == k)
            entry = y == k ? entry - step : entry * (1 + step / (1 - c[k * K + k]));
        q += entry * p[l];
    }
    return log(q);
}

/* By central differences and the definition in reliability.c.  share: all 1/K. */
static double standard_error_plain(const struct em *em, const double *c, int k)
{
    const double step = 1e-6;
    double information[K * K] = {0}, inverse[K * K], sum = 0;
    for (int64_t i = 0; i < em->n; i++) {
        double slope[K];
        for (int l = 0; l < K; l++)
            slope[l] = (label_at(c, em->p + i * K, em->y[i], l, step)
                        - label_at(c, em->p + i * K, em->y[i], l, -step))
                       / (2 * step);
        for (int l = 0; l < K; l++)
            for (int j = 0; j < K; j++) {
                information[l * K + j] += em_weight(em, i) * slope[l] * slope[j];
                sum += em_weight(em, i) * slope[l] * slope[j];
            }
    }
    for (int l = 0; l < K; l++) {
        const double rate = 1 - c[l * K + l], variance = rate * (1 - rate);
        const double own = information[l * K + l], alike = fmax((K - 1) * own, 4 * 10);
        information[l * K + l] += fmin(fmin(fmin(em->prior, em->total) / variance, sum), alike);
    }
    CHECK(invert_plain(K, information, inverse), "the information has an inverse");
    return sqrt(inverse[k * K + k]);
}

/* Labels drawn through c from probabilities of this sharpness, with weights or without. */
static void test_standard_errors(double sharpness, double prior, bool weighted)
{
    static const double c[K * K] = {.7,  .05, .1, .02, .2,  .9,  .1, .03,
                                    .05, .03, .5, .05, .05, .02, .3, .9},
                              share[K] = {.25, .25, .25, .25};
    struct random g = random_seeded(3, 1);
    int32_t y[N];
    double weight[N], standard_error[K];
    struct em em;
    struct error err = {0};
    check_group("standard errors, sharpness %g, prior %g%s", sharpness, prior,
                weighted ? ", weights" : "");
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    for (int i = 0; i < N; i++) {
        double sum = 0, u = random_uniform(&g);
        for (int k = 0; k < K; k++)
            sum += em.p[i * K + k] = exp(sharpness * (random_uniform(&g) + (k == i % K)));
        for (int k = 0; k < K; k++)
            em.p[i * K + k] /= sum;
        for (y[i] = 0; y[i] < K - 1 && (u -= c[y[i] * K + i % K]) > 0; y[i]++)
            ;
        weight[i] = 0.5 + random_uniform(&g);
    }
    em_weigh(&em, weighted ? weight : NULL);
    em.prior = prior;
    CHECK(reliability_standard_errors(&em, c, share, standard_error, &err) == 0, "%s", err.message);
    for (int k = 0; k < K; k++)
        CHECK_NEAR(standard_error[k], standard_error_plain(&em, c, k), 1e-6, "class %d", k);
    em_free(&em);
}

/* Of a class whose examples all keep their labels the rate is uncertain by Laplace's rule, whatever
 * else the examples may be: by the identity it is for other labels.  sure: p of the class. */
static void test_no_noise(double prior, double sure)
{
    static const double c[K * K] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                              share[K] = {.25, .25, .25, .25};
    const double rate = 1 / (N / 4. + prior + 2);
    int32_t y[N];
    double standard_error[K];
    struct em em;
    struct error err = {0};
    check_group("standard errors without noise, prior %g, probabilities of %g", prior, sure);
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = prior;
    for (int i = 0; i < N; i++) {
        y[i] = i % K;
        for (int k = 0; k < K; k++)
            em.p[i * K + k] = k == y[i] ? sure : (1 - sure) / (K - 1);
    }
    CHECK(reliability_standard_errors(&em, c, share, standard_error, &err) == 0, "%s", err.message);
    for (int k = 0; k < K; k++)
        CHECK_NEAR(standard_error[k],
                   1 / sqrt(N / 4. + fmin(prior / (rate * (1 - rate)), (K - 1) * N / 4.)), 1e-12,
                   "class %d", k);
    em_free(&em);
}

/* 40 examples of the last class, sure ones, beside 960 of the others, a tenth of each with a wrong
 * label: a prior of 1000 says of it at most K - 1 times what its own examples do, and of a class
 * that no example is of as much as 10 examples whose rate is 1/2. */
static void test_rare(void)
{
    enum { RARE = 40, MANY = 960, ALL = RARE + MANY };
    double c[K * K], share[K] = {.48, .48, 0, .04}, standard_error[K];
    int32_t y[ALL];
    struct em em;
    struct error err = {0};
    check_group("the standard error of a rare class");
    for (int k = 0; k < K; k++)
        for (int q = 0; q < K; q++)
            c[k * K + q] = k == q ? .9 : .1 / (K - 1);
    CHECK(em_start(&em, ALL, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = 1000;
    memset(em.p, 0, ALL * K * sizeof *em.p);
    for (int i = 0; i < ALL; i++) {
        const int class = i < RARE ? K - 1 : i % 2;
        em.p[i * K + class] = 1;
        y[i] = i % 20 < 2 ? (class == 0 ? 1 : class - 1) : class;
    }
    CHECK(reliability_standard_errors(&em, c, share, standard_error, &err) == 0, "%s", err.message);
    CHECK_NEAR(standard_error[K - 1], sqrt(.09 / (K * RARE)), 1e-12, "the rare class");
    CHECK_NEAR(standard_error[2], sqrt(.25 / 10), 1e-12, "the class without examples");
    CHECK_NEAR(standard_error[0], sqrt(.09 / (MANY / 2. + 1000)), 1e-12, "one of the others");
    em_free(&em);
}

/* A rate of 1, of classes 0 and 1 that always have each other's label, is as uncertain as one of 0.
 */
static void test_all_wrong(void)
{
    static const double c[K * K] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                              share[K] = {.25, .25, .25, .25};
    const double prior = 1, rate = 1 / (N / 4. + prior + 2);
    int32_t y[N];
    double standard_error[K];
    struct em em;
    struct error err = {0};
    check_group("standard errors where all labels of a class are wrong");
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = prior;
    memset(em.p, 0, N * K * sizeof *em.p);
    for (int i = 0; i < N; i++) {
        const int class = i % K;
        em.p[i * K + class] = 1;
        y[i] = class < 2 ? 1 - class : class;
    }
    CHECK(reliability_standard_errors(&em, c, share, standard_error, &err) == 0, "%s", err.message);
    for (int k = 0; k < K; k++)
        CHECK_NEAR(standard_error[k], 1 / sqrt(N / 4. + prior / (rate * (1 - rate))), 1e-12,
                   "class %d", k);
    em_free(&em);
}

/* Without a prior, of a class that no example may be of nothing is known. */
static void test_unknown(void)
{
    static const double c[K * K] = {.8,  .1,  .1, .1, .1,  .8,  .1, .1,
                                    .05, .05, .8, 0,  .05, .05, 0,  .8},
                              share[K] = {.5, .5, 0, 0};
    int32_t y[N];
    double standard_error[K];
    struct em em;
    struct error err = {0};
    check_group("the standard error of a class without examples");
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em.prior = 0;
    memset(em.p, 0, N * K * sizeof *em.p);
    for (int i = 0; i < N; i++)
        em.p[i * K + (y[i] = i % 2)] = 1;
    CHECK(reliability_standard_errors(&em, c, share, standard_error, &err) == 0, "%s", err.message);
    CHECK(standard_error[2] == 1 && standard_error[3] == 1, "classes 2 and 3: %g, %g",
          standard_error[2], standard_error[3]);
    em_free(&em);
}

/* A column (.6, .3, .1): an error of 1 in the rate of .4 takes 1 from the .6 and gives .75 to the
 * .3, so the lead of .3 is two standard errors of the rate where these are .3 / 3.5. */
static void test_rivals(void)
{
    static const double c[] = {.6, 0, 0, .3, 1, 1, .1, 0, 0}, first[] = {.6, .4, .4, .6};
    check_group("rivals");
    CHECK(reliability_rival(c, 3, 0) == .3 && reliability_rival(c, 3, 1) == 0, "the rivals");
    CHECK(reliability_rival(first, 2, 0) == .4 && reliability_rival(first, 2, 1) == .4,
          "the first label as a rival");
    CHECK(!reliability_is_rivalled(c, 3, 0, .99 * .3 / 3.5), "within its errors it leads");
    CHECK(reliability_is_rivalled(c, 3, 0, 1.01 * .3 / 3.5), "with larger ones it may not");
    CHECK(!reliability_is_rivalled(c, 3, 1, .49), "no wrong label");
    CHECK(reliability_is_rivalled(c, 3, 2, 0), "another label only");
}

int main(void)
{
    test_standard_errors(2, 0, false);
    test_standard_errors(2, 10, false);
    test_standard_errors(2, 10, true);
    test_standard_errors(5, 10, false);
    test_standard_errors(2, 1e6, false);
    test_no_noise(10, 1);
    test_no_noise(1, 1);
    test_no_noise(1, .7);
    test_rare();
    test_all_wrong();
    test_unknown();
    test_rivals();
    return check_finish();
}
