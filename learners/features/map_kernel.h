/* The kernel of a feature map, apart from the map: exp(-gamma |u - v|^2), by a metric. */
#ifndef LEARNERS_FEATURES_MAP_KERNEL_H
#define LEARNERS_FEATURES_MAP_KERNEL_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"

struct map_kernel {
    double gamma;
    const struct feature_metric *metric; /* borrowed; NULL: the features as they are */
};

/* That of a map.  It lives as long. */
static inline struct map_kernel map_kernel_of(const struct feature_map *map)
{
    return (struct map_kernel){map->gamma, &map->metric};
}

/* A prepared Nystrom map of this kernel.  dims: 1 .. n of the problem.  map: out; free with
 * feature_map_free.  0, FEATURE_MAP_UNFIT, or -1 with err: memory. */
int map_of_kernel(const struct problem *problem, int64_t dims, struct map_kernel kernel,
                  int64_t seed, int threads, struct feature_map *map, struct error *err);

#endif
