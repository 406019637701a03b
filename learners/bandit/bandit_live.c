/* A server for one peer, in one thread:
 *
 *     read what is there  ->  serve each whole line  ->  write the replies  ->  again
 *
 * It waits in one place only (live_wait), for the input or the output and for the descriptor that
 * says stop, so a signal is seen wherever it waits.  When poll has called a descriptor ready, a
 * read does not block, nor does a write of at most PIPE_BUF bytes.  bandit_live_lines.c serves a
 * line. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "learners/bandit/bandit_live_state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum {
    LIVE_READ = 1 << 16,  /* bytes that a read asks for: as LIVE_REPLIES */
    LIVE_OPEN_SHARE = 8,  /* of all memory, for open questions; no reason but that it works */
    LIVE_MODEL_SHARE = 32 /* and for a model that grows: a service is seldom alone on its machine */
};

#ifndef PIPE_BUF
    #define PIPE_BUF _POSIX_PIPE_BUF
#endif

/* ---- waiting and writing ---- */

/* Wait until fd is ready for `events`: LIVE_GO; or it is time to stop: LIVE_STOP. */
static int live_wait(const struct live_server *s, int fd, short events)
{
    struct pollfd p[2] = {{.fd = fd, .events = events}, {.fd = s->live->stop, .events = POLLIN}};
    while (poll(p, 2, -1) == -1 && errno == EINTR)
        ;
    /* After another error no revents are set, so read or write will say what is wrong. */
    bool can_write = events == POLLOUT && p[0].revents; /* what can be written now is */
    return p[1].revents && !can_write ? LIVE_STOP : LIVE_GO;
}

int bandit_live_write(const struct live_server *s, int fd, const char *name, const char *bytes,
                      int64_t size, struct error *err)
{
    while (size > 0) {
        if (live_wait(s, fd, POLLOUT) == LIVE_STOP)
            return LIVE_STOP;
        /* At most PIPE_BUF bytes: after POLLOUT that cannot block. */
        ssize_t wrote = write(fd, bytes, (size_t)(size < PIPE_BUF ? size : PIPE_BUF));
        if (wrote < 0) {
            if (errno != EINTR)
                return error_system(err, name);
            continue;
        }
        bytes += wrote;
        size -= wrote;
    }
    return LIVE_GO;
}

/* Write the replies. */
static int live_flush(struct live_server *s, struct error *err)
{
    int64_t size = s->replies_size;
    s->replies_size = 0;
    return bandit_live_write(s, s->live->out, s->live->out_name, s->replies, size, err);
}

int bandit_live_reply(struct live_server *s, const char *id, int64_t id_size,
                      struct bandit_choice choice, struct error *err)
{
    if (s->replies_size + id_size + 3 * NUMBER_TEXT > LIVE_REPLIES) {
        int status = live_flush(s, err);
        if (status != LIVE_GO)
            return status;
    }
    char *out = s->replies + s->replies_size;
    if (id_size > 0) {
        memcpy(out, id, (size_t)id_size);
        out += id_size;
        *out++ = ' ';
    }
    out = number_write_int(out, bandit_labels(s->b)->value[choice.shown]);
    *out++ = ' ';
    out = number_write(out, choice.p);
    *out++ = '\n';
    s->replies_size = out - s->replies;
    assert(s->replies_size <= LIVE_REPLIES);
    return LIVE_GO;
}

/* ---- reading ---- */

/* Move what is not yet served to the front of the text, and make space after it. */
static int live_make_room(struct live_server *s, struct error *err)
{
    if (s->start > 0) {
        memmove(s->text, s->text + s->start, (size_t)(s->end - s->start));
        s->end -= s->start;
        s->start = 0;
    }
    s->searched = s->end;
    int64_t needed = s->end + LIVE_READ + 1 + NUMBER_PAD; /* 1: a newline at the end */
    char *text = memory_reserve(s->text, &s->capacity, needed, 1, err);
    if (!text)
        return -1;
    s->text = text;
    /* For each byte the text takes one, its copy among the open questions one, its entries six. */
    return memory_check((double)s->capacity * 8, "a line of the input", err);
}

