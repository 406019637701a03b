/* Stratified folds: the examples are sorted by class, shuffled within each class, and dealt out in
 * turn like cards, so that both a class and the whole are spread evenly.  A group is one card, and
 * the next goes where the fewest of the class are. */
#include "common/data/folds.h"

#include "common/base/memory.h"
#include "common/base/random.h"

#include <assert.h>
#include <string.h>

void folds_list_classes(const int32_t *y, int64_t n, int64_t classes, int64_t *order,
                        int64_t *start)
{
    memset(start, 0, (size_t)(classes + 2) * sizeof *start);
    for (int64_t i = 0; i < n; i++) {
        assert(0 <= y[i] && y[i] < classes);
        start[y[i] + 2]++;
    }
    for (int64_t k = 1; k <= classes; k++)
        start[k + 1] += start[k];
    for (int64_t i = 0; i < n; i++)
        order[start[y[i] + 1]++] = i;
}

int folds_check(int64_t folds, int64_t n, struct error *err)
{
    if (folds >= 2 && folds <= n)
        return 0;
    return error_set(err, "%lld folds need at least as many examples; there %s %lld",
                     (long long)folds, n == 1 ? "is" : "are", (long long)n);
}

/* How many of the n examples in `order` have each one as their first.  times: by example; out for
 * those that are the first of some. */
static void folds_count_times(const int64_t *first, const int64_t *order, int64_t n, int64_t *times)
{
    for (int64_t place = 0; place < n; place++)
        times[first[order[place]]] = 0;
    for (int64_t place = 0; place < n; place++)
        times[first[order[place]]]++;
}

/* Are these examples of a group more than half of their class of n? */
static bool folds_is_large(int64_t together, int64_t n)
{
    return together > 1 && 2 * together > n;
}

/* first: out: as that of the examples, but where those of a class in a group are more than half of
 * it, or there are fewer groups than folds, each example is its own first.
 *
 * order, start  as of folds_list_classes
 * times         workspace, n */
static void folds_settle_groups(const struct fold_examples *x, const int64_t *order,
                                const int64_t *start, int64_t folds, int64_t *first, int64_t *times)
{
    int64_t groups = 0;
    for (int64_t k = 0; k < x->classes; k++) {
        const int64_t n = start[k + 1] - start[k];
        folds_count_times(x->first, order + start[k], n, times);
        for (int64_t place = start[k]; place < start[k + 1]; place++) {
            const int64_t i = order[place];
            first[i] = folds_is_large(times[x->first[i]], n) ? i : x->first[i];
        }
    }
    for (int64_t i = 0; i < x->n; i++)
        groups += first[i] == i;
    if (groups < folds)
        for (int64_t i = 0; i < x->n; i++)
            first[i] = i;
}

int folds_find_large_groups(const struct fold_examples *x, bool *large, struct error *err)
{
    int64_t *order = memory_new(x->n, sizeof *order, err);
    int64_t *start = memory_new(x->classes + 2, sizeof *start, err);
    int64_t *times = memory_new(x->n, sizeof *times, err);
    const bool ready = order && start && times;
    if (ready)
        folds_list_classes(x->y, x->n, x->classes, order, start);
    for (int64_t k = 0; ready && k < x->classes; k++) {
        const int64_t n = start[k + 1] - start[k];
        folds_count_times(x->first, order + start[k], n, times);
        large[k] = false;
        for (int64_t place = start[k]; place < start[k + 1]; place++)
            large[k] |= folds_is_large(times[x->first[order[place]]], n);
    }
    memory_free(order);
    memory_free(start);
    memory_free(times);
    return ready ? 0 : -1;
}

/* What the examples are dealt out by.  Without groups the next fold in turn always has the fewest
 * of the class, and nothing is counted: of n examples left out one by one that would take n^2. */
struct folds_deal {
    int64_t folds;
    const int64_t *first; /* of settled groups; NULL: there are none */
    int64_t *times;       /* where there are: as of folds_count_times, of the class */
    int64_t *in_fold;     /* folds: examples of the class */
    int64_t next;         /* the fold that is next in turn */
};

/* The fold that has the fewest of the class, or of several the next in turn. */
static int64_t folds_find_least(const struct folds_deal *deal)
{
    int64_t least = deal->next;
    if (deal->first)
        for (int64_t turn = 1; turn < deal->folds; turn++) {
            const int64_t f = (deal->next + turn) % deal->folds;
            least = deal->in_fold[f] < deal->in_fold[least] ? f : least;
        }
    return least;
}

/* Before a class of n examples is dealt out: those of it whose group was, with another class. */
static void folds_count_dealt(struct folds_deal *deal, const int64_t *order, int64_t n,
                              const int64_t *fold)
{
    memset(deal->in_fold, 0, (size_t)deal->folds * sizeof *deal->in_fold);
    folds_count_times(deal->first, order, n, deal->times);
    for (int64_t place = 0; place < n; place++) {
        const int64_t f = fold[deal->first[order[place]]];
        if (f >= 0)
            deal->in_fold[f]++;
    }
}

/* Deal out n examples of a class, in this order, each with its group.  fold: in: below 0 where an
 * example has none; out. */
static void folds_deal_class(struct folds_deal *deal, const int64_t *order, int64_t n,
                             int64_t *fold)
{
    if (deal->first)
        folds_count_dealt(deal, order, n, fold);
    for (int64_t place = 0; place < n; place++) {
        const int64_t i = order[place], of = deal->first ? deal->first[i] : i;
        if (fold[of] < 0) {
            fold[of] = folds_find_least(deal);
            deal->next = (fold[of] + 1) % deal->folds;
            if (deal->first)
                deal->in_fold[fold[of]] += deal->times[of];
        }
        fold[i] = fold[of];
    }
}

int folds_assign(const struct fold_examples *x, int64_t folds, int64_t seed, int64_t *fold,
                 struct error *err)
{
    const int64_t n = x->n, classes = x->classes, grouped = x->first ? n : 0;
    if (folds_check(folds, n, err) != 0)
        return -1;
    int status = -1;
    int64_t *order = memory_new(n, sizeof *order, err);           /* the examples by class */
    int64_t *start = memory_new(classes + 2, sizeof *start, err); /* where each class begins */
    int64_t *first = memory_new(grouped, sizeof *first, err);
    int64_t *times = memory_new(grouped, sizeof *times, err);
    struct folds_deal deal = {.folds = folds,
                              .first = x->first ? first : NULL,
                              .times = times,
                              .in_fold = memory_new(folds, sizeof *deal.in_fold, err)};
    if (!order || !start || !first || !times || !deal.in_fold)
        goto done;
    folds_list_classes(x->y, n, classes, order, start);
    if (x->first)
        folds_settle_groups(x, order, start, folds, first, times);
    struct random g = random_seeded((uint64_t)seed, UINT64_C(0xf01d));
    for (int64_t i = 0; i < n; i++)
        fold[i] = -1;
    for (int64_t k = 0; k < classes; k++) {
        const int64_t count = start[k + 1] - start[k];
        random_shuffle(&g, order + start[k], count);
        folds_deal_class(&deal, order + start[k], count, fold);
    }
    status = 0;
done:
    memory_free(order);
    memory_free(start);
    memory_free(first);
    memory_free(times);
    memory_free(deal.in_fold);
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

int64_t folds_others(const int64_t *fold, int64_t n, int64_t f, int64_t *others)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (fold[i] != f)
            others[count++] = i;
    return count;
}
