/* How a program starts and ends. */
#ifndef COMMON_PROGRAM_PROGRAM_H
#define COMMON_PROGRAM_PROGRAM_H

#include "common/base/error.h"
#include "common/program/options.h"

/* A closed pipe, or a file that has reached its limit (ulimit -f), shall be a failed write, not a
 * silent death; and SIGTERM, SIGINT and SIGHUP remove what is unfinished before they end the
 * program.  Call first. */
void program_start(void);

/* From now on SIGTERM, SIGINT and SIGHUP, those that are not ignored (nohup), do not kill: they
 * make the descriptor that is returned readable, and it is up to the program to end well.  -1 with
 * err. */
int program_catch_stops(struct error *err);

/* Print err when failed, check standard output, and return the exit status: 0 or 1. */
int program_end(const char *name, int failed, const struct error *err);

/* The words of an X-train program, training file and model file: where no model file is given, its
 * name is the training file's + .model, in the current folder, made in buffer.  OPTIONS_GO, or the
 * status of a usage error: the name is too long, or is that of another file of the run. */
enum { PROGRAM_NAME = 512 };
int program_name_model(const struct program *program, const char **word, char buffer[PROGRAM_NAME]);

#endif
