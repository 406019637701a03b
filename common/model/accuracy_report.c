/* The text of the report.  The confusion rate is the Frobenius norm of the off-diagonal shares of
 * each true class, divided by sqrt(K) (Louche and Ralaivola 2015). */
#include "common/model/accuracy_report.h"

#include "common/base/memory.h"

#include <math.h>

/* Row and column of one class, in the counts. */
struct accuracy_class {
    int64_t row, column, right;
};

static struct accuracy_class accuracy_class_of(const struct accuracy_report *r, int64_t q)
{
    struct accuracy_class c = {.right = r->count[q * r->classes + q]};
    for (int64_t k = 0; k < r->classes; k++) {
        c.row += r->count[q * r->classes + k];
        c.column += r->count[k * r->classes + q];
    }
    return c;
}

/* Is there an example in the table?  Not one whose label the model does not know. */
static bool accuracy_counts(const struct accuracy_report *r)
{
    return r->labelled > r->unknown;
}

static double accuracy_confusion_rate(const struct accuracy_report *r)
{
    double off_diagonal = 0;
    for (int64_t q = 0; q < r->classes; q++) {
        const int64_t row = accuracy_class_of(r, q).row;
        if (row == 0)
            continue;
        for (int64_t k = 0; k < r->classes; k++)
            if (k != q) {
                double share = (double)r->count[q * r->classes + k] / (double)row;
                off_diagonal += share * share;
            }
    }
    return sqrt(off_diagonal) / sqrt((double)r->classes);
}

static void accuracy_print_confusion(FILE *out, const struct accuracy_report *r,
                                     const struct names *names)
{
    fprintf(out, "Confusion matrix (rows: true, columns: predicted)\n%11s", "");
    for (int64_t k = 0; k < r->classes; k++)
        fprintf(out, " %8ld", (long)r->label[k]);
    fprintf(out, "   recall precision%s\n", names->count > 0 ? "  name" : "");
    for (int64_t q = 0; q < r->classes; q++) {
        const struct accuracy_class c = accuracy_class_of(r, q);
        fprintf(out, "%11ld", (long)r->label[q]);
        for (int64_t k = 0; k < r->classes; k++)
            fprintf(out, " %8lld", (long long)r->count[q * r->classes + k]);
        char recall[16] = "-", precision[16] = "-"; /* no example of this class, none predicted */
        if (c.row > 0)
            snprintf(recall, sizeof recall, "%.4f", (double)c.right / (double)c.row);
        if (c.column > 0)
            snprintf(precision, sizeof precision, "%.4f", (double)c.right / (double)c.column);
        fprintf(out, " %8s  %8s", recall, precision);
        names_print(out, names, r->label[q]);
        fputc('\n', out);
    }
    if (accuracy_counts(r))
        fprintf(out, "Confusion rate = %g\n", accuracy_confusion_rate(r));
    else
        fputs("Confusion rate = -\n", out);
}

static void accuracy_put_confusion(struct report *out, const struct accuracy_report *r)
{
    for (int64_t q = 0; q < r->classes; q++) {
        const struct accuracy_class c = accuracy_class_of(r, q);
        report_counts_of(out, REPORT_CLASS_PREDICTED, r->label[q], r->count + q * r->classes,
                         r->classes);
        if (c.row > 0)
            report_number_of(out, REPORT_CLASS_RECALL, r->label[q],
                             (double)c.right / (double)c.row);
        if (c.column > 0)
            report_number_of(out, REPORT_CLASS_PRECISION, r->label[q],
                             (double)c.right / (double)c.column);
    }
    if (accuracy_counts(r))
        report_number(out, REPORT_CONFUSION_RATE, accuracy_confusion_rate(r));
}

void accuracy_put(struct report *out, const struct accuracy_report *report)
{
    report_count(out, REPORT_EXAMPLES, report->examples);
    report_labels(out, report->label, report->classes);
    report_count(out, REPORT_LABELLED, report->labelled);
    report_count(out, REPORT_UNKNOWN, report->unknown);
    report_count(out, REPORT_CORRECT, report->correct);
    if (report->labelled > 0)
        report_number(out, REPORT_ACCURACY, (double)report->correct / (double)report->labelled);
    if (report->count)
        accuracy_put_confusion(out, report);
}

void accuracy_print(FILE *out, const struct accuracy_report *report, const struct names *names)
{
    if (report->labelled > 0)
        fprintf(out, "Accuracy = %g%% (%lld/%lld)\n",
                100.0 * (double)report->correct / (double)report->labelled,
                (long long)report->correct, (long long)report->labelled);
    if (report->count)
        accuracy_print_confusion(out, report, names);
}

void accuracy_report_free(struct accuracy_report *report)
{
    memory_free(report->label);
    memory_free(report->count);
    *report = (struct accuracy_report){0};
}
