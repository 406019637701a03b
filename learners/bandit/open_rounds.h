/* Rounds whose feedback has not come yet, by id: a table of bounded size that forgets the oldest.
 * Finding, adding and removing take O(1); an open round takes the bytes of its text and 96 more. */
#ifndef LEARNERS_BANDIT_OPEN_ROUNDS_H
#define LEARNERS_BANDIT_OPEN_ROUNDS_H

#include "common/base/error.h"

#include <stdint.h>

struct open_round {
    char *text;      /* the line of the question, `?` and the id at its start, NUMBER_PAD zero bytes
                        after its newline */
    int64_t size;    /* of the text, without those */
    int64_t id_size; /* without the `?` */
    int64_t shown;   /* class */
    double p;        /* its propensity */
    int64_t hash, chain, older, newer; /* for the table */
};

struct open_rounds;

/* At most `most` rounds, > 0, which take at most `most_bytes`, but always one round.  NULL with
 * err. */
struct open_rounds *open_rounds_new(int64_t most, double most_bytes, struct error *err);

/* The open round of this id; NULL: there is none.  Valid until the next call that adds. */
struct open_round *open_rounds_find(struct open_rounds *table, const char *id, int64_t size);

/* Add a round; text (size bytes) is copied.  No open round may have that id.  Beyond the limits, or
 * where no memory is left for more rounds, the oldest go: *forgotten of them.  NULL with err (no
 * memory for the copy, or for a first round; nothing is lost). */
struct open_round *open_rounds_add(struct open_rounds *table, const char *text, int64_t size,
                                   int64_t id_size, int64_t *forgotten, struct error *err);

void open_rounds_remove(struct open_rounds *table, struct open_round *round);

void open_rounds_free(struct open_rounds *table);

#endif
