/* What training and selection of MU-SVM's machines take and find, for people and in a report. */
#ifndef LEARNERS_MUSVM_MUSVM_REPORT_H
#define LEARNERS_MUSVM_MUSVM_REPORT_H

#include "common/base/findings.h"
#include "learners/musvm/musvm_machine.h"
#include "learners/musvm/musvm_select.h"

/* The sizes, and bytes of the data, the learner and kernel rows.  semi: the samples after the
 * training set are unlabelled examples, not a universum. */
void musvm_report_memory(const struct findings *to, const struct musvm_task *task, bool semi,
                         double data, double learner, double kernel);

/* Warn if a kernel has shown that it is not positive semidefinite: it is allowed, but the solution
 * may not be optimal.  task: with rows, or without: then nothing is known. */
void musvm_warn_kernel(const struct findings *to, const struct musvm_task *task);

/* Warn of a universum whose samples are much longer or shorter than the examples, as where only one
 * of the files was scaled: it then does harm, or nothing.  semi: as above. */
void musvm_warn_lengths(const struct findings *to, const struct musvm_task *task, bool semi);

/* Warn of a gamma of the RBF kernel so large that more than a tenth of the training samples, of at
 * most 100 that are looked at, have the value 0 with all others: nothing is said of what lies
 * between samples. */
void musvm_warn_isolated(const struct findings *to, const struct musvm_task *task, double gamma);

/* Warn of a kernel to which all training samples, of at most 100 that are looked at, are the same:
 * a sigmoid of large values, for instance. */
void musvm_warn_alike(const struct findings *to, const struct musvm_task *task);

/* Warn where all training samples are at their bound, as where C is too small, and also nearly the
 * same to the kernel (but not so much that musvm_warn_alike does): then C times the little by which
 * they differ tells nothing of classes. */
void musvm_warn_bounded(const struct findings *to, const struct musvm_task *task,
                        const struct musvm_machine *machine);

/* Warn of solutions that were given up before they converged; they count all the same. */
void musvm_warn_given_up(const struct findings *to, int64_t given_up);

/* How training ended, with a warning where that is not the optimum; the support vectors.  semi: as
 * above. */
void musvm_report_machine(const struct findings *to, const struct musvm_machine *machine,
                          bool semi);

/* Both leave-one-out estimates of a machine with one part (span_bound.h), which are computed for
 * that.  0 or -1 (memory). */
int musvm_report_bounds(const struct findings *to, const struct musvm_part *part, int threads,
                        struct error *err);

/* ---- selection ---- */

/* The trial that each step chose, of the n training samples.  linear: the kernel has no gamma. */
void musvm_report_chosen(const struct findings *to, const struct musvm_trial *trial, int64_t count,
                         int64_t n, enum musvm_criterion criterion, bool linear);

/* A note where the universum makes the estimate worse. */
void musvm_note_harm(const struct findings *to, const struct musvm_trial *trial, int64_t count,
                     int64_t n);

/* All trials as a tab-separated table, into an open output. */
void musvm_write_trials(struct output *out, const struct musvm_trial *trial, int64_t count,
                        int64_t n, bool linear);

#endif
