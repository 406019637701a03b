/* A program's options: one table drives parsing, the help text and the man page, defaults included.
 *
 * Syntax as in getopt: `-r 1`, `-r1`, `-qA`, `--name value`, `--name=value`; `--` ends the options,
 * `-` is a file; options come before the file names.  An unknown option, a malformed value or one
 * out of range, an option given twice with different values, and too many or too few words are
 * usage errors: one line, exit status 2. */
#ifndef COMMON_PROGRAM_OPTIONS_H
#define COMMON_PROGRAM_OPTIONS_H

#include "common/base/error.h"
#include "common/program/option.h"

/* Set defaults, then the options given.  An output of the run that is the same file as an input or
 * another output is a usage error; standard output always counts as an output.  word: out,
 * most_words + 1 entries, NULL-terminated.  Returns OPTIONS_GO, or the status to exit with: 0 after
 * --help, --version, --man or --completion, 1 when those could not be written, 2 after a usage
 * error. */
enum { OPTIONS_GO = -1, EXIT_USAGE = 2 };
int options_parse(const struct program *program, int argc, char **argv, const char **word);

/* Check the files again after the program has added to `word`: OPTIONS_GO or EXIT_USAGE. */
int options_check_files(const struct program *program, const char *const *word);

/* The option of this long name; NULL: the program has none. */
const struct option *options_find(const struct program *program, const char *name);

/* Is the option -wN, the weight of class N in svm-train and liblinear-train?  label: out: N. */
bool options_names_class(const char *option, int64_t *label);

/* For struct program's `foreign`, in programs without weights of classes: the same, and then
 * *instead is filled. */
bool options_is_class_weight(const char *option, char instead[OPTION_INSTEAD]);

/* The same in programs without shrinking, of svm-train's -h 0 and -h 1. */
bool options_is_shrinking(const char *option, const char *next, char instead[OPTION_INSTEAD]);

/* Where -c names a confusion matrix: is the option the cost of svm-train, a number that is no
 * file? */
bool options_is_cost(const char *option, const char *next);

/* Two options that exclude each other: "-v holds the data: it does not go with --stream".  Long
 * names, or OPTION_MODEL: a model file is named. */
struct option_clash {
    const char *option, *with, *reason;
};
#define OPTION_MODEL "a model file"

/* Refuse two options that exclude each other.  clashes: up to one without an option; NULL: none.
 * model: is a model file named?  0, or -1 with err, a usage error. */
int options_refuse_clashes(const struct program *program, const struct option_clash *clashes,
                           bool model, struct error *err);

/* Refuse options that are given without a meaning: "--map has no meaning with -p".  names: long,
 * up to NULL.  0, or -1 with err, a usage error. */
int options_refuse_any(const struct program *program, const char *const *names, const char *why,
                       struct error *err);

/* A usage error that the table cannot express: prints `PROGRAM: message` and returns EXIT_USAGE. */
int options_refuse(const struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
