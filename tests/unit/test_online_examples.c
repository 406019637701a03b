/* Examples of kinds of their own, in each rule of the online learners against the plain loops of
 * online_plain.h: without a nonzero, and with a weight, which some rules do not know; and, known by
 * hand, with just the margin that a rule asks for. */
#include "check.h"
#include "learners/online/online.h"
#include "online_cases.h"
#include "online_plain.h"

#include <stdio.h>

/* An example without entries, and one whose entries are all 0, is a round, perhaps a mistake, never
 * an update: nothing changes. */
static void test_nothing(int64_t rule, int64_t form, int classes)
{
    static const struct sample samples[] = {
        {.size = 0, .y = 1},
        {.size = 2, .index = {2, 5}, .value = {0, 0}, .y = 1},
        {.size = 2, .index = {2, 5}, .value = {1.5, -0.5}, .y = 1},
        {.size = 0, .y = 0},
        {.size = 3, .index = {2, 5, 0}, .value = {0, 0, 0}, .y = 1},
        {.size = 3, .index = {1, 5, 0}, .value = {2, -1, 1}, .y = 0},
        {.size = 1, .index = {5}, .value = {0}, .y = 0},
    };
    struct online_options options = default_options(rule, form);
    struct reference ref;
    char name[160];
    double x[D];
    for (options.k = 0; options.k <= 1; options.k++) {
        struct online *learner = learner_new(&options, classes);
        if (!learner)
            return;
        reference_init(&ref, &options, classes, classes == 2 ? 1 : classes);
        snprintf(name, sizeof name, "%s, %d classes, k %d", online_forms[form], classes,
                 (int)options.k);
        for (int i = 0; i < COUNT(samples) && learner_learn(learner, &samples[i], i); i++) {
            sample_dense(&samples[i], x);
            reference_learn(&ref, x, samples[i].y);
            learner_compare(name, learner, &ref);
        }
        CHECK_INT(ref.updates, 2,
                  "%s: updates of the reference, for two examples that are not zero", name);
        online_free(learner);
    }
}

/* Rules that know weights, with weighted samples; only these three know none. */
static void test_weights(uint64_t *number)
{
    for (int64_t rule = 0; online_rule_names[rule]; rule++) {
        const bool none = rule == ONLINE_PA || rule == ONLINE_CW || rule == ONLINE_SOP;
        check_group("%s, weights", online_rule_names[rule]);
        CHECK(online_uses(rule, "example-weights") == !none, "does it know weights?");
        if (!online_uses(rule, "example-weights"))
            continue;
        for (int i = 0; i < COUNT(class_counts); i++) {
            struct online_options options = default_options(rule, i % 3);
            options.k = i % 3;
            options.average = i % 2;
            run_case(&options, class_counts[i], true, (*number)++);
        }
    }
}

/* The first example, x = 1, takes the one weight to w, after which the second has exactly the
 * margin that is asked for: 1, and for cw phi V.  There is nothing to learn from it.
 *
 *   pa         w = 1                      pa1, pa2  C = 1: w = 1, and 1/(1 + 1/2) = 2/3
 *   arow       r = 1: w = 1/2             arow-hinge  r = 1/2: w = 1
 *   cw         phi = 1: gamma = 1/2 = w, and V becomes 1/(1 + 2 gamma) = 1/2
 *   adagrad-rda  eta = 2, delta = 1: w = 2/(1 + 1) = 1 */
static void test_margin(void)
{
    static const struct {
        int64_t rule;
        double w, second;
    } cases[] = {{ONLINE_PA, 1, 1},         {ONLINE_PA1, 1, 1},        {ONLINE_PA2, 2. / 3, 1.5},
                 {ONLINE_AROW, 0.5, 2},     {ONLINE_AROW_HINGE, 1, 1}, {ONLINE_CW, 0.5, 1},
                 {ONLINE_ADAGRAD_RDA, 1, 1}};
    check_group("a margin that is just large enough");
    for (int i = 0; i < COUNT(cases); i++) {
        struct online_options options = default_options(cases[i].rule, COVARIANCE_DIAG);
        options.r = cases[i].rule == ONLINE_AROW ? 1 : 0.5;
        options.C = options.phi = options.delta = 1;
        options.eta = 2;
        options.lambda = 0;
        const struct sample first = {.size = 1, .index = {1}, .value = {1}, .y = 1},
                            second = {.size = 1, .index = {1}, .value = {cases[i].second}, .y = 1};
        const char *name = online_rule_names[cases[i].rule];
        double w[CLASSES][D];
        struct online *learner = learner_new(&options, 2);
        if (!learner)
            return;
        if (learner_learn(learner, &first, 0) && learner_learn(learner, &second, 1)
            && learner_weights(learner, 1, w)) {
            CHECK_INT(online_counts(learner).updates, 1, "%s: updates", name);
            CHECK_INT(online_counts(learner).mistakes, 1, "%s: mistakes", name);
            CHECK_NEAR(w[0][1], cases[i].w, 1e-15, "%s: the weight", name);
        }
        online_free(learner);
    }
}

/* cw, x = 1 from w = 0: gamma, the root of 2 phi gamma^2 + gamma - phi, is phi (1 - 2 phi^2),
 * about; w = gamma. */
static void test_small_phi(void)
{
    check_group("cw, phi so small that the root is a small difference");
    for (double phi = 1e-5; phi > 1e-100; phi *= 1e-5) {
        struct online_options options = default_options(ONLINE_CW, COVARIANCE_DIAG);
        const struct sample x = {.size = 1, .index = {1}, .value = {1}, .y = 1};
        double w[CLASSES][D];
        options.phi = phi;
        struct online *learner = learner_new(&options, 2);
        if (!learner)
            return;
        if (learner_learn(learner, &x, 0) && learner_weights(learner, 1, w))
            CHECK_NEAR(w[0][1] / phi, 1 - 2 * phi * phi, 1e-12, "phi = %g", phi);
        online_free(learner);
    }
}

int main(void)
{
    uint64_t number = 1021; /* the sets of samples before are those of test_online_two_vectors.c */
    for (int64_t rule = 0; online_rule_names[rule]; rule++) {
        check_group("%s, examples without a nonzero", online_rule_names[rule]);
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++) {
            if (rule != ONLINE_SOP || form != COVARIANCE_DROP)
                test_nothing(rule, form, 2);
            if (rule != ONLINE_SOP)
                test_nothing(rule, form, 3);
        }
    }
    test_weights(&number);
    test_margin();
    test_small_phi();
    return check_finish();
}
