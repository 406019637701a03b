/* A stream, as its parts share it: the ring of slots (stream.c), text (stream_text.c), examples and
 * bad lines (stream_parse.c). */
#ifndef COMMON_DATA_STREAM_STATE_H
#define COMMON_DATA_STREAM_STATE_H

#include "common/data/stream.h"

#include <pthread.h>

/* STREAM_READY and STREAM_LAST hold a chunk, STREAM_LAST the final one; STREAM_FAILED holds an
 * error. */
enum stream_slot_state { STREAM_EMPTY, STREAM_READY, STREAM_FAILED, STREAM_LAST };

struct stream_slot {
    enum stream_slot_state state;
    struct chunk chunk;
    struct problem raw; /* with a map: the examples that chunk.problem is made of */
    char *text;
    int64_t capacity, size; /* of text; size is without the padding */
    bool cut;               /* the last line of text has no end (see stream_fill_lines) */
    int64_t taken;          /* bytes of the input up to the end of this chunk */
    struct error error;     /* of STREAM_FAILED; its line counts from the start of the chunk */
};

struct stream {
    char name[256];
    struct stream_options options;
    int fd;
    bool regular; /* a regular file, which never blocks */
    int64_t size; /* its bytes, or those of the part that is read, else -1 */
    bool part;    /* only a part is read: the bytes after it are those of another rank */
    bool inside;  /* the part does not begin with the file */

    /* A pipe that stream_close closes to wake a worker that waits for input; unused for a regular
     * file, where none waits. */
    int wake[2];

    pthread_mutex_t reading; /* guards this group */
    int64_t next_read;       /* number of the next chunk to be read */
    bool at_end;             /* nothing is left to read, or reading has failed */
    int64_t taken;           /* bytes read */
    bool ended;              /* there are no more */
    bool in_line;            /* it has ended without a newline */
    char *carry;             /* carry_size bytes: the start of a line whose end is not read yet */
    int64_t carry_size, carry_capacity;

    pthread_mutex_t lock; /* guards the slots' states and the rest of this group */
    pthread_cond_t changed;
    int64_t next_consumed; /* number of the chunk that the consumer has or will take next */
    bool closing;

    /* The consumer's own. */
    int64_t handed_out;         /* chunks */
    int64_t lines;              /* in all of them but the current one */
    int64_t examples, position; /* in all of them; bytes of the input */
    bool finished;
    struct error refused;     /* of a line, once the examples before it are handed out; "": none */
    struct problem explained; /* workspace of stream_explain */

    int slots, workers; /* slots = workers wanted + 2; workers: those that could be started */
    struct stream_slot slot[STREAM_MOST_WORKERS + 2];
    pthread_t worker[STREAM_MOST_WORKERS];
};

/* Read the text of the next chunk into its slot.  *skip: out, bytes of a byte order mark.  Called
 * under `reading`.  Returns the state that the slot is in if parsing succeeds. */
enum stream_slot_state stream_read_chunk(struct stream *s, struct stream_slot *slot, int64_t *skip);

/* Parse the text of a slot and call the user's function.  skip: bytes to leave out at the start.
 * 0 or -1 with slot->error. */
int stream_parse(struct stream *s, struct stream_slot *slot, int64_t skip);

/* Skip the bad lines of a slot's chunk; at one that may not be skipped the chunk ends, with
 * s->refused.  For the consumer. */
void stream_skip(struct stream *s, struct stream_slot *slot);

#endif
