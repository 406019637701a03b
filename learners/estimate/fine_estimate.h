/* What an estimate does once more when all else is chosen, in FOLDS_FINE folds: fits to nine tenths
 * of the examples are more like a fit to all than those to two thirds. */
#ifndef LEARNERS_ESTIMATE_FINE_ESTIMATE_H
#define LEARNERS_ESTIMATE_FINE_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* Steps and temperature of e->classifier anew, by the likelihood of the labels of the folds that
 * judge (crossfit_judges), through e->matrix.c and with its lambda; all else stays.  The more
 * examples a fit has, the more steps suit it.
 *
 * data  what these are of, with features too many for the metric of forward_minimum.h
 * e->n is FOLDS_FINE at least.  0 or -1. */
int estimate_fine_steps(const struct labelled *data, const struct crossfit_options *options,
                        struct estimate *e, struct error *err);

/* e->p anew, through e->matrix.c and with lambda and steps of e->classifier, in all folds.  All
 * else stays, e->unexplained too: of a better p the same matrix explains less, though there is no
 * more noise.  0 or -1. */
int estimate_fine_probabilities(const struct labelled *data, const struct crossfit_options *options,
                                struct estimate *e, struct error *err);

#endif
