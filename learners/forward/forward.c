/* Softmax regression through a confusion matrix C, C[k][q] = P(observed k | true q): "forward
 * correction" (Patrini et al. 2017), one example at a time.
 *
 *   p = softmax(W x),   r_q = C[y][q] p_q / sum_q' C[y][q'] p_q'
 *                       the posterior of the true class when y was observed
 *   loss                -log sum_q C[y][q] p_q + lambda/2 |W|^2,
 *                       gradient of row q: (p_q - r_q) x + lambda w_q
 *   step (AdaGrad)      s += g^2,  w -= eta g / sqrt(s),  s = delta at first;  lambda's part before
 *                       that, when a feature occurs, for the n rounds since it occurred last: w /=
 *                       1 + n lambda eta / sqrt(s); so the p of a round is that of the weights
 *                       before this decay
 *
 * For data that are held there is also the minimum of the same loss: forward_minimum.h.  C = I is
 * plain softmax regression.  Two classes have one column, the larger class's less the smaller's,
 * and the penalty is that column's. */
#include "common/base/elementary.h"
#include "common/base/vectors.h"
#include "learners/online/online_state.h"

#include <math.h>

static double score(const double *scores, int64_t K, int64_t k)
{
    return K > 2 ? scores[k] : k == 1 ? scores[0] : 0;
}

/* p = softmax(scores); two classes: of (0, score). */
static void find_probabilities(const double *scores, int64_t K, double *p)
{
    double largest = 0, total = 0;
    for (int64_t k = 0; k < K; k++) {
        p[k] = score(scores, K, k);
        largest = k == 0 || p[k] > largest ? p[k] : largest;
    }
    for (int64_t k = 0; k < K; k++) {
        p[k] = elementary_exp(p[k] - largest);
        total += p[k];
    }
    for (int64_t k = 0; k < K; k++)
        p[k] /= total;
}

/* log sum_q C[y][q] p_q where the sum is too small to be taken as it is.  largest: out, of the
 * scores where C[y][q] > 0; sum: out, sum_q C[y][q] e^(score - largest). */
static double log_of_unlikely(const double *confusion_row, int64_t K, const double *scores,
                              double *largest, double *sum)
{
    double top = score(scores, K, 0), total = 0;
    *largest = -INFINITY;
    for (int64_t k = 0; k < K; k++) {
        const double s = score(scores, K, k);
        top = s > top ? s : top;
        *largest = confusion_row[k] > 0 && !(s < *largest) ? s : *largest;
    }
    *sum = 0;
    for (int64_t k = 0; k<K && * largest> - INFINITY; k++) {
        total += elementary_exp(score(scores, K, k) - top);
        *sum += confusion_row[k] > 0
                    ? confusion_row[k] * elementary_exp(score(scores, K, k) - *largest)
                    : 0;
    }
    return *largest > -INFINITY ? elementary_log(*sum) + *largest - top - elementary_log(total)
                                : -INFINITY;
}

double forward_direction(const double *confusion_row, int64_t K, double *scores, int64_t stride,
                         double *probability)
{
    double q = 0, log_q, largest = 0, sum = 0;
    find_probabilities(scores, K, probability);
    for (int64_t k = 0; k < K; k++)
        q += confusion_row[k] * probability[k];
    const bool likely = q > 1e-300;
    log_q = likely ? elementary_log(q) : log_of_unlikely(confusion_row, K, scores, &largest, &sum);
    if (!(log_q > -INFINITY))
        return log_q;
    for (int64_t k = 0; k < K && likely; k++)
        scores[K > 2 ? k : 0] = probability[k]
                                - confusion_row[k] * probability[k]
                                      / q; /* of two the larger stays */
    for (int64_t k = K > 2 ? 0 : 1; k < K && !likely; k++)
        scores[K > 2 ? k : 0] = probability[k]
                                - (confusion_row[k] > 0
                                       ? confusion_row[k]
                                             * elementary_exp(score(scores, K, k) - largest) / sum
                                       : 0);
    for (int64_t k = K > 2 ? K : 1; k < stride; k++)
        scores[k] = 0;
    return log_q;
}

/* One row of W and s, whose feature has the value v.  decay: n lambda, for the n rounds before this
 * one.  (One quotient for the decay and the step.) */
WIDEST_VECTORS(void, step,
               (double *restrict w, double *restrict s, const double *restrict direction,
                int64_t stride, double v, double eta, double decay),
               (w, s, direction, stride, v, eta, decay))
{
    for (int64_t k = 0; k < stride; k++) {
        double g = direction[k] * v;
        s[k] += g * g;
        double root = sqrt(s[k]), with = root + eta * decay;
        w[k] = (w[k] * s[k] - eta * g * with) / (root * with);
    }
}

int forward_round(struct online *o, const struct example *x, int32_t y)
{
    const struct online_options *p = &o->options;
    const int64_t K = o->labels.count, stride = o->mu.stride;
    const double t = (double)o->counts.rounds;
    double *direction = o->scores, norm = example_squared_norm(x);
    for (int64_t k = 0; k < o->columns; k++)
        norm += 0 * o->scores[k];
    if (!isfinite(norm))
        return -1;
    const double log_q = forward_direction(o->confusion + y * K, K, direction, stride,
                                           o->probability);
    o->counts.mistakes += weights_best(o->probability, K) != y;
    if (!(log_q > -INFINITY))
        return 0;
    for (int64_t i = 0; i < x->size; i++) {
        const int64_t row = x->index[i] * stride;
        double decay = 0;
        if (p->lambda > 0) {
            double *seen = &o->seen.w[x->index[i]];
            decay = p->lambda * (t - *seen);
            *seen = t;
        }
        step(o->mu.w + row, o->squares.w + row, direction, stride, x->value[i], p->eta, decay);
    }
    o->counts.updates++;
    return 0;
}

void forward_weights(const struct online *o, double *w)
{
    const struct online_options *p = &o->options;
    const int64_t stride = o->mu.stride;
    for (int64_t i = 0; i < o->mu.rows * stride; i++) {
        double decay = p->lambda > 0
                           ? p->lambda * ((double)o->counts.rounds - o->seen.w[i / stride])
                           : 0;
        w[i] = o->mu.w[i] / (1 + p->eta * decay / sqrt(o->squares.w[i]));
    }
}

void forward_take_decay(struct online *o)
{
    forward_weights(o, o->mu.w);
    for (int64_t j = 0; j < o->seen.rows; j++)
        o->seen.w[j * o->seen.stride] = (double)o->counts.rounds;
}
