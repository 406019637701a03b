/* What rounds are made of: the direction f of a round, and a step of the Gaussian rules along
 * Sigma f. */
#include "learners/online/online_state.h"

#include <assert.h>
#include <float.h>

struct direction online_direction(const struct online *o, int32_t y)
{
    const double *s = o->scores;
    assert(y >= 0 && y < o->labels.count);
    if (o->columns == 1) {
        double sign = y == 1 ? 1 : -1, margin = sign * s[0];
        return (struct direction){1, {0}, {sign}, margin, !(margin > 0)};
    }
    const int64_t rival = weights_best_other(s, o->columns, y);
    bool mistake = s[rival] > s[y] || (!(s[rival] < s[y]) && rival < y);
    return (struct direction){2, {y, rival}, {1, -1}, s[y] - s[rival], mistake};
}

int online_check_precisions(const struct online *o, struct error *err)
{
    const struct weights *diagonal = &o->sigma.diagonal;
    for (int64_t i = 0; i < diagonal->rows * diagonal->stride; i++) {
        const double s = diagonal->w[i];
        const int64_t row = i / diagonal->stride;
        char whose[64] = "the bias";
        if (1 / s <= DBL_MAX)
            continue;
        if (row > 0)
            snprintf(whose, sizeof whose, "feature %lld (counted from 1)", (long long)row);
        return error_set(err, "the variance of %s is %.3g: it cannot be merged", whose, s);
    }
    return 0;
}

void online_move_gaussian(struct online *o, const struct example *x, int64_t column, double step,
                          double beta, double chi)
{
    struct covariance *sigma = &o->sigma;
    int64_t stride = o->mu.stride;
    assert(o->rule->covariance && column >= 0 && column < o->columns);
    if (sigma->form == COVARIANCE_FULL) {
        const double *product = covariance_product(sigma, column);
        for (int64_t j = 0; j < sigma->rows; j++)
            online_shift(o, j * stride + column, step * product[j]);
        covariance_shrink(sigma, x, column, beta, chi);
        return;
    }
    if (sigma->form == COVARIANCE_DIAG) {
        /* Both in one loop: the time of a round is spent here, waiting for these divisions. */
        for (int64_t e = 0; e < x->size; e++) {
            int64_t cell = x->index[e] * stride + column;
            double *s = &sigma->diagonal.w[cell];
            online_shift(o, cell, step * *s * x->value[e]);
            *s = covariance_observed(*s, x->value[e], beta);
        }
        return;
    }
    for (int64_t e = 0; e < x->size; e++) {
        int64_t cell = x->index[e] * stride + column;
        online_shift(o, cell, step * sigma->diagonal.w[cell] * x->value[e]);
    }
    covariance_shrink(sigma, x, column, beta, chi);
}
