/* Merging models that were learnt from parts of the data: AROW, its hinge version or CW with
 * diagonal covariance.
 *
 *   mu_k, s_k   weights and variances of part k = 1 .. n
 *   mu_0, s_0   where all parts started: a base model, or 0 and 1
 *
 *   delta       D_k = 1/s_k - 1/s_0, the precision that part k has added:
 *               1/s = 1/s_0 + sum D_k,  mu = mu_0 + sum D_k (mu_k - mu_0) / sum D_k
 *   average     1/s = mean of 1/s_k,  mu = mean of mu_k          (iterative parameter mixing)
 *   product     1/s = P = sum 1/s_k - (n-1)/s_0,
 *               mu = (sum mu_k/s_k - (n-1) mu_0/s_0) / P         (product of Gaussians)
 *
 * For given updates, precisions add up exactly: the merged covariance differs from that of one pass
 * only where other examples led to updates.  delta and product are associative and commutative (up
 * to rounding) as long as all parts have the same base; average is not associative.  product is for
 * parts without a base: repeated from a merged model, it overshoots. */
#ifndef LEARNERS_ONLINE_ONLINE_MERGE_H
#define LEARNERS_ONLINE_ONLINE_MERGE_H

#include "learners/online/online.h"

enum online_merge_rule { ONLINE_MERGE_DELTA, ONLINE_MERGE_AVERAGE, ONLINE_MERGE_PRODUCT };
extern const char *const online_merge_rules[]; /* names, NULL-terminated */

/* An accumulator: parts are added one by one, so that only one is in memory at a time. */
struct online_merge;

/* base: borrowed until online_merge_free; NULL: the parts started from scratch.  NULL with err:
 * memory, or a base that cannot be merged, as below. */
struct online_merge *online_merge_new(enum online_merge_rule rule, const struct online *base,
                                      struct error *err);

/* Add a part.  -1 with a reason when it does not agree with the first (learner, options, classes),
 * has no diagonal covariance, or one with a variance of 0; when it did not go on from the base; or
 * memory. */
int online_merge_add(struct online_merge *merge, const struct online *part, struct error *err);

/* The merged learner; free it.  Its counts are those of the base plus what each part added.  NULL
 * with err: memory. */
struct online *online_merge_finish(struct online_merge *merge, struct error *err);

void online_merge_free(struct online_merge *merge);

#endif
