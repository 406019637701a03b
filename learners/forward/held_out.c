/* One pass over the examples.  Bins are of equal width in the largest q. */
#include "learners/forward/held_out.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"
#include "learners/forward/em.h"

#include <assert.h>
#include <math.h>

enum { HELD_OUT_BINS = 15 }; /* Guo et al.'s */

struct held_out_bin {
    double right, confidence; /* sums over its examples */
};

/* The largest q, and whether it is the label's. */
static double held_out_confidence(const double *c, int64_t K, const double *p, int32_t y,
                                  bool *right)
{
    double most = 0;
    for (int64_t k = 0; k < K; k++) {
        const double q = em_observed(c + k * K, K, p);
        if (q > most) {
            most = q;
            *right = k == y;
        }
    }
    return most;
}

int held_out_judge(const double *scores, const int32_t *y, int64_t n, int64_t K, const double *c,
                   double temperature, struct held_out *out, struct error *err)
{
    struct held_out_bin bins[HELD_OUT_BINS] = {{0}};
    const int64_t columns = weights_columns(K);
    double agreed = 0, true_right = 0, log_likelihood = 0, off = 0;
    double *s = memory_new(3 * K, sizeof *s, err);
    assert(n > 0);
    if (!s)
        return -1;
    double *p = s + K, *r = p + K;
    for (int64_t i = 0; i < n; i++) {
        bool right = false;
        em_put_scores(scores + i * columns, K, s);
        log_likelihood += em_log_likelihood(c + y[i] * K, K, s, temperature, p);
        em_posterior(c, K, p, y[i], r);
        const int64_t class = weights_best(s, K);
        agreed += class == y[i];
        true_right += r[class];
        const double confidence = held_out_confidence(c, K, p, y[i], &right);
        const int bin = (int)(confidence * HELD_OUT_BINS);
        struct held_out_bin *b = &bins[bin < HELD_OUT_BINS ? bin : HELD_OUT_BINS - 1];
        b->right += right;
        b->confidence += confidence;
    }
    for (int bin = 0; bin < HELD_OUT_BINS; bin++)
        off += fabs(bins[bin].right - bins[bin].confidence);
    *out = (struct held_out){.agreed = agreed / (double)n,
                             .true_error = 1 - true_right / (double)n,
                             .log_loss = -log_likelihood / (double)n,
                             .calibration = off / (double)n};
    memory_free(s);
    return 0;
}
