/* --completion: a script that completes a program's options, the words that are their values, and
 * file names, in bash (4 or newer) or zsh.  Printed to standard output; returns the exit status: 0,
 * or 1 when it could not be written. */
#ifndef COMMON_PROGRAM_OPTIONS_COMPLETION_H
#define COMMON_PROGRAM_OPTIONS_COMPLETION_H

#include "common/program/option.h"

int options_print_bash(const struct program *program);
int options_print_zsh(const struct program *program);

#endif
