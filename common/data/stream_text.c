/* Text of a stream, whole lines at a time: a chunk's bytes, or less where a pipe has nothing more
 * at the moment.  The part of a line at the end of a read is carried over to the next chunk. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/data/stream_state.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Make space for `needed` bytes of text, a newline after a last line, and the padding.  0 or -1.
 */
static int stream_grow_text(struct stream_slot *slot, int64_t needed, struct error *err)
{
    char *text = memory_reserve(slot->text, &slot->capacity, needed + 1 + NUMBER_PAD, 1, err);
    if (!text)
        return -1;
    slot->text = text;
    return 0;
}

/* Wait until there is something to read, or the end of the input.  False: nothing within
 * `milliseconds` (-1: no limit), or the stream is being closed or stopped. */
static bool stream_wait_readable(const struct stream *s, int milliseconds)
{
    const int stop = s->options.stop ? s->options.stop->fd : -1; /* poll overlooks a negative one */
    struct pollfd p[3] = {{.fd = s->fd, .events = POLLIN},
                          {.fd = s->wake[0], .events = POLLIN},
                          {.fd = stop, .events = POLLIN}};
    int ready;
    if (s->regular)
        return true;
    while ((ready = poll(p, 3, milliseconds)) < 0 && errno == EINTR)
        ;
    /* After an error read() will say which. */
    return ready < 0 || (ready > 0 && !p[1].revents && !p[2].revents);
}

/* The last newline of text[from .. size), or NULL. */
static char *stream_last_newline(char *text, int64_t from, int64_t size)
{
    while (size > from && text[size - 1] != '\n')
        size--;
    return size > from ? text + size - 1 : NULL;
}

/* Read until the slot has `wanted` bytes, the input ends (at_end), or, with `*newline` set to the
 * last one, a pipe has nothing more at the moment but there is a whole line.  0 or -1. */
static int stream_fill(struct stream *s, struct stream_slot *slot, int64_t wanted, char **newline,
                       struct error *err)
{
    if (s->part && wanted > slot->size + s->size - s->taken)
        wanted = slot->size + s->size - s->taken;
    s->at_end |= s->part && s->taken == s->size;
    int64_t searched = 0; /* bytes that hold no newline */
    while (slot->size < wanted && !s->at_end) {
        if (slot->size > 0 && !stream_wait_readable(s, 0)) {
            *newline = stream_last_newline(slot->text, searched, slot->size);
            if (*newline)
                return 0;
            searched = slot->size;
        }
        if (!stream_wait_readable(s, -1)) {
            s->at_end = true;
            return 0;
        }
        ssize_t got = read(s->fd, slot->text + slot->size, (size_t)(wanted - slot->size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(err, s->name);
        if (got == 0)
            s->at_end = s->ended = true;
        slot->size += got;
        s->taken += got;
    }
    return 0;
}

/* Fill the slot with at least one whole line, if there is one: with a chunk's bytes, or more for a
 * line that is longer.  *newline: out, the last one; NULL: the input has ended, or the rest of the
 * slot is a line that the parser will refuse.  0 or -1. */
static int stream_fill_lines(struct stream *s, struct stream_slot *slot, char **newline,
                             struct error *err)
{
    int64_t wanted = s->options.chunk;
    *newline = NULL;
    for (;;) {
        if (stream_fill(s, slot, wanted, newline, err) != 0)
            return -1;
        if (*newline || s->at_end)
            return 0;
        *newline = stream_last_newline(slot->text, 0, slot->size);
        if (*newline)
            return 0;
        /* A line longer than the chunk.  It may have no end if it has a NUL byte, which the parser
         * refuses even in a comment. */
        if (memchr(slot->text, '\0', (size_t)slot->size))
            return 0;
        wanted *= 2;
        /* The text, and at most 7 times it in examples (stream.h). */
        if (memory_check((double)wanted * 8, "a line of the data", err) != 0
            || stream_grow_text(slot, wanted, err) != 0)
            return -1;
    }
}

/* Keep text[0 .. size), which may be empty, for the next chunk.  0 or -1. */
static int stream_carry(struct stream *s, const char *text, int64_t size, struct error *err)
{
    if (size == 0)
        return 0;
    char *carry = memory_reserve(s->carry, &s->carry_capacity, size, 1, err);
    if (!carry)
        return -1;
    s->carry = carry;
    memcpy(s->carry, text, (size_t)size);
    s->carry_size = size;
    return 0;
}

/* Fill a slot with whole lines and the padding.  At the end of the input at_end is set, and size
 * may be 0.  Called under `reading`.  0 or -1. */
static int stream_read_text(struct stream *s, struct stream_slot *slot, struct error *err)
{
    char *newline;
    slot->size = 0;
    slot->cut = false;
    /* A quarter more than a chunk, so that a longer carry seldom moves the text. */
    if (stream_grow_text(slot, s->options.chunk + s->options.chunk / 4 + s->carry_size, err) != 0)
        return -1;
    if (s->carry_size > 0)
        memcpy(slot->text, s->carry, (size_t)s->carry_size);
    slot->size = s->carry_size;
    s->carry_size = 0;
    if (stream_fill_lines(s, slot, &newline, err) != 0)
        return -1;
    if (newline) {
        const int64_t whole = newline + 1 - slot->text;
        if (stream_carry(s, newline + 1, slot->size - whole, err) != 0)
            return -1;
        slot->size = whole;
    } else if (slot->size > 0 && slot->text[slot->size - 1] != '\n') {
        slot->text[slot->size++] = '\n'; /* for a last line that has none */
        slot->cut = !s->at_end;
        s->in_line = s->ended;
    }
    assert(slot->size == 0 || slot->text[slot->size - 1] == '\n');
    memset(slot->text + slot->size, 0, NUMBER_PAD);
    slot->taken = s->taken - s->carry_size;
    return 0;
}

enum stream_slot_state stream_read_chunk(struct stream *s, struct stream_slot *slot, int64_t *skip)
{
    slot->error = (struct error){0};
    *skip = 0;
    if (stream_read_text(s, slot, &slot->error) != 0)
        goto failed;
    if (s->next_read == 0 && !s->inside) {
        *skip = input_start(s->name, slot->text, slot->size, &slot->error);
        if (*skip < 0)
            goto failed;
    }
    return s->at_end ? STREAM_LAST : STREAM_READY;
failed:
    s->at_end = true;
    return STREAM_FAILED;
}
