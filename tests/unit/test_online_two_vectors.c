/* Two classes with one weight vector, as the library has them, against two vectors: AROW to the
 * letter, without blocks; passive-aggressive by the plain loops of online_plain.h; and these loops
 * with two vectors against themselves with one. */
#include "check.h"
#include "learners/online/online.h"
#include "online_cases.h"
#include "online_plain.h"

#include <math.h>

/* Top-1 AROW for two classes to the letter, without blocks: one mean over both vectors and one full
 * covariance, cross terms too.
 *     m = mu.f; m < 1: g = Sigma f, chi = f.g, mu += alpha g, Sigma -= g g'/(r + chi) */
struct pair {
    double mu[2 * D], sigma[2 * D][2 * D];
    int64_t updates;
};

static void pair_learn(struct pair *pair, int64_t rule, double r, const double *x, int y)
{
    double f[2 * D], g[2 * D], m = 0, chi = 0;
    for (int j = 0; j < D; j++) {
        f[j] = y == 0 ? x[j] : -x[j];
        f[D + j] = y == 1 ? x[j] : -x[j];
    }
    for (int i = 0; i < 2 * D; i++) {
        g[i] = 0;
        for (int j = 0; j < 2 * D; j++)
            g[i] += pair->sigma[i][j] * f[j];
        m += pair->mu[i] * f[i];
        chi += g[i] * f[i];
    }
    if (m >= 1 || chi <= 0)
        return;
    double alpha = rule == ONLINE_AROW ? (1 - m) / (r + chi) : fmin(1 / (2 * r), (1 - m) / chi);
    for (int i = 0; i < 2 * D; i++) {
        pair->mu[i] += alpha * g[i];
        for (int j = 0; j < 2 * D; j++)
            pair->sigma[i][j] -= g[i] * g[j] / (r + chi);
    }
    pair->updates++;
}

/* The pair with r is one vector w = mu_1 - mu_0 with r/2 (the library's), and one with r and
 * Sigma_0 = 2I.  With T = (-I I), T Sigma T' is the covariance of the latter, twice that of the
 * former. */
static void test_pair(int64_t rule, double r, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct pair pair = {.updates = 0};
    struct reference half, wide;
    double x[D], w[CLASSES][D];
    struct online_options options = default_options(rule, COVARIANCE_FULL);
    options.r = r;
    reference_init(&wide, &options, 2, 1);
    options.r = r / 2;
    reference_init(&half, &options, 2, 1);
    struct online *learner = learner_new(&options, 2);
    if (!learner)
        return;
    for (int j = 0; j < D; j++)
        wide.precision[0][j][j] = 0.5;
    for (int j = 0; j < 2 * D; j++)
        pair.sigma[j][j] = 1;
    samples_make(samples, 2, true, number);
    for (int i = 0; i < ROUNDS && learner_learn(learner, &samples[i], i); i++) {
        sample_dense(&samples[i], x);
        pair_learn(&pair, rule, r, x, samples[i].y);
        reference_learn(&half, x, samples[i].y);
        reference_learn(&wide, x, samples[i].y);
        CHECK_INT(online_counts(learner).updates, pair.updates, "r %g, round %d: updates", r,
                  i + 1);
        CHECK_INT(wide.updates, pair.updates, "r %g, round %d: updates with twice the variance", r,
                  i + 1);
        if (!learner_weights(learner, 1, w))
            break;
        for (int j = 0; j < D; j++) {
            double difference = pair.mu[D + j] - pair.mu[j];
            CHECK_NEAR(w[0][j], difference, TOLERANCE, "r %g, round %d: weight %d", r, i + 1, j);
            CHECK_NEAR(wide.mu[0][j], difference, TOLERANCE,
                       "r %g, round %d: weight %d with twice the variance", r, i + 1, j);
        }
    }
    /* T Sigma T' times a precision is the identity, or twice it */
    for (int i = 0; i < D; i++) {
        for (int j = 0; j < D; j++) {
            double product[2] = {0, 0};
            for (int l = 0; l < D; l++) {
                double s = pair.sigma[i][l] - pair.sigma[i][D + l] - pair.sigma[D + i][l]
                           + pair.sigma[D + i][D + l];
                product[0] += s * half.precision[0][l][j];
                product[1] += s * wide.precision[0][l][j];
            }
            CHECK_NEAR(product[0], i == j ? 2 : 0, 1e-8,
                       "r %g: covariance of the pair by precision of r/2, %d %d", r, i, j);
            CHECK_NEAR(product[1], i == j ? 1 : 0, 1e-8,
                       "r %g: covariance of the pair by precision of 2I, %d %d", r, i, j);
        }
    }
    online_free(learner);
}

