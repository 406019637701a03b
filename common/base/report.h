/* What a run found, for scripts: the file of --report, lines `key<TAB>value`.
 *
 *     report_open; report_number, report_count, report_text ... report_warning; report_flush;
 *     report_commit, or report_abandon at any point
 *
 * Without a path every call does nothing, so that a caller need not ask whether a report is wanted.
 * A write that fails is found by report_flush.  REPORT_KEYS is the one list of keys; doc/report.md
 * says what each means.  Keys stay as they are: new ones are added. */
#ifndef COMMON_BASE_REPORT_H
#define COMMON_BASE_REPORT_H

#include "common/base/error.h"
#include "common/base/output.h"

#include <stdint.h>

/* KEY(NAME, "key"): REPORT_NAME in the sources; `*` stands for the number or name that the key is
 * about: a label, a pass, an option. */
/* clang-format off */
#define REPORT_KEYS(KEY) \
    /* of every run */ \
    KEY(FORM, "libdoubt.report") \
    KEY(PROGRAM, "program") \
    KEY(VERSION, "version") \
    KEY(OPTION, "option.*") \
    KEY(FILE, "file") \
    KEY(STOPPED_BY, "stopped.by") \
    KEY(STOPPED_AFTER, "stopped.after") \
    KEY(WARNING, "warning") \
    KEY(WARNINGS, "warnings") \
    KEY(SECONDS, "seconds") \
    /* the data */ \
    KEY(EXAMPLES, "examples") \
    KEY(FEATURES, "features") \
    KEY(CLASSES, "classes") \
    KEY(LABELS, "labels") \
    /* predictions against labels */ \
    KEY(LABELLED, "labelled") \
    KEY(UNKNOWN, "unknown") \
    KEY(CORRECT, "correct") \
    KEY(ACCURACY, "accuracy") \
    KEY(ERROR_GIVEN, "error.given") \
    KEY(ERROR_TRUE, "error.true") \
    KEY(LOG_LOSS, "log_loss") \
    KEY(CALIBRATION_ERROR, "calibration_error") \
    KEY(CONFUSION_RATE, "confusion_rate") \
    KEY(CLASS_PREDICTED, "class.*.predicted") \
    KEY(CLASS_RECALL, "class.*.recall") \
    KEY(CLASS_PRECISION, "class.*.precision") \
    /* the noise of the labels */ \
    KEY(LIKELIHOOD, "likelihood") \
    KEY(FOURIER_GAMMA, "fourier_gamma") \
    KEY(CLASS_SHARE, "class.*.share") \
    KEY(CLASS_NOISE_RATE, "class.*.noise_rate") \
    KEY(CLASS_NOISE_RATE_SE, "class.*.noise_rate.se") \
    KEY(CLASS_IDENTIFIABLE, "class.*.identifiable") \
    KEY(CLASS_EXAMPLES, "class.*.examples") \
    KEY(CLASS_EXPECTED_WRONG, "class.*.expected_wrong") \
    KEY(CLASS_SUSPECTS, "class.*.suspects") \
    KEY(SUSPECTS, "suspects") \
    /* what was chosen, and how training went */ \
    KEY(LAMBDA, "lambda") \
    KEY(LENGTHS, "lengths") \
    KEY(RIDGE, "ridge") \
    KEY(SVM, "svm") \
    KEY(STEPS, "steps") \
    KEY(MAP_DIMS, "map.dims") \
    KEY(MAP_GAMMA, "map.gamma") \
    KEY(COST, "C") \
    KEY(GAMMA, "gamma") \
    KEY(DELTA, "delta") \
    KEY(STEP_CORRECT, "step.*.correct") \
    KEY(ITERATIONS, "iterations") \
    KEY(EVALUATIONS, "evaluations") \
    KEY(CONVERGED, "converged") \
    KEY(OBJECTIVE, "objective") \
    KEY(PRIMAL, "primal") \
    KEY(VIOLATION, "violation") \
    KEY(SUPPORT_VECTORS, "support_vectors") \
    KEY(SUPPORT_VECTORS_BOUNDED, "support_vectors.bounded") \
    KEY(SUPPORT_VECTORS_UNIVERSUM, "support_vectors.universum") \
    KEY(LOO_ERROR_THEOREM, "loo_error.theorem") \
    KEY(LOO_ERROR_LOCAL, "loo_error.local") \
    KEY(CONDITION, "condition") \
    KEY(STOP, "stop") \
    KEY(PASS_EXAMPLES, "pass.*.examples") \
    KEY(PASS_UPDATES, "pass.*.updates") \
    KEY(PASS_MISTAKES, "pass.*.mistakes") \
    /* bandit feedback */ \
    KEY(ROUNDS, "rounds") \
    KEY(RIGHT, "right") \
    KEY(ERROR_SHOWN, "error.shown") \
    KEY(ERROR_ARGMAX, "error.argmax") \
    KEY(RATE, "rate.*") \
    KEY(LOGGED, "logged") \
    KEY(LOGGED_SE, "logged.se") \
    KEY(IPS, "ips") \
    KEY(IPS_SE, "ips.se") \
    KEY(SNIPS, "snips") \
    KEY(SNIPS_SE, "snips.se") \
    KEY(QUESTIONS, "questions") \
    KEY(FEEDBACK, "feedback") \
    KEY(REFUSED, "refused") \
    KEY(FORGOTTEN, "forgotten")
/* clang-format on */

enum report_key {
#define REPORT_ENUMERATOR(Name, Text) REPORT_##Name,
    REPORT_KEYS(REPORT_ENUMERATOR)
#undef REPORT_ENUMERATOR
        REPORT_KEYS_COUNT
};

struct report {
    const char *path; /* of --report; NULL: none is wanted */
    struct output out;
    int64_t warnings;
    double start; /* seconds, of the clock of the caller */
};

/* Open the file.  0 or -1. */
int report_open(struct report *report, struct error *err);

/* A line.  Numbers are written with 17 digits, and no line where one is not finite; control bytes
 * of a text as \xHH. */
void report_number(struct report *report, enum report_key key, double value);
void report_count(struct report *report, enum report_key key, int64_t value);
void report_text(struct report *report, enum report_key key, const char *value);

/* A line whose key has a `*`: it becomes this number, or this name. */
void report_number_of(struct report *report, enum report_key key, int64_t of, double value);
void report_count_of(struct report *report, enum report_key key, int64_t of, int64_t value);
void report_text_of(struct report *report, enum report_key key, const char *of, const char *value);

/* A line with n counts, separated by blanks. */
void report_counts_of(struct report *report, enum report_key key, int64_t of, const int64_t *value,
                      int64_t n);

/* REPORT_CLASSES, and REPORT_LABELS: those of `count` classes, separated by blanks. */
void report_labels(struct report *report, const int32_t *label, int64_t count);

/* A warning, which is counted too. */
void report_warning(struct report *report, const char *text);

/* Nothing more will be reported: pass all on to the system.  0, or -1 with err. */
int report_flush(struct report *report, struct error *err);

/* Let the file appear (output_commit).  0, or -1 with err. */
int report_commit(struct report *report, struct error *err);

/* A no-op on a zeroed or committed report. */
void report_abandon(struct report *report);

#endif
