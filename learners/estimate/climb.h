/* Climbs to a matrix: rounds of EM from a starting point, as long as the held-out likelihood grows.
 *
 * The likelihood has several maxima, so there is a climb from each of a few starting points
 * (start.h), and the matrix that one of them ends with is kept.  matrix_search.h fits classifiers
 * between the rounds, scores_estimate.h has scores that stay. */
#ifndef LEARNERS_ESTIMATE_CLIMB_H
#define LEARNERS_ESTIMATE_CLIMB_H

#include "learners/noise/em.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLIMB_ROUNDS = 6 }; /* at most: no reason but that it works */

/* Of a round, in mean log-likelihood, for another one: no reason but that it works. */
#define CLIMB_LEAST_GAIN 1e-3

/* The starting points. */
enum { CLIMB_JOINT, CLIMB_EVEN, CLIMB_ANCHORS, CLIMB_STARTS };

/* Where a climb starts, then where it stands.
 *
 * A class has changed places with another one where a rival label clearly leads its column, as it
 * may if a small class is started badly.  Only the labels tell such a matrix from a good one: it
 * may be the likelier of the two. */
struct climb {
    double *c, *share; /* K x K: the matrix; K: shares of the true classes */
    double likelihood;
    double displaced;     /* share of the examples in classes that have changed places */
    const double *plain;  /* n: log-probabilities of labels without noise, borrowed; or NULL */
    double lead;          /* by how many standard errors the labels are likelier with it; else 0 */
    double held_out_lead; /* the same of held-out folds (em_held_out_lead), at the end of a climb of
                             matrix_search.h; else 0 */
};

/* Climbs from all starting points, with zeros in c and share.  The block that holds these, to be
 * freed with memory_free, or NULL with err. */
double *climbs_new(int64_t K, struct climb climb[CLIMB_STARTS], struct error *err);

/* Note where a climb stands: the likelihood of its last round; and shares, displaced classes and
 * the lead by em->p and climb->c. */
void climb_note(const struct em *em, double likelihood, struct climb *climb);

/* Is the matrix of a to be kept rather than that of b? */
bool climb_is_better(const struct climb *a, const struct climb *b);

/* The share of all labels that are wrong by a matrix.  share: K, of the true classes. */
double climb_noise(const double *c, int64_t K, const double *share);

/* The share of all labels that two matrices explain by different true classes.  share: K, of the
 * true classes. */
double climb_disagreement(const double *a, const double *b, int64_t K, const double *share);

/* Exchange the names of two classes as long as that raises the product of the probabilities of
 * their right labels.  Noise may be so strong that EM ends with classes interchanged; nothing but
 * the labels names them.  c: K x K; from: out, K: column k was column from[k]; may be NULL.
 * Returns whether any has changed. */
bool climb_name_classes(double *c, int64_t K, int64_t *from);

#endif
