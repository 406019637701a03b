/* Are labels any closer to what a classifier says of their examples than chance makes them?  If
 * not, there may be nothing to learn from these features, and what is said of the noise means
 * nothing.
 *
 * Neither of two measures may be CHANCE_ERRORS standard errors above 0: the gain in log-likelihood
 * over each label's share of the labels, through matrices that EM makes of the other folds; and the
 * agreement of decisions h with the labels, beside that of decisions and labels dealt out anew
 * (Cohen's kappa; its standard error by chance is Fleiss, Cohen and Everitt's, 1969),
 *
 *   (a - e) sqrt(n / (e + e^2 - sum_k y_k h_k (y_k + h_k))),   e = sum_k y_k h_k,
 *
 * where a is the share of decisions that agree, and y_k and h_k are the shares of class k. */
#ifndef LEARNERS_NOISE_CHANCE_H
#define LEARNERS_NOISE_CHANCE_H

#include "learners/noise/em.h"

/* Standard errors up to which a difference may be chance, here and wherever nothing better has been
 * measured: about the usual level of significance (95 % of a normal distribution). */
#define CHANCE_ERRORS 2

/* The second measure; 0 where all decisions, or all labels, are one class.
 *
 * count  K x K: count[y*K + h], examples labelled y of which the classifier says h; where these
 * have weights, as many examples as would tell as much (em_weigh)
 *
 * O(K^2). */
double chance_agreement(const double *count, int64_t K);

/* The same of some of the classes, which: K, each beside all the others, their agreements summed
 * (Mantel and Haenszel 1959). */
double chance_agreement_of(const double *count, int64_t K, const bool *which);

/* count: out, zero before: by em->p. */
void chance_count(const struct em *em, double *count);

/* by_chance: out: neither measure is above chance, by em->p, held out.
 *
 * em  its classes have names that do not come from these labels: of classes that are named by the
 *     labels they agree with, more agree than by chance
 * c   K x K: a matrix that does not come from them either, which then judges them all; NULL: one is
 *     made for each fold, which em has
 *
 * 0 or -1 (memory). */
int chance_test(const struct em *em, const double *c, bool *by_chance, struct error *err);

#endif
