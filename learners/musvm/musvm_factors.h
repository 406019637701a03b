/* How much the cost C of each training sample is multiplied by: the factor of its class, which
 * words `label:factor` give, times its own weight. */
#ifndef LEARNERS_MUSVM_MUSVM_FACTORS_H
#define LEARNERS_MUSVM_MUSVM_FACTORS_H

#include "common/base/findings.h"
#include "common/data/labels.h"

/* Are these words `label:factor`, and is no label given two factors?  Whether there is such a class
 * is not known yet.  O(count^2).  0, or -1 with err, a usage error. */
int musvm_factors_check(const char *const *word, int count, struct error *err);

/* word    count words of -w, which pass the check; a class that none names has the factor 1
 * y       n: classes 0 .. labels->count - 1
 * weight  n, > 0; NULL: 1
 * to      told of labels that are no class
 * factor  out, n; NULL where there are neither words nor weights; free with memory_free
 * 0, or -1 with err: memory. */
int musvm_factors_make(const char *const *word, int count, const struct labels *labels,
                       const int32_t *y, const double *weight, int64_t n, const struct findings *to,
                       double **factor, struct error *err);

#endif
