/* A sample in memory, estimated from as any data are. */
#include "learners/forward/sampled_estimate.h"

#include "common/base/memory.h"
#include "common/data/rows.h"

int64_t sampled_count(const struct problem *problem, int64_t asked)
{
    if (asked == 0)
        asked = problem->disk ? SAMPLED_USUALLY : problem->n;
    return asked < problem->n ? asked : problem->n;
}

/* The classes and weights of the examples that were chosen; weight: out, as in options.  0 or -1.
 */
static int sampled_gather(const int64_t *chosen, int64_t n, const int32_t *y, const double *weight,
                          int32_t **some_y, double **some_weight, struct error *err)
{
    if (!(*some_y = memory_new(n, sizeof **some_y, err))
        || (weight && !(*some_weight = memory_new(n, sizeof **some_weight, err))))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        (*some_y)[i] = y[chosen[i]];
        if (weight)
            (*some_weight)[i] = weight[chosen[i]];
    }
    return 0;
}

int sampled_estimate(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     const double *known, const struct estimate_options *options, int64_t asked,
                     struct estimate *estimate, struct error *err)
{
    const int64_t n = sampled_count(problem, asked);
    if (n == problem->n && !problem->disk)
        return estimate_noise(problem, y, labels, known, options, estimate, err);
    struct estimate_options own = *options;
    struct problem sample = {.n = 0};
    int32_t *some_y = NULL;
    double *some_weight = NULL;
    int64_t *chosen = memory_new(n, sizeof *chosen, err);
    int status = -1;
    if (chosen && rows_sample(problem, n, options->fit.seed, &sample, chosen, err) == 0
        && sampled_gather(chosen, n, y, options->fit.weight, &some_y, &some_weight, err) == 0) {
        own.fit.weight = some_weight;
        status = estimate_noise(&sample, some_y, labels, known, &own, estimate, err);
    }
    problem_free(&sample);
    memory_free(chosen);
    memory_free(some_y);
    memory_free(some_weight);
    return status;
}
