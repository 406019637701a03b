/* Rounds stand in slots of one array; free slots, and those of a bucket, are chained by `chain`;
 * the open ones also in order of age. */
#include "learners/bandit/open_rounds.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <string.h>

enum { NONE = -1 };

struct open_rounds {
    struct open_round *slot;
    int64_t *bucket; /* as many as slots: the first slot of each chain */
    int64_t most, slots, count;
    double most_bytes, bytes;       /* of text */
    int64_t unused, oldest, newest; /* slots; NONE */
};

struct open_rounds *open_rounds_new(int64_t most, double most_bytes, struct error *err)
{
    struct open_rounds *t = memory_new(1, sizeof *t, err);
    if (t)
        *t = (struct open_rounds){
            .most = most, .most_bytes = most_bytes, .unused = NONE, .oldest = NONE, .newest = NONE};
    return t;
}

/* FNV-1a, 64 bits, brought to a non-negative number. */
static int64_t hash_of(const char *id, int64_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)id[i]) * 0x100000001b3u;
    return (int64_t)(h >> 1);
}

static int64_t *bucket_of(const struct open_rounds *t, int64_t hash)
{
    return &t->bucket[hash % t->slots];
}

/* Twice as many slots, `most` at most. */
static int grow(struct open_rounds *t, struct error *err)
{
    int64_t slots = t->slots < 32 ? 64 : 2 * t->slots;
    slots = slots < t->most ? slots : t->most;
    int64_t *bucket = memory_new(slots, sizeof *bucket, err);
    struct open_round *slot = bucket ? memory_resize(t->slot, slots, sizeof *slot, err) : NULL;
    if (!slot) {
        memory_free(bucket);
        return -1;
    }
    memory_free(t->bucket);
    t->bucket = bucket;
    t->slot = slot;
    for (int64_t i = 0; i < slots; i++)
        bucket[i] = NONE;
    for (int64_t i = slots - 1; i >= t->slots; i--) {
        slot[i] = (struct open_round){.chain = t->unused};
        t->unused = i;
    }
    t->slots = slots;
    for (int64_t i = t->oldest; i != NONE; i = slot[i].newer) {
        slot[i].chain = *bucket_of(t, slot[i].hash);
        *bucket_of(t, slot[i].hash) = i;
    }
    return 0;
}

struct open_round *open_rounds_find(struct open_rounds *t, const char *id, int64_t size)
{
    int64_t hash = hash_of(id, size);
    for (int64_t i = t->count > 0 ? *bucket_of(t, hash) : NONE; i != NONE; i = t->slot[i].chain) {
        struct open_round *round = &t->slot[i];
        if (round->hash == hash && round->id_size == size
            && memcmp(round->text + 1, id, (size_t)size) == 0)
            return round;
    }
    return NULL;
}

struct open_round *open_rounds_add(struct open_rounds *t, const char *text, int64_t size,
                                   int64_t id_size, int64_t *forgotten, struct error *err)
{
    char *copy = memory_new(size + NUMBER_PAD, 1, err);
    if (!copy || (t->unused == NONE && t->slots < t->most && grow(t, err) != 0)) {
        memory_free(copy);
        return NULL;
    }
    for (*forgotten = 0;
         t->count > 0 && (t->unused == NONE || t->bytes + (double)size > t->most_bytes);
         ++*forgotten)
        open_rounds_remove(t, &t->slot[t->oldest]);
    int64_t i = t->unused;
    struct open_round *round = &t->slot[i];
    t->unused = round->chain;
    memcpy(copy, text, (size_t)size);
    *round = (struct open_round){
        .text = copy, .size = size, .id_size = id_size, .older = t->newest, .newer = NONE};
    round->hash = hash_of(copy + 1, id_size);
    round->chain = *bucket_of(t, round->hash);
    *bucket_of(t, round->hash) = i;
    *(t->newest == NONE ? &t->oldest : &t->slot[t->newest].newer) = i;
    t->newest = i;
    t->count++;
    t->bytes += (double)size;
    return round;
}

void open_rounds_remove(struct open_rounds *t, struct open_round *round)
{
    int64_t i = round - t->slot, *link = bucket_of(t, round->hash);
    while (*link != i)
        link = &t->slot[*link].chain;
    *link = round->chain;
    *(round->older == NONE ? &t->oldest : &t->slot[round->older].newer) = round->newer;
    *(round->newer == NONE ? &t->newest : &t->slot[round->newer].older) = round->older;
    memory_free(round->text);
    round->text = NULL;
    round->chain = t->unused;
    t->unused = i;
    t->count--;
    t->bytes -= (double)round->size;
}

int64_t open_rounds_count(const struct open_rounds *t)
{
    return t->count;
}

void open_rounds_free(struct open_rounds *t)
{
    if (!t)
        return;
    while (t->oldest != NONE)
        open_rounds_remove(t, &t->slot[t->oldest]);
    memory_free(t->slot);
    memory_free(t->bucket);
    memory_free(t);
}
