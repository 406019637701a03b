/* The two lemmas of Agarwal and Manwani (learners/bandit/bandit.h), of h(f) and of the mean step:
 * by adding up everything that can happen, which leaves rounding only; and, with the library's own
 * choices, by drawing, to 4 standard errors, with fixed seeds. */
#include "bandit_draws.h"
#include "bandit_plain.h"
#include "check.h"
#include "learners/bandit/bandit.h"

#include <math.h>

/* Mean and standard error of a sum that is added up draw by draw. */
struct mean {
    double sum, squares;
};

static void mean_add(struct mean *mean, double a)
{
    mean->sum += a;
    mean->squares += a * a;
}

static void check_mean(const struct mean *mean, int64_t n, double want, const char *name, int k,
                       int j)
{
    double average = mean->sum / (double)n,
           variance = fmax(0, mean->squares / (double)n - average * average),
           error = sqrt(variance / (double)n);
    CHECK(fabs(average - want) <= 4 * error + 1e-12,
          "%s, class %d, weight %d: mean %g, expected %g, standard error %g", name, k, j, average,
          want, error);
}

/* Lemma 1: the mean of h(f) is 1 where the label is right, 0 where it is wrong. */
static void test_lemma_1(void)
{
    enum { DRAWS = 50000 };
    struct random g = random_seeded(1, 1);
    check_group("Lemma 1");
    for (int i = 0; i < COUNT(rates); i++) {
        const double *rho = rates[i];
        double h[] = {bandit_h(rho, 0), bandit_h(rho, 1)};
        CHECK_NEAR((1 - rho[1]) * h[1] + rho[1] * h[0], 1, 1e-14, "right, rates %g, %g", rho[0],
                   rho[1]);
        CHECK_NEAR(rho[0] * h[1] + (1 - rho[0]) * h[0], 0, 1e-14, "wrong, rates %g, %g", rho[0],
                   rho[1]);
        for (int right = 0; right <= 1; right++) {
            struct mean mean = {0, 0};
            for (int64_t t = 0; t < DRAWS; t++)
                mean_add(&mean, h[draw_answer(&g, right, rho)]);
            check_mean(&mean, DRAWS, right, right ? "right" : "wrong", i, 0);
        }
    }
}

/* A few rounds that bring W away from 0, and the example whose round is looked at. */
enum { PREFIX = 5, SIZE = 3 };

static const int32_t indices[PREFIX + 1][SIZE] = {{1, 2, 0}, {2, 4, 0}, {1, 3, 0},
                                                  {3, 4, 0}, {1, 4, 0}, {2, 3, 0}};

static const double values[PREFIX + 1][SIZE] = {{0.5, -1, 0.7},   {1.5, 0.3, 0.7},
                                                {-0.8, 0.4, 0.7}, {1.1, -0.6, 0.7},
                                                {0.2, 0.9, 0.7},  {-0.9, 1.3, 0.7}};

enum { WIDTH = 5 }; /* features 1 .. 4 and the bias */

static struct example fixed_example(int i)
{
    return (struct example){.line = i + 1, .size = SIZE, .index = indices[i], .value = values[i]};
}

/* A learner in always the same state, the last example scored. */
static struct bandit *same_state(const struct bandit_options *options, int64_t K)
{
    struct bandit *b = library_new(options, K);
    struct error err = {.line = 0};
    int status = b ? 0 : -1;
    for (int i = 0; status == 0 && i <= PREFIX; i++) {
        struct example x = fixed_example(i);
        status = bandit_score(b, &x, &err);
        if (status == 0 && i < PREFIX)
            status = bandit_learn(b, &x, (i + 1) % K, 0.4 + 0.1 * i, i % 3 == 0, &err);
    }
    if (status == 0)
        return b;
    CHECK(false, "a state to start from: %s", err.message);
    bandit_free(b);
    return NULL;
}

/* step = what one round changes; before: the weights of same_state */
static bool one_step(struct bandit *b, int64_t K, const double *before, int64_t shown, double p,
                     int f, double *step)
{
    struct example x = fixed_example(PREFIX);
    struct error err = {.line = 0};
    int status = bandit_learn(b, &x, shown, p, f, &err);
    if (status == 0)
        status = bandit_plain_library(b, K, WIDTH, step, &err);
    if (status != 0)
        CHECK(false, "a step: %s", err.message);
    for (int64_t i = 0; status == 0 && i < K * WIDTH; i++)
        step[i] -= before[i];
    return status == 0;
}

/* The chances that class k is shown: 1 - gamma more for the greedy one, or very different ones. */
static void set_policy(bool on, double gamma, int64_t K, int64_t greedy, double *policy)
{
    double sum = 0;
    for (int64_t k = 0; k < K; k++) {
        policy[k] = on ? gamma / (double)K + (k == greedy ? 1 - gamma : 0)
                       : (double)(k + 1) * (double)(k + 1);
        sum += policy[k];
    }
    for (int64_t k = 0; k < K; k++)
        policy[k] /= sum;
}

