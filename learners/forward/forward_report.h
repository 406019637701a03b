/* What learning has come to, for people and in a report. */
#ifndef LEARNERS_FORWARD_FORWARD_REPORT_H
#define LEARNERS_FORWARD_FORWARD_REPORT_H

#include "common/base/findings.h"
#include "common/linalg/descent.h"
#include "common/linear/passes.h"
#include "learners/noise/held_out.h"

#include <stdbool.h>

/* Where a search ended; a warning if that is not the minimum. */
void forward_report_minimum(const struct findings *to, const struct descent_result *result);

/* Warn of examples whose labels the matrix rules out: they change no weight, by the search or
 * passes alike.
 *
 * now, had  counts of the learner, and what they were before it learnt
 * again     several passes saw each of them again */
void forward_warn_left_out(const struct findings *to, struct round_counts now,
                           struct round_counts had, bool again);

/* Log-loss and calibration of held-out probabilities. */
void forward_report_held_out(const struct findings *to, const struct held_out *judged);

#endif
