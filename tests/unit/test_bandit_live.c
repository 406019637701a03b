/* The live loop (learners/bandit/bandit_live.h) beside a plain one: what a peer is told, which
 * lines are refused and where, what is learnt, counted and recorded.  Then maps that fail, the
 * request to stop, and records whose last line was cut off. */
#include "check.h"
#include "common/base/random.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_rule.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1 << 18, MOST_LINES = 3000, FEATURES = 8, IDS = 9, LONGEST = 512 };

/* ---- a session ---- */

struct place {
    int64_t line, column;
};

struct session {
    struct bandit *b;
    struct milestones milestones;
    struct bandit_live live;
    struct bandit_live_counts counts;
    int64_t refusals;
    struct place refused[MOST_LINES];
    char message[LONGEST]; /* of the last one */
    int stop;              /* told to stop at a refusal; 0: it is not */
    char replies[TEXT], record[TEXT];
};

static int open_nameless(void)
{
    char path[] = "/tmp/test_bandit_live.XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && unlink(path) == 0, "a temporary file");
    return fd;
}

static void read_all(int fd, char *text)
{
    const ssize_t got = pread(fd, text, TEXT - 1, 0);
    CHECK(got >= 0 && got < TEXT - 1, "what was written");
    text[got > 0 ? got : 0] = '\0';
    close(fd);
}

static void note_refusal(void *context, const struct error *why)
{
    struct session *s = context;
    CHECK(strcmp(why->file, "in") == 0, "a refusal in \"%s\"", why->file);
    if (s->refusals < MOST_LINES)
        s->refused[s->refusals++] = (struct place){why->line, why->column};
    snprintf(s->message, sizeof s->message, "%s", why->message);
    CHECK(s->stop == 0 || write(s->stop, "s", 1) == 1, "a pipe");
}

static struct bandit *make_learner(const struct bandit_options *options)
{
    struct labels labels = {0};
    for (int32_t label = 4; label < 10; label += 2)
        CHECK(labels_add(&labels, label, NULL) == 0, "memory");
    struct bandit *b = bandit_new(options, &labels, NULL);
    CHECK(b, "memory");
    labels_free(&labels);
    return b;
}

