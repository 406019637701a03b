/* The linear pool (Stone 1961) of two classifiers' probabilities of the true classes:
 *
 *   t p_ik + (1 - t) q_ik
 *
 * Both are held out; t is the one in [0, 1] that makes the labels likeliest, of which v_i is the
 * weight:
 *
 *   maximise  sum_i v_i log sum_k C[y_i][k] (t p_ik + (1 - t) q_ik)
 *
 * What one of them misfits the other one may fit, and where they disagree neither is to be trusted:
 * a label is called wrong more rightly by both.  The likelihood of a label is linear in t, so that
 * the sum is concave, and its slope tells on which side t is. */
#ifndef LEARNERS_NOISE_POOL_H
#define LEARNERS_NOISE_POOL_H

#include "learners/noise/label_weights.h"

/* p: n x K: in, out: the pool; q: n x K.  share and unexplained of noise are not used.
 *
 * t  out; 1 leaves p as it is
 * O(n K) time, 16 n bytes.  0 or -1 (memory). */
int pool_probabilities(const struct label_noise *noise, double *p, const double *q, double *t,
                       struct error *err);

#endif
