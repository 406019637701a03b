/* The confusion matrix of a trainer: -c names it, --confusion-out writes it. */
#ifndef COMMON_PROGRAM_MATRIX_TRAINER_H
#define COMMON_PROGRAM_MATRIX_TRAINER_H

#include "common/base/output.h"
#include "common/model/confusion_option.h"
#include "common/program/trainer.h"

/* Read the matrix if -c names a file, which may name the classes (t->labels); warn of classes
 * without a count.  C: out, zero before.  0 or -1. */
int matrix_trainer_read(struct trainer *t, const char *given, struct confusion *C,
                        struct error *err);

/* Write C to the file of --confusion-out; output_commit, after the model, makes it appear.  0 or
 * -1. */
int matrix_trainer_write(const struct confusion *C, const char *path, struct output *out,
                         struct error *err);

#endif
