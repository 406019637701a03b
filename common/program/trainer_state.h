/* The steps of a trainer that have files of their own (trainer.h). */
#ifndef COMMON_PROGRAM_TRAINER_STATE_H
#define COMMON_PROGRAM_TRAINER_STATE_H

#include "common/program/trainer.h"

/* Step 2: settings that follow from others, options that clash, and --labels.  0 or -1. */
int trainer_settle(struct trainer *t, struct error *err);

/* Step 4: the form, the labels and the map become those of the -m model.  0, or -1, also where an
 * option that is given differs from it. */
int trainer_resume(struct trainer *t, struct error *err);

/* Has a signal ended learning before the first example? */
bool trainer_learnt_nothing(const struct trainer *t);

/* Into --report: the signal that ended learning, if one did. */
void trainer_report_signal(const struct trainer *t);

/* Say what a signal has left behind.  Returns the exit status. */
int trainer_report_stop(const struct trainer *t);

#endif
