/* Confidence-weighted learning, variance version (Dredze, Crammer and Pereira 2008).
 *
 *   m     margin w.f              V      its variance f'Sigma f
 *   phi   confidence              gamma  the step
 *
 * The smallest change of the Gaussian, in KL divergence, after which m >= phi V: w += gamma Sigma
 * f, and Sigma observes f with precision 2 gamma phi,
 *
 *   gamma = max(0, (-(1 + 2 phi m) + sqrt((1 + 2 phi m)^2 - 8 phi (m - phi V))) / (4 phi V))
 *
 * With a full Sigma m = phi V holds exactly afterwards, with a diagonal one nearly.  phi is that of
 * the variance constraint, not a quantile of the normal distribution. */
#include "learners/online/online_state.h"

#include <math.h>

static int cw_round(struct online *o, const struct example *x, int32_t y)
{
    struct direction f = online_direction(o, y);
    double phi = o->options.phi, m = f.margin, V = 0;
    o->counts.mistakes += f.mistake;
    for (int b = 0; b < f.blocks; b++)
        V += covariance_quadratic(&o->sigma, x, f.column[b]);
    if (!isfinite(m) || !isfinite(V))
        return -1;
    if (!(V > 0) || !(m < phi * V))
        return 0;
    /* (-p + root) / (4 phi V), as it stands where p <= 0, else without the difference. */
    const double p = 1 + 2 * phi * m, short_of = phi * V - m,
                 root = sqrt(p * p + 8 * phi * short_of),
                 gamma = p > 0 ? 2 * short_of / (V * (p + root)) : (root - p) / (4 * phi * V);
    if (!isfinite(gamma))
        return -1;
    if (!(gamma > 0))
        return 0;
    for (int b = 0; b < f.blocks; b++)
        online_move_gaussian(o, x, f.column[b], f.sign[b] * gamma, 2 * gamma * phi, V);
    o->counts.updates++;
    return 0;
}

const struct online_rule online_cw_rule = {
    .round = cw_round, .parameters = {"phi"}, .covariance = true};
