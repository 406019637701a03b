/* The lines of a search, of the examples left out and of held-out probabilities. */
#include "learners/forward/forward_report.h"

#include "common/base/number.h"

void forward_report_minimum(const struct descent_result *result, FILE *out, struct report *report,
                            void (*warn)(void *context, const char *text), void *context)
{
    if (out) {
        fprintf(out, "optimization finished, #iter = %lld (%lld passes over the data)\n",
                (long long)result->iterations, (long long)result->evaluations);
        fprintf(out, "objective value = %.6g\n", result->value);
    }
    report_count(report, REPORT_ITERATIONS, result->iterations);
    report_count(report, REPORT_EVALUATIONS, result->evaluations);
    report_number(report, REPORT_OBJECTIVE, result->value);
    report_count(report, REPORT_CONVERGED, result->converged);
    if (result->converged)
        return;
    char passes[NUMBER_COUNTED], text[128];
    snprintf(text, sizeof text, "stopped after %s, before the minimum was reached",
             number_counted(result->evaluations, "pass", passes));
    warn(context, text);
}

void forward_warn_left_out(struct round_counts now, struct round_counts had, bool again,
                           void (*warn)(void *context, const char *text), void *context)
{
    const int64_t rounds = now.rounds - had.rounds, updates = now.updates - had.updates;
    char text[256];
    if (updates >= rounds)
        return;
    snprintf(text, sizeof text,
             "%lld of %lld examples%s have a label that the matrix says cannot be: they are left "
             "out",
             (long long)(rounds - updates), (long long)rounds,
             again ? ", counted in each pass," : "");
    warn(context, text);
}

void forward_report_held_out(const struct held_out *judged, FILE *out, struct report *report)
{
    if (out)
        fprintf(out, "log-loss %.4f, calibration error %.4f\n", judged->log_loss,
                judged->calibration);
    report_number(report, REPORT_LOG_LOSS, judged->log_loss);
    report_number(report, REPORT_CALIBRATION_ERROR, judged->calibration);
}
