/* Stratified cross-validation of MU-SVM.  A fold's samples are skipped, not taken out: all folds share the kernel rows, and the decision values of what is skipped are
 * there when the others are solved. */
#ifndef LEARNERS_MUSVM_VALIDATE_H
#define LEARNERS_MUSVM_VALIDATE_H

#include "musvm.h"

/* The paper's C* = n C / (m classes), of n training samples; 0 without a universum. */
double musvm_default_c_star(const struct musvm_task *task, double C, int64_t n);

/* correct: out, how many of the task's training samples are predicted right by the solutions without their fold.  own_c_star: options->C_star holds; else it is the
 * default for the samples of each fold's training.  Same for any number of threads.  0, or -1 with err. */
int musvm_cross_validate(const struct musvm_task *task, const struct musvm_options *options, bool own_c_star, int64_t folds, int threads, int64_t *correct,
                         struct error *err);

#endif
