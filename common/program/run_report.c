/* The first and last lines of a report.  Only the seconds differ between two runs that are the
 * same, so they stand last. */
#include "common/program/run_report.h"

#include "common/base/progress.h"
#include "common/program/version.h"

/* An option that is given: a line for each of its values; a flag has the value 1. */
static void run_report_put_option(struct report *report, const struct option *o)
{
    if (o->type == OPTION_WORDS) {
        const struct option_words *words = o->value;
        for (int i = 0; i < words->count; i++)
            report_text_of(report, REPORT_OPTION, o->name, words->word[i]);
    } else {
        report_text_of(report, REPORT_OPTION, o->name, o->type == OPTION_FLAG ? "1" : o->text);
    }
}

int run_report_begin(struct report *report, const struct program *program, const char *const *word,
                     struct error *err)
{
    report->start = progress_clock();
    if (report_open(report, err) != 0)
        return -1;
    report_count(report, REPORT_FORM, 1);
    report_text(report, REPORT_PROGRAM, program->name);
    report_text(report, REPORT_VERSION, LIBDOUBT_VERSION);
    for (int i = 0; i < program->count; i++)
        if (program->options[i].given)
            run_report_put_option(report, &program->options[i]);
    for (; *word; word++)
        report_text(report, REPORT_FILE, *word);
    return 0;
}

int run_report_finish(struct report *report, struct error *err)
{
    report_count(report, REPORT_WARNINGS, report->warnings);
    report_number(report, REPORT_SECONDS, progress_clock() - report->start);
    return report_flush(report, err);
}
