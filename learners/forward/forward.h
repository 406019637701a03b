/* Softmax regression through a confusion matrix C, C[k][q] = P(observed k | true q): forward
 * correction (Patrini et al. 2017).
 *
 *   p = softmax(W x)
 *   r_q = C[y][q] p_q / sum_q' C[y][q'] p_q'       posterior of the true class when y was observed
 *   loss = -log sum_q C[y][q] p_q + lambda/2 |W|^2
 *   gradient of row q: (p_q - r_q) x + lambda w_q
 *
 * Data in memory: the mean loss is minimized (forward_minimum.h).  Streams: AdaGrad (Duchi, Hazan
 * and Singer 2011), one example at a time:
 *
 *   s += g^2,  w -= eta g / sqrt(s),  initially s = delta
 *
 * The penalty is lazy: only when a feature occurs do its weights decay for the n rounds since it
 * occurred last, w /= 1 + n lambda eta / sqrt(s), by the s that has this round's g^2, and then they
 * take the step.  The p of a round is that of the weights before this decay.
 *
 * C = I is plain softmax regression.  Two classes have one column of weights, the larger class's
 * minus the smaller's, and the penalty is on that column. */
#ifndef LEARNERS_FORWARD_FORWARD_H
#define LEARNERS_FORWARD_FORWARD_H

#include "common/base/error.h"
#include "common/data/data_form.h"
#include "common/data/example.h"
#include "common/data/labels.h"
#include "common/linear/passes.h"
#include "common/linear/weights.h"
#include "common/model/model.h"

#include <stdint.h>

struct forward_options {
    double eta, delta;       /* of AdaGrad, > 0 */
    double lambda;           /* >= 0 */
    double temperature;      /* > 0: probabilities are the softmax of the scores times this; kept
                                for prediction, and has no part in training */
    int64_t steps;           /* of the search: stop after this many; 0: run to the minimum */
    const double *confusion; /* K x K: C[k*K + q], copied by forward_new; NULL: the identity */
};

/* Options with the default eta and delta, 0.5 and 0.01: no reason but that they work. */
struct forward_options forward_usual(double lambda, const double *confusion);

struct forward;

/* A new learner.  labels are copied; at least two.  NULL with err. */
struct forward *forward_new(const struct forward_options *options, const struct labels *labels,
                            struct error *err);

/* One AdaGrad step: example x of observed class y = 0 .. K-1, whose loss counts `weight` times; a
 * new feature makes the state grow.  0, or -1 with err (line of x): memory, or a score that is not
 * finite.  O(size K). */
int forward_learn(struct forward *f, const struct example *x, int32_t y, double weight,
                  struct error *err);

/* Grow the state for features up to d at once.  0 or -1 (memory). */
int forward_grow(struct forward *f, int64_t d, struct error *err);

/* The weights to predict with, after the decay that is due: d + 1 rows (weights.h).  weights: out;
 * free with weights_free.  0 or -1 (memory). */
int forward_weights(const struct forward *f, struct weights *weights, struct error *err);

/* updates: examples whose label is possible according to C. */
struct round_counts forward_counts(const struct forward *f);
const struct labels *forward_labels(const struct forward *f);
const struct forward_options *forward_get_options(const struct forward *f);

/* Replace the weights, of as many columns as the classes have.  0 or -1 (memory). */
int forward_put_weights(struct forward *f, const struct weights *weights, struct error *err);

/* Change the matrix (K x K, copied), lambda and number of steps; the weights stay. */
void forward_change(struct forward *f, const double *confusion, double lambda, int64_t steps);

/* The learner for passes.h. */
struct round_learner forward_learner(struct forward *f);

/* Bytes of the state for K classes and d features. */
double forward_bytes(int64_t classes, int64_t d);

void forward_free(struct forward *f);

/* ---- the model file ---- */

/* Write the model.  Unless form->final, it holds all that passes need to continue: one over A, then
 * from this model one over B, equal one over A then B, byte for byte.  0 or -1. */
int forward_save(const struct forward *f, const struct data_form *form, const char *path,
                 int threads, struct error *err);

/* The learner of such a model.  form: out, of its data.  NULL with err. */
struct forward *forward_load(const struct model *model, struct data_form *form, struct error *err);

/* The same from a file.  map: in: none; out: that of the model, free with feature_map_free, also
 * after an error. */
struct forward *forward_load_file(const char *path, int threads, struct data_form *form,
                                  struct feature_map *map, struct error *err);

#endif
