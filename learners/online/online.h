/* Online linear learners: one example at a time, one state, one interface.
 *
 * Two classes: one weight vector, a positive score means the larger label; f = y x with y = +1 or
 * -1.  More: one vector a class, f = x in the block of the true class minus x in the block of its
 * best competitor.  Either way a round has a margin m = w.f, and each learner is a rule for what to
 * do with it:
 *
 *   perceptron   on a mistake                    w += f
 *   pa pa1 pa2   loss l = 1 - m > 0
 *                w += tau f,  tau = l / |f|^2 | min(C, .) | l / (|f|^2 + 1/(2C))
 *                (Crammer et al. 2006)
 *   arow         m < 1, chi = f'Sigma f
 *                w += (1 - m)/(r + chi) Sigma f, Sigma observes f with precision 1/r (AROW, eq. 12,
 *                15, 16)
 *   arow-hinge   the same with min(1/(2r), (1 - m)/chi)
 *                (eq. 22, 23)
 *   cw           m < phi V, V = f'Sigma f        w += gamma Sigma f, precision 2 gamma phi
 *                (Dredze et al. 2008)
 *   sop          two classes, on a mistake
 *                v += f, Sigma observes f with precision 1, w = Sigma v
 *                (Cesa-Bianchi et al. 2005)
 *   adagrad-rda  m < 1
 *                u -= f, s += f^2, w = -eta soft(u, lambda t)/(delta + sqrt s)
 *                (Duchi et al. 2011)
 *   forward      always; no margin: softmax regression through a confusion matrix, see forward.c
 *                (Patrini et al. 2017)
 *
 * arow and arow-hinge also with the k best competitors or all at once (eq. 27), see arow.c.  Ties
 * go to the smallest class; a two-class score of 0 is the negative class and a mistake whatever the
 * label. */
#ifndef LEARNERS_ONLINE_ONLINE_H
#define LEARNERS_ONLINE_ONLINE_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/labels.h"
#include "common/linear/covariance.h"
#include "common/model/model.h"

#include <stdbool.h>
#include <stdint.h>

enum online_rule {
    ONLINE_AROW,
    ONLINE_AROW_HINGE,
    ONLINE_PERCEPTRON,
    ONLINE_PA,
    ONLINE_PA1,
    ONLINE_PA2,
    ONLINE_CW,
    ONLINE_SOP,
    ONLINE_ADAGRAD_RDA,
    ONLINE_FORWARD,
};
extern const char *const online_rules[]; /* the names, NULL-terminated, in this order */
extern const char *const online_forms[]; /* of enum covariance_form */

struct online_options {
    int64_t rule;              /* enum online_rule */
    int64_t form;              /* enum covariance_form */
    double r;                  /* AROW: > 0 */
    double C;                  /* PA-I, PA-II: > 0 */
    double phi;                /* CW: > 0 */
    double a;                  /* SOP: > 0 */
    double eta, lambda, delta; /* AdaGrad-RDA, forward: > 0, >= 0, > 0 */
    int64_t steps; /* forward, on the way to the minimum (forward_minimum.h): stop after so many; 0:
                      go there */
    int64_t k;     /* AROW: competitors in one update; 0: all */
    const double *confusion; /* forward: K x K, c[k*K + q] = P(observed k | true q), copied by
                                online_new; NULL: the identity */
    bool average;            /* predict with the mean of the weights after each round */
};

/* What `forward` is used with: eta 0.5, delta 0.01. */
struct online_options online_forward(double lambda, const double *confusion);

struct online;

/* A learner that has seen nothing.  labels are copied; at least two.  NULL with err. */
struct online *online_new(const struct online_options *options, const struct labels *labels,
                          struct error *err);

/* One round: example x of class y = 0 .. K-1.  Grows with the features.  0, or -1 with err (line of
 * x): memory, or a score that is not finite.  O(size K) and, with a full covariance, O(d^2). */
int online_learn(struct online *o, const struct example *x, int32_t y, struct error *err);

/* Make room for features up to d at once. */
int online_grow(struct online *o, int64_t d, struct error *err);

/* The weights to predict with (d rows and columns as in a model), newly made in `weights`; free
 * with weights_free. */
int online_weights(const struct online *o, struct weights *weights, struct error *err);

struct online_counts {
    int64_t rounds, mistakes, updates;
};
struct online_counts online_counts(const struct online *o);
const struct labels *online_labels(const struct online *o);
const struct online_options *online_get_options(const struct online *o);

/* Bytes of the state for K classes and d features. */
double online_bytes(const struct online_options *options, int64_t classes, int64_t d);

void online_free(struct online *o);

/* ---- the model file ---- */

/* What is not the learner's but must stand in the model, for going on and for prediction. */
struct online_file {
    double bias; /* < 0: none */
    bool unit_length, zero_based;
    int64_t seed;
};

/* Write the model with all that going on needs, so that train(A) then train(B) equals train(A then
 * B) byte for byte.  0 or -1. */
int online_save(const struct online *o, const struct online_file *file, const char *path,
                int threads, struct error *err);

/* A learner from such a model, and what else the file says.  NULL with err. */
struct online *online_load(const struct model *model, struct online_file *file, struct error *err);

/* The same from its file. */
struct online *online_load_file(const char *path, int threads, struct online_file *file,
                                struct error *err);

#endif
