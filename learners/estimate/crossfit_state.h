/* What the files crossfit*.c share: what fits are asked for, and the comparison of two trials. */
#ifndef LEARNERS_ESTIMATE_CROSSFIT_STATE_H
#define LEARNERS_ESTIMATE_CROSSFIT_STATE_H

#include "learners/estimate/crossfit.h"

/* What the fits of some folds are asked for. */
struct crossfit_fit {
    struct crossfit *f;
    const double *c;
    double lambda, epsilon;
    int64_t first, last;        /* folds first .. last-1 */
    bool follows;               /* note the likelihood of each step, and keep the best's scores;
                                   out->steps do not count then */
    struct crossfit_trial *out; /* steps: in */
};

/* Make the fits, f->at_once side by side.  Those of a given number of steps begin at weights 0, as
 * such a number means the same only from there.  0, or -1 with the error of the first fold that has
 * one; no fold after it is begun, as other ranks (reduce.h) would wait there. */
int crossfit_run(struct crossfit_fit *fit, struct error *err);

/* Is f->other better than f->now, by the examples of the judges? */
bool crossfit_other_is_better(const struct crossfit *f, const double *c);

/* The row of the example at a place in a trial's tables. */
static inline int64_t crossfit_row(const struct crossfit *f, const struct crossfit_trial *trial,
                                   int64_t place)
{
    return trial->of_judges ? place : f->order[place];
}

static inline double *crossfit_scores_of(const struct crossfit *f,
                                         const struct crossfit_trial *trial, int64_t place)
{
    return trial->s + crossfit_row(f, trial, place) * f->K;
}

/* Blocks of n examples, and the numbers of a path's workspace for each: scores of an example, as a
 * model has them and as a trial has. */
int64_t crossfit_count_blocks(int64_t n);
int64_t crossfit_block_size(int64_t K);

#endif
