/* Slots form a ring.  A worker takes the next chunk number under the `reading` lock, reads text
 * into that chunk's slot (so text is read in order), lets the next worker read, parses, and marks
 * the slot ready.  The consumer takes slots in order of number.  The part of a line that a read
 * leaves over is carried to the next chunk. */
#include "common/data/stream.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum slot_state { EMPTY, READY, FAILED, LAST };

struct slot {
    enum slot_state state;
    struct chunk chunk;
    char *text;
    int64_t capacity, size; /* of text; size is without the padding */
    int64_t taken;          /* bytes of the input used up to the end of this chunk */
    struct error error;
};

struct stream {
    char name[256];
    struct stream_options options;
    int fd;
    int regular;
    int64_t size;
    int wake[2]; /* a pipe that stream_close writes to, so that no worker sleeps in read() for ever;
                    -1: none (regular file) */

    pthread_mutex_t reading; /* guards what reading needs: */
    int64_t next_read;       /* number of the next chunk to be read */
    int at_end;
    int64_t taken;
    char *carry;
    int64_t carry_size, carry_capacity;

    pthread_mutex_t lock; /* guards the slots' states, next_consumed, closing */
    pthread_cond_t changed;
    int64_t next_consumed; /* number of the next chunk to be handed out */
    int closing;

    int64_t handed_out;                /* chunks */
    int64_t lines, examples, position; /* in them, the current one left out of `lines` */
    int finished;
    int slots, workers;
    struct slot slot[STREAM_MOST_WORKERS + 2];
    pthread_t worker[STREAM_MOST_WORKERS];
};

static int grow_text(struct slot *slot, int64_t needed, struct error *err)
{
    char *text = memory_reserve(slot->text, &slot->capacity, needed + NUMBER_PAD, 1, err);
    if (!text)
        return -1;
    slot->text = text;
    return 0;
}

/* Wait until there is something to read (the end of input counts): 1; 0: nothing within
 * `milliseconds` (-1: for ever), or the stream is being closed. */
static int wait_readable(const struct stream *s, int milliseconds)
{
    struct pollfd p[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};
    int ready;
    if (s->regular)
        return 1;
    while ((ready = poll(p, 2, milliseconds)) < 0 && errno == EINTR)
        ;
    return ready < 0 || (ready > 0 && !p[1].revents); /* an error: let read() say which */
}

static char *last_newline(char *text, int64_t size)
{
    while (size > 0 && text[size - 1] != '\n')
        size--;
    return size > 0 ? text + size - 1 : NULL;
}

/* Fill a slot with whole lines; at the end of the input size may be 0 and at_end is set.  Called
 * under `reading`. */
static int read_text(struct stream *s, struct slot *slot, struct error *err)
{
    slot->size = 0;
    if (grow_text(slot, s->options.chunk + s->options.chunk / 4 + s->carry_size, err)
        != 0) /* room, so that it need not move */
        return -1;
    if (s->carry_size > 0)
        memcpy(slot->text, s->carry, (size_t)s->carry_size);
    slot->size = s->carry_size;
    s->carry_size = 0;

    int64_t wanted = s->options.chunk;
    char *newline = NULL;
    while (!s->at_end) {
        if (slot->size < wanted) {
            if (slot->size > 0 && !wait_readable(s, 0)
                && (newline = last_newline(slot->text, slot->size)) != NULL)
                break;
            if (!wait_readable(s, -1)) {
                s->at_end = 1;
                break;
            }
            ssize_t got = read(s->fd, slot->text + slot->size, (size_t)(wanted - slot->size));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return error_system(err, s->name);
            if (got == 0)
                s->at_end = 1;
            slot->size += got;
            s->taken += got;
            continue;
        }
        if ((newline = last_newline(slot->text, slot->size)) != NULL)
            break;
        /* A line longer than the chunk.  A NUL byte says that there may be no end to it; the parser
         * refuses it, comment or not. */
        if (memchr(slot->text, '\0', (size_t)slot->size))
            break;
        wanted *= 2;
        if (memory_check((double)wanted * 8, "a line of the data", err) != 0
            || grow_text(slot, wanted, err) != 0)
            return -1;
    }
    if (newline) {
        int64_t whole = newline + 1 - slot->text, rest = slot->size - whole;
        if (rest > 0) {
            char *carry = memory_reserve(s->carry, &s->carry_capacity, rest, 1, err);
            if (!carry)
                return -1;
            s->carry = carry;
            memcpy(s->carry, slot->text + whole, (size_t)rest);
            s->carry_size = rest;
        }
        slot->size = whole;
    } else if (slot->size > 0 && slot->text[slot->size - 1] != '\n') {
        if (grow_text(slot, slot->size + 1, err) != 0)
            return -1;
        slot->text[slot->size++] = '\n'; /* a last line without one is fine */
    }
    memset(slot->text + slot->size, 0, NUMBER_PAD);
    slot->taken = s->taken - s->carry_size;
    return 0;
}

