#include "learners/bandit/bandit_live.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/random.h"
#include "learners/bandit/open_rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ANSWERS = 1 << 16,
    LEAST_READ = 1 << 16,
    LONGEST_ID = 255,
    OPEN_SHARE = 8 /* of all memory, for open questions */
};
static const double LARGEST =
    1e100; /* value of an example: no product on the way overflows, and the model can be saved */

struct server {
    struct bandit *b;
    const struct bandit_live *live;
    struct bandit_live_counts *counts;
    struct random random;
    struct open_rounds *open; /* with an id */
    struct open_rounds *last; /* one without: at most one is open */
    int64_t line;             /* its number */
    char *text;               /* what was read: [start, end), and NUMBER_PAD bytes */
    int64_t start, end, capacity;
    int64_t searched;      /* no newline in [start, searched) */
    bool ended;            /* the input */
    char answers[ANSWERS]; /* not yet written */
    int64_t answers_size;
    int32_t *index; /* of the example that is looked at */
    double *value;
    int64_t index_capacity, value_capacity;
};

#ifndef PIPE_BUF
    #define PIPE_BUF _POSIX_PIPE_BUF
#endif

enum { STOP = 0, GO = 1 };

/* Wait until fd is ready for `events`: GO; or it is time to stop: STOP. */
static int wait_for(const struct server *s, int fd, short events)
{
    struct pollfd p[2] = {{.fd = fd, .events = events}, {.fd = s->live->stop, .events = POLLIN}};
    int ready;
    while ((ready = poll(p, 2, -1)) < 0 && errno == EINTR)
        ;
    /* What can be written at once is written first.  An error: let read or write say which. */
    return ready > 0 && p[1].revents && !(events == POLLOUT && p[0].revents) ? STOP : GO;
}

static int write_all(const struct server *s, int fd, const char *name, const char *bytes,
                     int64_t size, struct error *err)
{
    while (size > 0) {
        if (wait_for(s, fd, POLLOUT) == STOP)
            return STOP;
        /* No more than a pipe that is ready takes at once: the waiting, where a signal is seen, is
         * done above. */
        ssize_t wrote = write(fd, bytes, (size_t)(size < PIPE_BUF ? size : PIPE_BUF));
        if (wrote < 0 && errno != EINTR)
            return error_system(err, name);
        if (wrote > 0) {
            bytes += wrote;
            size -= wrote;
        }
    }
    return GO;
}

static int flush(struct server *s, struct error *err)
{
    int64_t size = s->answers_size;
    s->answers_size = 0;
    return write_all(s, s->live->out, s->live->out_name, s->answers, size, err);
}

static void refuse(struct server *s, struct error *why)
{
    snprintf(why->file, sizeof why->file, "%s", s->live->in_name);
    why->line = s->line;
    s->counts->refused++;
    s->live->refuse(s->live->context, why);
}

static void refuse_here(struct server *s, int64_t column, const char *reason, const char *token,
                        int64_t size)
{
    char quoted[ERROR_QUOTE];
    struct error why = {0};
    error_at(&why, NULL, 0, column, "%s: \"%s\"", reason, error_quote(token, (size_t)size, quoted));
    refuse(s, &why);
}

/* Room for the entries of a line of `size` bytes. */
static int reserve_entries(struct server *s, int64_t size, struct error *err)
{
    int32_t *index = memory_reserve(s->index, &s->index_capacity, size / 2 + 1, sizeof *index, err);
    if (index)
        s->index = index;
    double *value = index ? memory_reserve(s->value, &s->value_capacity, size / 2 + 1,
                                           sizeof *value, err)
                          : NULL;
    if (value)
        s->value = value;
    return value ? 0 : -1;
}

/* Score the example of a question; text as in struct open_round.  From the last character of `?id`
 * on, made a `?`, it is a line of data to be predicted. */
