/* Values of options that the programs for bandit logs share. */
#ifndef COMMON_PROGRAM_LOG_OPTIONS_H
#define COMMON_PROGRAM_LOG_OPTIONS_H

#include "common/base/error.h"

#include <stdbool.h>

/* Rows of the option table. */
/* clang-format off */
#define LOG_OPTION_ROWS(propensity, least) \
    {ROW_TEXT('p', "propensity", propensity, "p|uniform"), \
     .help = "propensity for a log without propensities; uniform: 1/classes"}, \
    {ROW_NUMBER(0, "least-p", least, "p", 0, 1), .by_default = "0", \
     .help = "raise smaller propensities of a log to p (clipping): less variance, some bias"}
/* clang-format on */

/* "0.2,0.1" -> two rates in [0, 1].  0, or -1. */
int log_options_rates(const char *text, double rates[2]);

/* The noise rates that are assumed, whose sum is below 1.  0, or -1 with the usage error of
 * --rates. */
int log_options_assumed(const char *text, double rates[2], struct error *err);

struct log_propensity {
    double p;     /* in (0, 1]; 0: the lines must give it */
    bool uniform; /* it is 1/classes */
};

/* The value of --propensity; NULL: not given.  0, or -1 with a usage error. */
int log_options_propensity(const char *text, struct log_propensity *propensity, struct error *err);

/* The propensity of lines that have none, for so many classes. */
double log_options_p(const struct log_propensity *propensity, int64_t classes);

#endif
