/* Standard errors of noise rates, from the information matrix.
 *
 * A rate w_k = 1 - c[k][k] moves its column: the diagonal by -1, the others in proportion.  The
 * log-likelihood of an example, log q with q = sum_k c[y][k] p_k, then has the slope
 *
 *   g_k = p_k/q * (-1 where y = k, else c[y][k] / w_k)
 *
 * and the information is the sum of g g' over the examples plus, on the diagonal, that of the
 * prior's examples.  The prior comes from all examples as if all classes had one rate; so its part
 * is limited to what the examples tell of one rate, the sum of all entries of the former.  And as
 * only K - 1 other classes tell how alike rates are, it is limited to K - 1 times what the examples
 * tell of the class itself, or to the least prior: a large class says little of the rate of one
 * rare class beside it (experiments/forward/choices.md).  The inverse holds the variances; they
 * take the scores as known, so they are too small where the classifier has learnt the noise. */
#include "learners/noise/reliability.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"

#include <math.h>

/* A slope below this adds less than a millionth of what a sure example does; most are, of many
 * classes, and leaving them out makes the sum O(n K) instead of O(n K^2). */
static const double reliability_least_slope = 1e-3;

/* Of the log-likelihood of an example observed as y; slope: out, K; about: out, the classes whose
 * slope counts.  Returns how many these are. */
static int64_t reliability_slopes(const double *c, int64_t K, const double *p, int32_t y,
                                  double *slope, int64_t *about)
{
    const double *row = c + y * K, q = em_observed(row, K, p);
    int64_t count = 0;
    for (int64_t k = 0; k < K; k++) {
        const double wrong = 1 - c[k * K + k];
        double change = 0;
        if (y == k)
            change = -1;
        else if (wrong > 0)
            change = row[k] / wrong;
        slope[k] = p[k] / q * change;
        if (fabs(slope[k]) > reliability_least_slope)
            about[count++] = k;
    }
    return count;
}

/* information: K x K, zero; out.  slope, about: workspace, K. */
static void reliability_inform(const struct em *em, const double *c, const double *share,
                               double *information, double *slope, int64_t *about)
{
    const int64_t K = em->K;
    double common = 0; /* what the examples tell of one rate */
    /* No more pseudo-examples than there are examples that they come from. */
    const double prior = em->prior < em->total ? em->prior : em->total;
    for (int64_t i = 0; i < em->n; i++) {
        const int64_t count = reliability_slopes(c, K, em->p + i * K, em->y[i], slope, about);
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < count; b++)
                information[about[a] * K + about[b]] += em_weight(em, i) * slope[about[a]]
                                                        * slope[about[b]];
    }
    for (int64_t cell = 0; cell < K * K; cell++)
        common += information[cell];
    for (int64_t k = 0; k < K; k++) {
        double *own = &information[k * K + k];
        /* Laplace's rule: no wrong label among m examples does not say that the rate is 0. */
        const double least = 1 / (share[k] * em->total + prior + 2);
        double rate = 1 - c[k * K + k];
        if (rate < least)
            rate = least;
        else if (rate > 1 - least)
            rate = 1 - least;
        /* The least prior, at a rate of 1/2, where examples tell least: that of the class may be
         * wrong. */
        const double least_prior = 4 * EM_FIRST_PRIOR;
        const double alike = fmax((double)(K - 1) * *own, least_prior);
        *own += fmin(prior / (rate * (1 - rate)), fmin(common, alike));
    }
}

int reliability_standard_errors(const struct em *em, const double *c, const double *share,
                                double *standard_error, struct error *err)
{
    const int64_t K = em->K;
    double *information = NULL, *inverse = NULL, *slope = NULL, rcond;
    int64_t *about = NULL;
    int status = -1;
    if (!(information = memory_new(K * K, sizeof *information, err))
        || !(inverse = memory_new(K * K, sizeof *inverse, err))
        || !(slope = memory_new(K, sizeof *slope, err))
        || !(about = memory_new(K, sizeof *about, err)))
        goto done;
    reliability_inform(em, c, share, information, slope, about);
    if (dense_invert(K, information, inverse, &rcond, em->threads, err) != 0)
        goto done;
    for (int64_t k = 0; k < K; k++) {
        const double variance = inverse[k * K + k];
        standard_error[k] = rcond > 0 && variance > 0 && variance < 1 ? sqrt(variance) : 1;
    }
    status = 0;
done:
    memory_free(about);
    memory_free(slope);
    memory_free(inverse);
    memory_free(information);
    return status;
}

double reliability_rival(const double *c, int64_t K, int64_t k)
{
    double rival = 0;
    for (int64_t l = 0; l < K; l++)
        if (l != k && c[l * K + k] > rival)
            rival = c[l * K + k];
    return rival;
}

bool reliability_is_rivalled(const double *c, int64_t K, int64_t k, double standard_error)
{
    const double right = c[k * K + k], rival = reliability_rival(c, K, k);
    /* What an error of 1 in the rate takes from the lead: 1 from the right label, and it gives the
     * rival its part of the rate. */
    const double lever = 1 + (right < 1 ? rival / (1 - right) : 0);
    return right - rival < CHANCE_ERRORS * standard_error * lever;
}
