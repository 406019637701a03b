/* The confusion matrix C of noisy labels by EM, from the scores that classifiers give the examples.
 *
 *   p_i = softmax(t s_i)             probabilities of the true class: s scores, t a temperature
 *   q_i = sum_k C[y_i][k] p_ik       probability of the label y_i that was observed
 *   E    r_ik = C[y_i][k] p_ik / q_i     posterior of the true class
 *   M    C[l][k] = sum of r_ik over the examples observed as l, plus the prior; columns normalised;
 *        and, if asked for, led by their diagonals
 *
 * The scores are cross-fitted (crossfit.h), so the mean of log q_i is the held-out likelihood of
 * the labels: it tells without a clean label which C, t and penalty are good.  Without t it would
 * favour a weak penalty for its larger scores, and EM would mistake the low confidence under a
 * strong one for noise.
 *
 * Several ranks (reduce.h) hold the same examples and call these functions together; a step's
 * counts are shared among them.
 *
 * A column is led by its diagonal if no wrong label of the class is likelier than the right one.
 * Labels do not tell which class is which; this assumption does.  Without it EM may end with a
 * class of few examples that has taken some of a larger one, those most like its own: the larger
 * one's label, a wrong one, then leads its column.
 *
 * The prior is a number of pseudo-examples added to each column.  The same share of them is
 * labelled right as of all examples; the rest is spread evenly over the other labels. */
#ifndef LEARNERS_NOISE_EM_H
#define LEARNERS_NOISE_EM_H

#include "common/base/error.h"
#include "common/data/folds.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    EM_BLOCK = 1024,    /* examples in a partial sum of log-likelihoods */
    EM_TEMPERATURES = 3 /* 1/2, 1 and 2 */
};

extern const double em_temperatures[EM_TEMPERATURES];

struct em {
    int64_t n, K;
    const int32_t *y;     /* n: observed classes, borrowed */
    const int64_t *fold;  /* n, borrowed; NULL: em_step is not called */
    const double *weight; /* n, borrowed; NULL: 1 */
    const int64_t *first; /* n, borrowed: the first of each one's group (folds.h), for
                             design_effect.h; NULL, as at first: there are none */
    double unit;          /* an example counts unit times its weight */
    double total;         /* the sum of what the examples count */
    int threads;
    double prior;   /* pseudo-examples per class; may be changed at any time */
    bool leads;     /* diagonals are to lead; may be changed at any time */
    double *p;      /* n x K: probabilities of the true classes at the last temperature; NULL
                       while given back */
    int64_t parts;  /* of the examples, with counts of their own */
    double *counts; /* workspace, parts x (K*K + 1); NULL without folds, or while given back */
    double *blocks; /* workspace, a sum for each block */
    double *trial;  /* workspace, K x K */
};

/* EM of n examples with the labels y and, if em_step is to be called, their folds.  em: out, with
 * room for p, and without a prior; free with em_free, also after an error.  0 or -1. */
int em_start(struct em *em, int64_t n, int64_t K, const int32_t *y, const int64_t *fold,
             int threads, struct error *err);

/* From now on examples count in all sums with these weights, > 0 (NULL: 1), scaled: they sum to as
 * many examples without weights as would tell as much, (sum w)^2 / sum w^2 (Kish 1965), which is
 * what the prior and the standard errors are to be compared with. */
void em_weigh(struct em *em, const double *weight);

/* Free p and counts while they are not needed, and allocate them again: 0 or -1.  What p held is
 * lost. */
void em_give_back(struct em *em);
int em_take(struct em *em, struct error *err);

static inline double em_weight(const struct em *em, int64_t i)
{
    return em->weight ? em->unit * em->weight[i] : 1;
}

/* log of the probability of a label, where less than 1e-300 counts as 1e-300. */
double em_log(double probability);

/* P(observed) from the row C[y] and the probabilities of an example, never 0. */
double em_observed(const double *row, int64_t K, const double *p);

