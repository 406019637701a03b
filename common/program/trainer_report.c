/* What all trainers say and report. */
#include "common/base/reduce.h"
#include "common/data/feature_sizes.h"
#include "common/program/program.h"
#include "common/program/trainer.h"

#include <stdarg.h>

void trainer_report_data(struct trainer *t, int64_t examples, int64_t features)
{
    const struct findings to = trainer_findings(t);
    report_count(t->report, REPORT_EXAMPLES, examples);
    report_count(t->report, REPORT_FEATURES, features);
    report_labels(t->report, t->labels.value, t->labels.count);
    trainer_warn_features(t, features);
    if (!t->labels_given && !t->resume_given)
        labels_warn_many(&t->labels, examples, &to);
}

void trainer_warn_features(const struct trainer *t, int64_t features)
{
    if (features == 0)
        trainer_warn(t, "no example has a feature: all are predicted alike");
}

/* Decades by which the variance of examples is below the square of their length.  Measured with 30
 * added to all features of 16 Gaussians (2.0 decades): arow-train falls from 84 to 64 % right,
 * uma-train from 78 to 11, rcnbf-train -s nsm from 80 to 24; with 10 (1.0) from 84 to 76 and from
 * 78 to 43. */
enum { TRAINER_IN_COMMON = 2 };

static void trainer_note_offset(const struct trainer *t, const struct problem *problem)
{
    int64_t decades = 0;
    (void)feature_sizes_in_common(problem, t->weight, &decades, NULL);
    if (decades >= TRAINER_IN_COMMON)
        trainer_note(t, "the examples differ little beside what all have in common: most learners "
                        "do better with features around 0 (svm-scale)");
}

void trainer_note_sizes(const struct trainer *t, const struct problem *problem)
{
    int32_t largest;
    double ratio;
    if (t->quiet || reduce_ranks() > 1)
        return;
    (void)feature_sizes_compare(problem, &largest, &ratio, NULL); /* a note needs no memory */
    if (!(ratio > FEATURE_SIZES_ONE_SCALE)) {
        /* Where sizes are not known most values are 0, so that there is no offset. */
        if (t->minds_offset && !t->form.map && ratio > 0)
            trainer_note_offset(t, problem);
        return;
    }
    char how[64] = "far larger than"; /* squares overflow, or vanish */
    if (ratio < 1e15)
        snprintf(how, sizeof how, "%.0f times as large as", ratio);
    trainer_note(t,
                 "the values of feature %d are %s those of the median feature: most learners do "
                 "better with features of one scale (svm-scale)",
                 (int)feature_numbers_in_file(&t->numbers, largest, t->form.zero_based), how);
}

void trainer_print_validation(const struct trainer *t, int64_t correct, int64_t n)
{
    fprintf(t->results, "Cross Validation Accuracy = %g%%\n", 100.0 * (double)correct / (double)n);
    report_count(t->report, REPORT_LABELLED, n);
    report_count(t->report, REPORT_CORRECT, correct);
    report_number(t->report, REPORT_ACCURACY, (double)correct / (double)n);
}

void trainer_print_errors(const struct trainer *t, double given, double estimated)
{
    fprintf(t->results,
            "error against the given labels %.4g%%, estimated error against the true ones %.4g%%\n",
            100 * given, 100 * estimated);
    report_number(t->report, REPORT_ERROR_GIVEN, given);
    report_number(t->report, REPORT_ERROR_TRUE, estimated);
    trainer_warn_of_error(t, estimated);
}

void trainer_warn_of_error(const struct trainer *t, double estimated)
{
    if (estimated < 0)
        trainer_warn(t, "the estimated error is below 0: by chance, or the confusion matrix is not "
                        "that of these labels");
}

void trainer_warn(const struct trainer *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    program_warn_args(t->program.name, t->report, format, args);
    va_end(args);
}

void trainer_note(const struct trainer *t, const char *format, ...)
{
    va_list args;
    if (t->quiet)
        return;
    va_start(args, format);
    program_note_args(t->program.name, format, args);
    va_end(args);
}

void trainer_say(const struct trainer *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    findings_print(t->out, format, args);
    va_end(args);
}

static void trainer_warn_text(void *trainer, const char *text)
{
    trainer_warn(trainer, "%s", text);
}

static void trainer_note_text(void *trainer, const char *text)
{
    trainer_note(trainer, "%s", text);
}

struct findings trainer_findings(struct trainer *t)
{
    return (struct findings){.out = t->out,
                             .report = t->report,
                             .warn = trainer_warn_text,
                             .note = trainer_note_text,
                             .context = t};
}

struct findings trainer_results(struct trainer *t)
{
    struct findings to = trainer_findings(t);
    to.out = t->results;
    return to;
}
