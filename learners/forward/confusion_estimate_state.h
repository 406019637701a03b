/* What the estimates share: from features (confusion_estimate.c), from richer ones
 * (richer_estimate.c), and from the probabilities of another classifier (scores_estimate.c). */
#ifndef LEARNERS_FORWARD_CONFUSION_ESTIMATE_STATE_H
#define LEARNERS_FORWARD_CONFUSION_ESTIMATE_STATE_H

#include "learners/forward/confusion_estimate.h"

enum {
    ESTIMATE_ROUNDS = 6,      /* of a climb, at most, */
    ESTIMATE_EM_STEPS = 20,   /* and steps of EM in one */
    ESTIMATE_FIRST_PRIOR = 10 /* examples a class */
};                            /* no reason for any of these but that they work */

/* Of a round, in mean log-likelihood, for another one: no reason but that it works. */
#define ESTIMATE_LEAST_GAIN 1e-3

/* Of all labels, for the third starting point and the warning.  Measured: two starts differ by more
 * in half of the runs where estimating is hard (amazon_domain, class-dependent 50 %) and in none on
 * optdigits and usps. */
#define ESTIMATE_DISAGREEMENT 0.05

/* What is known of the matrix when an estimate begins. */
enum estimate_known { ESTIMATE_NOTHING, ESTIMATE_START, ESTIMATE_MATRIX };

/* A climb: its starting point, then where it ended. */
struct estimate_end {
    double *c, *share; /* K x K: the matrix; K: shares of the true classes */
    double likelihood;
    double displaced; /* share of the examples in classes that have changed places */
};

/* e: out, with room for K classes, and c, where the matrix is known (else NULL); p is NULL.  0 or
 * -1; free with estimate_free either way. */
int estimate_allocate(int64_t n, int64_t K, const double *c, struct estimate *e, struct error *err);

/* The share of examples whose true class has a column that a rival label clearly leads: that of a
 * class which has changed places with another one, as it may where a small class is started badly.
 * Only the labels tell such an end from a good one: it may be the likelier of the two. */
double estimate_displaced(const double *c, int64_t K, const double *share);

/* Exchange the names of two classes as long as that raises the product of the probabilities of
 * their right labels.  Noise may be so strong that EM ends with classes interchanged; nothing but
 * the labels names them.  c: K x K; p: n x K, whose columns change places with those of c. */
void estimate_put_in_place(double *c, int64_t K, double *p, int64_t n);

/* Is end a to be kept rather than b? */
bool estimate_better(const struct estimate_end *a, const struct estimate_end *b);

/* The share of all labels that two matrices explain by different true classes. */
double estimate_disagree(const double *a, const double *b, int64_t K, const double *share);

/* em->prior: out, that which makes the labels of folds that are left out likeliest.  c: K x K,
 * where EM begins.  0 or -1. */
int estimate_choose_prior(struct em *em, const double *c, struct error *err);

/* Shares of the classes, what is known of their noise, and how well.  has_joint: e->joint has been
 * found. */
int estimate_summarise(const struct em *em, bool has_joint, struct estimate *e, struct error *err);

/* The estimate from the features of the problem.  c: K x K, what is known; NULL: nothing.  e: out,
 * without a map; empty on failure.  0 or -1. */
int estimate_make(const struct problem *problem, const int32_t *y, const struct labels *labels,
                  const double *c, enum estimate_known known,
                  const struct crossfit_options *options, struct estimate *e, struct error *err);

/* ---- richer_estimate.c ---- */

/* The estimate through options->features random features: from the matrix in e on or, where that is
 * doubtful, from nothing on, as it may be wrong altogether.  e: in; out, the likelier of the two.
 * Lambda and steps stay those of the examples as they are, fitted through the new matrix.
 * 0 or -1. */
int estimate_try_features(const struct problem *problem, const int32_t *y,
                          const struct labels *labels, const struct estimate_options *options,
                          struct estimate *e, struct error *err);

/* Are examples at their lengths to be tried?  Not where -l says what they are, where the search is
 * stopped early, as with text, or where squares of these lengths might not be finite. */
bool estimate_wants_lengths(const struct estimate_options *options, const struct problem *problem);

/* The examples at the lengths that they had, with a bias of 1, if softmax regression of these makes
 * labels that are left out likelier than that of the examples as they are, by more than two
 * standard errors; else empty.
 *
 * known  K x K: the matrix, where it is known; NULL: the labels are taken as right, since two
 *        estimates differ in what they explain by noise, too (measured: on 300 to 600 letters it is
 *        then the worse one that is likelier)
 * plain  in: empty; out
 * 0 or -1. */
int estimate_choose_lengths(const struct problem *problem, const int32_t *y,
                            const struct labels *labels, const double *known,
                            const struct estimate_options *options, struct problem *plain,
                            struct error *err);

/* Bytes that this takes, beside those of an estimate. */
double estimate_lengths_bytes(const struct problem *problem, int64_t classes);

/* Is a map to be tried?  Not by itself where the features are sparse and so many that fits stop
 * early: there a linear model does not misfit (measured on r8, r52 and amazon_domain), or where
 * only one feature could be made. */
bool estimate_wants_map(const struct estimate_options *options, const struct problem *problem);

/* The number of features of the map, for n examples, and of that for kernel ridge regression. */
int64_t estimate_map_dims(const struct estimate_options *options, int64_t n);
int64_t estimate_ridge_dims(const struct estimate_options *options, int64_t n, int64_t classes);

/* The probabilities through a map, by the matrix in e or, where that is doubtful and was not given
 * (known), by one that is found through the map if that makes the labels likelier; then those of
 * kernel ridge regression, if these are better.  e: in; out, what it was unless the map makes the
 * labels likelier or is asked for; then without e->plain.  0 or -1. */
int estimate_try_map(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     bool known, const struct estimate_options *options, struct estimate *e,
                     struct error *err);

/* Is kernel ridge regression to be tried? */
bool estimate_wants_ridge(const struct estimate_options *options);

/* Free e->map and e->mapped, if there are any. */
void estimate_drop_map(struct estimate *e);

#endif
