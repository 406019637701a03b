/* Stratified cross-validation of a machine of MU-SVM's.  The samples of a fold are left out by a
 * factor 0 of C, not removed: all folds share the kernel rows, and solving the others also computes
 * the decision values of those that are left out. */
#ifndef LEARNERS_MUSVM_MUSVM_CROSS_VALIDATION_H
#define LEARNERS_MUSVM_MUSVM_CROSS_VALIDATION_H

#include "learners/musvm/musvm_machine.h"

struct musvm_validation {
    const struct musvm_plan *plan;
    const double *factor; /* n, of C; NULL: 1 */
    const struct musvm_costs *costs;
    int64_t count; /* of costs */
    bool cold;     /* solve for each of the costs from zero, in parallel; else each solution is the
                      start for the next costs */
    int64_t folds;
    int threads;
    struct progress *progress; /* may be NULL; folds x parts (x count, when cold) of its `steps` are
                                  made here */
    int64_t steps;
};

/* For each of the costs, how many of the task's training samples are predicted wrong by the machine
 * of the other folds.
 *
 * wrong   out: count
 * scores  out, n x classes: what the machine of the other folds, of the first costs, says of each
 *         training sample: the functions' values, or votes; NULL: not wanted
 * Takes count x n x columns numbers.  Same numbers for any number of threads; cold or not can
 * differ only where a decision is a tie within eps.  0, or -1 with err (memory; more folds than
 * samples). */
int musvm_cross_validate(const struct musvm_validation *how, const struct musvm_task *task,
                         int64_t *wrong, double *scores, struct error *err);

#endif