/* Passive-aggressive: two vectors with C are the library's one vector with 2C. */
static void test_pair_pa(int64_t rule, double C, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference ref;
    double x[D], w[CLASSES][D];
    struct online_options options = default_options(rule, COVARIANCE_DIAG);
    options.C = C;
    reference_init(&ref, &options, 2, 2);
    options.C = 2 * C;
    struct online *learner = learner_new(&options, 2);
    if (!learner)
        return;
    samples_make(samples, 2, false, number);
    for (int i = 0; i < ROUNDS && learner_learn(learner, &samples[i], i); i++) {
        sample_dense(&samples[i], x);
        reference_learn(&ref, x, samples[i].y);
        CHECK_INT(online_counts(learner).updates, ref.updates, "C %g, round %d: updates", C, i + 1);
        if (!learner_weights(learner, 1, w))
            break;
        for (int j = 0; j < D; j++)
            CHECK_NEAR(w[0][j], ref.mu[1][j] - ref.mu[0][j], TOLERANCE, "C %g, round %d: weight %d",
                       C, i + 1, j);
    }
    online_free(learner);
}

/* Without covariances between the vectors (diag; one full block each) the pair with r is one vector
 * that steps with r/2 and observes with r.  No option of the library says that, so the reference is
 * compared with itself; either side of it is compared with the library above. */
static void test_pair_blocks(int64_t rule, int64_t form, double r, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference two, one;
    double x[D];
    struct online_options options = default_options(rule, form);
    options.r = r;
    reference_init(&two, &options, 2, 2);
    reference_init(&one, &options, 2, 1);
    one.r_mean = r / 2;
    samples_make(samples, 2, true, number);
    for (int i = 0; i < ROUNDS; i++) {
        sample_dense(&samples[i], x);
        reference_learn(&two, x, samples[i].y);
        reference_learn(&one, x, samples[i].y);
        CHECK_INT(one.updates, two.updates, "r %g, round %d: updates", r, i + 1);
        for (int j = 0; j < D; j++)
            CHECK_NEAR(one.mu[0][j], two.mu[1][j] - two.mu[0][j], TOLERANCE,
                       "r %g, round %d: weight %d", r, i + 1, j);
    }
}

static void test_relations(uint64_t *number)
{
    static const double r[] = {0.05, 1, 20}, C[] = {0.02, 0.3, 5};
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_AROW_HINGE; rule++) {
        check_group("%s full, two vectors with r are one with r/2", online_rule_names[rule]);
        for (int i = 0; i < COUNT(r); i++)
            test_pair(rule, r[i], (*number)++);
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL;
             form += COVARIANCE_FULL - COVARIANCE_DIAG) {
            check_group("%s %s blocks, two vectors with r are one that steps with r/2",
                        online_rule_names[rule], online_forms[form]);
            for (int i = 0; i < COUNT(r); i++)
                test_pair_blocks(rule, form, r[i], (*number)++);
        }
    }
    for (int64_t rule = ONLINE_PA; rule <= ONLINE_PA2; rule++) {
        check_group("%s, two vectors with C are one with 2C", online_rule_names[rule]);
        for (int i = 0; i < COUNT(C); i++)
            test_pair_pa(rule, C[i], (*number)++);
    }
}

int main(void)
{
    uint64_t number = 994; /* the sets of samples before are those of test_online_reference.c */
    test_relations(&number);
    return check_finish();
}
