#include "learners/bandit/nsm.h"

#include "common/base/elementary.h"
#include "common/base/vectors.h"

#include <math.h>

/* exp(scores - largest), the largest of the first `columns`, for all of the row: its padding too,
 * which is only vectors filled up. */
WIDEST_VECTORS(void, exponentials, (double *scores, int64_t columns, int64_t stride),
               (scores, columns, stride))
{
    double largest = scores[0];
    for (int64_t k = 1; k < columns; k++)
        largest = scores[k] > largest ? scores[k] : largest;
    for (int64_t k = 0; k < stride; k++)
        scores[k] = elementary_exp(scores[k] - largest);
}

/* A step of AdaGrad in the rows of x; the gradient of column k is direction[k] x.  sum NULL: nobody
 * wants the mean. */
WIDEST_VECTORS(void, step,
               (double *restrict w, double *restrict s, double *restrict sum,
                const struct example *x, const double *restrict direction, int64_t stride,
                double eta, double before),
               (w, s, sum, x, direction, stride, eta, before))
{
    for (int64_t i = 0; i < x->size; i++) {
        const int64_t row = x->index[i] * stride;
        const double v = x->value[i];
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
    double total = 0;
    exponentials(scores, w->columns, w->stride);
    for (int64_t k = 0; k < w->columns; k++)
        total += scores[k];
    double beta = 1 - rho[0] - rho[1], pi = scores[shown] / total, q = rho[0] + beta * pi,
           variance = q * (1 - q);
    double c = (q - f) / (variance > 1e-6 ? variance : 1e-6) * beta * pi;
    double *direction = scores;
    for (int64_t k = 0; k < w->columns; k++)
        direction[k] = c * ((k == shown ? 1 : 0) - scores[k] / total);
    for (int64_t k = w->columns; k < w->stride; k++)
        direction[k] = 0; /* padding moves by nothing */
    step(w->w, s->w, sum->w, x, direction, w->stride, eta, (double)before);
}
