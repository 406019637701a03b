/* What every X-predict prints and reports: the accuracy, and the confusion matrix where it was
 * asked for. */
#ifndef COMMON_MODEL_ACCURACY_REPORT_H
#define COMMON_MODEL_ACCURACY_REPORT_H

#include "common/base/report.h"
#include "common/data/names.h"

#include <stdint.h>
#include <stdio.h>

struct accuracy_report {
    int64_t examples, labelled, correct;
    int64_t unknown; /* labelled with a label that the model does not have: counted as wrong */
    int64_t classes;
    int32_t *label; /* classes, ascending */
    int64_t *count; /* classes x classes, [true][predicted]; NULL unless asked for */
};

/* `Accuracy = 84.4444% (228/270)`, and the confusion matrix when it was counted, with the
 * classes' names where there are any. */
void accuracy_print(FILE *out, const struct accuracy_report *report, const struct names *names);

/* The same for scripts. */
void accuracy_put(struct report *out, const struct accuracy_report *report);

void accuracy_report_free(struct accuracy_report *report);

#endif
