/* Log-loss, errors and calibration are summed in one pass over the examples. */
#include "learners/noise/held_out.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "common/linear/weights.h"
#include "common/model/confusion.h"
#include "learners/noise/calibration.h"
#include "learners/noise/em.h"

#include <assert.h>
#include <math.h>

int held_out_judge(const double *scores, const int32_t *y, int64_t n, int64_t K, const double *c,
                   double temperature, int threads, struct held_out *out, struct error *err)
{
    struct calibration calibration = {0};
    const int64_t columns = weights_columns(K);
    double agreed = 0, by_posterior = 0, by_inverse = 0, log_likelihood = 0, rcond;
    double *s = memory_new(3 * K + K * K, sizeof *s, err);
    int status = -1;
    assert(n > 0);
    if (!s)
        return -1;
    double *p = s + K, *r = p + K, *inverse = r + K;
    if (dense_invert(K, c, inverse, &rcond, threads, err) != 0)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        em_put_scores(scores + i * columns, K, s);
        log_likelihood += em_log_likelihood(c + y[i] * K, K, s, temperature, p);
        em_posterior(c, K, p, y[i], r);
        const int64_t class = weights_best(s, K);
        agreed += class == y[i];
        by_posterior += r[class];
        by_inverse += inverse[class * K + y[i]];
        calibration_add(&calibration, c, K, p, class, y[i], 1);
    }
    double right = by_posterior;
    if (rcond * CONFUSION_DOUBTFUL_CONDITION >= 1)
        right = fmin(right, fmax(by_inverse, 0));
    *out = (struct held_out){.agreed = agreed / (double)n,
                             .true_error = 1 - right / (double)n,
                             .log_loss = -log_likelihood / (double)n,
                             .calibration = calibration_error(&calibration)};
    status = 0;
done:
    memory_free(s);
    return status;
}
