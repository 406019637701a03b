/* A program's options: one table drives parsing, the help text and the man page, defaults included.
 *
 * The manners of getopt: `-r 1`, `-r1`, `-qA`, `--name value`, `--name=value`, `--` ends the
 * options, `-` is a file; options come before the file names.  An unknown option, a value with junk
 * or out of range, an option given twice with different values, and words too many or too few are
 * usage errors: one line, exit status 2. */
#ifndef COMMON_PROGRAM_OPTIONS_H
#define COMMON_PROGRAM_OPTIONS_H

#include "common/program/option.h"

/* Set defaults, then what is given.  No output of the run may be the same file as one of its inputs
 * or another output; standard output, where results or the report go, is always one.  word: out,
 * most_words + 1 entries, NULL-terminated.  Returns OPTIONS_GO, or the status to exit with: 0 after
 * --help, --version or --man, 1 when those could not be written, 2 after a usage error. */
enum { OPTIONS_GO = -1, EXIT_USAGE = 2 };
int options_parse(const struct program *program, int argc, char **argv, const char **word);

/* The same check of the files, where the program has completed `word`: OPTIONS_GO or EXIT_USAGE. */
int options_check_files(const struct program *program, const char *const *word);

/* The option of this long name. */
const struct option *options_find(const struct program *program, const char *name);

/* A usage error that only the program can see: prints `PROGRAM: message` and returns EXIT_USAGE. */
int options_refuse(const struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
