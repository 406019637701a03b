/* The lines of the report and of the warnings, each written in one place. */
#include "learners/musvm/musvm_report.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/kernel/isolated.h"
#include "learners/musvm/span_bound.h"

#include <float.h>
#include <math.h>

void musvm_report_memory(const struct findings *to, const struct musvm_task *task, bool semi,
                         double data, double learner, double kernel)
{
    char examples[NUMBER_COUNTED], others[NUMBER_COUNTED], features[NUMBER_COUNTED];
    char data_text[32], learner_text[32], kernel_text[32];
    findings_say(
        to,
        "%s, %s, %s, %lld classes; memory: %s for the data, %s for the learner, %s for kernel rows",
        number_counted(task->n, "example", examples),
        number_counted(task->m, semi ? "unlabelled example" : "universum sample", others),
        number_counted(task->samples->d, "feature", features), (long long)task->classes,
        memory_text(data, data_text), memory_text(learner, learner_text),
        memory_text(kernel, kernel_text));
}

/* ---- warnings ---- */

/* Where a sample stands.  out: 64 bytes.  Returns out. */
static char *musvm_place(const struct musvm_task *task, int64_t i, char *out)
{
    snprintf(out, 64, "line %lld%s", (long long)task->samples->line[i],
             i < task->n ? "" : " of -u");
    return out;
}

void musvm_warn_kernel(const struct findings *to, const struct musvm_task *task)
{
    int64_t i, j;
    char one[64], other[64];
    if (task->rows && kernel_rows_negative(task->rows, &i, &j))
        findings_warn(to,
                      "the kernel is not positive semidefinite (seen from %s%s%s): the result is "
                      "only a coordinate-wise optimum",
                      musvm_place(task, j, one), i == j ? "" : " and ",
                      i == j ? "" : musvm_place(task, i, other));
}

/* By what factor the lengths of a universum may differ from those of the examples: no reason but
 * that random averages and samples of other classes differ by far less. */
static const double musvm_lengths_apart = 10;

/* The root mean square of the lengths of the samples from .. to - 1. */
static double musvm_length(const struct problem *samples, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t i = from; i < to; i++) {
        const struct example x = problem_example(samples, i);
        sum += example_squared_norm(&x) / (double)(to - from);
    }
    return sqrt(sum);
}

void musvm_warn_lengths(const struct findings *to, const struct musvm_task *task, bool semi)
{
    if (task->m == 0)
        return;
    const double of_examples = musvm_length(task->samples, 0, task->n),
                 of_others = musvm_length(task->samples, task->n, task->n + task->m),
                 ratio = of_others / of_examples;
    if (isfinite(ratio) && (ratio > musvm_lengths_apart || ratio < 1 / musvm_lengths_apart))
        findings_warn(to, "%s are %.3g times as long as the examples: are both scaled alike?",
                      semi ? "unlabelled examples" : "universum samples", ratio);
}

/* Training samples whose kernel values are looked at; enough to tell a tenth. */
enum { LOOKED_AT = 100 };

/* The kernel values of the s-th of these.  NULL: there are none, or one is not finite, of which
 * the solver will say where. */
static const double *musvm_look_at(const struct musvm_task *task, int64_t s, int64_t *i)
{
    struct error ignored = {0};
    const int64_t count = order_least(task->n, LOOKED_AT);
    if (!task->rows || s == count)
        return NULL;
    *i = s * task->n / count;
    return kernel_rows_get(task->rows, *i, &ignored);
}

/* Are all kernel values that are looked at within this part of the largest from each other?  least,
 * most: out.  The diagonal comes first, as it is that of all samples: to a positive semidefinite
 * kernel those that are not looked at differ in it, or from those that are. */
