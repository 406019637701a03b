/* Kernel model files, in LIBSVM's manner: functions f_c(x) = sum over i of coef[i][c] k(x_i, x) -
 * rho[c], which are dimensions, the scores of classes, or votes between pairs of classes.
 *
 *     svm_type kpca              <- whose model it is; mu_svc: a classifier; ovo_svc: one by votes
 *     kernel_type rbf
 *     gamma 0.5                  <- and degree, coef0: those that the kernel has
 *     dimensions D               <- or nr_class K; D is K then, and K (K - 1) / 2 of votes
 *     total_sv n
 *     rho r1 ... rD              <- of dimensions; or label l1 ... lK, of classes; the functions'
 *                                rho is 0 then
 *     unit_length 0              <- what was done to the examples: see struct example_format
 *     zero_based 0
 *     SV
 *     <n lines: D coefficients, then index:value pairs; indices start at 1>
 *
 * The head's lines come in any order, `SV` last; a program that takes linear models too knows this
 * one by `svm_type` in front. */
#ifndef COMMON_MODEL_KERNEL_MODEL_H
#define COMMON_MODEL_KERNEL_MODEL_H

#include "common/base/error.h"
#include "common/data/problem.h"
#include "common/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_model {
    char file[256]; /* where it was read from */
    struct kernel kernel;
    int64_t columns; /* D */
    double *rho;     /* D; NULL: 0 */
    int64_t classes; /* K; 0: dimensions */
    int32_t *label;  /* K, ascending; NULL: dimensions */
    bool votes; /* the functions are of the pairs (0,1) (0,2) .. (K-2,K-1): above 0 for the first */
    double *coef;      /* n x D: coef[i*D + c] */
    struct problem sv; /* n examples, without labels */
    bool unit_length, zero_based;
};

/* Read and check a whole model ("-": standard input).
 *
 * type     the svm_type that it must have; where that is mu_svc, ovo_svc will do
 * model    out, zero before; free with kernel_model_free
 * Nothing is allocated that the file's size does not justify.  0, or -1 with FILE:LINE. */
int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model,
                      struct error *err);

/* Write a model ("-": standard output), whole or not at all; -1 also when a number of it is not
 * finite. */
int kernel_model_write(const char *path, const char *type, const struct kernel_model *model,
                       struct error *err);

/* Is it such a file?  Looks at its first bytes; a pipe's are not to be had. */
bool kernel_model_is(const char *path);

/* The functions of a block of examples.
 *
 * vectors   kernel_data of model->sv
 * k         room: examples x model->sv.n
 * f         out: examples x columns
 * O(examples sv (d + columns)).  0 or -1 (memory). */
int kernel_model_values(const struct kernel_model *model, const struct kernel_data *vectors,
                        const struct problem *examples, double *k, double *f, struct error *err);

void kernel_model_free(struct kernel_model *model);

#endif
