/* Two passes: the first weighs each label by its score and sums the weights of each class; the
 * second scales up those of a class of which too little would be left. */
#include "learners/noise/label_weights.h"

#include "common/base/memory.h"
#include "learners/noise/suspicion.h"

double label_weights_unit(const double *weight, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight ? weight[i] : 1;
    return (double)n / total;
}

int label_weights(const struct label_noise *noise, const double *p, double *v, struct error *err)
{
    const int64_t n = noise->n, K = noise->classes;
    const int32_t *y = noise->y;
    const double unit = label_weights_unit(noise->weight, n);
    double *score = memory_new(2 * K, sizeof *score, err);
    if (!score)
        return -1;
    double *sum = score + K; /* of each class */
    const struct suspicion_weights weights = suspicion_weigh(noise->c, K, p, y, n,
                                                             noise->unexplained, false);
    for (int64_t i = 0; i < n; i++) {
        const double own = label_weights_own(noise->weight, unit, i);
        suspicion_scores(noise->c, K, p + i * K, y[i], &weights, score);
        v[i] = own * score[y[i]];
        sum[y[i]] += v[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = y[i];
        const double least = LABEL_WEIGHTS_LEAST * noise->share[k] * (double)n,
                     own = label_weights_own(noise->weight, unit, i);
        if (sum[k] > 0 && sum[k] < least)
            v[i] = v[i] * least < own * sum[k] ? v[i] * least / sum[k] : own;
    }
    memory_free(score);
    return 0;
}
