/* A map is fitted to the examples and prepared in one call. */
#include "learners/features/map_kernel.h"

int map_of_kernel(const struct problem *problem, int64_t dims, struct map_kernel kernel,
                  int64_t seed, int threads, struct feature_map *map, struct error *err)
{
    *map = feature_map_make(FEATURE_MAP_NYSTROM, dims, kernel.gamma, seed);
    int status = kernel.metric ? feature_map_look(map, kernel.metric, err) : 0;
    if (status == 0)
        status = feature_map_fit(map, problem, err);
    if (status == 0)
        status = feature_map_prepare(map, threads, err);
    if (status != 0)
        feature_map_free(map);
    return status;
}
