/* The lines of a search, of the examples left out and of held-out probabilities. */
#include "learners/forward/forward_report.h"

#include "common/base/number.h"

void forward_report_minimum(const struct findings *to, const struct descent_result *result)
{
    findings_say(to, "optimization finished, #iter = %lld (%lld passes over the data)",
                 (long long)result->iterations, (long long)result->evaluations);
    findings_say(to, "objective value = %.6g", result->value);
    report_count(to->report, REPORT_ITERATIONS, result->iterations);
    report_count(to->report, REPORT_EVALUATIONS, result->evaluations);
    report_number(to->report, REPORT_OBJECTIVE, result->value);
    report_count(to->report, REPORT_CONVERGED, result->converged);
    char passes[NUMBER_COUNTED];
    if (!result->converged)
        findings_warn(to, "stopped after %s, before the minimum was reached",
                      number_counted(result->evaluations, "pass", passes));
}

void forward_warn_left_out(const struct findings *to, struct round_counts now,
                           struct round_counts had, bool again)
{
    const int64_t rounds = now.rounds - had.rounds, updates = now.updates - had.updates;
    if (updates < rounds)
        findings_warn(to,
                      "%lld of %lld examples%s have a label that the matrix says cannot be: they "
                      "are left out",
                      (long long)(rounds - updates), (long long)rounds,
                      again ? ", counted in each pass," : "");
}

void forward_report_held_out(const struct findings *to, const struct held_out *judged)
{
    findings_say(to, "log-loss %.4f, calibration error %.4f", judged->log_loss,
                 judged->calibration);
    report_number(to->report, REPORT_LOG_LOSS, judged->log_loss);
    report_number(to->report, REPORT_CALIBRATION_ERROR, judged->calibration);
}
