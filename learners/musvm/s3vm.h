/* Semi-supervised SVM of two classes, without bias, by multiple switching of labels (TSVM of
 * Sindhwani and Keerthi, SIGIR 2006, after Joachims 1999).
 *
 *   minimise over w and the labels z_u = +-1
 *       1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i) + C_u sum_u max(0, 1 - z_u w.x_u)
 *
 * with as large a share of z_u = +1 as the labelled samples have.  At first z_u is +1 for those
 * unlabelled samples that have the largest margins by the SVM of the labelled ones.  C_u grows to
 * its value in steps.  At each step, all pairs z_u = 1, z_v = -1 whose exchange lowers the losses
 * are exchanged, and the SVM is trained again, until no such pair is left. */
#ifndef LEARNERS_MUSVM_S3VM_H
#define LEARNERS_MUSVM_S3VM_H

#include "learners/musvm/musvm.h"

/* Solve such a task; class 0 is z = +1.
 *
 * task, options  as of musvm_solve, with two classes; all samples are training samples, those from
 *                `labelled` on are unlabelled
 * y, factor      the arrays that task->y and options->factor point to; the elements of unlabelled
 *                samples are filled here
 * C_u            cost of an unlabelled sample, in musvm.h's scale
 * point, result  as of musvm_solve; updates and sweeps are sums over all solutions
 * 0, or -1 with err. */
int s3vm_solve(const struct musvm_task *task, int64_t labelled, int32_t *y, double *factor,
               const struct musvm_options *options, double C_u, struct musvm_point *point,
               struct musvm_result *result, struct error *err);

#endif
