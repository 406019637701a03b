/* The names stand in model files, options and reports alike. */
#include "learners/uma/uma_options.h"

#include <stddef.h>

const char *const uma_strategies[] = {"error", "confusion", "random", NULL};
const char *const uma_steps[] = {"perceptron", "uniform", "worst", NULL};
const char *const uma_checks[] = {"skip", "none", "paper", NULL};
const char *const uma_iterates[] = {"best", "last", "average", NULL};
const char *const uma_stops[] = {"tol", "no_violation", "max_iter", NULL};
