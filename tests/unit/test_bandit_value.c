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
        got = bandit_value_estimate(&none);
        CHECK(got.ips == 0 && got.ips_error == 0 && isnan(got.snips),
              "no label the same: IPS %g +- %g, SNIPS %g", got.ips, got.ips_error, got.snips);
    }
}

int main(void)
{
    test_value();
    return check_finish();
}
