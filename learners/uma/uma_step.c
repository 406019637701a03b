/* The step of UMA: which classes move along z and by how much; the margin and the best iterate
 * after it. */
#include "common/base/reduce.h"
#include "learners/uma/uma_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* <w_r, z>. */
static double uma_row_product(const struct uma *u, int64_t r)
{
    const double *w = u->w + r * u->D;
    double sum = 0;
    for (int64_t j = 0; j < u->D; j++)
        sum += w[j] * u->z[j];
    return sum;
}

/* What <w_r - w_q, z> must reach for r to be in E. */
static double uma_least_lead(const struct uma *u)
{
    return u->options->check == UMA_PAPER ? u->margin : 0;
}

bool uma_refused(struct uma *u, int64_t p, int64_t q)
{
    /* Rounding of the scores, with much to spare: each update has a relative error near 1e-16. */
    const double far = 1e-9 + 1e-15 * (double)u->iteration;
    int64_t first = u->options->step == UMA_PERCEPTRON ? p : 0,
            last = u->options->step == UMA_PERCEPTRON ? p : u->K - 1;
    double *sum = u->product, magnitude = 0;
    if (u->options->check == UMA_NONE)
        return false;
    memset(sum, 0, (size_t)u->K * sizeof *sum);
    struct uma_scores_view view = uma_scores_view(&u->scores, false);
    reduce_receive(sum, u->K);
    reduce_receive(&magnitude, 1);
    for (int64_t m = u->t.start[p]; m < u->t.start[p + 1]; m++) {
        const double *score = uma_scores_of(&view, u->t.order[m]);
        double c = u->t.data.inverse[q * u->K + uma_data_observed(&u->t.data, u->t.order[m])];
        for (int64_t r = first; r <= last; r++)
            sum[r] += c * (score[r] - score[q]);
        /* The score of p is the largest and the scores sum to 0, so none is larger in size than
         * K - 1 times it: a factor for which `far` has room. */
        magnitude += fabs(c) * (fabs(score[p]) + fabs(score[q]));
    }
    uma_scores_end(&view);
    reduce_send(sum, u->K);
    reduce_send(&magnitude, 1);
    reduce_finish(sum, u->K);
    reduce_finish(&magnitude, 1);
    bool none = true;
    for (int64_t r = first; r <= last; r++)
        none &= r == q || (sum[r] + far * magnitude) / (double)u->t.all < uma_least_lead(u);
    return none;
}

bool uma_find_step(struct uma *u, int64_t p, int64_t q)
{
    assert(p != q);
    const struct uma_options *o = u->options;
    double least = uma_least_lead(u);
    bool all = o->step != UMA_PERCEPTRON;
    int64_t errors = 0, worst = -1;
    memset(u->tau, 0, (size_t)u->K * sizeof *u->tau);
    u->product[q] = uma_row_product(u, q);
    for (int64_t r = 0; r < u->K; r++)
        if (r != q && (all || r == p)) {
            u->product[r] = uma_row_product(u, r);
            errors += u->product[r] - u->product[q] >= least;
            if (worst < 0 || u->product[r] > u->product[worst])
                worst = r;
        }
    if (o->check != UMA_NONE && errors == 0)
        return false;
    u->tau[q] = 1;
    if (o->step == UMA_PERCEPTRON || errors == 0)
        u->tau[p] = -1;
    else if (o->step == UMA_WORST)
        u->tau[worst] = -1;
    else
        for (int64_t r = 0; r < u->K; r++)
            if (r != q && u->product[r] - u->product[q] >= least)
                u->tau[r] = -1 / (double)errors;
    return true;
}

void uma_apply_step(struct uma *u)
{
    u->stepped_count = 0;
    for (int64_t r = 0; r < u->K; r++) {
        double tau = u->tau[r];
        if (!(tau < 0 || tau > 0))
            continue;
        for (int64_t j = 0; j < u->D; j++)
            u->w[r * u->D + j] += tau * u->z[j];
        if (u->drift)
            for (int64_t j = 0; j < u->D; j++)
                u->drift[r * u->D + j] += (double)(u->iteration - 1) * tau * u->z[j];
        u->stale[r] = true;
        u->stepped[u->stepped_count++] = r;
    }
}

void uma_set_margin(struct uma *u)
{
    double sum = 0;
    u->margin = 0;
    if (!(u->options->alpha > 0))
        return;
    for (int64_t cell = 0; cell < u->K * u->D; cell++)
        sum += u->w[cell] * u->w[cell];
    if (sum > 0)
        u->margin = u->options->alpha * (u->options->alpha_relative ? sqrt(sum) : 1);
}

void uma_keep_best(struct uma *u)
{
    for (int64_t r = 0; r < u->K; r++)
        if (u->stale[r]) {
            memcpy(u->best + r * u->D, u->w + r * u->D, (size_t)u->D * sizeof *u->w);
            u->stale[r] = false;
        }
}
