/* One pass over the values; features are sorted by their mean squares. */
#include "common/data/feature_sizes.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEATURE_SIZES_VALUES = 4 /* of a feature, at least, in the mean of all: no reason but that it
                                works */
};

struct feature_size {
    double squares; /* the sum, then the mean */
    int64_t count;
    int32_t index;
};

static int feature_size_order(const void *a, const void *b)
{
    const struct feature_size *s = a, *t = b;
    return order_by(s->squares, t->squares, s->index, t->index);
}

/* Those that have a value, the smallest first.  size: out.  Returns their number. */
static int64_t feature_sizes_sort(const struct problem *problem, struct feature_size *size)
{
    int64_t used = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        for (int64_t e = 0; e < x.size; e++)
            if (x.index[e] > 0 && x.value[e] != 0) {
                struct feature_size *s = &size[x.index[e] - 1];
                s->squares += x.value[e] * x.value[e];
                s->count++;
            }
    }
    for (int32_t j = 0; j < problem->d; j++)
        if (size[j].count > 0)
            size[used++] = (struct feature_size){.squares = size[j].squares / (double)size[j].count,
                                                 .index = j + 1};
    qsort(size, (size_t)used, sizeof *size, feature_size_order);
    return used;
}

void feature_sizes_compare(const struct problem *problem, int32_t *largest, double *ratio)
{
    *largest = 0;
    *ratio = 0;
    if (problem->disk || problem->d == 0 || problem->d > problem->nnz / FEATURE_SIZES_VALUES)
        return;
    struct feature_size *size = memory_new(problem->d, sizeof *size, NULL);
    if (!size)
        return;
    const int64_t used = feature_sizes_sort(problem, size);
    if (used > 0) {
        const struct feature_size *most = &size[used - 1], *median = &size[(used - 1) / 2];
        *largest = most->index;
        *ratio = sqrt(most->squares) / sqrt(median->squares);
    }
    memory_free(size);
}
