/* AdaGrad with regularised dual averaging and L1 (Duchi, Hazan and Singer 2011), hinge loss.
 *
 *   u    sum of the subgradients         t    rounds so far
 *   s    sum of their squares            w    the weights
 *
 *   w = -eta soft(u, lambda t) / (delta + sqrt(s)),  soft(u, b) = sign(u) max(0, |u| - b)
 *
 * With lambda > 0 every weight changes in every round.  So w is not kept but computed from u, s and
 * t where it is looked at, and its sum over rounds (for the mean) in closed form. */
#include "learners/online/online_state.h"

#include <math.h>

/* soft(u, lambda t) without its sign. */
static inline double rda_excess(double u, double bound)
{
    double e = fabs(u) - bound;
    return e > 0 ? e : 0;
}

/* w of a cell whose u and s are known; bound: lambda t. */
static inline double rda_weight(const struct online_options *p, double u, double s, double bound)
{
    return -p->eta * copysign(rda_excess(u, bound), u) / (p->delta + sqrt(s));
}

/* Sum of w over the rounds after `from` up to `to`, u and s fixed: the excess falls linearly until
 * it is 0. */
static double rda_weight_sum(const struct online_options *p, double u, double s, double from,
                             double to)
{
    double count = to - from;
    if (p->lambda > 0) {
        double positive = ceil(fabs(u) / p->lambda) - 1 - from; /* rounds with lambda t < |u| */
        if (positive < count)
            count = positive;
    }
    if (!(count > 0))
        return 0;
    double total = count * fabs(u) - p->lambda * (count * from + count * (count + 1) / 2);
    return -p->eta * copysign(total > 0 ? total : 0, u) / (p->delta + sqrt(s));
}

/* The subgradient of the hinge loss is -f where m < 1, else 0, times the example's weight. */
static int rda_round(struct online *o, const struct example *x, int32_t y)
{
    const struct online_options *p = &o->options;
    int64_t stride = o->mu.stride;
    double t = (double)(o->counts.rounds - 1), bound = p->lambda * t;
    double norm = example_squared_norm(x);
    for (int64_t k = 0; k < stride; k++)
        o->scores[k] = 0;
    for (int64_t e = 0; e < x->size; e++) {
        const double *u = o->mu.w + x->index[e] * stride, *s = o->squares.w + x->index[e] * stride;
        for (int64_t k = 0; k < o->columns; k++)
            o->scores[k] += x->value[e] * rda_weight(p, u[k], s[k], bound);
    }
    struct direction f = online_direction(o, y);
    if (!isfinite(f.margin) || !isfinite(norm))
        return -1;
    o->counts.mistakes += f.mistake;
    if (!(f.margin < 1) || !(norm > 0))
        return 0;
    for (int b = 0; b < f.blocks; b++)
        for (int64_t e = 0; e < x->size; e++) {
            int64_t cell = x->index[e] * stride + f.column[b];
            double g = -f.sign[b] * x->value[e] * o->weight;
            if (p->average) {
                o->sum.w[cell] += rda_weight_sum(p, o->mu.w[cell], o->squares.w[cell],
                                                 o->last.w[cell], t);
                o->last.w[cell] = t;
            }
            o->mu.w[cell] += g;
            o->squares.w[cell] += g * g;
            if (!isfinite(o->squares.w[cell]))
                return -1;
        }
    o->counts.updates++;
    return 0;
}

/* The weights after this round, or their mean. */
static void rda_weights(const struct online *o, double *w)
{
    const struct online_options *p = &o->options;
    double t = (double)o->counts.rounds;
    for (int64_t i = 0; i < o->mu.rows * o->mu.stride; i++) {
        double u = o->mu.w[i], s = o->squares.w[i];
        w[i] = p->average && t > 0 ? (o->sum.w[i] + rda_weight_sum(p, u, s, o->last.w[i], t)) / t
                                   : rda_weight(p, u, s, p->lambda * t);
    }
}

const struct online_rule online_adagrad_rda_rule = {.round = rda_round,
                                                    .own_scores = true,
                                                    .weighted = true,
                                                    .parameters = {"eta", "lambda", "delta"},
                                                    .keeps = "u",
                                                    .weights = rda_weights,
                                                    .squares = true,
                                                    .last = true};