static int score(struct server *s, char *text, int64_t size, int64_t id_size, struct example *x,
                 struct error *why)
{
    struct example_format format = s->live->format;
    format.unlabelled = true;
    if (reserve_entries(s, size, why) != 0)
        return -1;
    char last = text[id_size];
    const char *p = text + id_size;
    text[id_size] = '?';
    int status = example_parse(&p, text + size, &format, s->index, s->value, x, why);
    text[id_size] = last;
    why->column += id_size;
    x->index = s->index;
    x->value = s->value;
    if (status < 0)
        return -1;
    if (example_largest_index(x) > s->live->most_features)
        return error_set(why, "index %ld: the model may have %lld features (--most-features)",
                         (long)example_largest_index(x), (long long)s->live->most_features);
    for (int64_t i = 0; i < x->size; i++)
        if (!(fabs(x->value[i]) <= LARGEST))
            return error_set(why, "a value is larger than %g: scale the data, or use -l 1",
                             LARGEST);
    return bandit_score(s->b, x, why);
}

static const char *word_end(const char *p)
{
    while (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
        p++;
    return p;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* A question: `?`, perhaps an id, features. */
static int ask(struct server *s, char *text, int64_t size, struct error *err)
{
    struct error why = {0};
    struct example x = {0};
    int64_t id_size = word_end(text) - (text + 1);
    if (id_size > LONGEST_ID
        || memchr(text, ':', (size_t)id_size + 1)) { /* a feature is no id: a blank was forgotten */
        refuse_here(s, 1, "an id has at most 255 bytes and no colon", text, id_size + 1);
        return GO;
    }
    double u = random_uniform(&s->random);
    random_skip(&s->random, 1); /* where answers are simulated a round has two */
    s->counts->questions++;
    struct open_rounds *table = id_size > 0 ? s->open : s->last;
    struct open_round *round = open_rounds_find(table, text + 1, id_size);
    if (round) {
        open_rounds_remove(table, round);
        s->counts->forgotten += id_size > 0;
    }
    int64_t forgotten = 0;
    if (score(s, text, size, id_size, &x, &why) != 0
        || !(round = open_rounds_add(table, text, size, id_size, &forgotten, &why))) {
        refuse(s, &why);
        return GO;
    }
    struct bandit_choice choice = bandit_choose(s->b, u);
    s->counts->forgotten += forgotten;
    round->shown = choice.shown;
    round->p = choice.p;
    if (s->answers_size + id_size + 3 * NUMBER_TEXT > ANSWERS) {
        int status = flush(s, err);
        if (status != GO)
            return status;
    }
    char *out = s->answers + s->answers_size;
    if (id_size > 0) {
        memcpy(out, text + 1, (size_t)id_size);
        out += id_size;
        *out++ = ' ';
    }
    out = number_write_int(out, bandit_labels(s->b)->value[choice.shown]);
    *out++ = ' ';
    out = number_write(out, choice.p);
    *out++ = '\n';
    s->answers_size = out - s->answers;
    return GO;
}

/* `label:f:p features` */
static int record(struct server *s, const struct open_round *round, int f, struct error *err)
{
    if (s->live->record < 0)
        return GO;
    int64_t after = 1 + round->id_size, size = round->size - after;
    char *line = memory_new(size + 3 * NUMBER_TEXT, 1, err), *p = line;
    if (!line)
        return -1;
    p = number_write_int(p, bandit_labels(s->b)->value[round->shown]);
    *p++ = ':';
    *p++ = (char)('0' + f);
    *p++ = ':';
    p = number_write(p, round->p);
    memcpy(p, round->text + after, (size_t)size);
    int status = write_all(s, s->live->record, s->live->record_name, line, p + size - line, err);
    memory_free(line);
    return status;
}

/* An answer at `word`, to the round of this id ("": the one without). */
static int answer(struct server *s, const char *text, const char *id, int64_t id_size,
                  const char *word, struct error *err)
{
    const char *end = word_end(word);
    struct open_rounds *table = id_size > 0 ? s->open : s->last;
    struct open_round *round = open_rounds_find(table, id, id_size);
    int status = GO;
    if (end - word != 1 || !strchr("10-", *word) || *skip_blanks(end) != '\n') {
        refuse_here(s, word - text + 1, "expected 1, 0 or -", word, end - word);
        return GO;
    }
    if (!round) {
        refuse_here(s, 1, id_size > 0 ? "no open question has this id" : "no question is open",
                    text, end - text);
        return GO;
    }
    if (*word != '-') {
        struct error why = {0};
        struct example x = {0};
        int f = *word == '1';
        if (score(s, round->text, round->size, round->id_size, &x, &why) != 0
            || bandit_learn(s->b, &x, round->shown, round->p, f, &why) != 0) {
            refuse(s, &why);
        } else {
            s->counts->answers++;
            s->counts->right += f;
            status = record(s, round, f, err);
        }
    }
    open_rounds_remove(table, round);
    return status;
}

/* One line, its newline included. */
static int serve(struct server *s, char *text, int64_t size, struct error *err)
{
    const char *end = word_end(text);
    if (memchr(text, '\0', (size_t)size)) {
        refuse_here(s, 1, "a NUL byte", text, size - 1);
        return GO;
    }
    if (*text == '?')
        return ask(s, text, size, err);
    if (*text == '!' && end > text + 1)
        return answer(s, text, text + 1, end - (text + 1), skip_blanks(end), err);
    if (*text == '1' || *text == '0' || *text == '-')
        return answer(s, text, text, 0, text, err);
    if (*text == '.' && *skip_blanks(text + 1) == '\n')
        return STOP;
    if (*text != '#' && *skip_blanks(text) != '\n')
        refuse_here(s, 1, "expected a question, an answer or .", text, size - 1);
    return GO;
}

/* Read more behind what is there.  GO; STOP: there is no more, or it is time to stop. */
static int read_more(struct server *s, struct error *err)
{
    if (s->ended)
        return STOP;
    if (s->start > 0) {
        memmove(s->text, s->text + s->start, (size_t)(s->end - s->start));
        s->end -= s->start;
        s->start = 0;
    }
    s->searched = s->end;
    char *text = memory_reserve(s->text, &s->capacity, s->end + LEAST_READ + 1 + NUMBER_PAD, 1,
                                err);
    if (!text)
        return -1;
    s->text = text;
    if (memory_check((double)s->capacity * 8, "a line of the input", err) != 0)
        return -1;
    for (;;) {
        if (wait_for(s, s->live->in, POLLIN) == STOP)
            return STOP;
        ssize_t got = read(s->live->in, s->text + s->end, LEAST_READ);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(err, s->live->in_name);
        s->end += got;
        s->ended = got == 0;
        if (s->ended && s->end > 0)
            s->text[s->end++] = '\n'; /* a last line without one is fine */
        return GO;
    }
}

/* All whole lines that were read. */
static int serve_lines(struct server *s, struct error *err)
{
    char *newline;
    int status = GO;
    memset(s->text + s->end, 0, NUMBER_PAD);
    if (s->line == 0 && s->start == 0) {
        int64_t skip = input_start(s->live->in_name, s->text, s->end, err);
        if (skip < 0)
            return -1;
        s->start = s->searched = skip;
    }
    while (status == GO
           && (newline = memchr(s->text + s->searched, '\n', (size_t)(s->end - s->searched)))
                  != NULL) {
        char *line = s->text + s->start;
        s->start = s->searched = newline + 1 - s->text;
        s->line++;
        status = serve(s, line, newline + 1 - line, err);
    }
    return status;
}

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
    int status = output_sync(fd) == 0 ? 0 : error_system(err, path);
    return close(fd) == 0 || status != 0 ? status : error_system(err, path);
}

int bandit_live_run(struct bandit *b, const struct bandit_live *live,
                    struct bandit_live_counts *counts, struct error *err)
{
    *counts = (struct bandit_live_counts){0};
    struct server *s = memory_new(1, sizeof *s, err);
    if (!s)
        return -1;
    s->b = b;
    s->live = live;
    s->counts = counts;
    s->random = random_seeded((uint64_t)live->seed, BANDIT_USE_ROUNDS);
    random_skip(&s->random, 2 * live->drawn);
    s->open = open_rounds_new(live->most_open, memory_limit() / OPEN_SHARE, err);
    s->last = s->open ? open_rounds_new(1, 0, err) : NULL;
    int status = s->last ? GO : -1;
    while (status == GO && (status = read_more(s, err)) == GO
           && (status = serve_lines(s, err)) == GO)
        status = flush(s, err);
    if (status != -1 && flush(s, err) == -1)
        status = -1;
    open_rounds_free(s->open);
    open_rounds_free(s->last);
    memory_free(s->text);
    memory_free(s->index);
    memory_free(s->value);
    memory_free(s);
    return status == -1 ? -1 : 0;
}
