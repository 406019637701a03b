/* The gain in log-likelihood and the agreement beyond chance (Cohen's kappa, its numerator) in one
 * pass over the examples, after the shares of the labels. */
#include "learners/noise/chance.h"

#include "common/base/memory.h"
#include "common/data/paired.h"
#include "common/linear/weights.h"

#include <math.h>

double chance_agreement(const double *count, int64_t K)
{
    double n = 0, agree = 0, expected = 0, both = 0;
    for (int64_t cell = 0; cell < K * K; cell++)
        n += count[cell];
    for (int64_t k = 0; k < K; k++) {
        double labelled = 0, decided = 0;
        for (int64_t l = 0; l < K; l++) {
            labelled += count[k * K + l] / n;
            decided += count[l * K + k] / n;
        }
        agree += count[k * K + k] / n;
        expected += labelled * decided;
        both += labelled * decided * (labelled + decided);
    }
    const double variance = (expected + expected * expected - both) / n;
    return variance > 0 ? (agree - expected) / sqrt(variance) : 0;
}

int chance_test(const struct em *em, const double *c, bool *by_chance, struct error *err)
{
    const int64_t K = em->K;
    double *count = memory_new(K * K, sizeof *count, err),
           *share = memory_new(K, sizeof *share, err);
    struct paired lead = {0};
    int status = -1;
    if (!count || !share)
        goto done;
    em_label_shares(em, share);
    for (int64_t i = 0; i < em->n; i++) {
        const int64_t y = em->y[i];
        const double weight = em_weight(em, i);
        paired_add(&lead, weight * (em_log_label(em, c, i) - em_log(share[y])));
        count[y * K + weights_best(em->p + i * K, K)] += weight;
    }
    *by_chance = paired_errors(&lead) < CHANCE_ERRORS && chance_agreement(count, K) < CHANCE_ERRORS;
    status = 0;
done:
    memory_free(count);
    memory_free(share);
    return status;
}
