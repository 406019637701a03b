/* Kernel model files, as their parts share them: head (kernel_model_reader.c), vectors
 * (kernel_model_vectors.c), writing (kernel_model_writer.c). */
#ifndef COMMON_MODEL_KERNEL_MODEL_STATE_H
#define COMMON_MODEL_KERNEL_MODEL_STATE_H

#include "common/model/kernel_model.h"

/* Everything after the line `SV`, which is the current line of the text: total lines, the model's
 * coefficients and vectors.  More than the file can hold is refused before anything is allocated
 * for it.  0, or -1 with err. */
int kernel_model_read_vectors(struct kernel_model *model, struct text *text, int64_t total,
                              int threads, struct error *err);

#endif
