/* UMA's model file: a linear model (common/model/model.h) whose trailer tells how it was learnt. */
#ifndef LEARNERS_UMA_UMA_MODEL_H
#define LEARNERS_UMA_UMA_MODEL_H

#include "common/data/data_form.h"
#include "common/model/confusion.h"
#include "learners/uma/uma.h"

/* Write the model: whole or not at all.  d: features; C: the matrix that was inverted, with its
 * labels (not NULL).  0 or -1. */
int uma_save(const struct uma_result *result, const struct uma_options *options,
             const struct data_form *form, const struct confusion *C, int64_t d, const char *path,
             struct error *err);

#endif
