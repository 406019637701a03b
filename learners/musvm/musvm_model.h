/* MU-SVM's model files: a linear model that LIBLINEAR's programs read too, or a kernel model. */
#ifndef LEARNERS_MUSVM_MUSVM_MODEL_H
#define LEARNERS_MUSVM_MUSVM_MODEL_H

#include "common/data/labels.h"
#include "common/kernel/kernel.h"
#include "learners/musvm/musvm_machine.h"

struct musvm_file {
    const char *learner; /* "mu-svm", "m-svm", ... */
    double bias;         /* linear; < 0: none */
    bool unit_length, zero_based;
    int64_t seed;
};

/* Write a machine that was trained on a task's samples: its weights if it has them, else its
 * support vectors (samples with a coefficient that is not 0).  0 or -1. */
int musvm_save(const struct musvm_task *task, const struct musvm_machine *machine,
               const struct musvm_costs *costs, const struct kernel *kernel,
               const struct labels *labels, const struct musvm_file *file, const char *path,
               int threads, struct error *err);

#endif
