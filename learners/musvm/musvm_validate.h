/* Stratified cross-validation of a machine of MU-SVM's.  A fold's samples are left out by a factor
 * of 0, not taken out: all folds share the kernel rows, and the decision values of what is left out
 * are there when the others are solved. */
#ifndef LEARNERS_MUSVM_MUSVM_VALIDATE_H
#define LEARNERS_MUSVM_MUSVM_VALIDATE_H

#include "learners/musvm/musvm_machine.h"

/* For each of `count` costs, how many of the task's training samples are predicted wrong by the
 * machine of the other folds.
 *
 * factor   n, of C; NULL: 1
 * apart    solve for each of the costs from nothing, on threads of their own; else each starts from
 *          where the one before has ended
 * progress may be NULL; folds x parts (x count) of `steps` are this's
 * wrong    out: count
 * room: count x n x columns numbers.  Same for any number of threads, and however it was started
 * but where a decision is a tie within eps.  0, or -1 with err (memory; more folds than
 * samples). */
int musvm_cross_validate(const struct musvm_plan *plan, const struct musvm_task *task,
                         const double *factor, const struct musvm_costs *costs, int64_t count,
                         bool apart, int64_t folds, int threads, struct progress *progress,
                         int64_t steps, int64_t *wrong, struct error *err);

#endif
