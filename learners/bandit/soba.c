/* SOBA, the second-order Banditron (Beygelzimer, Orabona and Zhang 2017).  It learns when f = 1
 * only.
 *
 *   other = the best class but the one shown;  g = 1/p (e_other - e_shown) (x) x,  z = sqrt(p) g m
 *   = (<W,z>^2 + 2 <W,g>) / (1 + z'A^-1 z) when m + (the m that were accepted before) >= 0:   A +=
 *   z z' (or its diagonal),  theta -= g,  W = A^-1 theta,  m is accepted
 *
 * A^-1 is a covariance that observes z, so theta need not be kept:
 *   diagonal   s' = s / (1 + s x^2/p),  W' = s' (W/s - g) = (W - s g) / (1 + s x^2/p)
 *              in the two columns that x touches
 *   full       A'^-1 z = A^-1 z / (1 + z'A^-1 z)  and  g = z / sqrt(p),  so  W' = W - A^-1 z (<W,z>
 *              + 1/sqrt(p)) / (1 + z'A^-1 z) */
#include "common/base/memory.h"
#include "learners/bandit/bandit_state.h"

#include <math.h>

static int64_t best_other(const double *scores, int64_t n, int64_t shown)
{
    int64_t best = shown == 0 ? 1 : 0;
    for (int64_t k = best + 1; k < n; k++)
        if (k != shown && scores[k] > scores[best])
            best = k;
    return best;
}

/* Is it to be learnt from?  1, with its m counted; 0; -1: not finite. */
static int accept(struct bandit *b, double lead, double p, double quadratic)
{
    double m = (p * lead * lead + 2 * lead) / (1 + quadratic);
    if (!isfinite(m) || !isfinite(quadratic))
        return -1;
    if (m + b->margins < 0)
        return 0;
    b->margins += m;
    return 1;
}

static int learn_diagonal(struct bandit *b, const struct example *x, int64_t shown, int64_t other,
                          double p)
{
    const int64_t column[2] = {other, shown};
    double quadratic = (covariance_quadratic(&b->sigma, x, other)
                        + covariance_quadratic(&b->sigma, x, shown))
                       / p;
    int take = accept(b, (b->scores[other] - b->scores[shown]) / p, p, quadratic);
    if (take != 1)
        return take;
    for (int c = 0; c < 2; c++) {
        double sign = c == 0 ? 1 : -1;
        for (int64_t i = 0; i < x->size; i++) {
            int64_t cell = x->index[i] * b->w.stride + column[c];
            double s = b->sigma.diagonal.w[cell], g = sign * x->value[i] / p, w = b->w.w[cell];
            bandit_shift(b, cell, (w - s * g) / (1 + s * x->value[i] * x->value[i] / p) - w);
        }
        covariance_shrink(&b->sigma, x, column[c], 1 / p, 0);
    }
    return 0;
}

/* z as an example of A's features; room for it: 2 size of x. */
static void make_z(const struct bandit *b, const struct example *x, int64_t shown, int64_t other,
                   double p, int32_t *index, double *value, struct example *z)
{
    for (int64_t i = 0; i < x->size; i++) {
        index[2 * i] = (int32_t)soba_cell(b, x->index[i], other);
        index[2 * i + 1] = (int32_t)soba_cell(b, x->index[i], shown);
        value[2 * i] = x->value[i] / sqrt(p);
        value[2 * i + 1] = -value[2 * i];
    }
    *z = (struct example){.size = 2 * x->size, .index = index, .value = value};
}

static int learn_full(struct bandit *b, const struct example *x, int64_t shown, int64_t other,
                      double p, struct error *err)
{
    const int64_t K = b->labels.count;
    int32_t *index = memory_new(2 * x->size, sizeof *index, err);
    double *value = index ? memory_new(2 * x->size, sizeof *value, err) : NULL;
    int status = BANDIT_NO_MEMORY;
    if (value) {
        struct example z;
        make_z(b, x, shown, other, p, index, value, &z);
        double quadratic = covariance_quadratic(&b->sigma, &z, 0),
               lead = (b->scores[other] - b->scores[shown]) / p;
        status = accept(b, lead, p, quadratic);
        if (status == 1) {
            const double *product = covariance_product(&b->sigma, 0);
            double step = (sqrt(p) * lead + 1 / sqrt(p)) / (1 + quadratic);
            for (int64_t j = 0; j < b->w.rows; j++)
                for (int64_t k = 0; k < K; k++)
                    bandit_shift(b, j * b->w.stride + k, -step * product[soba_cell(b, j, k)]);
            covariance_shrink(&b->sigma, &z, 0, 1, quadratic);
            status = 0;
        }
    }
    memory_free(index);
    memory_free(value);
    return status;
}

int soba_learn(struct bandit *b, const struct example *x, int64_t shown, double p,
               struct error *err)
{
    int64_t other = best_other(b->scores, b->labels.count, shown);
    return b->options.full ? learn_full(b, x, shown, other, p, err)
                           : learn_diagonal(b, x, shown, other, p);
}
