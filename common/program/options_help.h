/* What a program says of itself, all from its option table: --help, --version, and --man, the page
 * that man reads.  Each prints to standard output and returns the status to exit with: 0, or 1 when
 * the text could not be written. */
#ifndef COMMON_PROGRAM_OPTIONS_HELP_H
#define COMMON_PROGRAM_OPTIONS_HELP_H

#include "common/program/option.h"

int options_print_help(const struct program *program);
int options_print_version(const struct program *program);
int options_print_man(const struct program *program);

#endif
