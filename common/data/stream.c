/* Slots form a ring; chunk number c belongs to slot c % slots.  A worker takes the next number
 * under the `reading` lock and reads text into that slot, so that text is read in order; then it
 * lets the next worker read, parses its own text, and marks the slot as ready.  The consumer takes
 * slots in order of number.  The part of a line at the end of a read is carried over to the next
 * chunk.
 *
 * Two locks, because reading may block for long (a pipe) while the consumer still has chunks to
 * take.  Where both are held, `reading` is taken first. */
#include "common/data/stream.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/bad_lines.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of text in a chunk that is mapped, times the features of the map: with lines of 24 bytes,
 * 20 MB of features.  No reason for these but that they work. */
enum { MAPPED_CHUNK = 40 << 20, LEAST_CHUNK = 4096 };

/* READY and LAST hold a chunk, LAST the final one; FAILED holds an error. */
enum stream_slot_state { EMPTY, READY, FAILED, LAST };

struct stream_slot {
    enum stream_slot_state state;
    struct chunk chunk;
    struct problem raw; /* with a map: the examples that chunk.problem is made of */
    char *text;
    int64_t capacity, size; /* of text; size is without the padding */
    bool cut;               /* the last line of text has no end (see stream_fill_lines) */
    int64_t taken;          /* bytes of the input up to the end of this chunk */
    struct error error;     /* of FAILED; its line counts from the start of the chunk */
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

/* The last newline of text[0 .. size), or NULL. */
static char *stream_last_newline(char *text, int64_t size)
{
    while (size > 0 && text[size - 1] != '\n')
        size--;
    return size > 0 ? text + size - 1 : NULL;
}

/* Read until the slot has `wanted` bytes, the input ends (at_end), or, with `*newline` set to the
 * last one, a pipe has nothing more at the moment but there is a whole line.  0 or -1. */
static int stream_fill(struct stream *s, struct stream_slot *slot, int64_t wanted, char **newline,
                       struct error *err)
{
    if (s->part && wanted > slot->size + s->size - s->taken)
        wanted = slot->size + s->size - s->taken;
    s->at_end |= s->part && s->taken == s->size;
    while (slot->size < wanted && !s->at_end) {
        if (slot->size > 0 && !stream_wait_readable(s, 0)) {
            *newline = stream_last_newline(slot->text, slot->size);
            if (*newline)
                return 0;
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
            s->at_end = true;
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
        *newline = stream_last_newline(slot->text, slot->size);
        if (*newline)
            return 0;
        /* A line longer than the chunk.  It may have no end if it has a NUL byte, which the parser
         * refuses even in a comment. */
        if (memchr(slot->text, '\0', (size_t)slot->size))
            return 0;
        wanted *= 2;
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
    }
    assert(slot->size == 0 || slot->text[slot->size - 1] == '\n');
    memset(slot->text + slot->size, 0, NUMBER_PAD);
    slot->taken = s->taken - s->carry_size;
    return 0;
}

/* Read the text of the next chunk into its slot.  *skip: out, bytes of a byte order mark.  Called
 * under `reading`.  Returns the state that the slot is in if parsing succeeds. */
static enum stream_slot_state stream_read_chunk(struct stream *s, struct stream_slot *slot,
                                                int64_t *skip)
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
    return s->at_end ? LAST : READY;
failed:
    s->at_end = true;
    return FAILED;
}

/* Note a bad line.  0 or -1. */
static int stream_note_bad(struct stream_slot *slot, int64_t line, const char *start)
{
    struct chunk *chunk = &slot->chunk;
    struct bad_line *bad = memory_reserve(chunk->bad, &chunk->bad_capacity, chunk->bad_count + 1,
                                          sizeof *bad, &slot->error);
    if (!bad)
        return -1;
    chunk->bad = bad;
    bad[chunk->bad_count++] = (struct bad_line){line, start - chunk->text, 0};
    return 0;
}

/* How the lines are parsed: a map adds the bias later. */
static struct example_format stream_line_format(const struct stream *s)
{
    struct example_format format = s->options.format;
    if (format.map)
        format.bias = -1;
    return format;
}

/* Parse the lines of a slot.  Bad ones are noted, up to the first that is one too many whatever the
 * chunks before hold; after that nothing is parsed.  read: out.  0 or -1 with slot->error. */
static int stream_parse_lines(const struct stream *s, struct stream_slot *slot,
                              struct problem *read)
{
    const struct example_format format = stream_line_format(s);
    const int64_t most = format.bad && !slot->cut ? format.bad->most : 0;
    struct chunk *chunk = &slot->chunk;
    const char *p = chunk->text, *end = p + chunk->text_size;
    while (problem_append_lines(read, &p, end, &format, &slot->error) != 0) {
        if (slot->error.line == 0 || stream_note_bad(slot, read->lines, p) != 0)
            return -1;
        if (chunk->bad_count > most)
            break;
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
    return 0;
}

/* The examples of a slot's text, mapped if the format says so.  0 or -1. */
static int stream_make_examples(const struct stream *s, struct stream_slot *slot)
{
    struct problem *examples = &slot->chunk.problem;
    struct example_map *map = s->options.format.map;
    if (!map)
        return stream_parse_lines(s, slot, examples);
    if (stream_parse_lines(s, slot, &slot->raw) != 0)
        return -1;
    return map->apply(map, &slot->raw, s->options.format.bias, examples, &slot->error);
}

/* Parse the text of a slot and call the user's function.  skip: bytes to leave out at the start.
 * 0 or -1 with slot->error. */
static int stream_parse(struct stream *s, struct stream_slot *slot, int64_t skip)
{
    struct chunk *chunk = &slot->chunk;
    chunk->text = slot->text + skip;
    chunk->text_size = slot->size - skip;
    if (!s->options.text_only && stream_make_examples(s, slot) != 0)
        return -1;
    return s->options.process ? s->options.process(s->options.context, chunk, &slot->error) : 0;
}

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
    assert(stop || slot->state == EMPTY);
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
    if (state != FAILED && stream_parse(s, slot, skip) != 0)
        state = FAILED;

