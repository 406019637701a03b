/* A linear multiclass SVM in place of softmax regression, where the examples are sparse.
 *
 *   minimise  1/2 sum_k |w_k|^2 + C sum_i v_i max_k (w_k'x_i - w_{y_i}'x_i + [k /= y_i])
 *
 * the machine of Crammer and Singer (musvm.h), up to LIBLINEAR's usual tolerance.  v_i says how
 * much the label y_i counts (label_weights.h), by the probabilities of softmax regression.  C is 1
 * over the mean square of the examples' lengths, a bias included: LIBLINEAR's usual 1, at unit
 * length.
 *
 * The SVM is taken if its decisions for held-out examples make their labels likelier (decisions.h)
 * than those of softmax regression; the folds are those of the cross-fits (crossfit.h).  Its
 * held-out scores, at the temperature that makes the labels likeliest, are then the probabilities;
 * and the SVM of all examples has v by these, which doubt wrong labels more.
 *
 * With many features softmax regression has to be stopped early, and goes on to learn wrong labels
 * by heart; an SVM leaves examples alone that are right by a margin, and those of little weight.
 * Measured on r8, r52 and amazon_domain (experiments/forward/choices.md): .6 points better in the
 * mean of 27 runs, and with 300 to 1200 lines. */
#ifndef LEARNERS_FORWARD_SVM_ESTIMATE_H
#define LEARNERS_FORWARD_SVM_ESTIMATE_H

#include "learners/forward/estimate.h"

/* Is an SVM to be tried?  Where options->takes_svm; by -t auto, where no map is (map_estimate.h)
 * but the search of softmax regression is stopped early, as with text. */
bool estimate_wants_svm(const struct estimate_options *options, const struct problem *problem);

/* e: in; out: where the SVM is taken, classifier, p, lambda = 1/(C n), steps = 0, temperature = 1,
 * and svm.w, which is multiplied by the temperature of p, so that passes of softmax regression can
 * go on from it.  Else only e->svm changes, which says what was tried; nothing is where the mean
 * square of the lengths is not finite or below 1e-9.
 *
 * problem  in memory
 * y        n: observed classes
 * The same numbers for any number of threads.  0 or -1 (memory, values too large). */
int estimate_try_svm(const struct problem *problem, const int32_t *y,
                     const struct estimate_options *options, struct estimate *e, struct error *err);

/* Bytes that this takes, beside the estimate. */
double estimate_svm_bytes(const struct problem *problem, int64_t classes);

#endif
