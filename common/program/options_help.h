/* --help, --version and --man (the manual page), from a program's option table and texts.  Each
 * prints to standard output and returns the exit status: 0, or 1 when the text could not be
 * written. */
#ifndef COMMON_PROGRAM_OPTIONS_HELP_H
#define COMMON_PROGRAM_OPTIONS_HELP_H

#include "common/program/option.h"

int options_print_help(const struct program *program);
int options_print_version(const struct program *program);
int options_print_man(const struct program *program);

/* What these and options_completion.h print from.  The options that every program has besides those
 * of its table: */
extern const struct option options_of_all[];
enum { OPTION_COMPLETION = 3 }; /* the position of --completion */

/* The i-th row of a program's table and then of options_of_all (a kind of a program has no
 * --completion); NULL: there are no more. */
const struct option *options_row(const struct program *program, int i);

/* The word on the command line that chooses a kind: "toy" of "synth toy". */
const char *options_kind(const struct program *kind);

/* Flush standard output.  The exit status: was everything written? */
int options_written(const struct program *program);

#endif
