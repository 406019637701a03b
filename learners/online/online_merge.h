/* One model from several that learnt on parts of the data: AROW, its hinge version or CW with
 * diagonal covariance.
 *
 * mu_k, s_k: weights and variances of part k = 1 .. n; mu_0, s_0: what all parts went on from (a
 * base model, or 0 and 1).
 *   delta    D_k = 1/s_k - 1/s_0:  1/s = 1/s_0 + sum D_k,  mu = mu_0 + sum D_k (mu_k - mu_0) / sum
 *            D_k
 *   average  mu = mean mu_k,  1/s = mean 1/s_k
 *            (iterative parameter mixing)
 *   product  P = sum 1/s_k - (n-1)/s_0:  1/s = P,  mu = (sum mu_k/s_k - (n-1) mu_0/s_0) / P
 *
 * delta and product are associative and commutative (up to rounding) as long as all parts have the
 * same base; average is not associative.  product is for one round only: going on from a merged
 * model, it adds up the parts' shifts and overshoots.  Precisions add exactly given which examples
 * were updated, so the merged covariance is that of one pass but for those. */
#ifndef LEARNERS_ONLINE_ONLINE_MERGE_H
#define LEARNERS_ONLINE_ONLINE_MERGE_H

#include "learners/online/online.h"

enum online_merge_rule { ONLINE_MERGE_DELTA, ONLINE_MERGE_AVERAGE, ONLINE_MERGE_PRODUCT };
extern const char *const online_merge_rules[]; /* names, NULL-terminated */

/* An accumulator; add parts one after the other, so only one part is in memory at a time. */
struct online_merge;

/* base: borrowed until the end; NULL: parts that started from nothing. */
struct online_merge *online_merge_new(enum online_merge_rule rule, const struct online *base,
                                      struct error *err);

/* Add a part.  -1 with a reason when it does not agree with the first (learner, options, classes)
 * or has no diagonal covariance. */
int online_merge_add(struct online_merge *merge, const struct online *part, struct error *err);

/* The merged learner, newly made; its counts are the base's plus what each part added. */
struct online *online_merge_finish(struct online_merge *merge, struct error *err);

void online_merge_free(struct online_merge *merge);

#endif
