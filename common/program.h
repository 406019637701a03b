/* How a program starts and ends. */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include "error.h"

/* A closed pipe, or a file that has reached its limit (ulimit -f), shall be a failed write, not a silent death.  Call first. */
void program_start(void);

/* From now on SIGTERM, SIGINT and SIGHUP, those that are not ignored (nohup), do not kill: they make the descriptor that is returned readable, and it is up to the program to end
 * well.  -1 with err. */
int program_catch_stops(struct error *err);

/* Print err when failed, check standard output, and return the exit status: 0 or 1. */
int program_end(const char *name, int failed, const struct error *err);

/* The model file of an X-train program: the one that is given, or the training file's name + .model in the current folder, made in
 * buffer.  NULL when that is too long. */
enum { PROGRAM_NAME = 512 };
const char *program_model_name(const char *data, const char *given, char buffer[PROGRAM_NAME]);

#endif
