/* Stratified folds: the examples are sorted by class, shuffled within each class, and dealt out in
 * turn like cards, so that both a class and the whole are spread evenly. */
#include "common/data/folds.h"

#include "common/base/memory.h"
#include "common/base/random.h"

#include <assert.h>

int folds_check(int64_t folds, int64_t n, struct error *err)
{
    if (folds >= 2 && folds <= n)
        return 0;
    return error_set(err, "%lld folds need at least as many examples; there are %lld",
                     (long long)folds, (long long)n);
}

int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err)
{
    if (folds_check(folds, n, err) != 0)
        return -1;
    int status = -1;
    int64_t *order = NULL; /* n: the examples by class */
    int64_t *start = NULL; /* classes + 1: where the next example of each class goes */
    order = memory_new(n, sizeof *order, err);
    if (!order)
        goto done;
    start = memory_new(classes + 1, sizeof *start, err);
    if (!start)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        assert(0 <= y[i] && y[i] < classes);
        start[y[i] + 1]++;
    }
    for (int64_t k = 0; k < classes; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < n; i++)
        order[start[y[i]]++] = i;
    /* start[k] is the end of class k now. */
    struct random g = random_seeded((uint64_t)seed, UINT64_C(0xf01d));
    int64_t first = 0;
    for (int64_t k = 0; k < classes; k++) {
        random_shuffle(&g, order + first, start[k] - first);
        first = start[k];
    }
    for (int64_t i = 0; i < n; i++)
        fold[order[i]] = i % folds;
    status = 0;
done:
    memory_free(start);
    memory_free(order);
    return status;
}

void folds_list(const int64_t *fold, int64_t n, int64_t folds, int64_t *order, int64_t *start)
{
    start[0] = 0;
    for (int64_t f = 0, place = 0; f < folds; f++) {
        for (int64_t i = 0; i < n; i++)
            if (fold[i] == f)
                order[place++] = i;
        start[f + 1] = place;
    }
}
