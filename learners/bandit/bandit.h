/* Learning on line from right-or-wrong answers that may lie (Agarwal and Manwani, "Learning
 * multiclass classifier under noisy bandit feedback").
 *
 * A round: x comes; the learner shows one label and is told only whether it is right, f = 1 or 0,
 * and that answer was flipped: rho0 = P(f = 1 | wrong), rho1 = P(f = 0 | right), rho0 + rho1 < 1.
 *
 *   greedy   argmax_k w_k.x, the lowest of equals
 *            (of the weights that are played: the current ones, or their average)
 *   P(k)     (1 - gamma) [k = greedy] + gamma / K            the label to show is drawn from it
 *   h(1) = (1 - rho0) / beta,  h(0) = -rho0 / beta,  beta = 1 - rho0 - rho1
 *       E h(f) = [shown is right]      (Lemma 1)
 *
 *   rcnbf      w_shown += h(f)/p x,  w_greedy -= x
 *              every round; in the mean the perceptron's step     (Algorithm 1, Lemma 2)
 *   rcine      rcnbf with rates that it estimates itself, anew every `period` rounds from those
 *              rounds (Algorithm 2; noise_rate.h); 0 at first
 *   banditron  rcnbf with rho0 = rho1 = 0
 *              (Kakade, Shalev-Shwartz and Tewari 2008)
 *   bpa        w_shown += (2f - 1) l/|x|^2 x,  l = max(0, -s) if f, max(0, 1 + s) if not, s =
 *              w_shown.x
 *              (Zhong and Daucé 2015)
 *   soba       second order, learns when f = 1 only: soba.c
 *              (Beygelzimer et al. 2017)
 *   nsm        P(f = 1 | x, shown) = rho0 + beta softmax_shown(Wx), by gradient steps: nsm.h
 *              (ours)
 *
 * "greedy" in an update is the argmax of the CURRENT weights, whatever was played.  p is the
 * probability with which the label was shown: the learner's own P, or that of whoever made a log:
 * the mean of the step is the perceptron's for any p > 0.  Averages are those of the weights after
 * each round that was learnt from; they cost two tables' cells a round, not the whole table. */
#ifndef LEARNERS_BANDIT_BANDIT_H
#define LEARNERS_BANDIT_BANDIT_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/labels.h"
#include "common/model/model.h"
#include "learners/bandit/noise_rate.h"

#include <stdbool.h>
#include <stdint.h>

enum bandit_rule {
    BANDIT_RCNBF,
    BANDIT_RCINE,
    BANDIT_BANDITRON,
    BANDIT_BPA,
    BANDIT_SOBA,
    BANDIT_NSM
};
extern const char *const bandit_rules[]; /* the names, NULL-terminated, in this order */

struct bandit_options {
    int64_t rule;  /* enum bandit_rule */
    double gamma;  /* exploration, 0 .. 1 */
    double rho[2]; /* the noise rates that rcnbf and nsm assume */
    double prior;  /* SOBA: a > 0, A_0 = a I */
    bool full;  /* SOBA: A with all its entries, K d at most BANDIT_MOST_FULL; else its diagonal */
    double eta; /* NSM: step, > 0 */
    bool average;                      /* bandit_weights gives the average */
    bool play_average;                 /* choose by the average */
    int64_t period;                    /* RCINE: rounds between two estimates */
    int64_t estimator;                 /* RCINE: enum noise_rate_estimator */
    struct noise_rate_network network; /* RCINE with mlp */
    int64_t seed;                      /* of the estimator */
    int threads;                       /* of the estimator; changes no number */
};

enum { BANDIT_MOST_FULL = 5000 };

/* Independent uses of a seed. */
enum { BANDIT_USE_ROUNDS = 1, BANDIT_USE_ORDER = 2 };

struct bandit;

/* A learner that has seen nothing.  labels are copied; at least two.  NULL with err. */
struct bandit *bandit_new(const struct bandit_options *options, const struct labels *labels,
                          struct error *err);

/* Make room for features up to d at once. */
int bandit_grow(struct bandit *b, int64_t d, struct error *err);

/* Compute the scores of x, for the next bandit_choose and bandit_learn.  O(size K), twice that when
 * the average is played.  0, or -1 with err (line of x): a score is not finite. */
int bandit_score(struct bandit *b, const struct example *x, struct error *err);

struct bandit_choice {
    int64_t greedy, shown; /* classes 0 .. K-1 */
    double p;              /* P(shown) */
};

/* The label to show for the x of the last bandit_score.  u: uniform in [0, 1): below 1 - gamma it
 * shows the greedy label, else label floor((u - (1 - gamma)) / gamma K). */
struct bandit_choice bandit_choose(const struct bandit *b, double u);

/* Learn from the answer f (0 or 1) to a label that was shown with probability p in (0, 1], for the
 * x of the last bandit_score.  Grows with the features.  O(size); SOBA full: O((K d)^2) when f = 1;
 * NSM: O(size K).  0, or -1 with err (line of x): memory, or a number that is not finite. */
int bandit_learn(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                 struct error *err);

/* The weights to predict with: K columns, two classes as well.  Newly made in `weights`; free with
 * weights_free. */
int bandit_weights(const struct bandit *b, struct weights *weights, struct error *err);

const struct labels *bandit_labels(const struct bandit *b);
const struct bandit_options *bandit_get_options(const struct bandit *b);
int64_t bandit_features(const struct bandit *b); /* the largest index that it has a weight for */

/* The noise rates in force. */
const double *bandit_rates(const struct bandit *b);

/* h(f) for these rates. */
double bandit_h(const double rho[2], int f);

/* Bytes of the state for K classes and d features. */
double bandit_bytes(const struct bandit_options *options, int64_t classes, int64_t d);

void bandit_free(struct bandit *b);

/* ---- the model file ---- */

/* What is not the learner's but must stand in the model, for going on and for prediction. */
struct bandit_file {
    double bias; /* < 0: none */
    bool unit_length, zero_based;
    int64_t seed;
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
