/* Online multiclass learning from noisy bandit feedback (Agarwal and Manwani, "Learning multiclass
 * classifier under noisy bandit feedback").
 *
 * In a round x comes, the learner shows one label, and is told only whether that label is right:
 * the feedback f = 1 or 0, which is noisy.
 *
 *   K           number of classes; they are 0 .. K-1 here
 *   w_k         weights of class k, d features and perhaps a bias; w_k.x is its score
 *   rho0, rho1  noise rates: P(f = 1 | shown is wrong), P(f = 0 | shown is right); rho0 + rho1 < 1
 *   beta        1 - rho0 - rho1
 *   h(f)        h(1) = (1 - rho0)/beta,  h(0) = -rho0/beta:  E h(f) = [shown is right]  (Lemma 1)
 *   greedy      argmax_k w_k.x, the lowest of equals
 *   gamma       exploration
 *   P(k)        (1 - gamma) [k = greedy] + gamma/K: the label to show is drawn from it
 *   p           propensity, the probability with which the label was shown: the learner's own
 *               P(shown), or that of whoever made a log
 *
 * What a round changes is told by a rule: bandit_rule.h lists them, each has a file of its own.
 * Labels may be chosen by the current weights or by their average; "greedy" in the formula of an
 * update is always that of the current ones.  Averages are those of the weights after each round
 * that was learnt from (common/linear/average.h); they cost no pass over the table. */
#ifndef LEARNERS_BANDIT_BANDIT_H
#define LEARNERS_BANDIT_BANDIT_H

#include "common/base/error.h"
#include "common/data/data_form.h"
#include "common/data/example.h"
#include "common/data/labels.h"
#include "common/model/model.h"
#include "learners/bandit/bandit_options.h"

#include <stdbool.h>
#include <stdint.h>

/* The rules' names, NULL-terminated, in the order of `bandit_rules`. */
extern const char *const bandit_rule_names[];

/* K (d + 1) at most, with the bias, for the full matrix of soba: it and its product with z take 200
 * MB, and while it grows with a stream up to 2.25 times that beside what it had. */
enum { BANDIT_MOST_FULL = 5000 };

/* Independent uses of a seed. */
enum { BANDIT_USE_ROUNDS = 1, BANDIT_USE_ORDER = 2 };

struct bandit;

/* A learner that has seen nothing.  labels are copied; at least two.  NULL with err. */
struct bandit *bandit_new(const struct bandit_options *options, const struct labels *labels,
                          struct error *err);

/* Make space for features up to d at once.  0, or -1 with err (the weights stay as they were). */
int bandit_grow(struct bandit *b, int64_t d, struct error *err);

/* Compute the scores of x, for the next bandit_choose and bandit_learn.  O(size K), twice that when
 * the average is played.  0, or -1 with err (line of x): a score is not finite. */
int bandit_score(struct bandit *b, const struct example *x, struct error *err);

struct bandit_choice {
    int64_t greedy, shown; /* classes 0 .. K-1; greedy of the weights that are played */
    double p;              /* propensity: P(shown) */
};

/* The label to show for the x of the last bandit_score.  u: uniform in [0, 1): below 1 - gamma it
 * shows the greedy label, else label floor((u - (1 - gamma)) / gamma K). */
struct bandit_choice bandit_choose(const struct bandit *b, double u);

/* Learn from the feedback f (0 or 1) to a label that was shown with propensity p in (0, 1], for the
 * x of the last bandit_score.  Grows with the features.  O(size); soba full: O((K d)^2) when f = 1;
 * nsm: O(size K); rcine: an estimate of the rates every `period` rounds besides.  0, or -1 with err
 * (line of x): memory, or a number that is not finite. */
int bandit_learn(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                 struct error *err);

/* The weights to predict with: K columns, two classes as well.  Newly made in `weights`; free with
 * weights_free.  0, or -1 with err: memory. */
int bandit_weights(const struct bandit *b, struct weights *weights, struct error *err);

const struct labels *bandit_labels(const struct bandit *b);
const struct bandit_options *bandit_get_options(const struct bandit *b);
int64_t bandit_features(const struct bandit *b); /* the largest index that it has a weight for */

/* The noise rates in force: rho0, rho1. */
const double *bandit_rates(const struct bandit *b);

/* h(f) for these rates. */
double bandit_h(const double rho[2], int f);

/* Bytes of the learner for K classes and d features, and of one copy of its weights: while a model
 * is written, or for the estimate on the tail of a log.  (Both at once where --save-every saves
 * while the tail is judged.) */
double bandit_bytes(const struct bandit_options *options, int64_t classes, int64_t d);

/* The most features that the rule has a matrix for; INT32_MAX where only memory limits them; below
 * 0 where there are too many classes for it. */
int64_t bandit_feature_limit(const struct bandit_options *options, int64_t classes);

/* The features that fit in so many bytes, and at least those that it has; INT32_MAX where the rule
 * itself refuses too many. */
int64_t bandit_most_features(const struct bandit *b, double bytes);

void bandit_free(struct bandit *b);

/* ---- the model file (bandit_model.c) ---- */

/* What is not the learner's but must stand in the model, for going on and for prediction. */
struct bandit_file {
    struct data_form form;
    int64_t drawn; /* rounds whose uniforms were drawn so far */
};

/* Write the model with all that going on needs.  0 or -1. */
int bandit_save(const struct bandit *b, const struct bandit_file *file, const char *path,
                int threads, struct error *err);

/* A learner from such a model, and what else the file says.  seed: instead of the file's; -1: the
 * file's.  NULL with err. */
struct bandit *bandit_load(const struct model *model, int64_t seed, int threads,
                           struct bandit_file *file, struct error *err);

#endif
