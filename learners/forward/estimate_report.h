/* What an estimate has found and chosen, for people and in a report. */
#ifndef LEARNERS_FORWARD_ESTIMATE_REPORT_H
#define LEARNERS_FORWARD_ESTIMATE_REPORT_H

#include "common/base/report.h"
#include "learners/forward/estimate.h"

#include <stdio.h>

/* The matrix: print it, one line per class, and report it.  out: may be NULL. */
void estimate_print(const struct estimate *estimate, const struct labels *labels, FILE *out,
                    struct report *report);

/* Call `warn` with a sentence for each class whose noise is not identifiable, where the labels
 * disagree with the predicted probabilities (misfit), and where the starting points disagree. */
void estimate_warn(const struct estimate *estimate, const struct labels *labels,
                   void (*warn)(void *context, const char *text), void *context);

/* What the classifier is: print lambda, steps, the features, and whether another than softmax
 * regression was tried and is taken.  out: may be NULL. */
void estimate_print_choices(const struct estimate *estimate, FILE *out);

/* Report the same, but for lambda and steps, which may have been given.  An estimate that is all 0
 * has no choices. */
void estimate_report_choices(const struct estimate *estimate, struct report *report);

#endif
