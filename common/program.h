/* How a program starts and ends. */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include "error.h"

/* A closed pipe, or a file that has reached its limit (ulimit -f), shall be a failed write, not a silent death.  Call first. */
void program_start(void);

/* Print err when failed, check standard output, and return the exit status: 0 or 1. */
int program_end(const char *name, int failed, const struct error *err);

#endif
