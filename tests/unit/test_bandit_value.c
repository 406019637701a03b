/* What a policy is worth by a log (learners/bandit/bandit_log.h) beside the plain sums. */
#include "bandit_draws.h"
#include "bandit_plain.h"
#include "check.h"
#include "learners/bandit/bandit_log.h"

/* What the sums of a value make of weights and h; and with no label that is the same. */
static void test_value(void)
{
    enum { ROUNDS = 400 };
    struct random g = random_seeded(1, 3);
    check_group("the value of a policy");
    for (int i = 0; i < COUNT(rates); i++) {
        struct bandit_value value = {.rounds = 0}, none = {.rounds = 0};
        double w[ROUNDS], h[ROUNDS];
        for (int64_t t = 0; t < ROUNDS; t++) {
            double p = 0.02 + 0.98 * random_uniform(&g);
            bool same = random_below(&g, 3) == 0;
            w[t] = same ? 1 / p : 0;
            h[t] = bandit_h(rates[i], random_below(&g, 2) == 0);
            bandit_value_add(&value, same, p, h[t]);
            bandit_value_add(&none, false, p, h[t]);
        }
        struct bandit_estimate got = bandit_value_estimate(&value);
        struct bandit_plain_value want = bandit_plain_value(ROUNDS, w, h);
        CHECK_INT(value.rounds, ROUNDS, "rounds");
        CHECK_NEAR(got.ips, want.ips, TOLERANCE, "rates %g, %g: IPS", rates[i][0], rates[i][1]);
        CHECK_NEAR(got.ips_error, want.ips_error, TOLERANCE, "rates %g, %g: error of IPS",
                   rates[i][0], rates[i][1]);
        CHECK_NEAR(got.snips, want.snips, TOLERANCE, "rates %g, %g: SNIPS", rates[i][0],
                   rates[i][1]);
        CHECK_NEAR(got.snips_error, want.snips_error, TOLERANCE, "rates %g, %g: error of SNIPS",
                   rates[i][0], rates[i][1]);
        for (int64_t t = 0; t < ROUNDS; t++)
            h[t] = 1; /* then IPS is the mean of w */
        want = bandit_plain_value(ROUNDS, w, h);
        CHECK_NEAR(got.w, want.ips, TOLERANCE, "rates %g, %g: w", rates[i][0], rates[i][1]);
        CHECK_NEAR(got.w_error, want.ips_error, TOLERANCE, "rates %g, %g: error of w", rates[i][0],
                   rates[i][1]);
        got = bandit_value_estimate(&none);
        CHECK(got.ips == 0 && got.ips_error == 0 && isnan(got.snips),
              "no label the same: IPS %g +- %g, SNIPS %g", got.ips, got.ips_error, got.snips);
    }
}

/* Rounds that are all alike deviate by nothing, also where rounding takes the variance below 0. */
static void test_alike(void)
{
    int64_t below = 0;
    check_group("the value of rounds that are all alike");
    for (int n = 2; n <= 50; n++) {
        struct bandit_value value = {.rounds = 0};
        const double p = 0.3, h = bandit_h((const double[]){0.2, 0.4}, 1);
        for (int t = 0; t < n; t++)
            bandit_value_add(&value, true, p, h);
        const struct bandit_estimate got = bandit_value_estimate(&value);
        CHECK_NEAR(got.ips, 2 / 0.3, TOLERANCE, "%d rounds: IPS", n);
        CHECK_NEAR(got.ips_error, 0, 1e-6, "%d rounds: error of IPS", n);
        CHECK_NEAR(got.snips, 2, TOLERANCE, "%d rounds: SNIPS", n);
        CHECK_NEAR(got.snips_error, 0, 1e-6, "%d rounds: error of SNIPS", n);
        CHECK_NEAR(got.logged, 2, TOLERANCE, "%d rounds: the logging policy", n);
        CHECK_NEAR(got.logged_error, 0, 1e-6, "%d rounds: error of the logging policy", n);
        below += value.w2h2 / n - got.ips * got.ips < 0;
    }
    CHECK(below > 0, "none of the variances is below 0");
}

/* Two rounds of p = 1e-154, whose w^2 is 1e308: with h = 2 one of them is too much for the sum of
 * w^2 h^2, and with h = 0 both are for that of w^2. */
static void test_overflow(void)
{
    check_group("the value of rounds with propensities that are too small");
    for (int both = 0; both <= 1; both++) {
        struct bandit_value value = {.rounds = 0};
        const double h = both ? 0 : 2;
        bandit_value_add(&value, true, 1e-154, h);
        bandit_value_add(&value, both, 1e-154, h);
        CHECK(isfinite(value.w2) == !both && isfinite(value.w2h2) == both, "w^2 %g, w^2 h^2 %g",
              value.w2, value.w2h2);
        const struct bandit_estimate got = bandit_value_estimate(&value);
        CHECK(isnan(got.ips) && isnan(got.ips_error), "h %g: IPS %g +- %g", h, got.ips,
              got.ips_error);
        CHECK(isnan(got.snips) && isnan(got.snips_error), "h %g: SNIPS %g +- %g", h, got.snips,
              got.snips_error);
        CHECK_NEAR(got.logged, h, 0, "h %g: the logging policy", h);
    }
}

int main(void)
{
    test_value();
    test_alike();
    test_overflow();
    return check_finish();
}
