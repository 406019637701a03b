/* What went wrong and where: the one way in which this library reports failure.
 *
 * Every function that can fail returns 0 or -1 (or a pointer or NULL) and fills a caller-owned
 * struct error.  Only a program prints it and chooses an exit status. */
#ifndef COMMON_BASE_ERROR_H
#define COMMON_BASE_ERROR_H

#include "common/base/arithmetic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error {
    char file[256];    /* name as shown to the user; "": no file is involved */
    int64_t line;      /* 1-based; 0: unknown */
    int64_t column;    /* 1-based, in bytes; 0: unknown */
    char message[512]; /* the reason, without a newline */
    bool usage;        /* the command line is at fault, not a file: a program exits with 2 */
};

/* Fill err (may be NULL) with a reason and no place.  Always returns -1, so that a caller can write
 * `return error_set(...)`. */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with a place.  file may be NULL; line and column may be 0. */
int error_at(struct error *err, const char *file, int64_t line, int64_t column, const char *format,
             ...) __attribute__((format(printf, 5, 6)));

/* A reason that lies in the command line. */
int error_usage(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Why the last system call on a file failed (errno): "FILE: No such file or directory".  Returns
 * -1. */
int error_system(struct error *err, const char *file);

/* Name the file that a failure concerns, if it names none itself.  file and err may be NULL. */
void error_name(struct error *err, const char *file);

/* Pass on the error of a task that had a struct error of its own: 0 when its message is empty, else
 * -1 with err. */
int error_take(const struct error *task, struct error *err);

/* A byte of text that may contain a file name or words of a command line, as it is printed: control
 * bytes as \xHH, so that a message stays on one line.  out: at least 5 bytes.  Returns out. */
char *error_byte(char byte, char *out);

/* Such a text, and a NUL.  out: ERROR_ESCAPED(strlen(text)) bytes suffice.  Returns the place of
 * the NUL. */
#define ERROR_ESCAPED(length) (4 * (length) + 1)
char *error_escape(const char *text, char *out);

/* Print `PROGRAM: FILE:LINE:COL: reason` and a newline, without the parts that are unknown.  A line
 * is written at once, so that those of programs side by side do not mix. */
void error_print(FILE *out, const char *program, const struct error *err);

/* Quote token[0 .. length) for a message: at most 40 bytes of it, control and non-ASCII bytes as
 * \xHH, "..." when cut.  out: at least ERROR_QUOTE bytes.  Returns out. */
enum { ERROR_QUOTE = 176 };
char *error_quote(const char *token, size_t length, char *out);

#endif
