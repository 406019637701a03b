/* MU-SVM's model files: a linear model that LIBLINEAR's programs read too, or a kernel model. */
#ifndef LEARNERS_MUSVM_MUSVM_MODEL_H
#define LEARNERS_MUSVM_MUSVM_MODEL_H

#include "common/data/data_form.h"
#include "common/data/labels.h"
#include "common/kernel/kernel.h"
#include "learners/musvm/musvm_machine.h"

/* Write a machine that was trained on a task's samples: its weights if it has them, else its
 * support vectors (samples with a coefficient that is not 0).
 *
 * learner  "mu-svm", "m-svm", ...; stands in linear models
 * 0 or -1. */
int musvm_save(const struct musvm_task *task, const struct musvm_machine *machine,
               const struct musvm_costs *costs, const struct kernel *kernel,
               const struct labels *labels, const char *learner, const struct data_form *form,
               const char *path, int threads, struct error *err);

#endif
