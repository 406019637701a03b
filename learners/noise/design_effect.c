/* Residuals are summed at the first example of each group. */
#include "learners/noise/design_effect.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"

int design_effect_find(const struct em *em, const double *c, double *effect, struct error *err)
{
    const int64_t n = em->n, K = em->K;
    double squares = 0, together = 0;
    *effect = 1;
    if (!em->first)
        return 0;
    double *sum = memory_new(n, sizeof *sum, err); /* of each group, at its first example */
    if (!sum)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        const double *p = em->p + i * K;
        const int64_t a = weights_best(p, K);
        const double e = em_weight(em, i) * ((a == em->y[i]) - em_observed(c + a * K, K, p));
        sum[em->first[i]] += e;
        squares += e * e;
    }
    for (int64_t i = 0; i < n; i++)
        together += sum[i] * sum[i];
    if (together > squares)
        *effect = together / squares;
    memory_free(sum);
    return 0;
}
