/* BPA, the bandit passive-aggressive learner (Zhong and Daucé 2015).
 *
 *   s = w_shown.x,  l = max(0, -s) if f = 1, max(0, 1 + s) if f = 0
 *   w_shown += (2f - 1) l/|x|^2 x
 *
 * The least step after which s >= 0 (right) or s <= -1 (wrong).  There is no 1/p, so its variance
 * does not grow with the number of classes; but it takes the feedback for the truth, and from a log
 * it learns what its policy favoured. */
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"

#include <math.h>

static int bpa_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                     struct error *err)
{
    double norm = example_squared_norm(x), s = b->scores[shown], loss = f ? -s : 1 + s;
    (void)p;
    if (!isfinite(norm))
        return bandit_refuse_large(x, err);
    if (!(loss > 0) || !(norm > 0))
        return 0;
    double step = (f ? loss : -loss) / norm;
    if (!isfinite(step))
        return bandit_refuse_large(x, err);
    bandit_move(b, x, shown, step);
    return 0;
}

const struct bandit_rule bandit_bpa_rule = {.name = "bpa", .round = bpa_round};
