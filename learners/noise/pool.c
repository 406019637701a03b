/* The maximum is sought by halving the interval on whose ends the slopes have unlike signs. */
#include "learners/noise/pool.h"

#include "common/base/memory.h"

enum { POOL_HALVINGS = 30 }; /* t to some 1e-9: far finer than n labels can tell */

/* The likelihoods of the labels by both. */
struct pool_likelihoods {
    const struct label_noise *noise;
    double *by_p, *by_q; /* n */
};

static double pool_likelihood(const struct label_noise *noise, const double *p, int64_t i)
{
    const int64_t K = noise->classes;
    const double *row = noise->c + noise->y[i] * K;
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += row[k] * p[i * K + k];
    return sum;
}

/* The derivative by t.  Labels that both take for impossible tell nothing. */
static double pool_slope(const struct pool_likelihoods *l, double t)
{
    double sum = 0;
    for (int64_t i = 0; i < l->noise->n; i++) {
        const double weight = l->noise->weight ? l->noise->weight[i] : 1;
        if (weight > 0 && (l->by_p[i] > 0 || l->by_q[i] > 0))
            sum += weight * (l->by_p[i] - l->by_q[i]) / (t * l->by_p[i] + (1 - t) * l->by_q[i]);
    }
    return sum;
}

static double pool_share(const struct pool_likelihoods *l)
{
    double low = 0, high = 1;
    if (pool_slope(l, 1) >= 0)
        return 1;
    if (pool_slope(l, 0) <= 0)
        return 0;
    for (int halving = 0; halving < POOL_HALVINGS; halving++) {
        const double middle = (low + high) / 2;
        if (pool_slope(l, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

int pool_probabilities(const struct label_noise *noise, double *p, const double *q, double *t,
                       struct error *err)
{
    const int64_t n = noise->n;
    double *by_p = memory_new(2 * n, sizeof *by_p, err);
    if (!by_p)
        return -1;
    const struct pool_likelihoods l = {noise, by_p, by_p + n};
    for (int64_t i = 0; i < n; i++) {
        l.by_p[i] = pool_likelihood(noise, p, i);
        l.by_q[i] = pool_likelihood(noise, q, i);
    }
    *t = pool_share(&l);
    memory_free(by_p);
    for (int64_t cell = 0; cell < n * noise->classes && *t < 1; cell++)
        p[cell] = *t * p[cell] + (1 - *t) * q[cell];
    return 0;
}