/* Log of the probability of the label of example i by c and em->p. */
double em_log_label(const struct em *em, const double *c, int64_t i);

/* r: out, K: the posterior of the true class of an example observed as y.  c: K x K. */
void em_posterior(const double *c, int64_t K, const double *p, int32_t y, double *r);

/* Shares of the true classes among the examples: the mean of r over them.  share: out, K. */
void em_shares(const struct em *em, const double *c, double *share);

/* Shares of the labels among the examples.  share: out, K. */
void em_label_shares(const struct em *em, double *share);

/* Subtract the largest of K scores from all of them; the same of each of n examples. */
void em_level_scores(int64_t K, double *s);
void em_level_all(int64_t n, int64_t K, double *s);

/* s: out, K scores, less the largest, from those of a model's columns: one column for two classes,
 * of the second. */
void em_put_scores(const double *columns, int64_t K, double *s);

/* p: in: K probabilities; out: the scores that they are of, logarithms less the largest. */
void em_score_probabilities(int64_t K, double *p);

/* log P(observed) at a temperature.  row: C[y]; s: K scores, the largest is 0; p: out, K. */
double em_log_likelihood(const double *row, int64_t K, const double *s, double temperature,
                         double *p);

/* Add to sum[t] the log-likelihood of an example, times its weight, at each of three temperatures:
 * 1/2, 1 and 2.  The exponentials at one are the squares of those before.  row, s: as above; e: K,
 * workspace. */
void em_add_likelihoods(int64_t K, const double *row, const double *s, double weight, double *e,
                        double sum[EM_TEMPERATURES]);

/* Set em->p from scores s (n x K, the largest of each example 0) at a temperature.  Returns the
 * mean log-likelihood with c. */
double em_probabilities(struct em *em, const double *s, const double *c, double temperature);

/* One EM step for c with em->p, without the examples of fold left_out (FOLDS_ALL: with all).
 * likelihood: out, the log-likelihood before it, summed over these examples and divided by the
 * total of all; NULL: not wanted, which saves half of the time. */
void em_step(const struct em *em, double *c, int64_t left_out, double *likelihood);

/* The temperature, from 1/2 to 32, at which the labels are likeliest, after `steps` steps of EM
 * from `start` at each temperature tried; em->p is left at that temperature.
 *
 * c            out, K x K: the matrix after these steps; may be `start`; NULL: not wanted
 * temperature  out
 * Returns the mean log-likelihood before the last step (steps = 0: with `start`). */
double em_temperature(struct em *em, const double *s, const double *start, int64_t steps, double *c,
                      double *temperature);

/* Log-probabilities of the labels by c at its best temperature, at which em->p is left.  log: out,
 * n. */
void em_log_labels(struct em *em, const double *s, const double *c, double *log);

/* The probabilities, n x K, by any scores at the temperature that makes the labels likeliest; to be
 * freed with memory_free, or NULL with err.  s: n x K, in and out: the largest of each example
 * becomes 0. */
double *em_calibrate(int64_t n, int64_t K, const int32_t *y, const double *weight, int threads,
                     const double *c, double *s, double *temperature, struct error *err);

/* Add the prior's pseudo-examples to counts (K x K) of labels by true class. */
void em_add_prior(double *counts, int64_t K, double prior);

/* Scale each column to the sum 1. */
void em_normalise(double *counts, int64_t K);

/* c: in, columns normalised; out, of all matrices whose columns are led by their diagonals the one
 * that makes counts like c likeliest: the diagonal and the entries above their mean with it become
 * this mean (isotonic regression; Robertson, Wright and Dykstra 1988).  Returns whether there was
 * anything to change. */
bool em_let_lead(double *c, int64_t K);

/* Bytes of all that em_start allocates, with folds. */
double em_bytes(int64_t n, int64_t K);

void em_free(struct em *em);

#endif
