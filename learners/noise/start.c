/* Starting points of EM: counts of examples by label and by the class that they are taken for. */
#include "learners/noise/start.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"

#include <stdlib.h>
#include <string.h>

/* Of a class's examples: no reason but that it works. */
static const double start_anchors_share = 0.2;

int start_confident_joint(const struct em *em, double *c, struct error *err)
{
    const int64_t K = em->K;
    double *mean = memory_new(2 * K, sizeof *mean, err);
    if (!mean)
        return -1;
    double *count = mean + K;
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t i = 0; i < em->n; i++) {
        mean[em->y[i]] += em_weight(em, i) * em->p[i * K + em->y[i]];
        count[em->y[i]] += em_weight(em, i);
    }
    for (int64_t k = 0; k < K; k++)
        mean[k] = count[k] > 0 ? mean[k] / count[k] : 1;
    for (int64_t i = 0; i < em->n; i++) {
        const double *p = em->p + i * K;
        int64_t best = -1;
        for (int64_t k = 0; k < K; k++)
            if (p[k] >= mean[k] && (best < 0 || p[k] > p[best]))
                best = k;
        if (best >= 0)
            c[em->y[i] * K + best] += em_weight(em, i);
    }
    em_add_prior(c, K, em->prior);
    em_normalise(c, K);
    memory_free(mean);
    return 0;
}

void start_even_noise(const struct em *em, double *c)
{
    const int64_t K = em->K;
    double wrong = 0;
    for (int64_t i = 0; i < em->n; i++)
        if (weights_best(em->p + i * K, K) != em->y[i])
            wrong += em_weight(em, i);
    wrong /= em->total;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            c[k * K + q] = k == q ? 1 - wrong : wrong / (double)(K - 1);
}

static int start_descending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

int start_anchors(const struct em *em, double *c, struct error *err)
{
    const int64_t K = em->K;
    double *p = memory_new(em->n, sizeof *p, err);
    if (!p)
        return -1;
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t q = 0; q < K; q++) {
        double size = 0; /* examples that the class is expected to have */
        for (int64_t i = 0; i < em->n; i++)
            size += p[i] = em->p[i * K + q];
        qsort(p, (size_t)em->n, sizeof *p, start_descending);
        const double least = p[(int64_t)(start_anchors_share * size)];
        for (int64_t i = 0; i < em->n; i++)
            if (em->p[i * K + q] >= least)
                c[em->y[i] * K + q] += em_weight(em, i);
    }
    em_add_prior(c, K, em->prior);
    em_normalise(c, K);
    memory_free(p);
    return 0;
}

void start_identity(double *c, int64_t K)
{
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t k = 0; k < K; k++)
        c[k * K + k] = 1;
}
