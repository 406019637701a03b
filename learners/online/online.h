/* Online linear learners, which learn from one example at a time.
 *
 * With two classes there is one weight vector w, a positive score means the larger label, and
 * f = y x with y = +1 or -1.  With more there is one vector per class, and f = x in the block of
 * the true class minus x in the block of its best competitor.  Either way a round has a margin m =
 * w.f, which decides the update:
 *
 *   perceptron   on a mistake:  w += f
 *   pa           loss l = 1 - m > 0:  w += tau f,  tau = l / |f|^2
 *   pa1          the same with tau = min(C, l / |f|^2)
 *   pa2          the same with tau = l / (|f|^2 + 1/(2C))
 *   arow         m < 1, chi = f'Sigma f:  w += (1 - m)/(r + chi) Sigma f, and Sigma observes f with
 *                precision 1/r
 *   arow-hinge   the same with min(1/(2r), (1 - m)/chi)
 *   cw           m < phi V, V = f'Sigma f:  w += gamma Sigma f, and Sigma observes f with precision
 *                2 gamma phi
 *   sop          two classes, on a mistake:  v += f, Sigma observes f with precision 1; w = Sigma v
 *   adagrad-rda  m < 1:  u -= f, s += f^2; w = -eta soft(u, lambda t) / (delta + sqrt(s))
 *
 * Sources: Rosenblatt 1958 (perceptron); Crammer et al. 2006 (pa); Crammer, Kulesza and Dredze 2013
 * (arow: eq. 12, 15, 16; arow-hinge: eq. 22, 23); Dredze et al. 2008 (cw); Cesa-Bianchi et al. 2005
 * (sop); Duchi et al. 2011 (adagrad-rda).
 *
 * The weight c of an example multiplies its loss: perceptron steps by c f; pa1 and pa2 have c C in
 * place of C; arow and arow-hinge r/c in place of r; adagrad-rda c f in place of f.  pa, cw and sop
 * know no weights: the first two meet their constraint whatever it costs, and the score of sop
 * takes the example in before its weight can be known.
 *
 * arow and arow-hinge also learn from the k best competitors or all at once (eq. 27; arow.c).  Ties
 * go to the smallest class; a two-class score of 0 is the negative class, and a mistake whatever
 * the label. */
#ifndef LEARNERS_ONLINE_ONLINE_H
#define LEARNERS_ONLINE_ONLINE_H

#include "common/base/error.h"
#include "common/data/data_form.h"
#include "common/data/example.h"
#include "common/data/labels.h"
#include "common/linear/covariance.h"
#include "common/linear/passes.h"
#include "common/model/model.h"
#include "learners/online/online_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ONLINE_CONSTANT(constant, identifier, name) ONLINE_##constant,
enum online_rule_number { ONLINE_RULES(ONLINE_CONSTANT) };
#undef ONLINE_CONSTANT

extern const char *const online_rule_names[]; /* NULL-terminated, in the order of the enum */
extern const char *const online_forms[];      /* of enum covariance_form */

struct online_options {
    int64_t rule;              /* enum online_rule_number */
    int64_t form;              /* enum covariance_form */
    double r;                  /* AROW: > 0 */
    double C;                  /* PA-I, PA-II: > 0 */
    double phi;                /* CW: > 0 */
    double a;                  /* SOP: > 0 */
    double eta, lambda, delta; /* AdaGrad-RDA: > 0, >= 0, > 0 */
    int64_t k;                 /* AROW: competitors in one update, >= 0; 0: all */
    bool average;              /* predict with the mean of the weights after each round */
};

/* Does this rule use the option of that long name?  True for options that are not parameters of
 * particular rules, like average. */
bool online_uses(int64_t rule, const char *option);

/* Can the rule be used with these options and labels?  labels: NULL where they are not known yet.
 * 0, or -1 with err. */
int online_check(const struct online_options *options, const struct labels *labels,
                 struct error *err);

/* Can several ranks (reduce.h) learn with these options, each from its examples? */
bool online_joins(const struct online_options *options);

/* Write the names of the rules that use an option, "arow, arow-hinge", to out, truncated to size.
 * Returns out; NULL: all rules use it. */
const char *online_users(const char *option, char *out, size_t size);

/* Write the names of the rules by which several ranks can learn, with -f diag and without average,
 * to out, likewise.  Returns out. */
const char *online_joiners(char *out, size_t size);

struct online;

/* A new learner.  labels are copied; at least two.  NULL with err. */
struct online *online_new(const struct online_options *options, const struct labels *labels,
                          struct error *err);

/* One round: example x of class y = 0 .. K-1; a new feature makes the state grow.  weight: > 0, and
 * 1 for a rule that does not use the option example-weights.  0, or -1 with err (line of x):
 * memory, or a score that is not finite.  O(size K), with k competitors O(K k) more (with all
 * O(K log K)), with a full covariance O(d^2) more for each class that moves. */
int online_learn(struct online *o, const struct example *x, int32_t y, double weight,
                 struct error *err);

/* Make space for features up to d at once.  0, or -1 with err (the weights stay as they were). */
int online_grow(struct online *o, int64_t d, struct error *err);

/* The weights to predict with: rows 0 .. d, of which row 0 is the bias, and columns as in a model.
 * weights: out; free with weights_free.  0, or -1 with err: memory. */
int online_weights(const struct online *o, struct weights *weights, struct error *err);

struct round_counts online_counts(const struct online *o);
const struct labels *online_labels(const struct online *o);
const struct online_options *online_get_options(const struct online *o);

/* The learner for passes.h. */
struct round_learner online_learner(struct online *o);

/* Bytes of the state for K classes and d features, and of the copy of the weights that
 * online_weights makes where there is one: to save weights that are not mu, and, validates, for
 * cross-validation. */
double online_bytes(const struct online_options *options, int64_t classes, int64_t d,
                    bool validates);

void online_free(struct online *o);

/* ---- the model file ---- */

/* Write the model with all state that training needs to continue: train(A), then train(B) equals
 * train(A then B) byte for byte.  0 or -1. */
int online_save(const struct online *o, const struct data_form *form, const char *path, int threads,
                struct error *err);

/* The learner of such a model, from which its map, if it has one, has been taken (model_take_map).
 * form: out, of its data.  NULL with err. */
struct online *online_load(const struct model *model, struct data_form *form, struct error *err);

#endif
