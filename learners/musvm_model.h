/* MU-SVM's model files: a linear model that LIBLINEAR's programs read too, or a kernel model. */
#ifndef LEARNERS_MUSVM_MODEL_H
#define LEARNERS_MUSVM_MODEL_H

#include "../common/kernel.h"
#include "../common/labels.h"
#include "musvm.h"

struct musvm_file {
    const char *learner; /* "mu-svm" or "m-svm" */
    double bias;         /* linear; < 0: none */
    bool unit_length, zero_based;
    int64_t seed;
};

/* Write the model of a solved task: its weights when task->rows is NULL, else its support vectors, samples with a row that is not 0.  0 or -1. */
int musvm_save(const struct musvm_task *task, const struct musvm_options *options, const struct musvm_point *point, const struct kernel *kernel,
               const struct labels *labels, const struct musvm_file *file, const char *path, int threads, struct error *err);

/* Samples with a row that is not 0: of the training set, of the universum, and training samples at their cap. */
struct musvm_support {
    int64_t training, universum, bounded;
};
struct musvm_support musvm_count_support(const struct musvm_task *task, const struct musvm_options *options, const struct musvm_point *point);

#endif
