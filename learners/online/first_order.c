/* Perceptron (Rosenblatt 1958) and passive-aggressive learners (Crammer et al. 2006): steps along f
 * itself, w += tau f.
 *
 *   m    margin w.f         l      loss 1 - m
 *   C    aggressiveness     |f|^2  blocks * |x|^2
 *
 * The perceptron steps on a mistake, tau = 1.  The others step where l > 0: the smallest change of
 * w after which the loss is 0 (pa, tau = l/|f|^2), or the same with a penalty on what remains of
 * it, linear (pa1, min(C, l/|f|^2)) or squared (pa2, l/(|f|^2 + 1/(2C))).
 *
 * A weight multiplies the loss of its example: the step of the perceptron, C of pa1 and pa2.  pa
 * has no loss left to multiply. */
#include "learners/online/online_state.h"

#include <math.h>

/* w += step f */
static void first_order_move(struct online *o, const struct example *x, const struct direction *f,
                             double step)
{
    for (int b = 0; b < f->blocks; b++)
        for (int64_t e = 0; e < x->size; e++)
            online_shift(o, x->index[e] * o->mu.stride + f->column[b],
                         f->sign[b] * step * x->value[e]);
    o->counts.updates++;
}

/* x without an entry is a mistake that teaches nothing. */
static int perceptron_round(struct online *o, const struct example *x, int32_t y)
{
    struct direction f = online_direction(o, y);
    if (!isfinite(f.margin))
        return -1;
    o->counts.mistakes += f.mistake;
    if (f.mistake && example_squared_norm(x) > 0)
        first_order_move(o, x, &f, o->weight);
    return 0;
}

/* tau of each passive-aggressive learner; norm: |f|^2. */
static double pa_step(double loss, double norm, double C)
{
    (void)C;
    return loss / norm;
}

static double pa1_step(double loss, double norm, double C)
{
    return loss / norm > C ? C : loss / norm;
}

static double pa2_step(double loss, double norm, double C)
{
    return loss / (norm + 1 / (2 * C));
}

static int pa_learn(struct online *o, const struct example *x, int32_t y,
                    double (*find_step)(double loss, double norm, double C))
{
    struct direction f = online_direction(o, y);
    double norm = f.blocks * example_squared_norm(x), loss = 1 - f.margin;
    if (!isfinite(f.margin) || !isfinite(norm))
        return -1;
    o->counts.mistakes += f.mistake;
    if (!(loss > 0) || !(norm > 0))
        return 0;
    double tau = find_step(loss, norm, o->options.C * o->weight);
    if (!isfinite(tau))
        return -1;
    first_order_move(o, x, &f, tau);
    return 0;
}

static int pa_round(struct online *o, const struct example *x, int32_t y)
{
    return pa_learn(o, x, y, pa_step);
}

static int pa1_round(struct online *o, const struct example *x, int32_t y)
{
    return pa_learn(o, x, y, pa1_step);
}

static int pa2_round(struct online *o, const struct example *x, int32_t y)
{
    return pa_learn(o, x, y, pa2_step);
}

const struct online_rule online_perceptron_rule = {.round = perceptron_round, .weighted = true};
const struct online_rule online_pa_rule = {.round = pa_round};
const struct online_rule online_pa1_rule = {
    .round = pa1_round, .weighted = true, .parameters = {"aggressiveness"}};
const struct online_rule online_pa2_rule = {
    .round = pa2_round, .weighted = true, .parameters = {"aggressiveness"}};
