/* Each rule of the online learners against the plain loops of online_plain.h, with every form of
 * covariance, several k and other parameters and numbers of classes, with and without the mean of
 * the weights: the weights, and the counts of rounds, mistakes and updates, on the way and at the
 * end. */
#include "check.h"
#include "learners/online/online.h"
#include "online_cases.h"

/* One setting with all numbers of classes, with and without the mean.  *number: the next set of
 * samples. */
static void run_classes(struct online_options options, uint64_t *number)
{
    for (int average = 0; average < 2; average++) {
        options.average = average;
        for (int i = 0; i < COUNT(class_counts); i++)
            run_case(&options, class_counts[i], false, (*number)++);
    }
}

static void test_arow(int64_t rule, int64_t form, uint64_t *number)
{
    static const double r[] = {0.05, 1, 20};
    struct online_options options = default_options(rule, form);
    check_group("%s %s", online_rule_names[rule], online_forms[form]);
    for (int i = 0; i < COUNT(r); i++) {
        options.r = r[i];
        for (options.k = 0; options.k <= 3; options.k++)
            run_classes(options, number);
    }
}

static void test_baselines(uint64_t *number)
{
    static const double C[] = {0.02, 0.3, 5}, phi[] = {0.03, 0.3, 2}, a[] = {0.1, 1, 10};
    static const double rda[][3] = {
        {0.5, 0, 1}, {0.5, 0.02, 1}, {1, 0.1, 0.1}, {0.1, 0.004, 10}}; /* eta, lambda, delta */
    struct online_options options = default_options(ONLINE_PERCEPTRON, COVARIANCE_DIAG);
    check_group("perceptron");
    for (int i = 0; i < 3; i++)
        run_classes(options, number);

    for (int64_t rule = ONLINE_PA; rule <= ONLINE_PA2; rule++) {
        check_group("%s", online_rule_names[rule]);
        for (int i = 0; i < COUNT(C); i++) {
            options = default_options(rule, COVARIANCE_DIAG);
            options.C = C[i];
            run_classes(options, number);
        }
    }
    for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++) {
        check_group("cw %s", online_forms[form]);
        for (int i = 0; i < COUNT(phi); i++) {
            options = default_options(ONLINE_CW, form);
            options.phi = phi[i];
            run_classes(options, number);
        }
        if (form == COVARIANCE_DROP)
            continue; /* not a form of sop */
        check_group("sop %s", online_forms[form]);
        for (int i = 0; i < 4 * COUNT(a); i++) {
            options = default_options(ONLINE_SOP, form);
            options.a = a[i / 4];
            options.average = i % 4 >= 2;
            run_case(&options, 2, false, (*number)++);
        }
    }
    check_group("adagrad-rda");
    for (int i = 0; i < COUNT(rda); i++) {
        options = default_options(ONLINE_ADAGRAD_RDA, COVARIANCE_DIAG);
        options.eta = rda[i][0];
        options.lambda = rda[i][1];
        options.delta = rda[i][2];
        run_classes(options, number);
    }
}

int main(void)
{
    uint64_t number = 0;
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_AROW_HINGE; rule++) {
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++)
            test_arow(rule, form, &number);
    }
    test_baselines(&number);
    return check_finish();
}
