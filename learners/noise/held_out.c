/* Log-loss, errors and calibration are summed in one pass over the examples. */
#include "learners/noise/held_out.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"
#include "learners/noise/calibration.h"
#include "learners/noise/em.h"

#include <assert.h>

int held_out_judge(const double *scores, const int32_t *y, int64_t n, int64_t K, const double *c,
                   double temperature, struct held_out *out, struct error *err)
{
    struct calibration calibration = {0};
    const int64_t columns = weights_columns(K);
    double agreed = 0, true_right = 0, log_likelihood = 0;
    double *s = memory_new(3 * K, sizeof *s, err);
    assert(n > 0);
    if (!s)
        return -1;
    double *p = s + K, *r = p + K;
    for (int64_t i = 0; i < n; i++) {
        em_put_scores(scores + i * columns, K, s);
        log_likelihood += em_log_likelihood(c + y[i] * K, K, s, temperature, p);
        em_posterior(c, K, p, y[i], r);
        const int64_t class = weights_best(s, K);
        agreed += class == y[i];
        true_right += r[class];
        calibration_add(&calibration, c, K, p, class, y[i], 1);
    }
    *out = (struct held_out){.agreed = agreed / (double)n,
                             .true_error = 1 - true_right / (double)n,
                             .log_loss = -log_likelihood / (double)n,
                             .calibration = calibration_error(&calibration)};
    memory_free(s);
    return 0;
}
