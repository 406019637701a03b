/* The gradient of forward's loss, and AdaGrad steps along it.  Symbols are forward.h's.
 *
 * AdaGrad, because features of text occur thousands of times or once: each weight has a step size
 * of its own.  A step touches only the features of its example; the decay of the others waits until
 * they occur or the weights are asked for. */
#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/vectors.h"
#include "common/linalg/short_vector.h"
#include "learners/forward/forward_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Below this the sum q of C[y] p is taken again, from exponents that do not underflow. */
static const double forward_smallest_q = 1e-300;

/* ---- the gradient ---- */

/* p = softmax(s); s: K.  Returns the sum q of row p. */
WIDEST_VECTORS(double, forward_softmax,
               (const double *restrict row, const double *restrict s, int64_t K,
                double *restrict p),
               (row, s, K, p))
{
    const double largest = short_largest(K, s);
    for (int64_t k = 0; k < K; k++)
        p[k] = elementary_exp(s[k] - largest);
    const double inverse = 1 / short_sum(K, p);
    for (int64_t k = 0; k < K; k++)
        p[k] *= inverse;
    return short_dot(K, row, p);
}

/* scores <- p - r where q, the sum of C[y] p, is large enough to divide by. */
static void forward_collapse(const double *confusion_row, const double *p, double q, int64_t K,
                             double *scores)
{
    const int64_t first = K > 2 ? 0 : 1; /* of two classes the larger one's is the column */
    const double inverse = 1 / q;
    for (int64_t k = first; k < K; k++)
        scores[k - first] = p[k] - confusion_row[k] * p[k] * inverse;
}

/* The same where q underflows: r from exponents relative to the largest score among the classes
 * that C allows.  s: K: the scores of all classes.  Returns log q, or -INFINITY, the scores
 * unchanged, when C allows none. */
static double forward_collapse_unlikely(const double *confusion_row, const double *s,
                                        const double *p, int64_t K, double *scores)
{
    const int64_t first = K > 2 ? 0 : 1;
    double top = -INFINITY, allowed = -INFINITY, total = 0, sum = 0;
    for (int64_t k = 0; k < K; k++) {
        top = s[k] > top ? s[k] : top;
        if (confusion_row[k] > 0 && s[k] > allowed)
            allowed = s[k];
    }
    if (!(allowed > -INFINITY))
        return -INFINITY;
    for (int64_t k = 0; k < K; k++) {
        total += elementary_exp(s[k] - top);
        if (confusion_row[k] > 0)
            sum += confusion_row[k] * elementary_exp(s[k] - allowed);
    }
    const double log_q = elementary_log(sum) + allowed - top - elementary_log(total);
    for (int64_t k = first; k < K; k++) { /* s may be scores: s[k] is read before it is replaced */
        double r = 0;
        if (confusion_row[k] > 0)
            r = confusion_row[k] * elementary_exp(s[k] - allowed) / sum;
        scores[k - first] = p[k] - r;
    }
    return log_q;
}

double forward_direction(const double *confusion_row, int64_t K, double *scores, int64_t stride,
                         double *probability)
{
    const double two[] = {0, scores[0]}; /* of two classes the smaller one has the score 0 */
    const double *s = K > 2 ? scores : two;
    double log_q;
    assert(K >= 2 && stride >= (K > 2 ? K : 1));
    const double q = forward_softmax(confusion_row, s, K, probability);
    if (q > forward_smallest_q) {
        log_q = elementary_log(q);
        forward_collapse(confusion_row, probability, q, K, scores);
    } else {
        log_q = forward_collapse_unlikely(confusion_row, s, probability, K, scores);
        if (!(log_q > -INFINITY))
            return log_q;
    }
    for (int64_t k = K > 2 ? K : 1; k < stride; k++)
        scores[k] = 0;
    return log_q;
}

/* ---- AdaGrad ---- */

/* One row of W and s, whose feature has the value v.  decay: n lambda, for the n rounds before this
 * one; root: of s with this round's g^2.  Decay and step,  w / (1 + eta decay / root) - eta g /
 * root,  share one quotient. */