/* Read more after what is there.  LIVE_STOP: there is no more, or it is time to stop. */
static int live_read(struct live_server *s, struct error *err)
{
    if (s->ended)
        return LIVE_STOP;
    if (live_make_room(s, err) != 0)
        return -1;
    ssize_t got;
    do {
        if (live_wait(s, s->live->in, POLLIN) == LIVE_STOP)
            return LIVE_STOP;
        got = read(s->live->in, s->text + s->end, LIVE_READ);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return error_system(err, s->live->in_name);
    s->end += got;
    s->ended = got == 0;
    if (s->ended && s->end > 0)
        s->text[s->end++] = '\n'; /* a last line without one is fine */
    return LIVE_GO;
}

/* The place after the first newline that was not yet seen; NULL: there is none. */
static char *live_line_end(const struct live_server *s)
{
    char *newline = memchr(s->text + s->searched, '\n', (size_t)(s->end - s->searched));
    return newline ? newline + 1 : NULL;
}

/* Serve all whole lines that were read. */
static int live_serve_lines(struct live_server *s, struct error *err)
{
    memset(s->text + s->end, 0, NUMBER_PAD);
    if (s->line == 0 && live_line_end(s)) { /* the first bytes are there, and looked at once */
        int64_t skip = input_start(s->live->in_name, s->text, s->end, err);
        if (skip < 0)
            return -1;
        s->start = s->searched = skip;
    }
    for (char *end = live_line_end(s); end; end = live_line_end(s)) {
        char *line = s->text + s->start;
        s->start = s->searched = end - s->text;
        s->line++;
        int status = bandit_live_serve(s, line, end - line, err);
        if (status != LIVE_GO)
            return status;
    }
    return LIVE_GO;
}

/* Read, serve and reply until the end.  LIVE_STOP or -1. */
static int live_loop(struct live_server *s, struct error *err)
{
    int status = LIVE_GO;
    while (status == LIVE_GO) {
        status = live_read(s, err);
        if (status == LIVE_GO)
            status = live_serve_lines(s, err);
        if (status == LIVE_GO)
            status = live_flush(s, err);
    }
    /* Replies to what stood before the end, or before the failure, whose reason stays. */
    if (live_flush(s, status == -1 ? NULL : err) == -1)
        status = -1;
    return status;
}

int bandit_live_open(const char *path, int flags, struct error *err)
{
    int fd = open(path, flags, 0666);
    if (fd < 0 && errno == EINTR) /* stopped by a signal while a fifo waited for its other end */
        fd = open("/dev/null", flags);
    return fd < 0 ? error_system(err, path) : fd;
}

int bandit_live_open_questions(const char *path, struct error *err)
{
    return strcmp(path, "-") == 0 ? STDIN_FILENO : bandit_live_open(path, O_RDONLY, err);
}

int64_t bandit_live_most_features(const struct bandit *b, const struct feature_map *map)
{
    const double share = memory_limit() / LIVE_MODEL_SHARE;
    return map ? feature_map_most_features(map, share) : bandit_most_features(b, share);
}

int bandit_live_run(struct bandit *b, const struct bandit_live *live,
                    struct bandit_live_counts *counts, struct error *err)
{
    *counts = (struct bandit_live_counts){0};
    struct live_server *s = memory_new(1, sizeof *s, err);
    if (!s)
        return -1;
    s->b = b;
    s->live = live;
    s->counts = counts;
    s->random = random_seeded((uint64_t)live->seed, BANDIT_USE_ROUNDS);
    random_skip(&s->random, 2 * live->drawn);
    int status = -1;
    s->open = open_rounds_new(live->most_open, memory_limit() / LIVE_OPEN_SHARE, err);
    if (!s->open)
        goto done;
    s->last = open_rounds_new(1, 0, err);
    if (!s->last)
        goto done;
    status = live_loop(s, err);
done:
    open_rounds_free(s->open);
    open_rounds_free(s->last);
    memory_free(s->text);
    memory_free(s->index);
    memory_free(s->value);
    problem_free(&s->raw);
    problem_free(&s->mapped);
    memory_free(s);
    return status == -1 ? -1 : 0;
}
