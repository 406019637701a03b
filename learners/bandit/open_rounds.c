/* A hash table with chains, and a list of the open rounds by age.
 *
 * Rounds stand in the slots of one array and refer to each other by number, because the array moves
 * when it grows.  `chain` links the slots of one bucket, and the free ones; `older` and `newer`
 * link the open ones.  There are as many buckets as slots, and both double when all slots are
 * taken, up to the most that there may be; then the oldest round gives way. */
#include "learners/bandit/open_rounds.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { OPEN_ROUNDS_NONE = -1 };  /* no slot */
enum { OPEN_ROUNDS_FIRST = 64 }; /* slots at first; no reason but that it works */

struct open_rounds {
    struct open_round *slot;
    int64_t *bucket;        /* the first slot of each chain */
    int64_t slots, most;    /* slots and buckets now, and at most */
    int64_t count;          /* open rounds */
    double bytes;           /* taken by the open rounds (open_rounds_bytes) */
    double most_bytes;      /* the most that they may take */
    int64_t unused;         /* the first free slot */
    int64_t oldest, newest; /* slots */
};

struct open_rounds *open_rounds_new(int64_t most, double most_bytes, struct error *err)
{
    assert(most > 0);
    struct open_rounds *t = memory_new(1, sizeof *t, err);
    if (!t)
        return NULL;
    *t = (struct open_rounds){.most = most,
                              .most_bytes = most_bytes,
                              .unused = OPEN_ROUNDS_NONE,
                              .oldest = OPEN_ROUNDS_NONE,
                              .newest = OPEN_ROUNDS_NONE};
    return t;
}

/* FNV-1a, 64 bits, brought to a non-negative number. */
static int64_t open_rounds_hash(const char *id, int64_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)id[i]) * 0x100000001b3u;
    return (int64_t)(h >> 1);
}

static int64_t *open_rounds_bucket(const struct open_rounds *t, int64_t hash)
{
    return &t->bucket[hash % t->slots];
}

/* Put a slot at the front of its bucket's chain. */
static void open_rounds_chain(struct open_rounds *t, int64_t i)
{
    int64_t *bucket = open_rounds_bucket(t, t->slot[i].hash);
    t->slot[i].chain = *bucket;
    *bucket = i;
}

/* Twice as many slots, `most` at most.  0, or -1 with err (nothing has changed). */
static int open_rounds_grow(struct open_rounds *t, struct error *err)
{
    int64_t slots = t->slots == 0 ? OPEN_ROUNDS_FIRST : 2 * t->slots;
    if (slots > t->most)
        slots = t->most;
    int64_t *bucket = memory_new(slots, sizeof *bucket, err);
    if (!bucket)
        return -1;
    struct open_round *slot = memory_resize(t->slot, slots, sizeof *slot, err);
    if (!slot) {
        memory_free(bucket);
        return -1;
    }
    memory_free(t->bucket);
    t->bucket = bucket;
    t->slot = slot;
    for (int64_t i = 0; i < slots; i++)
        bucket[i] = OPEN_ROUNDS_NONE;
    for (int64_t i = slots - 1; i >= t->slots; i--) {
        slot[i] = (struct open_round){.chain = t->unused};
        t->unused = i;
    }
    t->slots = slots;
    for (int64_t i = t->oldest; i != OPEN_ROUNDS_NONE; i = slot[i].newer)
        open_rounds_chain(t, i);
    return 0;
}

struct open_round *open_rounds_find(struct open_rounds *t, const char *id, int64_t size)
{
    if (t->count == 0)
        return NULL;
    int64_t hash = open_rounds_hash(id, size), i = *open_rounds_bucket(t, hash);
    for (; i != OPEN_ROUNDS_NONE; i = t->slot[i].chain) {
        struct open_round *round = &t->slot[i];
        if (round->hash == hash && round->id_size == size
            && memcmp(round->text + 1, id, (size_t)size) == 0)
            return round;
    }
    return NULL;
}

/* Bytes that a round with a text of this size takes: the copy, the slot and a bucket. */
static double open_rounds_bytes(int64_t size)
{
    return (double)(size + NUMBER_PAD) + (double)(sizeof(struct open_round) + sizeof(int64_t));
}

/* Must the oldest round go for `bytes` more?  A table without rounds takes any round. */
static bool open_rounds_is_full(const struct open_rounds *t, double bytes)
{
    return t->count > 0 && t->bytes + bytes > t->most_bytes;
}

struct open_round *open_rounds_add(struct open_rounds *t, const char *text, int64_t size,
                                   int64_t id_size, int64_t *forgotten, struct error *err)
{
    assert(id_size < size);
    const double bytes = open_rounds_bytes(size);
    char *copy = memory_new(size + NUMBER_PAD, 1, err);
    if (!copy)
        return NULL;
    *forgotten = 0;
    for (; open_rounds_is_full(t, bytes); ++*forgotten)
        open_rounds_remove(t, &t->slot[t->oldest]);
    /* Where there is no memory for more slots, that of the oldest round will do. */
    if (t->unused == OPEN_ROUNDS_NONE && t->slots < t->most
        && open_rounds_grow(t, t->count > 0 ? NULL : err) != 0 && t->count == 0) {
        memory_free(copy);
        return NULL;
    }
    if (t->unused == OPEN_ROUNDS_NONE) {
        open_rounds_remove(t, &t->slot[t->oldest]);
        ++*forgotten;
    }
    int64_t i = t->unused;
    assert(i != OPEN_ROUNDS_NONE);
    struct open_round *round = &t->slot[i];
    t->unused = round->chain;
    memcpy(copy, text, (size_t)size);
    *round = (struct open_round){.text = copy,
                                 .size = size,
                                 .id_size = id_size,
                                 .hash = open_rounds_hash(copy + 1, id_size),
                                 .older = t->newest,
                                 .newer = OPEN_ROUNDS_NONE};
    open_rounds_chain(t, i);
    *(t->newest == OPEN_ROUNDS_NONE ? &t->oldest : &t->slot[t->newest].newer) = i;
    t->newest = i;
    t->count++;
    t->bytes += bytes;
    return round;
}

void open_rounds_remove(struct open_rounds *t, struct open_round *round)
{
    int64_t i = round - t->slot, *link = open_rounds_bucket(t, round->hash);
    assert(t->count > 0 && round->text);
    while (*link != i)
        link = &t->slot[*link].chain;
    *link = round->chain;
    *(round->older == OPEN_ROUNDS_NONE ? &t->oldest : &t->slot[round->older].newer) = round->newer;
    *(round->newer == OPEN_ROUNDS_NONE ? &t->newest : &t->slot[round->newer].older) = round->older;
    memory_free(round->text);
    round->text = NULL;
    round->chain = t->unused;
    t->unused = i;
    t->count--;
    t->bytes -= open_rounds_bytes(round->size);
}

void open_rounds_free(struct open_rounds *t)
{
    if (!t)
        return;
    while (t->oldest != OPEN_ROUNDS_NONE)
        open_rounds_remove(t, &t->slot[t->oldest]);
    memory_free(t->slot);
    memory_free(t->bucket);
    memory_free(t);
}
