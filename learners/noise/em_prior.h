/* EM (em.h) without a fold, for judging by that fold; and how strong its prior is to be, where the
 * matrix is not known. */
#ifndef LEARNERS_NOISE_EM_PRIOR_H
#define LEARNERS_NOISE_EM_PRIOR_H

#include "learners/noise/em.h"

enum {
    EM_STEPS = 20,       /* in which EM comes far enough, */
    EM_FIRST_PRIOR = 10, /* and examples a class that a search begins with: no reason for either but
                            that they work */
    EM_LAST_PRIOR = 1000 /* the strongest that is tried */
};

/* c: in: K x K, where EM starts; out: what EM_STEPS steps make of the folds other than this one. */
void em_leave_out(const struct em *em, int64_t fold, double *c);

/* em->prior: out, that of three with which EM_STEPS steps from c (K x K) on make the labels of
 * held-out folds likeliest.  em: with p, and folds 0 .. FOLDS_DEFAULT-1.  0 or -1 (memory). */
int em_choose_prior(struct em *em, const double *c, struct error *err);

/* By how many standard errors the labels of held-out folds are likelier through what EM_STEPS steps
 * from c (K x K) on make of the other folds than `plain` (n log-probabilities) says.  Unlike the
 * likelihood of all labels it does not grow with the numbers in a matrix.  lead: out.  0 or -1
 * (memory). */
int em_held_out_lead(const struct em *em, const double *c, const double *plain, double *lead,
                     struct error *err);

#endif
