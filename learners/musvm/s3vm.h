/* Semi-supervised SVM of two classes, without bias, by multiple switching of labels (TSVM of
 * Sindhwani and Keerthi, SIGIR 2006, after Joachims 1999).
 *
 *   minimise over w and the labels z_u = +-1
 *       1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i) + C_u sum_u max(0, 1 - z_u w.x_u)
 *
 * with as large a share of z_u = +1 as the labelled samples have.  The labels start as the SVM of
 * the labelled samples orders the others; C_u grows to its value in steps, and at each, pairs z_u =
 * 1, z_v = -1 whose exchange lowers the losses are exchanged, all that do at once, and the SVM is
 * trained again, until none is left. */
#ifndef LEARNERS_MUSVM_S3VM_H
#define LEARNERS_MUSVM_S3VM_H

#include "learners/musvm/musvm.h"

/* task, options: of two classes, class 0 is +1, costs as musvm.h has them; all samples are training
 * samples, those from `labelled` on are unlabelled.  y: the task's own, filled from `labelled` on.
 * factor: the options' own, filled likewise.  C_u: the cost of an unlabelled sample.  point,
 * result: as of musvm_solve.  0 or -1. */
int s3vm_solve(const struct musvm_task *task, int64_t labelled, int32_t *y, double *factor,
               const struct musvm_options *options, double C_u, struct musvm_point *point,
               struct musvm_result *result, struct error *err);

#endif