/* Read and parse the next chunk into its slot.  Returns 0 when there was none to make. */
static int produce(struct stream *s)
{
    pthread_mutex_lock(&s->reading);
    int64_t number = s->next_read;
    struct slot *slot = &s->slot[number % s->slots];

    pthread_mutex_lock(&s->lock);
    while (!s->closing && s->workers > 0 && number - s->next_consumed >= s->slots)
        pthread_cond_wait(&s->changed, &s->lock);
    int stop = s->closing;
    pthread_mutex_unlock(&s->lock);
    if (stop || s->at_end) {
        pthread_mutex_unlock(&s->reading);
        return 0;
    }

    enum slot_state state = READY;
    slot->error = (struct error){0};
    int64_t skip = 0;
    if (read_text(s, slot, &slot->error) != 0
        || (number == 0
            && (skip = input_start(s->name, slot->text, slot->size, &slot->error)) < 0)) {
        state = FAILED;
        s->at_end = 1;
    } else if (s->at_end) {
        state = LAST;
    }
    s->next_read++;
    pthread_mutex_unlock(&s->reading);

    struct chunk *chunk = &slot->chunk;
    problem_clear(&chunk->problem);
    chunk->text = slot->text + skip;
    chunk->text_size = slot->size - skip;
    chunk->output_size = 0;
    if (state != FAILED
        && (problem_append_text(&chunk->problem, chunk->text, chunk->text + chunk->text_size,
                                &s->options.format, &slot->error)
                != 0
            || (s->options.process
                && s->options.process(s->options.context, chunk, &slot->error) != 0)))
        state = FAILED;

    pthread_mutex_lock(&s->lock);
    slot->state = state;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return state == READY;
}

static void *work(void *argument)
{
    while (produce(argument))
        ;
    return NULL;
}

struct stream *stream_open(const char *path, const struct stream_options *options,
                           struct error *err)
{
    struct stream *s = memory_new(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->options = *options;
    if (s->options.chunk <= 0)
        s->options.chunk = STREAM_CHUNK;
    snprintf(s->name, sizeof s->name, "%s", input_name(path));
    s->fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    struct stat st;
    int opened = s->fd >= 0 && fstat(s->fd, &st) == 0;
    s->regular = opened && S_ISREG(st.st_mode);
    s->size = s->regular ? (int64_t)st.st_size : -1;
    s->wake[0] = s->wake[1] = -1;
    if (!opened || (!s->regular && pipe(s->wake) != 0)) {
        error_system(err, s->name);
        if (s->fd > 0)
            close(s->fd);
        memory_free(s);
        return NULL;
    }
    pthread_mutex_init(&s->reading, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);

    int wanted = options->threads > STREAM_MOST_WORKERS ? STREAM_MOST_WORKERS : options->threads;
    if (s->regular && wanted > s->size / s->options.chunk + 1)
        wanted = (int)(s->size / s->options.chunk + 1);
    s->slots = wanted + 2;
    pthread_mutex_lock(&s->lock); /* workers wait for this before they look at s->workers */
    while (s->workers < wanted && parallel_thread_start(&s->worker[s->workers], work, s) == 0)
        s->workers++;
    pthread_mutex_unlock(&s->lock);
    return s;
}

int stream_next(struct stream *s, struct chunk **out, struct error *err)
{
    struct slot *slot = &s->slot[s->next_consumed % s->slots];
    if (s->handed_out > 0) { /* give the previous chunk's slot back */
        s->lines += slot->chunk.problem.lines;
        pthread_mutex_lock(&s->lock);
        slot->state = EMPTY;
        s->next_consumed++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        slot = &s->slot[s->next_consumed % s->slots];
    }
    if (s->finished)
        return 0;
    if (s->workers == 0)
        produce(s);
    pthread_mutex_lock(&s->lock);
    while (slot->state == EMPTY)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);

    struct problem *p = &slot->chunk.problem;
    s->examples += p->n;
    s->position = slot->taken;
    if (slot->state == FAILED) {
        if (err) {
            *err = slot->error;
            snprintf(err->file, sizeof err->file, "%s", s->name);
            err->line += err->line > 0 ? s->lines : 0;
        }
        return -1;
    }
    s->finished = slot->state == LAST;
    if (s->finished && s->examples == 0)
        return error_at(err, s->name, 0, 0, "no example in it");
    for (int64_t i = 0; i < p->n; i++)
        p->line[i] += s->lines;
    s->handed_out++;
    *out = &slot->chunk;
    return 1;
}

int64_t stream_size(const struct stream *s)
{
    return s->size;
}

int64_t stream_position(const struct stream *s)
{
    return s->position;
}

const char *stream_name(const struct stream *s)
{
    return s->name;
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->closing = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->wake[1] >= 0)
        close(s->wake[1]); /* the other end becomes readable */
    for (int i = 0; i < s->workers; i++)
        pthread_join(s->worker[i], NULL);
    pthread_mutex_destroy(&s->reading);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    for (int i = 0; i < s->slots; i++) {
        problem_free(&s->slot[i].chunk.problem);
        memory_free(s->slot[i].chunk.output);
        memory_free(s->slot[i].chunk.predicted);
        memory_free(s->slot[i].text);
    }
    memory_free(s->carry);
    if (s->wake[0] >= 0)
        close(s->wake[0]);
    if (s->fd > 0)
        close(s->fd);
    memory_free(s);
}
