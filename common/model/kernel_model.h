/* Kernel model files, similar to LIBSVM's: functions f_c(x) = sum over i of coef[i][c] k(x_i, x) -
 * rho[c], which are dimensions, the scores of classes, or votes between pairs of classes.
 *
 *     svm_type kpca          <- kpca: dimensions; mu_svc: scores; ovo_svc: votes
 *     kernel_type rbf
 *     gamma 0.5              <- also degree, coef0: those that the kernel has
 *     dimensions D           <- or nr_class K; then D is K, or K (K - 1) / 2 for votes
 *     total_sv n
 *     rho r1 ... rD          <- with dimensions; with nr_class: label l1 ... lK, and all rho are 0
 *     unit_length 0          <- what was done to the examples: see struct example_format
 *     zero_based 0
 *     SV
 *     <n lines: D coefficients, then index:value pairs; indices start at 1>
 *
 * The lines of the head may come in any order, but dimensions before rho, nr_class before label,
 * and SV last; svm_type must be first in a file whose kind is not known (kernel_model_is). */
#ifndef COMMON_MODEL_KERNEL_MODEL_H
#define COMMON_MODEL_KERNEL_MODEL_H

#include "common/base/error.h"
#include "common/base/text.h"
#include "common/data/problem.h"
#include "common/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* The svm_type of classifiers: by scores of classes, by votes between pairs; and of kernel
 * components. */
#define KERNEL_MODEL_CLASSIFIER "mu_svc"
#define KERNEL_MODEL_BY_VOTES "ovo_svc"
#define KERNEL_MODEL_COMPONENTS "kpca"

struct kernel_model {
    char file[256]; /* where it was read from */
    struct kernel kernel;
    int64_t columns;   /* D */
    double *rho;       /* D; NULL: 0 */
    int64_t classes;   /* K; 0: dimensions */
    int32_t *label;    /* K, ascending; NULL: dimensions */
    bool votes;        /* between the pairs (0,1) (0,2) .. (K-2,K-1); above 0 for the first */
    double *coef;      /* n x D: coef[i*D + c] */
    struct problem sv; /* n examples, without labels */
    bool unit_length, zero_based;
};

/* Read and check a whole model ("-": standard input).
 *
 * type     the svm_type that it must have; for mu_svc, ovo_svc is accepted too
 * model    out, zero before; free with kernel_model_free
 * No more is allocated than the size of the file justifies.  0, or -1 with FILE:LINE. */
int kernel_model_read(const char *path, const char *type, int threads, struct kernel_model *model,
                      struct error *err);

/* The same of a text that has just been opened. */
int kernel_model_read_text(struct text *text, const char *type, int threads,
                           struct kernel_model *model, struct error *err);

/* Write a model ("-": standard output), whole or not at all.  type: svm_type, unless the model is
 * one by votes.  0, or -1, also when a number of it is not finite. */
int kernel_model_write(const char *path, const char *type, const struct kernel_model *model,
                       struct error *err);

/* Does a text that has just been opened start like a kernel model? */
bool kernel_model_is(const struct text *text);

/* The values of the functions for a block of examples, on one thread.
 *
 * vectors   kernel_data of model->sv
 * k         workspace: examples x model->sv.n
 * f         out: examples x columns
 * O(examples sv (d + columns)).  0 or -1 (memory). */
int kernel_model_values(const struct kernel_model *model, const struct kernel_data *vectors,
                        const struct problem *examples, double *k, double *f, struct error *err);

void kernel_model_free(struct kernel_model *model);

#endif
