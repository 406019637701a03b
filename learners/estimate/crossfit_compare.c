/* Which of two trials the labels of the judges prefer: by the likelihood that the scores give them,
 * each trial's at the temperature that suits it best, and by decisions.  And which number of steps
 * of a path, by decisions alone. */
#include "common/base/order.h"
#include "common/data/paired.h"
#include "common/linear/weights.h"
#include "learners/estimate/crossfit_state.h"
#include "learners/noise/decisions.h"

/* Standard errors by which the decisions of another number of steps have to be better: half of one
 * gains more on few lines, but whole files of clean text lose by it
 * (experiments/forward/choices.md). */
static const double crossfit_steps_ahead = 1;

/* Of so many steps beyond the likeliest these are asked, at most: probabilities still improve after
 * decisions do, and farther on it is chance that finds better ones (measured on r8 with flips near
 * the boundary: experiments/forward/choices.md). */
enum { CROSSFIT_BEYOND = 3 };

/* That of the three temperatures at which a trial makes the labels of the judges likeliest. */
static double crossfit_best_temperature(const struct crossfit *f, const double *c,
                                        const struct crossfit_trial *trial, double *workspace)
{
    double sum[EM_TEMPERATURES] = {0};
    int best = 0;
    for (int64_t place = 0; place < f->other.rows; place++)
        em_add_likelihoods(f->K, c + f->judged.y[place] * f->K, crossfit_scores_of(f, trial, place),
                           f->judged.weight[place], workspace, sum);
    for (int t = 1; t < EM_TEMPERATURES; t++)
        if (sum[t] > sum[best])
            best = t;
    return em_temperatures[best];
}

/* The log-likelihood of the label of a judge's example by a trial.  p: workspace, K. */
static double crossfit_log_likelihood(const struct crossfit *f, const double *c,
                                      const struct crossfit_trial *trial, int64_t place,
                                      double temperature, double *p)
{
    return em_log_likelihood(c + f->judged.y[place] * f->K, f->K,
                             crossfit_scores_of(f, trial, place), temperature, p);
}

/* By how many standard errors the labels of the judges are likelier by the scores f->other.s than
 * by f->now.s, each at its best temperature. */
static double crossfit_likelihood_lead(const struct crossfit *f, const double *c)
{
    double *p = f->fold[0].path.workspace;
    struct paired gain = {0};
    const double before = crossfit_best_temperature(f, c, &f->now, p),
                 after = crossfit_best_temperature(f, c, &f->other, p);
    for (int64_t place = 0; place < f->other.rows; place++) {
        const double now = crossfit_log_likelihood(f, c, &f->now, place, before, p),
                     other = crossfit_log_likelihood(f, c, &f->other, place, after, p);
        paired_add(&gain, f->judged.weight[place] * (other - now));
    }
    return paired_errors(&gain);
}

/* By how many standard errors the decisions of f->other.s make these labels likelier than those of
 * f->now.s. */
static double crossfit_decisions_lead(const struct crossfit *f, const double *c)
{
    const struct crossfit_judged *judged = &f->judged;
    const int64_t K = f->K;
    const struct decisions both = {.n = f->other.rows,
                                   .K = K,
                                   .y = judged->y,
                                   .first = judged->now,
                                   .second = judged->other,
                                   .weight = judged->weight};
    for (int64_t place = 0; place < f->other.rows; place++) {
        judged->now[place] = (int32_t)weights_best(crossfit_scores_of(f, &f->now, place), K);
        judged->other[place] = (int32_t)weights_best(crossfit_scores_of(f, &f->other, place), K);
    }
    return decisions_lead(&both, c, judged->workspace);
}

bool crossfit_other_is_better(const struct crossfit *f, const double *c)
{
    return crossfit_prefers(crossfit_likelihood_lead(f, c), crossfit_decisions_lead(f, c));
}

int64_t crossfit_decide_steps(const struct crossfit *f, const double *c)
{
    const struct crossfit_trial *now = &f->now;
    struct decisions both = {.n = f->n, .K = f->K, .y = f->y, .weight = f->em.weight};
    int64_t chosen = now->steps;
    double ahead = crossfit_steps_ahead;
    if (chosen > now->noted)
        return chosen;
    both.first = now->decision + (chosen - 1) * now->rows;
    const int64_t last = order_least(chosen + CROSSFIT_BEYOND, now->noted);
    for (int64_t step = 1; step <= last; step++) {
        both.second = now->decision + (step - 1) * now->rows;
        const double lead = decisions_lead(&both, c, f->judged.workspace);
        if (lead > ahead) {
            ahead = lead;
            chosen = step;
        }
    }
    return chosen;
}
