/* The estimate of the matrix from the features that the examples have.
 *
 * The matrix is estimated by EM on temperature-scaled, cross-fitted predictions (em.h, crossfit.h).
 * From a starting point two steps alternate as long as the held-out likelihood grows: fit
 * `forward` through the current matrix, then run EM on its predictions for the folds that it has
 * not seen.  The number of steps is chosen in the first round, lambda when all rounds are done.
 *
 * There are two starting points, the confident joint and even noise (start.h), which err in
 * opposite ways.  If one round brings them together, only the likelier goes on; if they still
 * disagree at their ends, there is a third from anchors: where a rival label is about as likely as
 * the right one, both may end near C = I, the classifier having learnt the noise.  The matrix with
 * the best held-out likelihood is kept, unless its classes are clearly permuted.  If a wrong label
 * leads a column of it, one more climb starts from the nearest matrix in which none does, and keeps
 * to such matrices (em.h).  If plain softmax regression explains the labels better, by more than
 * chance may make of it, the identity is taken instead.  Finally the prior is chosen by held-out
 * likelihood: it is strong where all classes have similar noise. */
#ifndef LEARNERS_ESTIMATE_MATRIX_ESTIMATE_H
#define LEARNERS_ESTIMATE_MATRIX_ESTIMATE_H

#include "learners/estimate/estimate.h"

enum { ESTIMATE_ROUNDS = 6 }; /* of a climb, at most: no reason but that it works */

/* Of a round, in mean log-likelihood, for another one: no reason but that it works. */
#define ESTIMATE_LEAST_GAIN 1e-3

/* What is given of the matrix when an estimate begins. */
enum estimate_given { ESTIMATE_NOTHING, ESTIMATE_START, ESTIMATE_MATRIX };

/* The starting points of climbs (start.h). */
enum { ESTIMATE_JOINT, ESTIMATE_EVEN, ESTIMATE_ANCHORS, ESTIMATE_STARTS };

/* A climb: its starting point, then where it ended.
 *
 * A class has changed places with another one where a rival label clearly leads its column, as it
 * may if a small class is started badly.  Only the labels tell such an end from a good one: it may
 * be the likelier of the two. */
struct estimate_end {
    double *c, *share; /* K x K: the matrix; K: shares of the true classes */
    double likelihood;
    double displaced;    /* share of the examples in classes that have changed places */
    const double *plain; /* n: log-probabilities of labels without noise, borrowed; or NULL */
    double lead;         /* by how many standard errors the labels are likelier with it; else 0 */
};

/* The ends of climbs from all starting points, with zeros in c and share.  The block that holds
 * these, to be freed with memory_free, or NULL with err. */
double *estimate_new_ends(int64_t K, struct estimate_end end[ESTIMATE_STARTS], struct error *err);

/* Note where a climb stands: the likelihood of its last round; and shares, displaced classes and
 * the lead by em->p and end->c. */
void estimate_note_end(const struct em *em, double likelihood, struct estimate_end *end);

/* Exchange the names of two classes as long as that raises the product of the probabilities of
 * their right labels.  Noise may be so strong that EM ends with classes interchanged; nothing but
 * the labels names them.  c: K x K; from: out, K: column k was column from[k]; may be NULL. Returns
 * whether any has changed. */
bool estimate_put_in_place(double *c, int64_t K, int64_t *from);

/* Is end a to be kept rather than b? */
bool estimate_better(const struct estimate_end *a, const struct estimate_end *b);

/* The share of all labels that two matrices explain by different true classes. */
double estimate_disagree(const double *a, const double *b, int64_t K, const double *share);

/* Shares of the classes, what is known of their noise, and how well.  has_joint: e->matrix.joint
 * has been found.  0 or -1. */
int estimate_summarise(const struct em *em, bool has_joint, struct estimate *e, struct error *err);

/* The estimate from the features of the examples.  c: K x K, what is given; NULL: nothing.  e: out,
 * without a map, and not by chance from ESTIMATE_START, as what it starts from was not; empty on
 * failure.  0 or -1. */
int estimate_make(const struct labelled *data, const double *c, enum estimate_given given,
                  const struct crossfit_options *options, struct estimate *e, struct error *err);

#endif
