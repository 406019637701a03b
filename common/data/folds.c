/* Stratified folds: the examples are sorted by class, shuffled within each class, and dealt out in
 * turn like cards, so that both a class and the whole are spread evenly. */
#include "common/data/folds.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/copies.h"

#include <assert.h>

int folds_check(int64_t folds, int64_t n, struct error *err)
{
    if (folds >= 2 && folds <= n)
        return 0;
    return error_set(err, "%lld folds need at least as many examples; there are %lld",
                     (long long)folds, (long long)n);
}

/* How often each example that others repeat occurs; then, of one that occurs more often than a fold
 * has examples of its class, 0: its copies are dealt out.  first: as copies_find makes it; start:
 * classes + 1: where each class begins in the order; times: out, n. */
static void folds_count_copies(const int32_t *y, const int64_t *first, int64_t n,
                               const int64_t *start, int64_t folds, int64_t *times)
{
    for (int64_t i = 0; i < n; i++)
        times[first[i]]++;
    for (int64_t i = 0; i < n; i++)
        if (times[i] * folds > start[y[i] + 1] - start[y[i]])
            times[i] = 0;
}

/* Deal out the examples in this order.  first: as copies_find makes it, with times as of
 * folds_count_copies; NULL: there are no copies. */
static void folds_deal(const int64_t *order, int64_t n, const int64_t *first, const int64_t *times,
                       int64_t folds, int64_t *fold)
{
    enum { NOT_DEALT = -1 };
    int64_t next = 0;
    for (int64_t i = 0; i < n; i++)
        fold[i] = NOT_DEALT;
    for (int64_t place = 0; place < n; place++) {
        const int64_t i = order[place], of = first && times[first[i]] > 0 ? first[i] : i;
        if (fold[of] == NOT_DEALT)
            fold[of] = next++ % folds;
        fold[i] = fold[of];
    }
}

/* first: as copies_find makes it; NULL: there are no copies.  0 or -1. */
static int folds_assign_of(const int32_t *y, const int64_t *first, int64_t n, int64_t classes,
                           int64_t folds, int64_t seed, int64_t *fold, struct error *err)
{
    if (folds_check(folds, n, err) != 0)
        return -1;
    int status = -1;
    int64_t *order = memory_new(n, sizeof *order, err);           /* the examples by class */
    int64_t *start = memory_new(classes + 1, sizeof *start, err); /* where each class begins */
    int64_t *times = memory_new(first ? n : 0, sizeof *times, err);
    if (!order || !start || !times)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        assert(0 <= y[i] && y[i] < classes);
        start[y[i] + 1]++;
    }
    for (int64_t k = 0; k < classes; k++)
        start[k + 1] += start[k];
    if (first)
        folds_count_copies(y, first, n, start, folds, times);
    for (int64_t i = 0; i < n; i++)
        order[start[y[i]]++] = i;
    /* start[k] is the end of class k now. */
    struct random g = random_seeded((uint64_t)seed, UINT64_C(0xf01d));
    int64_t begin = 0;
    for (int64_t k = 0; k < classes; k++) {
        random_shuffle(&g, order + begin, start[k] - begin);
        begin = start[k];
    }
    folds_deal(order, n, first, times, folds, fold);
    status = 0;
done:
    memory_free(order);
    memory_free(start);
    memory_free(times);
    return status;
}

int folds_assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                 int64_t *fold, struct error *err)
{
    return folds_assign_of(y, NULL, n, classes, folds, seed, fold, err);
}

int folds_assign_apart(const struct fold_examples *x, int64_t folds, int64_t seed, int64_t *fold,
                       struct error *err)
{
    int64_t copies, *first = memory_new(x->n, sizeof *first, err);
    int status = -1;
    if (first && copies_find(x->problem, x->example, x->y, x->n, first, &copies, err) == 0)
        status = folds_assign_of(x->y, copies > 0 ? first : NULL, x->n, x->classes, folds, seed,
                                 fold, err);
    memory_free(first);
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
