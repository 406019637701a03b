/* With few features the second moment, of a sample; else the few steepest directions. */
#include "learners/forward/forward_metric.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"

enum {
    METRIC_MOST_FEATURES = 2000,  /* of a second moment, which then takes 32 MB */
    METRIC_MOMENT_EXAMPLES = 8192 /* no reason but that it is several times MOST_FEATURES */
};

/* Of every step-th example. */
static double metric_sum_weights(const double *weight, int64_t n, int64_t step)
{
    double total = 0;
    if (!weight)
        return (double)(parallel_parts(n, step));
    for (int64_t i = 0; i < n; i += step)
        total += weight[i];
    return total;
}

int forward_metric_make(const struct problem *problem, const double *weight,
                        struct forward_metric *metric, struct error *err)
{
    const int64_t rows = (int64_t)problem->d + 1, step = problem->n / METRIC_MOMENT_EXAMPLES + 1;
    const double mean = 0.5 / metric_sum_weights(weight, problem->n, step);
    *metric = (struct forward_metric){.moment = NULL};
    if (rows > METRIC_MOST_FEATURES || rows * rows > problem->nnz)
        return steep_find(problem, weight, &metric->steep, err);
    if (!(metric->moment = memory_new(rows * rows, sizeof *metric->moment, err)))
        return -1;
    for (int64_t i = 0; i < problem->n; i += step) {
        const struct example x = problem_example(problem, i);
        const double share = weight ? mean * weight[i] : mean;
        for (int64_t a = 0; a < x.size; a++)
            for (int64_t b = 0; b < x.size; b++)
                if (x.index[b] <= x.index[a])
                    metric->moment[x.index[a] * rows + x.index[b]] += share * x.value[a]
                                                                      * x.value[b];
    }
    return 0;
}

void forward_metric_free(struct forward_metric *metric)
{
    memory_free(metric->moment);
    steep_free(&metric->steep);
    metric->moment = NULL;
}

double forward_metric_bytes(int64_t d)
{
    if (d < METRIC_MOST_FEATURES)
        return 2 * 8 * (double)(d + 1) * (double)(d + 1);
    return steep_bytes(d);
}
