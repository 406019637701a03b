/* What the files of feature_map.h share. */
#ifndef COMMON_KERNEL_FEATURE_MAP_STATE_H
#define COMMON_KERNEL_FEATURE_MAP_STATE_H

#include "common/kernel/feature_map.h"

enum {
    FEATURE_MAP_BLOCK = 256
}; /* examples that are mapped at once; no reason but that it works */

/* ---- the table ---- */

/* From one of its rows to the next. */
int64_t feature_map_stride(int64_t dims);

/* Bytes of that of features 0 .. d. */
double feature_map_table_bytes(int64_t dims, int64_t d);

/* Do these landmarks get a table?  Not where they are sparse, or where it would be far larger than
 * they are: with few of them most of it is padding. */
bool feature_map_wants_table(const struct problem *landmarks);

/* Products of some examples and the columns of the table; features beyond the table are 0 there.
 * product: out, n x D. */
void feature_map_products(const struct feature_map *map, const struct problem *some,
                          double *product);

/* ---- the two kinds ---- */

/* -1, and the error: the values of the example of this line are too large. */
int feature_map_refuse(int64_t line, struct error *err);

/* R from the landmarks.  0, FEATURE_MAP_UNFIT or -1. */
int feature_map_nystrom_prepare(struct feature_map *map, int threads, struct error *err);

/* k: out, n x D: kernel values of some examples, as they are, and all landmarks.  0 or -1. */
int feature_map_nystrom_kernels(const struct feature_map *map, const struct problem *some,
                                double *k, struct error *err);

/* phi: out, n x D.  0 or -1. */
int feature_map_nystrom(const struct feature_map *map, const struct problem *some, double *phi,
                        struct error *err);

/* The phases.  0 or -1. */
int feature_map_fourier_prepare(struct feature_map *map, struct error *err);

/* phi: out, n x D.  0 or -1. */
int feature_map_fourier(struct feature_map *map, const struct problem *some, double *phi,
                        struct error *err);

#endif
