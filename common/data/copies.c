/* Hashes are sorted, so that examples with the same one stand side by side. */
#include "common/data/copies.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/rows.h"

#include <stdlib.h>
#include <string.h>

/* One of so many repeated examples may have another label than the first of its kind.  Noise worth
 * looking for makes more labels differ that were given one by one; no other reason for the number.
 */
enum { COPIES_AGREE = 20 };

struct copies_hash {
    uint64_t hash;
    int64_t place;
};

/* The mixing step of SplitMix64 (random.h). */
static uint64_t copies_mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

static uint64_t copies_hash_of(const struct example *x)
{
    uint64_t hash = (uint64_t)x->size;
    for (int64_t e = 0; e < x->size; e++) {
        uint64_t bits;
        memcpy(&bits, &x->value[e], sizeof bits);
        hash = copies_mix(hash + bits);
        hash = copies_mix(hash + (uint64_t)x->index[e]);
    }
    return hash;
}

/* hash: out, of this rank's examples.  0 or -1. */
static int copies_hash_all(const struct problem *problem, const int64_t *example, int64_t own,
                           uint64_t *hash, struct error *err)
{
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < own; i++) {
        const struct example x = rows_example(&rows, example ? example[i] : i);
        hash[i] = copies_hash_of(&x);
    }
    rows_end(&rows);
    return rows_check(problem, err);
}

static int copies_order(const void *a, const void *b)
{
    const struct copies_hash *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

/* first: out, by sorted hashes.  Returns how many repeat another; *differ: out: how many of these
 * have another label than it. */
static int64_t copies_join(const struct copies_hash *sorted, const int32_t *y, int64_t m,
                           int64_t *first, int64_t *differ)
{
    int64_t repeated = 0, start = 0;
    *differ = 0;
    for (int64_t i = 0; i < m; i++) {
        if (sorted[i].hash != sorted[start].hash)
            start = i;
        const int64_t place = sorted[i].place, of = sorted[start].place;
        first[place] = of;
        repeated += place != of;
        *differ += y[place] != y[of];
    }
    return repeated;
}

int copies_find(const struct problem *problem, const int64_t *example, const int32_t *y, int64_t m,
                int64_t *first, int64_t *count, struct error *err)
{
    const int64_t own = example ? m : problem->n, before = reduce_before(own);
    uint64_t *hash = memory_new(m, sizeof *hash, err);
    struct copies_hash *sorted = memory_new(m, sizeof *sorted, err);
    int64_t differ;
    int status = -1;
    if (!hash || !sorted)
        goto done;
    status = reduce_agree(copies_hash_all(problem, example, own, hash + before, err), err);
    if (status != 0)
        goto done;
    reduce_gather(hash, sizeof *hash, before, own);
    for (int64_t i = 0; i < m; i++)
        sorted[i] = (struct copies_hash){hash[i], i};
    qsort(sorted, (size_t)m, sizeof *sorted, copies_order);
    *count = copies_join(sorted, y, m, first, &differ);
    if (differ * COPIES_AGREE > *count) {
        *count = 0;
        for (int64_t i = 0; i < m; i++)
            first[i] = i;
    }
done:
    memory_free(hash);
    memory_free(sorted);
    return status;
}
