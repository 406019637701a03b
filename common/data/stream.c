/* Slots form a ring; chunk number c belongs to slot c % slots.  A worker takes the next number
 * under the `reading` lock and reads text into that slot, so that text is read in order; then it
 * lets the next worker read, parses its own text, and marks the slot as ready.  The consumer takes
 * slots in order of number.
 *
 * Two locks, because reading may block for long (a pipe) while the consumer still has chunks to
 * take.  Where both are held, `reading` is taken first. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/bad_lines.h"
#include "common/data/stream_state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No reason for these but that they work. */
enum {
    MADE_CHUNK = 14 << 20, /* bytes that are made of the examples of a chunk, if a line has */
    SHORT_LINE = 24,       /* so many bytes */
    LEAST_CHUNK = 4096     /* bytes of text in a chunk */
};

/* Read and parse the next chunk into its slot.  False when there is no further one. */
static bool stream_produce(struct stream *s)
{
    pthread_mutex_lock(&s->reading);
    const int64_t number = s->next_read;
    struct stream_slot *slot = &s->slot[number % s->slots];

    pthread_mutex_lock(&s->lock);
    while (!s->closing && s->workers > 0 && number - s->next_consumed >= s->slots)
        pthread_cond_wait(&s->changed, &s->lock);
    const bool stop = s->closing;
    assert(stop || slot->state == STREAM_EMPTY);
    pthread_mutex_unlock(&s->lock);
    if (stop || s->at_end) {
        pthread_mutex_unlock(&s->reading);
        return false;
    }
    int64_t skip;
    enum stream_slot_state state = stream_read_chunk(s, slot, &skip);
    s->next_read++;
    pthread_mutex_unlock(&s->reading);

    problem_clear(&slot->chunk.problem);
    problem_clear(&slot->raw);
    slot->chunk.output_size = slot->chunk.bad_count = 0;
    if (state != STREAM_FAILED && stream_parse(s, slot, skip) != 0)
        state = STREAM_FAILED;

    pthread_mutex_lock(&s->lock);
    slot->state = state;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return state == STREAM_READY;
}

/* A worker's thread. */
static void *stream_work(void *argument)
{
    while (stream_produce(argument))
        ;
    return NULL;
}

/* Bytes of a chunk.  What is made of its examples may take far more than their text. */
static int64_t stream_default_chunk(const struct stream_options *options)
{
    const struct example_map *map = options->format.map;
    const int64_t made = options->made + (map ? map->dims * (int64_t)sizeof(double) : 0);
    if (made == 0)
        return STREAM_CHUNK;
    const int64_t chunk = (int64_t)MADE_CHUNK * SHORT_LINE / made;
    if (chunk < LEAST_CHUNK)
        return LEAST_CHUNK;
    return chunk < STREAM_CHUNK ? chunk : STREAM_CHUNK;
}

