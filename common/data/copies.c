/* Examples are sorted by hash and label, so that those with the same ones stand side by side. */
#include "common/data/copies.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/rows.h"

#include <stdlib.h>
#include <string.h>

/* Of examples that repeat others at most one in so many may have another label.  If labels had been
 * given one by one, noise worth looking for would make more of them differ.  No other reason for
 * the number. */
enum { COPIES_AGREE = 20 };

enum { COPIES_EMPTY = 0 }; /* the hash of an example without features */

/* Values are rounded to 40 bits of their mantissa: at unit length those of lines that differ by a
 * factor are equal but for rounding. */
static const uint64_t copies_rounds = 1 << 12;

struct copies_key {
    uint64_t hash;
    int32_t y;
    int64_t place;
};

/* Only one multiplication of an entry waits for the entry before. */
static uint64_t copies_hash_of(const struct example *x)
{
    uint64_t hash = COPIES_EMPTY;
    for (int64_t e = 0; e < x->size; e++) {
        uint64_t bits;
        if (!(x->value[e] > 0 || x->value[e] < 0))
            continue;
        memcpy(&bits, &x->value[e], sizeof bits);
        bits = (bits + copies_rounds / 2) / copies_rounds;
        const uint64_t entry = bits * UINT64_C(0x9e3779b97f4a7c15)
                               + ((uint64_t)x->index[e] + 1) * UINT64_C(0xbf58476d1ce4e5b9);
        hash = (hash ^ entry ^ entry >> 32) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 29;
    }
    return hash;
}

/* key: out: of all examples, in their order.  0 or -1. */
static int copies_make_keys(const struct problem *problem, const int32_t *y, struct copies_key *key,
                            struct error *err)
{
    const int64_t before = reduce_before(problem->n);
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = rows_example(&rows, i);
        key[before + i] = (struct copies_key){copies_hash_of(&x), y[i], before + i};
    }
    rows_end(&rows);
    if (reduce_agree(rows_check(problem, err), err) != 0)
        return -1;
    reduce_gather(key, sizeof *key, before, problem->n);
    return 0;
}

static int copies_order(const void *a, const void *b)
{
    const struct copies_key *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

/* Do the labels of examples with the same features agree, but for few? */
static bool copies_agree(const struct copies_key *sorted, int64_t n)
{
    int64_t repeated = 0, differ = 0;
    for (int64_t start = 0, end = 0; start < n; start = end) {
        int64_t most = 0; /* the largest number of one label */
        while (end < n && sorted[end].hash == sorted[start].hash) {
            const int64_t run = end;
            while (end < n && sorted[end].hash == sorted[run].hash
                   && sorted[end].y == sorted[run].y)
                end++;
            most = end - run > most ? end - run : most;
        }
        if (sorted[start].hash == COPIES_EMPTY)
            continue;
        repeated += end - start - 1;
        differ += end - start - most;
    }
    return differ * COPIES_AGREE <= repeated;
}

/* first: out.  Does any have the place of another? */
static bool copies_join(const struct copies_key *sorted, int64_t n, int64_t *first)
{
    int64_t start = 0;
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        const struct copies_key *key = &sorted[i];
        if (key->hash != sorted[start].hash || key->y != sorted[start].y
            || key->hash == COPIES_EMPTY)
            start = i;
        first[key->place] = sorted[start].place;
        any |= i != start;
    }
    return any;
}

int copies_find(const struct problem *problem, const int32_t *y, int64_t **first, struct error *err)
{
    const int64_t n = reduce_count(problem->n);
    struct copies_key *key = memory_new(n, sizeof *key, err);
    int status = -1;
    *first = NULL;
    if (!key || copies_make_keys(problem, y, key, err) != 0)
        goto done;
    qsort(key, (size_t)n, sizeof *key, copies_order);
    status = 0;
    if (!copies_agree(key, n))
        goto done;
    if (!(*first = memory_new(n, sizeof **first, err))) {
        status = -1;
    } else if (!copies_join(key, n, *first)) {
        memory_free(*first);
        *first = NULL;
    }
done:
    memory_free(key);
    return status;
}

int copies_unless_groups(const int64_t *groups, const struct problem *problem, const int32_t *y,
                         int64_t **copies, const int64_t **first, struct error *err)
{
    *copies = NULL;
    const int status = groups ? 0 : copies_find(problem, y, copies, err);
    *first = groups ? groups : *copies;
    return status;
}

int copies_among(const int64_t *first, int64_t n, const int64_t *example, int64_t m,
                 int64_t **among, struct error *err)
{
    *among = NULL;
    if (!first)
        return 0;
    int64_t *place = memory_new(n, sizeof *place, err); /* 1 + that of the first among them, or 0 */
    *among = memory_new(m, sizeof **among, err);
    if (place && *among)
        for (int64_t i = 0; i < m; i++) {
            int64_t *of = &place[first[example[i]]];
            if (*of == 0)
                *of = 1 + i;
            (*among)[i] = *of - 1;
        }
    const int status = place && *among ? 0 : -1;
    memory_free(place);
    return status;
}

double copies_bytes(int64_t n)
{
    return 2 * (double)n * (double)sizeof(struct copies_key); /* qsort may take as much again */
}
