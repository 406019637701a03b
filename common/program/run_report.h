/* --report: the lines that are the same for every program, before and after those of its own. */
#ifndef COMMON_PROGRAM_RUN_REPORT_H
#define COMMON_PROGRAM_RUN_REPORT_H

#include "common/base/report.h"
#include "common/program/option.h"

/* Open the file, if one is wanted, and write the first lines: program, version, options as given,
 * and the files named on the command line (`word`, NULL-terminated).  The clock starts.  0 or -1.
 */
int run_report_begin(struct report *report, const struct program *program, const char *const *word,
                     struct error *err);

/* Write the last lines, warnings and seconds, and pass all on to the system, so that a full disk is
 * found before the other outputs appear; then report_commit.  0 or -1. */
int run_report_finish(struct report *report, struct error *err);

#endif
