/* How likely the label of an example is right, and in which order to look at labels.
 *
 *   r       posterior of the given label through the confusion matrix C: noise that depends on the
 *           class
 *   h       (1 + m) / 2, m = p_y - max of the other p: the margin without C, for noise that depends
 *           on the example.  C cannot see such noise: it comes out near the identity, and r near 1
 *   score   r^(1-a) h^a, with a = v (1 - u) / 2.  u is the part of the disagreement between labels
 *           and probabilities that C explains: sum of 1 - r over sum of 1 - p_y, at most 1 (and 1
 *           where nothing disagrees).  What C leaves unexplained is either noise or the
 *           classifier's own doubt; the labels cannot tell which, so the margin counts for half of
 *           it.  v is the part of the differences between the labels and p through C that is not
 *           chance (calibration.h), at least 0.1: where all of it is chance, C and p say all, and
 *           examples near the boundary are not to be called wrong.
 *   rank    log score, where the probabilities are estimated from features; for given ones
 *           (log r + log h) / 2 + 0.1 log r/(1-r).  No fit has adapted these to C, so that an order
 *           by both kinds of noise alike is safer; and the odds go on where r is near 1 or h near
 *           0, as networks have many such
 *
 * The likeliest class is that whose r^(1-a) h^a is largest; below a score of 1/2, which need not
 * mean that another class has more, the likeliest of the others is suggested.
 *
 * Measured (experiments/forward/choices.md) against r, p_y, m, their products and sums, and
 * confident learning: on people's verdicts and with five kinds of injected noise. */
#ifndef LEARNERS_NOISE_SUSPICION_H
#define LEARNERS_NOISE_SUSPICION_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct suspicion {
    double score, rank;
    int64_t i;                /* the example */
    int32_t suggested, other; /* the likeliest class, and the likeliest but the given one */
};

struct suspicion_weights {
    double margin; /* a */
    bool p_given;  /* the probabilities are another classifier's */
};

/* Sums over examples that the weights depend on. */
struct suspicion_sums {
    double explained, disagreement; /* of 1 - r, of 1 - p_y */
};

/* Add an example.  p: K probabilities of the true classes; y: its label. */
void suspicion_add(struct suspicion_sums *sums, const double *c, int64_t K, const double *p,
                   int32_t y);

/* The weights; unexplained and p_given: as below. */
struct suspicion_weights suspicion_settle(const struct suspicion_sums *sums, double unexplained,
                                          bool p_given);

/* The weights for an estimate.
 *
 * c            K x K
 * p            n x K: probabilities of the true classes at the temperature that goes with c
 * y            n: classes
 * unexplained  v, as the estimate has it
 * p_given      are they those of another classifier? */
struct suspicion_weights suspicion_weigh(const double *c, int64_t K, const double *p,
                                         const int32_t *y, int64_t n, double unexplained,
                                         bool p_given);

/* score: out, K: r^(1-a) h^a of each class.  p: K, as above. */
void suspicion_scores(const double *c, int64_t K, const double *p, int32_t y,
                      const struct suspicion_weights *weights, double *score);

/* Of example i.  p: K, as above; plain: K, the probabilities whose margin counts (they may be p);
 * r: workspace, K. */
struct suspicion suspicion_of(int64_t i, const double *c, int64_t K, const double *p,
                              const double *plain, int32_t y,
                              const struct suspicion_weights *weights, double *r);

/* Sort by rank, the most suspicious first, and settle the scores: smooth them, by the mean of
 * neighbours that fall, their least squares fit (pool adjacent violators), which keeps their sum;
 * then add one example whose score rises evenly from 0 to 1 along the list, as n examples tell
 * little of rarer things, and so that each score is larger than the one before.  Below 1/2 `other`
 * is suggested.  0 or -1. */
int suspicion_sort(struct suspicion *list, int64_t n, struct error *err);

#endif