    pthread_mutex_lock(&s->lock);
    slot->state = state;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return state == READY;
}

/* A worker's thread. */
static void *stream_work(void *argument)
{
    while (stream_produce(argument))
        ;
    return NULL;
}

/* Bytes of a chunk.  A map's features may take far more than the text that they are made of. */
static int64_t stream_default_chunk(const struct stream_options *options)
{
    if (!options->format.map)
        return STREAM_CHUNK;
    const int64_t chunk = MAPPED_CHUNK / options->format.map->dims;
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

/* Why a line is bad, which is parsed again for that: a chunk of nothing but bad lines would have
 * more reasons than text. */
static void stream_explain(struct stream *s, const struct chunk *chunk, const struct bad_line *bad,
                           struct error *why)
{
    const char *p = chunk->text + bad->start, *end = chunk->text + chunk->text_size;
    const struct example_format format = stream_line_format(s);
    problem_clear(&s->explained);
    const char *next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    const int status = problem_append_lines(&s->explained, &p, next, &format, why);
    assert(status != 0);
    (void)status;
    error_name(why, s->name);
    why->line = s->lines + bad->line;
}

/* Drop what stands after the bad line. */
static void stream_cut(struct chunk *chunk, const struct bad_line *bad)
{
    struct problem *p = &chunk->problem;
    while (p->n > 0 && p->line[p->n - 1] > bad->line)
        p->n--;
    p->nnz = p->n > 0 ? p->row_start[p->n] : 0;
    chunk->output_size = bad->output;
}

/* Skip the bad lines of a slot's chunk; at one that may not be skipped the chunk ends, with
 * s->refused. */
static void stream_skip(struct stream *s, struct stream_slot *slot)
{
    struct chunk *chunk = &slot->chunk;
    for (int64_t i = 0; i < chunk->bad_count; i++) {
        struct error why = {0};
        stream_explain(s, chunk, &chunk->bad[i], &why);
        if (slot->cut || bad_lines_skip(s->options.format.bad, &why) != 0) {
            s->refused = why;
            stream_cut(chunk, &chunk->bad[i]);
            return;
        }
    }
}

int stream_next(struct stream *s, struct chunk **out, struct error *err)
{
    if (s->refused.message[0])
        return error_take(&s->refused, err);
    struct stream_slot *slot = &s->slot[s->next_consumed % s->slots];
    if (s->handed_out > 0) { /* return the slot of the previous chunk */
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
    if (s->workers == 0) /* no thread could be started */
        stream_produce(s);
    pthread_mutex_lock(&s->lock);
    while (slot->state == EMPTY)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);

    struct problem *p = &slot->chunk.problem;
    s->position = slot->taken;
    if (slot->state == FAILED) {
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
    s->finished = slot->state == LAST;
    const bool others = s->options.shared && reduce_ranks() > 1; /* may have examples */
    if (s->finished && s->examples == 0 && !s->options.text_only && !others)
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
