/* A server for one peer, in one thread:
 *
 *     read what is there  ->  serve each whole line  ->  write the replies  ->  again
 *
 * It waits in one place only (live_wait), for the input or the output and for the descriptor that
 * says stop, so a signal is seen wherever it waits.  When poll has called a descriptor ready, a
 * read does not block, nor does a write of at most PIPE_BUF bytes.
 *
 * An open question is kept as its text, not as an example: it is parsed and scored again when its
 * feedback comes, because the weights have moved on by then, and the text is also what is written
 * to the record. */
#include "learners/bandit/bandit_live.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/random.h"
#include "common/data/problem.h"
#include "learners/bandit/open_rounds.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LIVE_REPLIES = 1 << 16,    /* bytes that are collected: what a pipe of Linux holds */
    LIVE_LEAST_READ = 1 << 16, /* bytes asked for: the same */
    LIVE_LONGEST_ID = 255,     /* bytes; a reply with such an id fits in LIVE_REPLIES */
    LIVE_OPEN_SHARE = 8        /* of all memory, for open questions; no reason but that it works */
};

/* Of a value of an example: no product on the way overflows, and the model can be saved. */
static const double LIVE_LARGEST = 1e100;

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

#ifndef PIPE_BUF
    #define PIPE_BUF _POSIX_PIPE_BUF
#endif

/* What the functions below return, or -1 with err. */
enum { LIVE_STOP = 0, LIVE_GO = 1 };

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

/* Write all of the bytes, unless it is time to stop. */
static int live_write(const struct live_server *s, int fd, const char *name, const char *bytes,
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
    return live_write(s, s->live->out, s->live->out_name, s->replies, size, err);
}

