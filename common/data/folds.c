#include "common/data/folds.h"

#include "common/base/memory.h"
#include "common/base/random.h"

int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err)
{
    if (folds < 2 || folds > n)
        return error_set(err, "%lld folds need as many examples; there are %lld", (long long)folds,
                         (long long)n);
    int64_t *order = memory_new(n, sizeof *order, err);
    int64_t *start = order ? memory_new(classes + 1, sizeof *start, err) : NULL;
    if (!start) {
        memory_free(order);
        return -1;
    }
    /* Sort by class, shuffle within each, and deal the whole row of examples out like cards. */
    for (int64_t i = 0; i < n; i++)
        start[y[i] + 1]++;
    for (int64_t k = 0; k < classes; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < n; i++)
        order[start[y[i]]++] = i;
    struct random g = random_seeded((uint64_t)seed, UINT64_C(0xf01d));
    for (int64_t k = 0, first = 0; k < classes; first = start[k++])
        random_shuffle(&g, order + first, start[k] - first);
    for (int64_t i = 0; i < n; i++)
        fold[order[i]] = i % folds;
    memory_free(start);
    memory_free(order);
    return 0;
}
