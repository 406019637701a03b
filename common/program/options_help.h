/* --help, --version and --man (the manual page), from a program's option table and texts.  Each
 * prints to standard output and returns the exit status: 0, or 1 when the text could not be
 * written. */
#ifndef COMMON_PROGRAM_OPTIONS_HELP_H
#define COMMON_PROGRAM_OPTIONS_HELP_H

#include "common/program/option.h"

int options_print_help(const struct program *program);
int options_print_version(const struct program *program);
int options_print_man(const struct program *program);

#endif
