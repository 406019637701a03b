/* Each prior is tried on each fold, from the same matrix on. */
#include "learners/noise/em_prior.h"

#include "common/base/memory.h"
#include "common/data/folds.h"
#include "common/data/paired.h"

#include <math.h>
#include <string.h>

/* The priors that are tried, in examples a class.  Measured (experiments/forward/choices.md): with
 * uniform noise a column has an error of 0.01 to 0.07 by the first of them, and of 0.007 to 0.03 by
 * the one that is chosen; with class-dependent noise the first is chosen on three sets of four. */
static const double em_priors[] = {EM_FIRST_PRIOR, 100, EM_LAST_PRIOR};

void em_leave_out(const struct em *em, int64_t fold, double *c)
{
    for (int step = 0; step < EM_STEPS; step++)
        em_step(em, c, fold, NULL);
}

/* Log-likelihoods of each fold's labels through what EM makes of the other folds, from `start`.
 *
 * plain  n: subtracted from them; NULL: 0
 * trial  workspace, K x K */
static struct paired em_gain_held_out(const struct em *em, const double *start, const double *plain,
                                      double *trial)
{
    const int64_t K = em->K;
    struct paired gain = {0};
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        memcpy(trial, start, (size_t)(K * K) * sizeof *trial);
        em_leave_out(em, fold, trial);
        for (int64_t i = 0; i < em->n; i++)
            if (em->fold[i] == fold)
                paired_add(&gain, em_weight(em, i)
                                      * (em_log_label(em, trial, i) - (plain ? plain[i] : 0)));
    }
    return gain;
}

int em_held_out_lead(const struct em *em, const double *c, const double *plain, double *lead,
                     struct error *err)
{
    double *trial = memory_new(em->K * em->K, sizeof *trial, err);
    if (!trial)
        return -1;
    const struct paired gain = em_gain_held_out(em, c, plain, trial);
    *lead = paired_errors(&gain);
    memory_free(trial);
    return 0;
}

int em_choose_prior(struct em *em, const double *c, struct error *err)
{
    double best = -INFINITY, chosen = em_priors[0];
    double *trial = memory_new(em->K * em->K, sizeof *trial, err);
    if (!trial)
        return -1;
    for (size_t which = 0; which < sizeof em_priors / sizeof *em_priors; which++) {
        em->prior = em_priors[which];
        const double likelihood = em_gain_held_out(em, c, NULL, trial).sum;
        if (likelihood > best) {
            best = likelihood;
            chosen = em->prior;
        }
    }
    em->prior = chosen;
    memory_free(trial);
    return 0;
}