/* Lemma 2: the mean of a round's step is the perceptron's, x for the true class y, -x for the
 * greedy one.  With rates assumed that are not those of the noise it is b x for the true class and
 * a x more for each, b = (1 - noise0 - noise1)/beta, a = (noise0 - rho0)/beta: to banditron a true
 * class is worth less than it should be. */
static void test_step(const struct bandit_options *options, int64_t K, const double noise[2],
                      bool on, struct random *g)
{
    enum { DRAWS = 5000 };
    static const double none[2] = {0, 0};
    const double *rho = options->rule == &bandit_rcnbf_rule ? options->rho : none;
    double beta = 1 - rho[0] - rho[1], slope = (1 - noise[0] - noise[1]) / beta,
           common = (noise[0] - rho[0]) / beta;
    double before[CELLS], step[CELLS], policy[CLASSES], x[WIDTH] = {0};
    char name[96];
    for (int e = 0; e < SIZE; e++)
        x[indices[PREFIX][e]] = values[PREFIX][e];
    struct bandit *b = same_state(options, K);
    if (!b)
        return;
    int64_t greedy = bandit_choose(b, 0).greedy;
    bool good = bandit_plain_library(b, K, WIDTH, before, NULL) == 0;
    CHECK(good, "memory");
    bandit_free(b);
    set_policy(on, options->gamma, K, greedy, policy);
    for (int64_t y = 0; good && y < K; y++) {
        struct mean mean[CELLS] = {{0, 0}};
        double whole[CELLS] = {0};
        bool drawn = y == greedy || y == (greedy + 1) % K;
        snprintf(name, sizeof name, "%d classes, %s policy, %s, true class %d, greedy %d", (int)K,
                 on ? "on" : "off", options->rule->name, (int)y, (int)greedy);
        /* all that can happen, with its chance */
        for (int64_t shown = 0; good && shown < K; shown++) {
            for (int f = 0; good && f <= 1; f++) {
                bool right = shown == y;
                double chance = policy[shown] * (f == right ? 1 - noise[right] : noise[right]);
                b = same_state(options, K);
                good = b && one_step(b, K, before, shown, policy[shown], f, step);
                for (int64_t i = 0; good && i < K * WIDTH; i++)
                    whole[i] += chance * step[i];
                bandit_free(b);
            }
        }
        for (int64_t t = 0; good && drawn && t < DRAWS; t++) {
            b = same_state(options, K);
            if (!b)
                break;
            struct bandit_choice choice = {.greedy = greedy};
            if (on) {
                choice = bandit_choose(b, random_uniform(g));
            } else {
                choice.shown = draw_class(g, K, policy);
                choice.p = policy[choice.shown];
            }
            good = one_step(b, K, before, choice.shown, choice.p,
                            draw_answer(g, choice.shown == y, noise), step);
            for (int64_t i = 0; good && i < K * WIDTH; i++)
                mean_add(&mean[i], step[i]);
            bandit_free(b);
        }
        for (int64_t i = 0; good && i < K * WIDTH; i++) {
            int64_t k = i / WIDTH, j = i % WIDTH;
            double want = (slope * (k == y) - (k == greedy) + common) * x[j];
            CHECK_NEAR(whole[i], want, 1e-11, "%s, class %d, weight %d: over all that can happen",
                       name, (int)k, (int)j);
            if (drawn)
                check_mean(&mean[i], DRAWS, want, name, (int)k, (int)j);
        }
    }
}

static void test_lemma_2(void)
{
    static const int64_t classes[] = {2, 5, 10};
    static const double noise[2] = {0.2, 0.3};
    static const struct {
        const struct bandit_rule *rule;
        double rho[2];
    } assumed[] = {{&bandit_rcnbf_rule, {0.2, 0.3}},
                   {&bandit_rcnbf_rule, {0.05, 0.5}},
                   {&bandit_banditron_rule, {0, 0}}};
    struct random g = random_seeded(1, 2);
    for (int i = 0; i < COUNT(classes); i++) {
        check_group("Lemma 2, %d classes", (int)classes[i]);
        for (int a = 0; a < COUNT(assumed); a++) {
            struct bandit_options options = {.rule = assumed[a].rule,
                                             .gamma = 0.3,
                                             .rho = {assumed[a].rho[0], assumed[a].rho[1]},
                                             .prior = 1,
                                             .eta = 0.5,
                                             .period = 1000000,
                                             .threads = 1};
            for (int on = 0; on <= 1; on++)
                test_step(&options, classes[i], noise, on, &g);
        }
    }
}

int main(void)
{
    test_lemma_1();
    test_lemma_2();
    return check_finish();
}