/* The start of the first line at or after a place in a file. */
static int64_t stream_line_start(const struct stream *s, int64_t place)
{
    char text[4096];
    if (place == 0)
        return 0;
    /* A line that begins at `place` itself has its newline before it. */
    for (int64_t at = place - 1; at < s->size;) {
        const ssize_t got = pread(s->fd, text, sizeof text, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break; /* reading will say why */
        const char *newline = memchr(text, '\n', (size_t)got);
        if (newline)
            return at + (newline + 1 - text);
        at += got;
    }
    return s->size;
}

/* Leave to the other ranks what is theirs.  0 or -1. */
static int stream_take_part(struct stream *s, struct error *err)
{
    const int64_t ranks = reduce_ranks(), rank = reduce_rank(), all = s->size;
    if (!s->options.shared || ranks == 1 || reduce_has_shards())
        return 0;
    const int64_t first = stream_line_start(s, all / ranks * rank + all % ranks * rank / ranks),
                  end = rank + 1 == ranks
                            ? all
                            : stream_line_start(s, all / ranks * (rank + 1)
                                                       + all % ranks * (rank + 1) / ranks);
    s->part = true;
    s->inside = first > 0;
    s->size = end - first;
    return lseek(s->fd, (off_t)first, SEEK_SET) < 0 ? error_system(err, s->name) : 0;
}

struct stream *stream_open(const char *path, const struct stream_options *options,
                           struct error *err)
{
    struct stream *s = memory_new(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->options = *options;
    if (s->options.chunk <= 0)
        s->options.chunk = stream_default_chunk(options);
    snprintf(s->name, sizeof s->name, "%s", input_name(path));
    bad_lines_open(s->options.format.bad, s->name);
    s->fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    struct stat st;
    const bool opened = s->fd >= 0 && fstat(s->fd, &st) == 0;
    s->regular = opened && S_ISREG(st.st_mode);
    s->size = s->regular ? (int64_t)st.st_size : -1;
    int status = opened && (s->regular || pipe(s->wake) == 0) ? 0 : error_system(err, s->name);
    if (status == 0 && s->regular)
        status = stream_take_part(s, err);
    if (status != 0) {
        if (s->fd > 0)
            close(s->fd);
        memory_free(s);
        return NULL;
    }
    pthread_mutex_init(&s->reading, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);

    /* How many workers there are changes no byte, only the time. */
    int wanted = options->threads > STREAM_MOST_WORKERS ? STREAM_MOST_WORKERS : options->threads;
    if (s->regular && wanted > s->size / s->options.chunk + 1)
        wanted = (int)(s->size / s->options.chunk + 1);
    s->slots = wanted + 2;
    /* A worker looks at s->workers, under this lock; it must not see it too early. */
    pthread_mutex_lock(&s->lock);
    while (s->workers < wanted
           && parallel_thread_start(&s->worker[s->workers], stream_work, s) == 0)
        s->workers++;
    pthread_mutex_unlock(&s->lock);
    return s;
}

int stream_next(struct stream *s, struct chunk **out, struct error *err)
{
    if (s->refused.message[0])
        return error_take(&s->refused, err);
    struct stream_slot *slot = &s->slot[s->next_consumed % s->slots];
    if (s->handed_out > 0) { /* return the slot of the previous chunk */
        s->lines += slot->chunk.problem.lines;
        pthread_mutex_lock(&s->lock);
        slot->state = STREAM_EMPTY;
        s->next_consumed++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        slot = &s->slot[s->next_consumed % s->slots];
    }
    if (s->finished)
        return 0;
    if (s->workers == 0) /* no thread could be started */
        stream_produce(s);
    pthread_mutex_lock(&s->lock);
    while (slot->state == STREAM_EMPTY)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);

    struct problem *p = &slot->chunk.problem;
    s->position = slot->taken;
    if (slot->state == STREAM_FAILED) {
        if (err) {
            *err = slot->error;
            error_name(err, s->name);
            err->line += err->line > 0 ? s->lines : 0;
        }
        return -1;
    }
    stream_skip(s, slot);
    if (s->refused.message[0] && p->n == 0)
        return error_take(&s->refused, err);
    s->examples += p->n;
    s->finished = slot->state == STREAM_LAST;
    if (s->finished && s->in_line && s->options.format.cut)
        *s->options.format.cut |= !s->regular || s->options.format.log;
    const bool others = s->options.shared && reduce_ranks() > 1; /* may have examples */
    if (s->finished && s->examples == 0 && !s->options.may_be_empty && !s->options.text_only
        && !others)
        return error_at(err, s->name, 0, 0, "no examples found");
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

double stream_share(const struct stream *s)
{
    return s->size > 0 ? (double)s->position / (double)s->size : -1;
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
    s->closing = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (!s->regular)
        close(s->wake[1]); /* the other end becomes readable */
    for (int i = 0; i < s->workers; i++)
        pthread_join(s->worker[i], NULL);
    pthread_mutex_destroy(&s->reading);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    for (int i = 0; i < s->slots; i++) {
        problem_free(&s->slot[i].chunk.problem);
        problem_free(&s->slot[i].raw);
        memory_free(s->slot[i].chunk.output);
        memory_free(s->slot[i].chunk.predicted);
        memory_free(s->slot[i].chunk.bad);
        memory_free(s->slot[i].text);
    }
    problem_free(&s->explained);
    memory_free(s->carry);
    if (!s->regular)
        close(s->wake[0]);
    if (s->fd > 0)
        close(s->fd);
    memory_free(s);
}
