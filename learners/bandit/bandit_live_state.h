/* A live loop, as its parts share it: reading and replying (bandit_live.c), what the lines say
 * (bandit_live_lines.c), the record (bandit_live_record.c). */
#ifndef LEARNERS_BANDIT_BANDIT_LIVE_STATE_H
#define LEARNERS_BANDIT_BANDIT_LIVE_STATE_H

#include "common/base/random.h"
#include "common/data/problem.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/open_rounds.h"

enum { LIVE_REPLIES = 1 << 16 }; /* bytes that are collected: what a pipe of Linux holds */

struct live_server {
    struct bandit *b;
    const struct bandit_live *live;
    struct bandit_live_counts *counts;
    struct random random;
    struct open_rounds *open;   /* questions with an id */
    struct open_rounds *last;   /* without: at most one is open */
    int64_t line;               /* number of the line that is served */
    char *text;                 /* what was read: [start, end), and NUMBER_PAD bytes */
    int64_t start, end;         /* in text */
    int64_t capacity;           /* of text */
    int64_t searched;           /* no newline in [start, searched) */
    bool ended;                 /* the input */
    char replies[LIVE_REPLIES]; /* not yet written */
    int64_t replies_size;       /* bytes of them */
    int32_t *index;             /* of the example that is looked at */
    double *value;              /* its values */
    int64_t index_capacity, value_capacity;
    struct problem raw, mapped; /* with a map: that example, and its features */
};

/* What the functions below return, or -1 with err. */
enum { LIVE_STOP = 0, LIVE_GO = 1 };

/* Write all of the bytes to a descriptor, unless it is time to stop. */
int bandit_live_write(const struct live_server *s, int fd, const char *name, const char *bytes,
                      int64_t size, struct error *err);

/* Append `id label propensity`, the id only if there is one, to the replies; they are written when
 * they are full. */
int bandit_live_reply(struct live_server *s, const char *id, int64_t id_size,
                      struct bandit_choice choice, struct error *err);

/* open, but a file that ends at once where a signal stopped the wait for the other end of a named
 * pipe.  Returns the file descriptor, or -1 with err. */
int bandit_live_open(const char *path, int flags, struct error *err);

/* Serve one line, its newline included; NUMBER_PAD bytes may be read after it.  A line that is
 * refused is counted and told to live->refuse, and LIVE_GO. */
int bandit_live_serve(struct live_server *s, char *text, int64_t size, struct error *err);

/* Append `label:f:p features` to the record, if there is one. */
int bandit_live_append_record(struct live_server *s, const struct open_round *round, int f,
                              struct error *err);

#endif