/* Append `id label propensity`, the id only if there is one. */
static int live_reply(struct live_server *s, const char *id, int64_t id_size,
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

/* ---- refusing ---- */

/* Refuse the line; why has its column and reason. */
static void live_refuse(struct live_server *s, struct error *why)
{
    snprintf(why->file, sizeof why->file, "%s", s->live->in_name);
    why->line = s->line;
    s->counts->refused++;
    s->live->refuse(s->live->context, why);
}

/* The same for a reason that quotes a token of the line. */
static void live_refuse_token(struct live_server *s, int64_t column, const char *reason,
                              const char *token, int64_t size)
{
    char quoted[ERROR_QUOTE];
    struct error why = {0};
    error_at(&why, NULL, 0, column, "%s: \"%s\"", reason, error_quote(token, (size_t)size, quoted));
    live_refuse(s, &why);
}

/* ---- questions ---- */

/* Room for the entries of a line of `size` bytes, as example_parse needs it. */
static int live_reserve_entries(struct live_server *s, int64_t size, struct error *err)
{
    int64_t most = size / 2;
    int32_t *index = memory_reserve(s->index, &s->index_capacity, most, sizeof *index, err);
    if (!index)
        return -1;
    s->index = index;
    double *value = memory_reserve(s->value, &s->value_capacity, most, sizeof *value, err);
    if (!value)
        return -1;
    s->value = value;
    return 0;
}

/* Parse the example of a question; text as in struct open_round.  From the last character of `?id`
 * on, made a `?`, it is a line of data to be predicted. */
static int live_parse(struct live_server *s, char *text, int64_t size, int64_t id_size,
                      struct example *x, struct error *why)
{
    struct example_format format = s->live->format;
    format.unlabelled = true;
    if (format.map)
        format.bias = -1;
    if (live_reserve_entries(s, size, why) != 0)
        return -1;
    char last = text[id_size];
    const char *p = text + id_size;
    text[id_size] = '?';
    int status = example_parse(&p, text + size, &format, s->index, s->value, x, why);
    text[id_size] = last;
    why->column += id_size;
    x->index = s->index;
    x->value = s->value;
    return status < 0 ? -1 : 0;
}

/* With a map: its features in place of the example. */
static int live_map(struct live_server *s, struct example *x, struct error *why)
{
    struct example_map *map = s->live->format.map;
    if (!map)
        return 0;
    problem_clear(&s->raw);
    if (problem_append_example(&s->raw, x, why) != 0
        || map->apply(map, &s->raw, s->live->format.bias, &s->mapped, why) != 0)
        return -1;
    *x = problem_example(&s->mapped, 0);
    return 0;
}

/* Parse, check and score it, for bandit_choose or bandit_learn. */
static int live_score(struct live_server *s, char *text, int64_t size, int64_t id_size,
                      struct example *x, struct error *why)
{
    if (live_parse(s, text, size, id_size, x, why) != 0)
        return -1;
    if (example_largest_index(x) > s->live->most_features)
        return error_set(why, "index %ld: the model may have %lld features (--most-features)",
                         (long)example_largest_index(x), (long long)s->live->most_features);
    for (int64_t i = 0; i < x->size; i++) {
        if (!(fabs(x->value[i]) <= LIVE_LARGEST))
            return error_set(why, "a value is larger than %g: scale the data, or use -l 1",
                             LIVE_LARGEST);
    }
    return live_map(s, x, why) == 0 ? bandit_score(s->b, x, why) : -1;
}

/* Both stop at the newline at the latest. */
static const char *live_word_end(const char *p)
{
    while (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
        p++;
    return p;
}

static const char *live_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* A question: `?`, perhaps an id, features. */
static int live_question(struct live_server *s, char *text, int64_t size, struct error *err)
{
    struct error why = {0};
    struct example x = {0};
    int64_t id_size = live_word_end(text) - (text + 1);
    bool colon = memchr(text, ':',
                        (size_t)id_size + 1); /* no id but a feature: a blank is missing */
    if (id_size > LIVE_LONGEST_ID || colon) {
        live_refuse_token(s, 1, "an id has at most 255 bytes and no colon", text, id_size + 1);
        return LIVE_GO;
    }
    double u = random_uniform(&s->random);
    random_skip(&s->random, 1); /* a simulated round draws its noise here */
    s->counts->questions++;
    struct open_rounds *table = id_size > 0 ? s->open : s->last;
    struct open_round *round = open_rounds_find(table, text + 1, id_size);
    if (round) {
        open_rounds_remove(table, round);
        s->counts->forgotten += id_size > 0;
    }
    int64_t forgotten = 0;
    if (live_score(s, text, size, id_size, &x, &why) != 0) {
        live_refuse(s, &why);
        return LIVE_GO;
    }
    round = open_rounds_add(table, text, size, id_size, &forgotten, &why);
    if (!round) {
        live_refuse(s, &why);
        return LIVE_GO;
    }
    struct bandit_choice choice = bandit_choose(s->b, u);
    s->counts->forgotten += forgotten;
    round->shown = choice.shown;
    round->p = choice.p;
    return live_reply(s, text + 1, id_size, choice, err);
}

/* ---- feedback ---- */

/* Append `label:f:p features` to the record. */
static int live_record(struct live_server *s, const struct open_round *round, int f,
                       struct error *err)
{
    if (s->live->record == -1)
        return LIVE_GO;
    int64_t after = 1 + round->id_size, size = round->size - after;
    char *line = memory_new(size + 3 * NUMBER_TEXT, 1, err);
    if (!line)
        return -1;
    char *p = number_write_int(line, bandit_labels(s->b)->value[round->shown]);
    *p++ = ':';
    *p++ = (char)('0' + f);
    *p++ = ':';
    p = number_write(p, round->p);
    memcpy(p, round->text + after, (size_t)size);
    int status = live_write(s, s->live->record, s->live->record_name, line, p + size - line, err);
    memory_free(line);
    return status;
}

/* Learn from a round that now has its feedback, and record it. */
static int live_learn(struct live_server *s, const struct open_round *round, int f,
                      struct error *err)
{
    struct error why = {0};
    struct example x = {0};
    if (live_score(s, round->text, round->size, round->id_size, &x, &why) != 0
        || bandit_learn(s->b, &x, round->shown, round->p, f, &why) != 0) {
        live_refuse(s, &why);
        return LIVE_GO;
    }
    s->counts->learnt++;
    s->counts->right += f;
    milestones_count(s->live->milestones);
    return live_record(s, round, f, err);
}

/* Feedback at `word`, to the question of this id ("": the one without). */
static int live_feedback(struct live_server *s, const char *text, const char *id, int64_t id_size,
                         const char *word, struct error *err)
{
    const char *end = live_word_end(word);
    struct open_rounds *table = id_size > 0 ? s->open : s->last;
    if (end - word != 1 || !strchr("10-", *word) || *live_skip_blanks(end) != '\n') {
        live_refuse_token(s, word - text + 1, "expected 1, 0 or -", word, end - word);
        return LIVE_GO;
    }
    struct open_round *round = open_rounds_find(table, id, id_size);
    if (!round) {
        live_refuse_token(s, 1,
                          id_size > 0 ? "no open question has this id" : "no question is open",
                          text, end - text);
        return LIVE_GO;
    }
    int status = LIVE_GO;
    if (*word != '-')
        status = live_learn(s, round, *word == '1', err);
    open_rounds_remove(table, round);
    return status;
}

/* ---- lines ---- */

/* Serve one line, its newline included. */
static int live_serve(struct live_server *s, char *text, int64_t size, struct error *err)
{
    const char *end = live_word_end(text);
    if (memchr(text, '\0', (size_t)size)) {
        live_refuse_token(s, 1, "a NUL byte", text, size - 1);
        return LIVE_GO;
    }
    if (*text == '?')
        return live_question(s, text, size, err);
    if (*text == '!' && end > text + 1)
        return live_feedback(s, text, text + 1, end - (text + 1), live_skip_blanks(end), err);
    if (*text == '1' || *text == '0' || *text == '-')
        return live_feedback(s, text, text, 0, text, err);
    if (*text == '.' && *live_skip_blanks(text + 1) == '\n')
        return LIVE_STOP;
    if (*text != '#' && *live_skip_blanks(text) != '\n')
        live_refuse_token(s, 1, "expected a question, feedback or .", text, size - 1);
    return LIVE_GO;
}

/* Move what is not yet served to the front of the text, and make space after it. */
static int live_make_room(struct live_server *s, struct error *err)
{
    if (s->start > 0) {
        memmove(s->text, s->text + s->start, (size_t)(s->end - s->start));
        s->end -= s->start;
        s->start = 0;
    }
    s->searched = s->end;
    int64_t needed = s->end + LIVE_LEAST_READ + 1 + NUMBER_PAD; /* 1: a newline at the end */
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
        got = read(s->live->in, s->text + s->end, LIVE_LEAST_READ);
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
        int status = live_serve(s, line, end - line, err);
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
    if (status == LIVE_STOP && live_flush(s, err) == -1) /* replies to what stood before the end */
        status = -1;
    return status;
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

/* ---- the record ---- */

/* Is there something in the file, and no newline at its end?  1, 0, or -1 with err. */
static int live_record_is_cut(const char *path, struct error *err)
{
    struct stat st;
    char last = '\n';
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return error_system(err, path);
    bool failed = fstat(fd, &st) != 0
                  || (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1);
    int status = failed ? error_system(err, path) : last != '\n';
    close(fd);
    return status;
}

int bandit_live_open_record(const char *path, bool *mended, struct error *err)
{
    struct stat st;
    *mended = false;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || fstat(fd, &st) != 0) {
        error_system(err, path);
        goto failed;
    }
    if (!S_ISREG(st.st_mode)) /* a pipe has no last line */
        return fd;
    int cut = live_record_is_cut(path, err);
    if (cut < 0)
        goto failed;
    if (cut > 0 && write(fd, "\n", 1) != 1) {
        error_system(err, path);
        goto failed;
    }
    *mended = cut > 0;
    return fd;

failed:
    if (fd >= 0)
        close(fd);
    return -1;
}

int bandit_live_close_record(int fd, const char *path, struct error *err)
{
    int status = 0;
    if (output_sync(fd) != 0)
        status = error_system(err, path);
    if (close(fd) != 0 && status == 0)
        status = error_system(err, path);
    return status;
}
