/* How a program starts and ends. */
#ifndef COMMON_PROGRAM_PROGRAM_H
#define COMMON_PROGRAM_PROGRAM_H

#include "common/base/error.h"
#include "common/base/findings.h"
#include "common/base/milestones.h"
#include "common/base/report.h"
#include "common/program/options.h"

/* Set up signals; call first.  A closed pipe, or a file at its size limit (ulimit -f), makes a
 * write fail instead of killing the program; SIGTERM, SIGINT and SIGHUP remove unfinished outputs
 * before they end it. */
void program_start(void);

/* What they print before they end it: `PROGRAM: stopped by SIGTERM: WHY`.  Both are borrowed. */
void program_say_at_stop(const char *name, const char *why);

/* From now on these signals, unless ignored (nohup), do not end the program but make the stop that
 * is returned say so; the program must then end by itself.  interrupts: they also end a wait for
 * the other end of a named pipe, but a line on standard output that waits for its reader may then
 * be lost.  NULL with err. */
const struct stop *program_catch_stops(bool interrupts, struct error *err);

/* "SIGTERM" for such a signal. */
const char *program_signal_name(int signal_number);

/* Bytes of a warning or a note at most, with a NUL. */
enum { PROGRAM_MESSAGE = FINDINGS_SENTENCE };

/* A warning, that a result cannot be trusted as it stands: print `PROGRAM: warning: ...`, whatever
 * -q says, report it, and count it for --strict.  report: NULL: the program has none. */
void program_warn(const char *name, struct report *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A warning where the data were cut (struct example_format). */
void program_warn_cut(const char *name, struct report *report, bool cut, const char *data);

/* A note: print `PROGRAM: note: ...`.  The caller heeds -q. */
void program_note(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of arguments that another function was given. */
void program_warn_args(const char *name, struct report *report, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
void program_note_args(const char *name, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* What a program says of its work, and where. */
struct program_voice {
    const char *name;     /* of the program */
    struct report report; /* of --report */
    bool quiet;           /* -q: nothing but warnings on standard error */
};

/* The same for learners, which report to findings: lines on standard error, and as above.  The
 * voice is borrowed. */
struct findings program_findings(struct program_voice *voice);

/* Print a bad line that is skipped, and why. */
void program_tell_skipped(const char *name, const struct error *why);

/* Standard output holds a report: write it line by line, so that a log shows it. */
void program_line_buffer(void);

/* Print err when failed, check standard output, and return the exit status: 0, 1, EXIT_USAGE if err
 * is a usage error, or EXIT_WARNED after a warning with --strict (option_rows.h). */
enum { EXIT_WARNED = 3 };
int program_end(const struct program *program, int failed, const struct error *err);

/* May several ranks (reduce.h) do what the command line asks for?  data: what each reads a part of;
 * alone: long names of options for one rank only, then NULL.  0, or -1 with err, a usage error. */
int program_check_ranks(const struct program *program, const char *data, const char *const *alone,
                        struct error *err);

/* Where an X-train program is given no model file, set word[1] to the default name: that of the
 * training file + .model, in the current folder.  buffer: holds it.  OPTIONS_GO, or EXIT_USAGE: the
 * name is too long, or that of another file of the run. */
enum { PROGRAM_NAME = 512 };
int program_name_model(const struct program *program, const char **word, char buffer[PROGRAM_NAME]);

#endif
