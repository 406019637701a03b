/* The text of the report.  The confusion rate is the Frobenius norm of the off-diagonal shares of
 * each true class, divided by sqrt(K) (Louche and Ralaivola 2015). */
#include "common/model/accuracy_report.h"

#include "common/base/memory.h"

#include <math.h>

static void print_confusion(FILE *out, const struct accuracy_report *r)
{
    double off_diagonal = 0;
    fprintf(out, "Confusion matrix (rows: true, columns: predicted)\n%11s", "");
    for (int64_t k = 0; k < r->classes; k++)
        fprintf(out, " %8ld", (long)r->label[k]);
    fprintf(out, "   recall precision\n");
    for (int64_t q = 0; q < r->classes; q++) {
        int64_t row = 0, column = 0, right = r->count[q * r->classes + q];
        fprintf(out, "%11ld", (long)r->label[q]);
        for (int64_t k = 0; k < r->classes; k++) {
            row += r->count[q * r->classes + k];
            column += r->count[k * r->classes + q];
            fprintf(out, " %8lld", (long long)r->count[q * r->classes + k]);
        }
        for (int64_t k = 0; k < r->classes && row > 0; k++)
            if (k != q) {
                double share = (double)r->count[q * r->classes + k] / (double)row;
                off_diagonal += share * share;
            }
        char recall[16] = "-", precision[16] = "-"; /* no example of this class, none predicted */
        if (row > 0)
            snprintf(recall, sizeof recall, "%.4f", (double)right / (double)row);
        if (column > 0)
            snprintf(precision, sizeof precision, "%.4f", (double)right / (double)column);
        fprintf(out, " %8s  %8s\n", recall, precision);
    }
    fprintf(out, "Confusion rate = %g\n", sqrt(off_diagonal) / sqrt((double)r->classes));
}

void accuracy_print(FILE *out, const struct accuracy_report *report)
{
    if (report->labelled > 0)
        fprintf(out, "Accuracy = %g%% (%lld/%lld)\n",
                100.0 * (double)report->correct / (double)report->labelled,
                (long long)report->correct, (long long)report->labelled);
    if (report->count)
        print_confusion(out, report);
}

void accuracy_report_free(struct accuracy_report *report)
{
    memory_free(report->label);
    memory_free(report->count);
    *report = (struct accuracy_report){0};
}
