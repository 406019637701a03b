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

int held_out_judge(const struct held_out_scores *of, int threads, struct held_out *judged,
                   struct error *err)
{
    const int64_t n = of->n, K = of->K, columns = weights_columns(K);
    struct calibration calibration = {0};
    double agreed = 0, total = 0, by_posterior = 0, by_inverse = 0, log_likelihood = 0, rcond;
    double *s = memory_new(3 * K + K * K, sizeof *s, err);
    int status = -1;
    assert(n > 0);
    if (!s)
        return -1;
    double *p = s + K, *r = p + K, *inverse = r + K;
    if (dense_invert(K, of->c, inverse, &rcond, threads, err) != 0)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        const int32_t y = of->y[i];
        const double weight = of->weight ? of->weight[i] : 1;
        em_put_scores(of->scores + i * columns, K, s);
        log_likelihood += weight * em_log_likelihood(of->c + y * K, K, s, of->temperature, p);
        em_posterior(of->c, K, p, y, r);
        const int64_t class = weights_best(s, K);
        agreed += class == y;
        total += weight;
        by_posterior += weight * r[class];
        by_inverse += weight * inverse[class * K + y];
        calibration_add(&calibration, of->c, K, p, class, y, weight);
    }
    double right = by_posterior;
    if (rcond * CONFUSION_DOUBTFUL_CONDITION >= 1)
        right = fmin(right, fmax(by_inverse, 0));
    /* Where all is certain, 0 and not -0. */
    const double log_loss = log_likelihood < 0 ? -log_likelihood / total : 0;
    *judged = (struct held_out){.agreed = agreed / (double)n,
                                .true_error = 1 - right / total,
                                .log_loss = log_loss,
                                .calibration = calibration_error(&calibration)};
    status = 0;
done:
    memory_free(s);
    return status;
}