/* live: the options; what is to do with files is set here. */
static void run(struct session *s, const struct bandit_options *options,
                const struct bandit_live *live, const char *text)
{
    struct error err = {0};
    const size_t size = strlen(text);
    int in = open_nameless();
    CHECK(write(in, text, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0, "the input");
    s->b = make_learner(options);
    s->live = *live;
    s->live.in = in;
    s->live.out = open_nameless();
    s->live.record = open_nameless();
    s->live.in_name = "in";
    s->live.out_name = "out";
    s->live.record_name = "record";
    s->live.milestones = &s->milestones;
    s->live.refuse = note_refusal;
    s->live.context = s;
    s->refusals = 0;
    s->milestones = (struct milestones){.next = INT64_MAX};
    CHECK_INT(bandit_live_run(s->b, &s->live, &s->counts, &err), 0, "%s", err.message);
    read_all(s->live.out, s->replies);
    read_all(s->live.record, s->record);
    close(in);
}

/* ---- a plain loop ---- */

/* A question that waits for feedback. */
struct waiting {
    int64_t asked; /* in which line; 0: it was not, or waits no longer */
    struct example x;
    int32_t index[FEATURES + 1];
    double value[FEATURES + 1];
    char rest[LONGEST / 4]; /* of the line, behind the id: 12 characters a feature at most */
    struct bandit_choice choice;
};

struct plain {
    struct bandit *b;
    const struct bandit_live *live;
    struct random random; /* of the choices */
    struct bandit_live_counts counts;
    struct waiting waiting[IDS + 1]; /* by id; 0: without one */
    int64_t line;
    char text[TEXT], replies[TEXT], record[TEXT];
    int64_t refusals;
    struct place refused[MOST_LINES];
};

/* Append to a text. */
#define SAY(text, ...) snprintf(strchr((text), '\0'), LONGEST, __VA_ARGS__)

static void refuse_here(struct plain *p, int64_t column)
{
    p->refused[p->refusals++] = (struct place){p->line, column};
    p->counts.refused++;
}

static void draw_features(struct plain *p, struct random *g, struct waiting *q)
{
    int64_t size = 0;
    q->rest[0] = '\0';
    for (int32_t j = 1; j <= FEATURES; j++) {
        if (random_uniform(g) < 0.6)
            continue;
        q->index[size] = j;
        q->value[size++] = (double)(random_below(g, 64) - 32) / 16;
        SAY(q->rest, " %d:%.5f", (int)j, q->value[size - 1]);
    }
    if (p->live->format.bias >= 0) {
        q->index[size] = 0;
        q->value[size++] = p->live->format.bias;
    }
    if (p->live->format.unit_length)
        example_unit_length(q->value, size);
    q->x = (struct example){.index = q->index, .value = q->value, .size = size};
}

static void forget_oldest(struct plain *p)
{
    struct waiting *oldest = NULL;
    int64_t open = 0;
    for (int64_t id = 1; id <= IDS; id++) {
        struct waiting *q = &p->waiting[id];
        open += q->asked > 0;
        if (q->asked > 0 && (!oldest || q->asked < oldest->asked))
            oldest = q;
    }
    if (open > p->live->most_open) {
        oldest->asked = 0;
        p->counts.forgotten++;
    }
}

/* Ask; way 0: a question that is fine, 1: a value that is no number, 2: too large an index. */
static void ask(struct plain *p, struct random *g, int64_t id, int64_t way)
{
    struct waiting *q = &p->waiting[id];
    char name[16] = "";
    if (id > 0)
        snprintf(name, sizeof name, "id%d", (int)id);
    p->counts.questions++;
    p->counts.forgotten += id > 0 && q->asked > 0;
    const double u = random_uniform(&p->random);
    random_next(&p->random);
    q->asked = 0;
    draw_features(p, g, q);
    const char *wrong = way == 1 ? " 9:x" : way == 2 ? " 9:1" : "";
    SAY(p->text, "?%s%s%s%s\n", name, q->rest, wrong, p->line % 7 == 3 ? "\r" : "");
    if (way > 0) {
        refuse_here(p, way == 1 ? (int64_t)(1 + strlen(name) + strlen(q->rest)) + 2 : 0);
        return;
    }
    SAY(q->rest, "%s\n", p->line % 7 == 3 ? "\r" : "");
    q->asked = p->line;
    if (id > 0)
        forget_oldest(p);
    CHECK_INT(bandit_score(p->b, &q->x, NULL), 0, "scores");
    q->choice = bandit_choose(p->b, u);
    SAY(p->replies, "%s%s%d %.6f\n", name, id > 0 ? " " : "", 4 + 2 * (int)q->choice.shown,
        q->choice.p);
}

/* Answer; word: "1", "0", "-", or something else. */
static void answer(struct plain *p, int64_t id, const char *word)
{
    struct waiting *q = &p->waiting[id];
    char name[16] = "";
    if (id > 0)
        snprintf(name, sizeof name, "!id%d ", (int)id);
    SAY(p->text, "%s%s\n", name, word);
    if (word[1]) {
        refuse_here(p, (int64_t)strlen(name) + (word[1] == ' ' ? 3 : 1));
        return;
    }
    if (q->asked == 0) {
        refuse_here(p, 1);
        return;
    }
    q->asked = 0;
    if (*word == '-')
        return;
    const int f = *word == '1';
    CHECK_INT(bandit_score(p->b, &q->x, NULL), 0, "scores");
    CHECK_INT(bandit_learn(p->b, &q->x, q->choice.shown, q->choice.p, f, NULL), 0, "learnt");
    p->counts.learnt++;
    p->counts.right += f;
    SAY(p->record, "%d:%d:%.6f%s", 4 + 2 * (int)q->choice.shown, f, q->choice.p, q->rest);
}

/* ---- comparing ---- */

/* Texts that differ in how many digits a propensity has: the same words and nearly the same
 * numbers. */
static void compare_texts(const char *name, const char *got, const char *want)
{
    for (int64_t line = 1; *got || *want; line++) {
        double x[2] = {0, 0};
        const char *text[2] = {got, want};
        size_t size[2], head[2];
        for (int i = 0; i < 2; i++) {
            size[i] = strcspn(text[i], "\n");
            head[i] = 0;
            for (size_t at = 0; at < size[i] && head[i] == 0; at++)
                if (strncmp(text[i] + at, "0.", 2) == 0)
                    head[i] = at;
            char *end = NULL;
            x[i] = strtod(text[i] + head[i], &end);
            text[i] = end;
        }
        const bool same = head[0] == head[1] && memcmp(got, want, head[0]) == 0
                          && strcspn(text[0], "\n") == strcspn(text[1], "\n")
                          && memcmp(text[0], text[1], strcspn(text[0], "\n")) == 0;
        CHECK(same && fabs(x[0] - x[1]) < 1e-6, "%s, line %d: \"%.*s\", not \"%.*s\"", name,
              (int)line, (int)size[0], got, (int)size[1], want);
        got += size[0] + (got[size[0]] == '\n');
        want += size[1] + (want[size[1]] == '\n');
    }
}

static void compare_weights(const struct bandit *got, const struct bandit *want)
{
    struct weights a = {0}, b = {0};
    CHECK(bandit_weights(got, &a, NULL) == 0 && bandit_weights(want, &b, NULL) == 0, "memory");
    CHECK_INT(a.rows, b.rows, "rows");
    for (int64_t j = 0; j < (a.rows < b.rows ? a.rows : b.rows); j++)
        for (int64_t k = 0; k < 3; k++)
            CHECK_NEAR(a.w[j * a.stride + k], b.w[j * b.stride + k], 0, "weight %d, class %d",
                       (int)j, (int)k);
    weights_free(&a);
    weights_free(&b);
}

static void check_talk(int64_t seed)
{
    static struct plain p;
    static struct session s;
    struct random g = random_seeded(77, (uint64_t)seed);
    const struct bandit_options options = {
        .rule = &bandit_rcnbf_rule, .gamma = 0.6, .rho = {0.1, 0.2}, .average = seed % 2};
    const struct bandit_live live = {
        .stop = -1,
        .format = {.bias = seed % 3 == 0 ? -1 : 0.5, .unit_length = seed % 4 > 1},
        .most_features = FEATURES,
        .most_open = 5,
        .seed = seed,
        .drawn = 3 * seed};
    static const char *const other[] = {"# a line", "",          " \t", "what?",
                                        "!",        "?id:1 1:1", "..",  "2"};
    static const int64_t refused_at[] = {0, 0, 0, 1, 1, 1, 1, 1};
    p = (struct plain){.b = make_learner(&options), .live = &live};
    p.random = random_seeded((uint64_t)seed, 1);
    for (int64_t i = 0; i < 2 * live.drawn; i++)
        random_next(&p.random);
    for (p.line = 1; p.line < MOST_LINES; p.line++) {
        const int64_t id = random_below(&g, 3) ? 1 + random_below(&g, IDS) : 0,
                      way = random_below(&g, 20);
        if (way < 9) {
            ask(&p, &g, id, way < 2 ? way + 1 : 0);
        } else if (way < 18) {
            static const char *const word[] = {"1", "0", "1", "0", "1", "0", "-", "1x", "0 1"};
            answer(&p, id, word[way - 9]);
        } else {
            const int64_t which = random_below(&g, 8);
            SAY(p.text, "%s\n", other[which]);
            if (refused_at[which] > 0)
                refuse_here(&p, refused_at[which]);
            if (other[which][0] == '?')
                p.waiting[0].asked = 0;
        }
    }
    p.text[strlen(p.text) - 1] = '\0'; /* the last line lacks its newline */
    run(&s, &options, &live, p.text);
    compare_texts("replies", s.replies, p.replies);
    compare_texts("record", s.record, p.record);
    compare_weights(s.b, p.b);
    CHECK_INT(s.counts.questions, p.counts.questions, "questions");
    CHECK_INT(s.counts.learnt, p.counts.learnt, "learnt");
    CHECK_INT(s.counts.right, p.counts.right, "right");
    CHECK_INT(s.counts.refused, p.counts.refused, "refused");
    CHECK_INT(s.counts.forgotten, p.counts.forgotten, "forgotten");
    CHECK_INT(s.milestones.done, p.counts.learnt, "told of");
    CHECK_INT(s.refusals, p.refusals, "refusals");
    for (int64_t i = 0; i < p.refusals && i < s.refusals; i++) {
        CHECK_INT(s.refused[i].line, p.refused[i].line, "refusal %d: line", (int)i);
        CHECK_INT(s.refused[i].column, p.refused[i].column, "refusal %d, line %d: column", (int)i,
                  (int)p.refused[i].line);
    }
    CHECK(p.counts.forgotten > 50 && p.counts.learnt > 300 && p.counts.right > 100
              && p.refusals > 500,
          "too little of something");
    bandit_free(s.b);
    bandit_free(p.b);
}

/* ---- maps ---- */

/* Twice the values, one feature further on; none of 13. */
static int map_twice(struct example_map *map, const struct problem *raw, double bias,
                     struct problem *mapped, struct error *err)
{
    (void)map;
    problem_clear(mapped);
    for (int64_t i = 0; i < raw->n; i++) {
        int32_t index[FEATURES + 1];
        double value[FEATURES + 1];
        const struct example from = problem_example(raw, i);
        struct example x = {.index = index, .value = value, .size = from.size + 1};
        for (int64_t e = 0; e < from.size; e++) {
            if (from.value[e] == 13)
                return error_set(err, "no map of 13");
            CHECK(from.index[e] > 0, "the bias comes after the map");
            index[e] = from.index[e] + 1;
            value[e] = 2 * from.value[e];
        }
        index[from.size] = 0;
        value[from.size] = bias;
        if (problem_append_example(mapped, &x, err) != 0)
            return -1;
    }
    return 0;
}

static void check_map(void)
{
    static struct session s;
    struct example_map map = {.apply = map_twice, .dims = FEATURES + 1};
    const struct bandit_options options = {.rule = &bandit_rcnbf_rule};
    const struct bandit_live live = {.stop = -1,
                                     .format = {.bias = 0.25, .map = &map},
                                     .most_features = FEATURES,
                                     .most_open = 5};
    check_group("a live loop with a map");
    run(&s, &options, &live, "? 1:1\n0\n? 1:13\n1\n? 2:-1\n1\n?x 1:13\n");
    CHECK_INT(s.refusals, 3, "refusals");
    const int64_t line[] = {3, 4, 7};
    for (int i = 0; i < 3; i++)
        CHECK_INT(s.refused[i].line, line[i], "refusal %d", i);
    CHECK(strcmp(s.message, "no map of 13") == 0, "%s", s.message);
    struct bandit *b = make_learner(&options);
    const struct {
        int32_t index[2];
        double value[2];
    } mapped[] = {{{2, 0}, {2, 0.25}}, {{3, 0}, {-2, 0.25}}};
    for (int i = 0; i < 2; i++) {
        const struct example x = {.index = mapped[i].index, .value = mapped[i].value, .size = 2};
        CHECK_INT(bandit_score(b, &x, NULL), 0, "scores");
        const struct bandit_choice choice = bandit_choose(b, 0.5);
        CHECK_INT(bandit_learn(b, &x, choice.shown, choice.p, i, NULL), 0, "learnt");
    }
    compare_weights(s.b, b);
    bandit_free(b);
    bandit_free(s.b);
}

/* ---- stopping ---- */

/* A line that says so: what stands before it is replied to. */
static void check_end(void)
{
    static struct session s;
    const struct bandit_options options = {.rule = &bandit_rcnbf_rule};
    const struct bandit_live live = {
        .stop = -1, .format = {.bias = -1}, .most_features = FEATURES, .most_open = 5};
    check_group("a live loop that is told the end");
    run(&s, &options, &live, "? 1:1\n0\n? 2:1\n. \n? 3:1\nwhat\n");
    CHECK_INT(s.counts.questions, 2, "questions");
    CHECK_INT(s.refusals, 0, "refusals");
    CHECK(strcmp(s.replies, "4 1\n4 1\n") == 0, "%s", s.replies);
    CHECK(strcmp(s.record, "4:0:1 1:1\n") == 0, "%s", s.record);
    bandit_free(s.b);
}

/* A request that is there from the start: nothing is read.  One that comes while lines are served:
 * those that were read are, and their replies are written, as somebody waits for them. */
static void check_stop(void)
{
    static struct session s;
    static char text[TEXT];
    const struct bandit_options options = {.rule = &bandit_rcnbf_rule};
    check_group("a live loop that is to stop");
    for (int way = 0; way < 2; way++) {
        int ends[2];
        CHECK(pipe(ends) == 0 && (way == 1 || write(ends[1], "s", 1) == 1), "a pipe");
        const struct bandit_live live = {
            .stop = ends[0], .format = {.bias = -1}, .most_features = FEATURES, .most_open = 5};
        s.stop = way == 0 ? 0 : ends[1];
        snprintf(text, sizeof text, "? 1:1\n1\nwhat\n? 2:1\n");
        for (int i = 0; i < 3000; i++) /* more than is read at once */
            SAY(text, "# %060d\n", i);
        SAY(text, "? 3:1\n");
        run(&s, &options, &live, text);
        CHECK_INT(s.counts.questions, way == 0 ? 0 : 2, "way %d: questions", way);
        CHECK_INT(s.counts.learnt, way, "way %d: learnt", way);
        CHECK(strcmp(s.replies, way == 0 ? "" : "4 1\n4 1\n") == 0, "way %d: %s", way, s.replies);
        CHECK(strcmp(s.record, way == 0 ? "" : "4:1:1 1:1\n") == 0, "way %d: %s", way, s.record);
        bandit_free(s.b);
        close(ends[0]), close(ends[1]);
    }
    s.stop = 0;
}

/* ---- records ---- */

static void check_records(void)
{
    static const struct {
        const char *before, *after; /* a record was opened, and "3" written */
        enum bandit_live_mended mended;
    } taken[] = {{"", "3", BANDIT_LIVE_WHOLE},
                 {"\n", "\n3", BANDIT_LIVE_WHOLE},
                 {"1:1:1 1:1\n", "1:1:1 1:1\n3", BANDIT_LIVE_WHOLE},
                 {"1:1:1 1:1", "1:1:1 1:1\n3", BANDIT_LIVE_ENDED},
                 {"1:1:1 1:1\n2:0:1", "1:1:1 1:1\n2:0:1\n3", BANDIT_LIVE_ENDED},
                 {"1:", "3", BANDIT_LIVE_DROPPED},
                 {"1:0", "3", BANDIT_LIVE_DROPPED},
                 {"3:1:0.", "3", BANDIT_LIVE_DROPPED},
                 {"1:1:1 1:", "3", BANDIT_LIVE_DROPPED}};
    static const char *const refused[] = {"1 1:1\n",    "1\n2",        "1",
                                          "1 1:0.5 2:", "7:1:0.5 1:",  "1:2:.5 1:x",
                                          "1:1:1 1:\n", "4:1:1 1:1\n", "linear\nend\n"};
    static int32_t value[] = {1, 2, 3};
    const struct labels labels = {.value = value, .count = 3};
    static char got[TEXT];
    enum bandit_live_mended mended;
    check_group("a record is appended to");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char path[] = "/tmp/test_bandit_live.XXXXXX";
        struct error err = {0};
        const char *before = taken[i].before;
        const size_t size = strlen(before);
        int fd = mkstemp(path);
        CHECK(fd >= 0 && write(fd, before, size) == (ssize_t)size, "a temporary file");
        int record = bandit_live_open_record(path, &labels, false, &mended, &err);
        CHECK(record >= 0, "%s", err.message);
        CHECK_INT(mended, taken[i].mended, "\"%s\": mended", before);
        CHECK(write(record, "3", 1) == 1, "the record");
        CHECK_INT(bandit_live_close_record(record, path, &err), 0, "%s", err.message);
        read_all(fd, got);
        CHECK(strcmp(got, taken[i].after) == 0, "\"%s\", not \"%s\"", got, taken[i].after);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char path[] = "/tmp/test_bandit_live.XXXXXX";
        struct error err = {0};
        int fd = mkstemp(path);
        CHECK(fd >= 0 && write(fd, refused[i], strlen(refused[i])) > 0, "a temporary file");
        CHECK_INT(bandit_live_open_record(path, &labels, false, &mended, &err), -1, "\"%s\"",
                  refused[i]);
        CHECK_INT(err.line, 1, "%s", err.message);
        read_all(fd, got);
        CHECK(strcmp(got, refused[i]) == 0, "\"%s\" is \"%s\" now", refused[i], got);
        unlink(path);
    }
    struct error err = {0};
    int fd = bandit_live_open_record("/dev/null", &labels, false, &mended, &err);
    CHECK(fd >= 0 && mended == BANDIT_LIVE_WHOLE, "no file: %s", err.message);
    close(fd);
    CHECK(bandit_live_open_record("/dev/null/record", &labels, false, &mended, &err) == -1
              && err.message[0],
          "no folder");
    CHECK(bandit_live_close_record(-1, "record", &err) == -1 && err.message[0], "nothing is open");
}

int main(void)
{
    check_group("a live loop by plain loops");
    for (int64_t seed = 0; seed < 6; seed++)
        check_talk(seed);
    check_map();
    check_end();
    check_stop();
    check_records();
    return check_finish();
}
