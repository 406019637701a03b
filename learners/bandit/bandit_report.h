/* What learning from bandit feedback takes and finds, for people and in a report. */
#ifndef LEARNERS_BANDIT_BANDIT_REPORT_H
#define LEARNERS_BANDIT_BANDIT_REPORT_H

#include "common/base/findings.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_log.h"
#include "learners/bandit/bandit_simulate.h"

#include <stdbool.h>

/* The memory of the data and of the learner, before it starts.
 *
 * data      bytes of the data in memory; 0: they are streamed
 * features  of the data; of a stream: for which the learner's memory is stated, if the rule allows
 *           so many
 * grows     does the learner grow with the features? */
void bandit_report_memory(const struct findings *to, const struct bandit_options *options,
                          int64_t classes, double data, int64_t features, bool grows);

/* Warn where there were too few rounds for all classes, or for all examples. */
void bandit_warn_rounds(const struct findings *to, int64_t rounds, int64_t classes,
                        int64_t examples);

/* The noise rates, if the learner estimates them; a warning if it had too few rounds for that. */
void bandit_report_rates(const struct findings *to, const struct bandit *b, int64_t rounds);

/* Rounds with simulated feedback: both error rates. */
void bandit_report_simulated(const struct findings *to, const struct bandit_counts *counts);

/* A log: how many of its rounds were right. */
void bandit_report_log(const struct findings *to, const struct bandit_log_counts *counts);

/* Warn of what is amiss in rounds by which a policy is judged: small propensities; feedback that is
 * always `right`; propensities that are all 1; and if neither explains it, propensities and noise
 * rates that are wrong by counts->value.  bounded: by --least-p. */
void bandit_warn_judged(const struct findings *to, const struct bandit_log_counts *counts,
                        int64_t classes, bool bounded);

/* The same of a log that was learnt from, and: labels that it never shows, unless the learner,
 * resumed from a model, has seen other rounds; feedback that is never `right`. */
void bandit_warn_log(const struct findings *to, const struct bandit_log_counts *counts,
                     const struct labels *labels, bool resumed, bool bounded);

/* The estimates of the accuracy by the tail of a log, which begins at round `head`.  goes_on: after
 * the pass that they were made in. */
void bandit_report_value(const struct findings *to, const struct bandit_value *value, int64_t head,
                         bool goes_on);

/* Warn of a record whose last line was cut, and of what has become of it. */
void bandit_warn_mended(const struct findings *to, const char *record,
                        enum bandit_live_mended mended);

/* A live loop: questions, feedback, lines refused. */
void bandit_report_live(const struct findings *to, const struct bandit_live_counts *counts);

#endif
