/* How good a classifier's decisions are, by labels that may be wrong.
 *
 * Under one accuracy a of all decisions h, the label y of an example that the classifier has not
 * learnt from has the probability
 *
 *   P(y | h) = a C[y][h] + (1 - a) sum_{q /= h} C[y][q] / (K - 1)
 *
 * The likelihood of the labels at the best a says which of two classifiers to prefer.  Where a
 * decision is wrong each other class is equally likely to be the true one; so without noise the
 * more accurate of two classifiers that are better than chance (1/K) is preferred.  If they were
 * likely in proportion to their shares, an error in a rare class would count for more.
 *
 * Scores have no part in it: one that was not made for probabilities can be compared with one that
 * was. */
#ifndef LEARNERS_NOISE_DECISIONS_H
#define LEARNERS_NOISE_DECISIONS_H

#include "common/base/error.h"
#include "common/data/paired.h"

#include <stdint.h>

/* The mean of log P(y | h) at the likeliest a.
 *
 * count  K x K: count[y*K + h], (weights of) examples labelled y of which the classifier says h
 * c      K x K: C[k*K + q] = P(observed k | true q)
 * K is 2 at least, and some count above 0.  A label of probability 0 counts as one of 1e-300.
 * O(K^2). */
double decisions_likelihood(const double *count, int64_t K, const double *c);

/* What two classifiers say of the same examples. */
struct decisions {
    int64_t n, K;
    const int32_t *y;              /* n: labels */
    const int32_t *first, *second; /* n: decisions */
    const double *weight;          /* n: of the examples; NULL: 1 */
};

/* By how many standard errors of the difference the second one's decisions make the labels
 * likelier than those of the first, each at its likeliest a; 0 where they differ for no example.
 * workspace: 3 K x K.  O(n + K^2). */
double decisions_lead(const struct decisions *decisions, const double *c, double *workspace);

/* The scores of two classifiers, or their probabilities, for the same examples: the largest
 * decides. */
struct decisions_scores {
    int64_t n, K;
    const int32_t *y;             /* n: labels */
    const double *first, *second; /* n x K */
    const double *weight;         /* n: of the examples; NULL: 1 */
};

/* What is found of them, group of examples by group: 0 at first. */
struct decisions_tally {
    double first, second; /* log-likelihoods of the labels by the decisions of either, */
    double total;         /* and the sum of the weights */
    struct paired lead;   /* of the second, example by example */
};

/* Add a group, each classifier judged through a matrix of its own (K x K), at the accuracy that is
 * likeliest in the group.  Examples of weight 0, or no examples, add nothing.  0 or -1 (memory; the
 * tally is untouched). */
int decisions_add(const struct decisions_scores *scores, const double *first_c,
                  const double *second_c, struct decisions_tally *tally, struct error *err);

struct decisions_result {
    double first, second; /* the mean log-likelihoods of the labels by the decisions of either, */
    double lead;          /* and by how many standard errors the second's is larger */
};

/* Some weight was above 0. */
struct decisions_result decisions_result(const struct decisions_tally *tally);

/* Of one group and one matrix.  result: out.  0 or -1 (memory). */
int decisions_compare(const struct decisions_scores *scores, const double *c,
                      struct decisions_result *result, struct error *err);

#endif
