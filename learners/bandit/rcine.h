/* The period of RCINE: rounds between two estimates of the noise rates. */
#ifndef LEARNERS_BANDIT_RCINE_H
#define LEARNERS_BANDIT_RCINE_H

#include <stdint.h>

#define RCINE_MOST_PERIOD INT64_C(1000000000000)

/* The usual one for an exploration of gamma. */
int64_t rcine_usual_period(double gamma);

#endif
