/* The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005), two classes.
 *
 *   Sigma = (a I + sum of x x' over the mistakes)^-1
 *   v     = sum of y x over the mistakes
 *   w     = Sigma v
 *   chi   = x'Sigma x
 *
 * The score counts the current example in: v'(Sigma^-1 + x x')^-1 x, which is v'Sigma x / (1 + chi)
 * with a full Sigma and sum_j v_j x_j s_j/(1 + s_j x_j^2) with a diagonal one.  v and Sigma change
 * on a mistake only, as in the paper. */
#include "learners/online/online_state.h"

#include <math.h>

/* The score, x counted in.  chi: out. */
static double sop_score(struct online *o, const struct example *x, double *chi)
{
    struct covariance *sigma = &o->sigma;
    double s = 0;
    *chi = covariance_quadratic(sigma, x, 0);
    if (sigma->form == COVARIANCE_FULL) {
        const double *product = covariance_product(sigma, 0);
        for (int64_t j = 0; j < sigma->rows; j++)
            s += o->mu.w[j] * product[j];
        return s / (1 + *chi);
    }
    for (int64_t e = 0; e < x->size; e++) {
        double v = x->value[e], variance = sigma->diagonal.w[x->index[e]];
        s += o->mu.w[x->index[e]] * v * variance / (1 + variance * v * v);
    }
    return s;
}

/* w = Sigma v, without the current example. */
static void sop_weights(const struct online *o, double *w)
{
    const struct covariance *sigma = &o->sigma;
    for (int64_t j = 0; j < o->mu.rows; j++) {
        if (sigma->form != COVARIANCE_FULL) {
            w[j] = sigma->diagonal.w[j] * o->mu.w[j];
            continue;
        }
        w[j] = 0;
        for (int64_t i = 0; i < sigma->rows; i++)
            w[j] += *covariance_at(sigma, 0, j, i) * o->mu.w[i];
    }
}

/* sum += factor * w over the features that this update changes: those of x, or all when Sigma is
 * full. */
static void sop_add_to_sum(struct online *o, const struct example *x, double factor)
{
    if (o->sigma.form == COVARIANCE_FULL) {
        sop_weights(o, o->scratch.w);
        for (int64_t j = 0; j < o->mu.rows; j++)
            o->sum.w[j] += factor * o->scratch.w[j];
        return;
    }
    for (int64_t e = 0; e < x->size; e++) {
        int64_t j = x->index[e];
        o->sum.w[j] += factor * o->sigma.diagonal.w[j] * o->mu.w[j];
    }
}

/* w changes where x has features, with a full Sigma everywhere: `sum` loses the old w and gets the
 * new one, times the rounds before (average.h). */
static int sop_round(struct online *o, const struct example *x, int32_t y)
{
    double chi;
    o->scores[0] = sop_score(o, x, &chi);
    struct direction f = online_direction(o, y);
    if (!isfinite(f.margin) || !isfinite(chi))
        return -1;
    o->counts.mistakes += f.mistake;
    if (!f.mistake || !(chi > 0))
        return 0;
    double before = (double)(o->counts.rounds - 1);
    if (o->options.average)
        sop_add_to_sum(o, x, -before);
    for (int64_t e = 0; e < x->size; e++)
        o->mu.w[x->index[e]] += f.sign[0] * x->value[e];
    covariance_shrink(&o->sigma, x, 0, 1, chi);
    if (o->options.average)
        sop_add_to_sum(o, x, before);
    o->counts.updates++;
    return 0;
}

/* Sigma at first is I/a. */
static double sop_variance(const struct online_options *options)
{
    return 1 / options->a;
}

static int sop_check(const struct online_options *options, const struct labels *labels,
                     struct error *err)
{
    if (labels && labels->count > 2)
        return error_set(err, "sop is for two classes; there are %lld", (long long)labels->count);
    if (options->form == COVARIANCE_DROP)
        return error_set(err, "sop has the forms diag and full");
    return 0;
}

const struct online_rule online_sop_rule = {.round = sop_round,
                                            .own_scores = true,
                                            .parameters = {"prior"},
                                            .covariance = true,
                                            .variance = sop_variance,
                                            .keeps = "v",
                                            .weights = sop_weights,
                                            .scratch = true,
                                            .check = sop_check};
