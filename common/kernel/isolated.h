/* Examples that are like no other: to the RBF kernel with a gamma so large that no double holds the
 * values, all of theirs are 0, and nothing is learnt of them. */
#ifndef COMMON_KERNEL_ISOLATED_H
#define COMMON_KERNEL_ISOLATED_H

#include "common/base/findings.h"

#include <stdbool.h>
#include <stdint.h>

/* Are these `count` values of an example all 0, but for the one with itself?  itself: its place;
 * not below count: it has none. */
bool isolated_row(const double *row, int64_t count, int64_t itself);

/* Warn where more than a tenth of n examples are isolated.
 *
 * examples, others  words: of what n is the number, and of what the kernel values are with */
void isolated_warn(const struct findings *to, int64_t isolated, int64_t n, const char *examples,
                   const char *others, double gamma);

#endif
