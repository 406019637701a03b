/* Noisy softmax (ours): the feedback is a coin whose odds a softmax gives.
 *
 *   P(f = 1 | x, shown) = q = rho0 + beta pi_shown,  pi = softmax(W x),  beta = 1 - rho0 - rho1
 *   gradient of -log P(f) by w_k:
 *       g = c ([k = shown] - pi_k) x,  c = (q - f) / max(q (1 - q), 1e-6) beta pi_shown
 *   AdaGrad:  s += g^2,  w -= eta g / sqrt(s),  s starts at NSM_SQUARES
 *
 * A likelihood is valid for any way of choosing the label to show, so the propensity is not needed:
 * there is no 1/p, and so no variance of K/gamma.  Wrong rates hardly matter
 * (experiments/bandit/README.md). All columns of a row of x move in every round; both loops below
 * run over whole padded rows, which the compiler turns into vectors. */
#include "learners/bandit/nsm_step.h"

#include "common/base/elementary.h"
#include "common/base/vectors.h"
#include "common/linalg/short_vector.h"

#include <assert.h>
#include <math.h>

static const double nsm_least_variance = 1e-6; /* without noise q can be 0 or 1.  No reason
                                                  but that it works */

/* exp(scores - largest) in the whole row; the largest is that of the first `columns`, the rest is
 * padding. */
WIDEST_VECTORS(void, nsm_exponentials, (double *scores, int64_t columns, int64_t stride),
               (scores, columns, stride))
{
    const double largest = short_largest(columns, scores);
    for (int64_t k = 0; k < stride; k++)
        scores[k] = elementary_exp(scores[k] - largest);
}

/* A step of AdaGrad in the rows of x; the gradient of column k is direction[k] x.  sum as in
 * average.h; NULL: nobody wants the mean. */
WIDEST_VECTORS(void, nsm_step,
               (double *restrict w, double *restrict s, double *restrict sum,
                const struct example *x, const double *restrict direction, int64_t stride,
                double eta, double before),
               (w, s, sum, x, direction, stride, eta, before))
{
    for (int64_t e = 0; e < x->size; e++) {
        const int64_t row = x->index[e] * stride;
        const double v = x->value[e];
        if (sum) {
            for (int64_t k = row; k < row + stride; k++) {
                double g = direction[k - row] * v;
                s[k] += g * g;
                double change = -(eta * g / sqrt(s[k]));
                w[k] += change;
                sum[k] += before * change;
            }
        } else {
            for (int64_t k = row; k < row + stride; k++) {
                double g = direction[k - row] * v;
                s[k] += g * g;
                w[k] -= eta * g / sqrt(s[k]);
            }
        }
    }
}

void nsm_learn(struct weights *w, struct weights *s, struct weights *sum, int64_t before,
               const struct example *x, double *scores, int64_t shown, int f, const double rho[2],
               double eta)
{
    assert(w->stride == s->stride && shown >= 0 && shown < w->columns);
    double total = 0;
    nsm_exponentials(scores, w->columns, w->stride);
    for (int64_t k = 0; k < w->columns; k++)
        total += scores[k];
    double beta = 1 - rho[0] - rho[1], pi = scores[shown] / total, q = rho[0] + beta * pi;
    double variance = q * (1 - q);
    if (!(variance > nsm_least_variance))
        variance = nsm_least_variance;
    double c = (q - f) / variance * beta * pi;
    double *direction = scores;
    for (int64_t k = 0; k < w->columns; k++)
        direction[k] = c * ((k == shown ? 1 : 0) - scores[k] / total);
    for (int64_t k = w->columns; k < w->stride; k++)
        direction[k] = 0; /* padding moves by nothing */
    nsm_step(w->w, s->w, sum->w, x, direction, w->stride, eta, (double)before);
}
