/* The feature map of a trainer (--map): its options, and the places where examples are mapped.  The
 * learners see examples of D features and know nothing of it.
 *
 * Data in memory are mapped at once, by trainer_map_held; a stream is mapped by the threads that
 * read it (struct example_format).  A map that is fitted to the data needs them in memory, unless
 * it comes from a model. */
#ifndef COMMON_PROGRAM_TRAINER_MAP_H
#define COMMON_PROGRAM_TRAINER_MAP_H

#include "common/data/problem.h"
#include "common/program/trainer.h"

/* Rows of the options, for trainers that map. */
/* clang-format off */
#define TRAINER_MAP_ROWS(t) \
    {ROW_CHOICE(0, "map", &(t)->map_kind, "map", feature_map_names), .by_default = "none", \
     .had = &(t)->map.kind, \
     .help = "learn from features of the kernel exp(-gamma |u-v|^2): nystrom (landmarks from the " \
             "data) or fourier (random ones, which can be streamed)"}, \
    {ROW_INT(0, "map-dims", &(t)->map_dims, "dims", 1, FEATURE_MAP_MOST_DIMS), \
     .had = &(t)->map.dims, \
     .help = "number of these features (default: 1000, for nystrom at most half the examples)"}, \
    {ROW_NUMBER(0, "map-gamma", &(t)->map_gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED), \
     .had = &(t)->map.gamma, \
     .help = "gamma of their kernel (default: 1 / the sum of the features' variances)"}
/* clang-format on */

/* Before a stream is read: prepare the map and report its memory; a map that must be fitted is an
 * error.  0 or -1. */
int trainer_map_streamed(struct trainer *t, struct error *err);

/* Data in memory: fit the map if need be, report its memory, and replace the examples, which were
 * read with data_format_unmapped, by their features.  0 or -1. */
int trainer_map_held(struct trainer *t, struct problem *problem, struct error *err);

#endif