static bool musvm_is_alike(const struct musvm_task *task, double tolerance, double *least,
                           double *most)
{
    const int64_t n = task->n, count = order_least(n, LOOKED_AT);
    const double *row = task->rows ? kernel_rows_diagonal(task->rows) : NULL;
    int64_t s = 0, i;
    *least = INFINITY;
    *most = -INFINITY;
    while (row && !(*most - *least > tolerance * fabs(*most))) {
        for (int64_t j = 0; j < n; j++) {
            *least = fmin(*least, row[j]);
            *most = fmax(*most, row[j]);
        }
        row = musvm_look_at(task, s++, &i);
    }
    return s > count && !(*most - *least > tolerance * fabs(*most));
}

void musvm_warn_alike(const struct findings *to, const struct musvm_task *task)
{
    double least, most;
    if (musvm_is_alike(task, 0, &least, &most))
        findings_warn(to,
                      "all examples are the same to this kernel, as all its values are %.4g: there "
                      "is nothing to learn",
                      most);
}

/* The part of the largest kernel value by which others differ where all examples are nearly the
 * same to the kernel: no reason but that values of scaled data and a usual gamma differ by far
 * more. */
static const double musvm_nearly = 0.01;

void musvm_warn_bounded(const struct findings *to, const struct musvm_task *task,
                        const struct musvm_machine *machine)
{
    double least, most;
    if (machine->bounded == task->n && musvm_is_alike(task, musvm_nearly, &least, &most)
        && least < most)
        findings_warn(to,
                      "all examples are at their bound and, to this kernel, nearly the same: C or "
                      "gamma is too small, or the data are not scaled");
}

void musvm_warn_isolated(const struct findings *to, const struct musvm_task *task, double gamma)
{
    const int64_t n = task->n, count = order_least(n, LOOKED_AT);
    const double *row;
    int64_t isolated = 0, i;
    if (n == 1)
        return; /* there are no others: weights may leave a single example */
    for (int64_t s = 0; (row = musvm_look_at(task, s, &i)) != NULL; s++)
        isolated += isolated_row(row, n, i);
    isolated_warn(to, isolated, count, "examples looked at", "others", gamma);
}

void musvm_warn_given_up(const struct findings *to, int64_t given_up)
{
    char solutions[NUMBER_COUNTED];
    if (given_up > 0)
        findings_warn(to, "the solver gave up before it had converged in %s: C may be too large",
                      number_counted(given_up, "solution", solutions));
}

/* ---- the machine ---- */

/* An infinite sum as the largest double of its sign, NaN (a difference of infinities) as the
 * largest. */
static double musvm_printable(double sum)
{
    if (!(sum <= DBL_MAX))
        return DBL_MAX;
    return sum < -DBL_MAX ? -DBL_MAX : sum;
}

void musvm_report_machine(const struct findings *to, const struct musvm_machine *machine, bool semi)
{
    const struct musvm_result *r = &machine->result;
    const double objective = musvm_printable(r->objective), primal = musvm_printable(r->primal);
    if (!r->converged)
        findings_warn(to,
                      "the solver has not converged after %lld updates: C may be too large, the "
                      "kernel not positive semidefinite, or eps too small%s",
                      (long long)r->updates,
                      semi ? "; or labels of pairs were still exchanged at the end" : "");
    else if (machine->support + machine->universum_support == 0)
        findings_warn(to,
                      "no update was made and all coefficients are 0: eps (-e) is not below the "
                      "violation at the start, %.3g",
                      r->violation);
    if (machine->parts > 1)
        findings_say(to, "%lld problems of two classes; sums over them, and the largest violation:",
                     (long long)machine->parts);
    findings_say(to, "optimization finished, #iter = %lld", (long long)r->updates);
    findings_say(to, "obj = %.15g, primal = %.15g, violation = %.3g", objective, primal,
                 r->violation);
    findings_say(to, "nSV = %lld, nBSV = %lld, %s nSV = %lld", (long long)machine->support,
                 (long long)machine->bounded, semi ? "unlabelled" : "universum",
                 (long long)machine->universum_support);
    report_count(to->report, REPORT_ITERATIONS, r->updates);
    report_count(to->report, REPORT_CONVERGED, r->converged);
    report_number(to->report, REPORT_OBJECTIVE, objective);
    report_number(to->report, REPORT_PRIMAL, primal);
    report_number(to->report, REPORT_VIOLATION, r->violation);
    report_count(to->report, REPORT_SUPPORT_VECTORS, machine->support);
    report_count(to->report, REPORT_SUPPORT_VECTORS_BOUNDED, machine->bounded);
    report_count(to->report, REPORT_SUPPORT_VECTORS_UNIVERSUM, machine->universum_support);
}

