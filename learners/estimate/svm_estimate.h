/* A linear multiclass SVM in place of softmax regression, where the examples are sparse.
 *
 *   minimise  1/2 sum_k |w_k|^2 + C sum_i v_i max_k (w_k'x_i - w_{y_i}'x_i + [k /= y_i])
 *
 * the machine of Crammer and Singer (musvm.h), up to LIBLINEAR's usual tolerance.  v_i says how
 * much the label y_i counts (label_weights.h).  C is 1 over the mean square of the examples'
 * lengths, a bias included: LIBLINEAR's usual 1, at unit length.
 *
 * It is learnt from a set of examples, and held-out probabilities of these by softmax regression,
 * in two rounds: with v by these probabilities three machines score the folds that they have not
 * seen; with v by these scores, at the temperature that makes the labels likeliest, one machine
 * learns from all of the set.  The second v doubt wrong labels more.
 *
 * The SVM is taken unless the decisions of softmax regression for a held-out fold make its labels
 * likelier than those of the SVM (decisions.h), by half a standard error.  (Other folds are judged,
 * too, as long as fewer than 1500 examples have been.)  That SVM is learnt from the other two folds
 * alone (rest_of_fold.h): the labels of the fold have no part in it but by C, and by lambda, steps
 * and temperature of softmax regression.  Each of the two is judged through the matrix that fits
 * what it says of the other folds; but both through e->matrix.c where that is known, or where the
 * labels do not fit it (e->misfit): then the SVM may have learnt noise that depends on the example,
 * which a matrix of its own would explain, while e->matrix.c favours softmax regression.
 *
 * With many features softmax regression has to be stopped early, and goes on to learn wrong labels
 * by heart; an SVM leaves examples alone that are right by a margin, and those of little weight.
 * Measured in experiments/forward/choices.md. */
#ifndef LEARNERS_ESTIMATE_SVM_ESTIMATE_H
#define LEARNERS_ESTIMATE_SVM_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* Is an SVM to be tried?  Where options->takes_svm; or by -t auto, for who wants to predict, where
 * no map is tried (map_estimate.h) but the search of softmax regression is stopped early, as with
 * text. */
bool estimate_wants_svm(const struct estimate_options *options, const struct problem *problem);

/* e: in; out: where the SVM is taken, classifier, lambda = 1/(C n), steps = 0, temperature = 1, and
 * svm.w, multiplied by the temperature at which its softmax makes held-out labels likeliest.  Else
 * only e->svm changes, which says what was tried.  Where the mean square of the lengths is not
 * finite, or below 1e-9, nothing is tried; nor with fewer than 9 examples, unless
 * options->takes_svm: they are too few to judge by, and the temperature is 1.
 *
 * data          in memory
 * matrix_known  e->matrix.c was given, not estimated
 * e->p          held out by the folds of the cross-fits (crossfit.h); it stays
 * The same numbers for any number of threads.  0 or -1 (memory, values too large). */
int estimate_try_svm(const struct labelled *data, bool matrix_known,
                     const struct estimate_options *options, struct estimate *e, struct error *err);

/* Bytes that this takes, beside the estimate. */
double estimate_svm_bytes(const struct problem *problem, int64_t classes);

#endif
