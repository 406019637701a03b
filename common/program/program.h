/* How a program starts and ends. */
#ifndef COMMON_PROGRAM_PROGRAM_H
#define COMMON_PROGRAM_PROGRAM_H

#include "common/base/error.h"
#include "common/program/options.h"

/* Set up signals; call first.  A closed pipe, or a file at its size limit (ulimit -f), makes a
 * write fail instead of killing the program; SIGTERM, SIGINT and SIGHUP remove unfinished outputs
 * before they end it. */
void program_start(void);

/* From now on SIGTERM, SIGINT and SIGHUP, unless ignored (nohup), do not end the program but make
 * the returned descriptor readable; the program must then end by itself.  -1 with err. */
int program_catch_stops(struct error *err);

/* Print err when failed, check standard output, and return the exit status: 0 or 1. */
int program_end(const char *name, int failed, const struct error *err);

/* Where an X-train program is given no model file, set word[1] to the default name: that of the
 * training file + .model, in the current folder.  buffer: holds it.  OPTIONS_GO, or EXIT_USAGE: the
 * name is too long, or that of another file of the run. */
enum { PROGRAM_NAME = 512 };
int program_name_model(const struct program *program, const char **word, char buffer[PROGRAM_NAME]);

#endif
