/* Perceptron (Rosenblatt 1958) and passive-aggressive learners (Crammer et al. 2006): steps along f
 * itself, |f|^2 = blocks * |x|^2. */
#include "learners/online/online_state.h"

#include <math.h>

static void move(struct online *o, const struct example *x, const struct direction *f, double step)
{
    for (int b = 0; b < f->blocks; b++)
        for (int64_t i = 0; i < x->size; i++)
            online_shift(o, x->index[i] * o->mu.stride + f->column[b],
                         f->sign[b] * step * x->value[i]);
    o->counts.updates++;
}

int perceptron_round(struct online *o, const struct example *x, int32_t y)
{
    struct direction f = online_direction(o, y);
    if (!isfinite(f.margin))
        return -1;
    o->counts.mistakes += f.mistake;
    if (f.mistake && example_squared_norm(x) > 0)
        move(o, x, &f, 1);
    return 0;
}

int passive_aggressive_round(struct online *o, const struct example *x, int32_t y)
{
    struct direction f = online_direction(o, y);
    double norm = f.blocks * example_squared_norm(x), loss = 1 - f.margin, C = o->options.C;
    if (!isfinite(f.margin) || !isfinite(norm))
        return -1;
    o->counts.mistakes += f.mistake;
    if (!(loss > 0) || !(norm > 0))
        return 0;
    double tau = loss / norm;
    if (o->options.rule == ONLINE_PA1 && tau > C)
        tau = C;
    else if (o->options.rule == ONLINE_PA2)
        tau = loss / (norm + 1 / (2 * C));
    if (!isfinite(tau))
        return -1;
    move(o, x, &f, tau);
    return 0;
}
