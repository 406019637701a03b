/* The temperature of the scores that EM starts from.
 *
 * It is that of the vertex of a parabola through the likelihoods of three neighbours on a grid of
 * its logarithm, the best of which is in the middle.  Where they are sought is told by the
 * likelihoods before EM: where probabilities are nearly 0 or 1, those of neighbours may be level. A
 * derivative would have to go through the steps of EM. */
#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "learners/noise/em.h"

#include <math.h>
#include <string.h>

enum {
    EM_EXPONENTS = 25, /* on the grid, for temperatures from 2^-1 to 2^5, */
    EM_COARSE = 4      /* and from one to the next before EM: no reason but that they work */
};
/* The first exponent of the grid, and from one to the next: test_em.c finds the temperature within
 * a hundredth of an exponent. */
static const double em_lowest_exponent = -1, em_stride = 0.25;

/* The same on every machine, where libm's exp2 may differ. */
static double em_two_to(double exponent)
{
    return elementary_exp(0.6931471805599453 * exponent);
}

static double em_exponent(int at)
{
    return em_lowest_exponent + em_stride * at;
}

/* The likelihood at the temperature 2^exponent after some steps from `start`; em->trial: out, the
 * matrix then. */
static double em_try_exponent(struct em *em, const double *s, const double *start, double exponent,
                              int64_t steps)
{
    double *c = em->trial;
    memcpy(c, start, (size_t)(em->K * em->K) * sizeof *c);
    double likelihood = em_probabilities(em, s, c, em_two_to(exponent));
    for (int64_t step = 0; step < steps; step++)
        em_step(em, c, FOLDS_ALL, step == steps - 1 ? &likelihood : NULL);
    return likelihood;
}

/* em_try_exponent, unless it has been tried. */
static double em_try_once(struct em *em, const double *s, const double *start, int at,
                          int64_t steps, double likelihood[EM_EXPONENTS])
{
    if (isnan(likelihood[at]))
        likelihood[at] = em_try_exponent(em, s, start, em_exponent(at), steps);
    return likelihood[at];
}

/* The best of a few exponents before any step of EM. */
static int em_find_exponent(struct em *em, const double *s, const double *start)
{
    double largest = -INFINITY;
    int best = 0;
    for (int at = 0; at < EM_EXPONENTS; at += EM_COARSE) {
        const double likelihood = em_try_exponent(em, s, start, em_exponent(at), 0);
        if (likelihood > largest) {
            largest = likelihood;
            best = at;
        }
    }
    return best;
}

/* The best exponent of the grid, climbing from that.  likelihood: out: of those that were tried,
 * its neighbours among them; NAN: of the others. */
static int em_climb_exponents(struct em *em, const double *s, const double *start, int64_t steps,
                              double likelihood[EM_EXPONENTS])
{
    int at, best = em_find_exponent(em, s, start);
    for (int i = 0; i < EM_EXPONENTS; i++)
        likelihood[i] = NAN;
    double largest = em_try_once(em, s, start, best, steps, likelihood);
    do {
        at = best;
        for (int i = at - 1; i <= at + 1; i += 2)
            if (i >= 0 && i < EM_EXPONENTS
                && em_try_once(em, s, start, i, steps, likelihood) > largest) {
                largest = likelihood[i];
                best = i;
            }
    } while (best != at);
    return at;
}

/* Where a parabola through three points one apart has its vertex, from that in the middle, which is
 * the highest. */
static double em_vertex(double left, double middle, double right)
{
    const double bend = left - 2 * middle + right;
    return bend < 0 ? 0.5 * (left - right) / bend : 0;
}

double em_temperature(struct em *em, const double *s, const double *start, int64_t steps, double *c,
                      double *temperature)
{
    double tried[EM_EXPONENTS];
    const int at = em_climb_exponents(em, s, start, steps, tried);
    double exponent = em_exponent(at);
    if (at > 0 && at + 1 < EM_EXPONENTS)
        exponent += em_stride * em_vertex(tried[at - 1], tried[at], tried[at + 1]);
    const double likelihood = em_try_exponent(em, s, start, exponent, steps);
    if (c)
        memcpy(c, em->trial, (size_t)(em->K * em->K) * sizeof *c);
    *temperature = em_two_to(exponent);
    return likelihood;
}

void em_log_labels(struct em *em, const double *s, const double *c, double *log)
{
    double temperature;
    em_temperature(em, s, c, 0, NULL, &temperature);
    for (int64_t i = 0; i < em->n; i++)
        log[i] = em_log_label(em, c, i);
}

double *em_calibrate(int64_t n, int64_t K, const int32_t *y, const double *weight, int threads,
                     const double *c, double *s, double *temperature, struct error *err)
{
    struct em em;
    double *p = NULL;
    if (em_start(&em, n, K, y, NULL, threads, err) == 0) {
        em_weigh(&em, weight);
        em_level_all(n, K, s);
        em_temperature(&em, s, c, 0, NULL, temperature);
        p = em.p;
        em.p = NULL;
    }
    em_free(&em);
    return p;
}