WIDEST_VECTORS(void, forward_step,
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

/* Learn from x, whose scores are in f->scores.  0, or -1 when one of them, or the length of x, is
 * not finite. */
static int forward_round(struct forward *f, const struct example *x, int32_t y, double weight)
{
    const struct forward_options *options = &f->options;
    const int64_t K = f->labels.count, stride = f->w.stride;
    const double t = (double)f->counts.rounds;
    double *direction = f->scores, norm = example_squared_norm(x);
    for (int64_t k = 0; k < f->columns; k++)
        norm += 0 * f->scores[k]; /* NaN where a score is not finite */
    if (!isfinite(norm))
        return -1;
    const double log_q = forward_direction(f->confusion + y * K, K, direction, stride,
                                           f->probability);
    f->counts.mistakes += weights_best(f->probability, K) != y;
    if (!(log_q > -INFINITY))
        return 0;
    for (int64_t k = 0; k < stride; k++)
        direction[k] *= weight;
    for (int64_t e = 0; e < x->size; e++) {
        const int64_t row = x->index[e] * stride;
        double decay = 0;
        if (options->lambda > 0) {
            double *seen = &f->seen.w[x->index[e]];
            decay = options->lambda * (t - *seen);
            *seen = t;
        }
        forward_step(f->w.w + row, f->squares.w + row, direction, stride, x->value[e], options->eta,
                     decay);
    }
    f->counts.updates++;
    return 0;
}

/* w: out, shaped like f->w, which it may be: the weights after the decay that is due. */
static void forward_decay(const struct forward *f, double *w)
{
    const struct forward_options *options = &f->options;
    const int64_t stride = f->w.stride;
    for (int64_t i = 0; i < f->w.rows * stride; i++) {
        double decay = 0;
        if (options->lambda > 0 && i < f->squares.rows * stride)
            decay = options->lambda * ((double)f->counts.rounds - f->seen.w[i / stride]);
        w[i] = f->w.w[i];
        if (decay > 0)
            w[i] /= 1 + options->eta * decay / sqrt(f->squares.w[i]);
    }
}

void forward_take_decay(struct forward *f)
{
    forward_decay(f, f->w.w);
    for (int64_t j = 0; j < f->seen.rows; j++)
        f->seen.w[j] = (double)f->counts.rounds;
}

/* ---- a learner ---- */

struct forward_options forward_usual(double lambda, const double *confusion)
{
    return (struct forward_options){
        .eta = 0.5, .delta = 0.01, .lambda = lambda, .temperature = 1, .confusion = confusion};
}

/* f->confusion from the options'; NULL: the identity. */
static int forward_copy_confusion(struct forward *f, const double *confusion, struct error *err)
{
    const int64_t K = f->labels.count;
    if (!(f->confusion = memory_new(K * K, sizeof *f->confusion, err)))
        return -1;
    if (confusion)
        memcpy(f->confusion, confusion, (size_t)(K * K) * sizeof *confusion);
    else
        for (int64_t k = 0; k < K; k++)
            f->confusion[k * K + k] = 1;
    f->options.confusion = f->confusion;
    return 0;
}

struct forward *forward_new(const struct forward_options *options, const struct labels *labels,
                            struct error *err)
{
    if (labels_require_several(labels, err) != 0)
        return NULL;
    struct forward *f = memory_new(1, sizeof *f, err);
    if (!f)
        return NULL;
    f->options = *options;
    f->columns = weights_columns(labels->count);
    f->w = weights_make(f->columns, 0);
    f->squares = weights_make(f->columns, options->delta);
    f->seen = weights_make(1, 0);
    if (!(f->scores = memory_new(f->w.stride, sizeof *f->scores, err))
        || !(f->probability = memory_new(labels->count, sizeof *f->probability, err))
        || labels_copy(labels, &f->labels, err) != 0 || forward_grow(f, 0, err) != 0
        || forward_copy_confusion(f, options->confusion, err) != 0) {
        forward_free(f);
        return NULL;
    }
    return f;
}

void forward_change(struct forward *f, const double *confusion, double lambda, int64_t steps)
{
    const int64_t K = f->labels.count;
    forward_take_decay(f);
    memcpy(f->confusion, confusion, (size_t)(K * K) * sizeof *confusion);
    f->options.lambda = lambda;
    f->options.steps = steps;
}

double forward_bytes(int64_t classes, int64_t d)
{
    return 2 * weights_bytes(weights_columns(classes), d) + weights_bytes(1, d)
           + (double)classes * (double)classes * (double)sizeof(double);
}

int forward_grow_weights(struct forward *f, int64_t d, struct error *err)
{
    if (d < f->w.rows)
        return 0;
    if (weights_check_memory(forward_bytes(f->labels.count, d), &f->checked_bytes, d,
                             f->labels.count, err)
        != 0)
        return -1;
    return weights_grow(&f->w, d, err);
}

int forward_grow(struct forward *f, int64_t d, struct error *err)
{
    if (d < f->seen.rows)
        return 0;
    if (forward_grow_weights(f, d, err) != 0 || weights_grow(&f->squares, d, err) != 0)
        return -1;
    /* Last: its rows say how far everything has grown. */
    return weights_grow(&f->seen, d, err);
}

int forward_learn(struct forward *f, const struct example *x, int32_t y, double weight,
                  struct error *err)
{
    assert(y >= 0 && y < f->labels.count && weight > 0);
    int64_t d = example_largest_index(x);
    if (d >= f->seen.rows && forward_grow(f, d, err) != 0) {
        if (err)
            err->line = x->line;
        return -1;
    }
    f->counts.rounds++;
    weights_scores(&f->w, x, f->scores);
    if (forward_round(f, x, y, weight) != 0)
        return error_at(err, NULL, x->line, 0,
                        "a score is not finite in round %lld: the values are too large; scale "
                        "them, or use -l 1",
                        (long long)f->counts.rounds);
    return 0;
}

int forward_put_weights(struct forward *f, const struct weights *weights, struct error *err)
{
    assert(weights->columns == f->columns);
    forward_take_decay(f);
    if (forward_grow_weights(f, weights->rows - 1, err) != 0)
        return -1;
    for (int64_t j = 0; j < f->w.rows; j++)
        for (int64_t k = 0; k < f->columns; k++)
            f->w.w[j * f->w.stride + k] = j < weights->rows ? weights->w[j * weights->stride + k]
                                                            : 0;
    return 0;
}

int forward_weights(const struct forward *f, struct weights *weights, struct error *err)
{
    *weights = weights_make(f->columns, 0);
    if (weights_grow(weights, f->w.rows - 1, err) != 0)
        return -1;
    forward_decay(f, weights->w);
    return 0;
}

struct round_counts forward_counts(const struct forward *f)
{
    return f->counts;
}

const struct labels *forward_labels(const struct forward *f)
{
    return &f->labels;
}

const struct forward_options *forward_get_options(const struct forward *f)
{
    return &f->options;
}

void forward_free(struct forward *f)
{
    if (!f)
        return;
    labels_free(&f->labels);
    weights_free(&f->w);
    weights_free(&f->squares);
    weights_free(&f->seen);
    memory_free(f->confusion);
    memory_free(f->probability);
    memory_free(f->scores);
    memory_free(f);
}

/* ---- for passes.h ---- */

static int forward_pass_grow(void *learner, int64_t d, struct error *err)
{
    return forward_grow(learner, d, err);
}

static int forward_pass_learn(void *learner, const struct example *x, int32_t y, double weight,
                              struct error *err)
{
    return forward_learn(learner, x, y, weight, err);
}

static struct round_counts forward_pass_counts(const void *learner)
{
    return forward_counts(learner);
}

struct round_learner forward_learner(struct forward *f)
{
    return (struct round_learner){f, forward_pass_grow, forward_pass_learn, forward_pass_counts,
                                  NULL};
}
