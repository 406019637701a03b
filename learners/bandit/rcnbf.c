/* RCNBF (Agarwal and Manwani, Algorithm 1), and the Banditron (Kakade, Shalev-Shwartz and Tewari
 * 2008), which is RCNBF with rho0 = rho1 = 0.  In every round, right or wrong:
 *
 *   w_shown += h(f)/p x,  w_greedy -= x
 *
 * E h(f) = [shown is right] (Lemma 1), so the mean over the choice and the noise is the
 * perceptron's step e_right - e_greedy, whatever the policy that showed the label, as long as
 * p > 0 for every label (Lemma 2).
 *
 * With assumed rates r0, r1 that are not the true ones the mean of column k is
 *   x ([k is right] (1 - rho0 - rho1)/(1 - r0 - r1) - [k = greedy] + (rho0 - r0)/(1 - r0 - r1))
 * The last term is the same for all classes and changes no argmax, so only r0 + r1 matters for
 * where learning ends.  Where it is too small the right class loses weight in every round. */
#include "learners/bandit/rcnbf.h"

#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"

#include <math.h>

int rcnbf_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                struct error *err)
{
    double gain = b->h[f] / p;
    if (!isfinite(gain))
        return bandit_refuse_large(x, err);
    if (shown == b->greedy) {
        bandit_move(b, x, shown, gain - 1);
    } else {
        bandit_move(b, x, shown, gain);
        bandit_move(b, x, b->greedy, -1);
    }
    return 0;
}

static void rcnbf_start(struct bandit *b)
{
    bandit_set_rates(b, b->options.rho);
}

static const struct bandit_parameter rcnbf_parameters[] = {
    {BANDIT_PARAMETER("rates", NULL, BANDIT_RATES, rho)}, {.option = NULL}};

const struct bandit_rule bandit_rcnbf_rule = {
    .name = "rcnbf", .parameters = rcnbf_parameters, .start = rcnbf_start, .round = rcnbf_round};

const struct bandit_rule bandit_banditron_rule = {.name = "banditron", .round = rcnbf_round};