int musvm_report_bounds(const struct findings *to, const struct musvm_part *part, int threads,
                        struct error *err)
{
    const int64_t count = part->task.n;
    const double n = (double)count;
    int64_t theorem, local;
    if (span_bound_theorem(&part->task, &part->options, &part->point, threads, NULL, NULL, &theorem,
                           err)
            != 0
        || span_bound_local(&part->task, &part->options, &part->point, threads, NULL, &local, err)
               != 0)
        return -1;
    findings_say(
        to, "leave-one-out error: %g%% by theorem 4 (%lld/%lld), %g%% element-wise (%lld/%lld)",
        100 * (double)theorem / n, (long long)theorem, (long long)count, 100 * (double)local / n,
        (long long)local, (long long)count);
    report_number(to->report, REPORT_LOO_ERROR_THEOREM, (double)theorem / n);
    report_number(to->report, REPORT_LOO_ERROR_LOCAL, (double)local / n);
    return 0;
}

/* ---- selection ---- */

void musvm_report_chosen(const struct findings *to, const struct musvm_trial *trial, int64_t count,
                         int64_t n, enum musvm_criterion criterion, bool linear)
{
    static const char *const estimates[] = {"Cross Validation Accuracy",
                                            "1 - leave-one-out error by theorem 4",
                                            "1 - leave-one-out error element-wise"};
    for (int64_t i = 0; i < count; i++) {
        char gamma[48] = "", delta[48] = "";
        const int64_t right = n - trial[i].wrong;
        if (!trial[i].chosen)
            continue;
        if (!linear)
            snprintf(gamma, sizeof gamma, "  gamma = %g", trial[i].gamma);
        if (trial[i].step == 2)
            snprintf(delta, sizeof delta, "  Delta = %g", trial[i].costs.delta);
        findings_say(to, "Best C = %g%s%s  %s = %g%%", trial[i].costs.C, gamma, delta,
                     estimates[criterion], 100 * (double)right / (double)n);
        report_count_of(to->report, REPORT_STEP_CORRECT, trial[i].step, right);
    }
}

void musvm_note_harm(const struct findings *to, const struct musvm_trial *trial, int64_t count,
                     int64_t n)
{
    int64_t wrong[3] = {0, 0, 0};
    for (int64_t i = 0; i < count; i++)
        if (trial[i].chosen)
            wrong[trial[i].step] = trial[i].wrong;
    if (wrong[2] > wrong[1])
        findings_note(to,
                      "by these estimates the universum does harm (%lld of %lld wrong with it, "
                      "%lld without)",
                      (long long)wrong[2], (long long)n, (long long)wrong[1]);
}

void musvm_write_trials(struct output *out, const struct musvm_trial *trial, int64_t count,
                        int64_t n, bool linear)
{
    output_text(out, "step\tC\tgamma\tDelta\twrong\tof\terror %%\tchosen\n");
    for (int64_t i = 0; i < count; i++) {
        char gamma[32] = "-", delta[32] = "-"; /* "-": not used in this trial */
        if (!linear)
            snprintf(gamma, sizeof gamma, "%.15g", trial[i].gamma);
        if (trial[i].step == 2)
            snprintf(delta, sizeof delta, "%.15g", trial[i].costs.delta);
        output_text(out, "%d\t%.15g\t%s\t%s\t", trial[i].step, trial[i].costs.C, gamma, delta);
        output_text(out, "%lld\t%lld\t%.4f\t%s\n", (long long)trial[i].wrong, (long long)n,
                    100 * (double)trial[i].wrong / (double)n, trial[i].chosen ? "*" : "");
    }
}
