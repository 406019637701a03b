/* What a line says: a question is scored, kept and replied to; feedback is learnt from.  An open
 * question is kept as its text, not as an example: it is parsed and scored again when its feedback
 * comes, because the weights have moved on by then, and the text is also what is written to the
 * record. */
#include "common/base/memory.h"
#include "learners/bandit/bandit_live_state.h"

#include <math.h>
#include <string.h>

enum { LIVE_LONGEST_ID = 255 /* bytes; a reply with such an id fits in LIVE_REPLIES */ };

/* Of a value of an example: no product on the way overflows, and the model can be saved. */
static const double bandit_live_largest = 1e100;

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
    for (int64_t e = 0; e < x->size; e++) {
        if (!(fabs(x->value[e]) <= bandit_live_largest))
            return error_set(why, "a value is larger than %g: scale the data, or use -l 1",
                             bandit_live_largest);
    }
    return live_map(s, x, why) == 0 ? bandit_score(s->b, x, why) : -1;
}

/* At the newline at the latest. */
static const char *live_word_end(const char *p)
{
    while (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
        p++;
    return p;
}

/* Where questions with an id, or the one without, are kept. */
static struct open_rounds *live_table(const struct live_server *s, int64_t id_size)
{
    return id_size > 0 ? s->open : s->last;
}

/* Close the question of this id ("": the one without), if it is open.  Returns whether it was. */
static bool live_close(struct live_server *s, const char *id, int64_t id_size)
{
    struct open_rounds *table = live_table(s, id_size);
    struct open_round *round = open_rounds_find(table, id, id_size);
    if (round)
        open_rounds_remove(table, round);
    return round;
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
        if (colon)
            live_close(s, "", 0);
        _Static_assert(LIVE_LONGEST_ID == 255, "the reason names it");
        live_refuse_token(s, 1, "an id has at most 255 bytes and no colon", text, id_size + 1);
        return LIVE_GO;
    }
    double u = random_uniform(&s->random);
    random_skip(&s->random, 1); /* a simulated round draws its noise here */
    s->counts->questions++;
    s->counts->forgotten += live_close(s, text + 1, id_size) && id_size > 0;
    int64_t forgotten = 0;
    if (live_score(s, text, size, id_size, &x, &why) != 0) {
        live_refuse(s, &why);
        return LIVE_GO;
    }
    struct open_round *round = open_rounds_add(live_table(s, id_size), text, size, id_size,
                                               &forgotten, &why);
    if (!round) {
        live_refuse(s, &why);
        return LIVE_GO;
    }
    struct bandit_choice choice = bandit_choose(s->b, u);
    s->counts->forgotten += forgotten;
    round->shown = choice.shown;
    round->p = choice.p;
    return bandit_live_reply(s, text + 1, id_size, choice, err);
}

/* ---- feedback ---- */

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
    return bandit_live_append_record(s, round, f, err);
}

/* Feedback at `word`, to the question of this id ("": the one without). */
static int live_feedback(struct live_server *s, const char *text, const char *id, int64_t id_size,
                         const char *word, struct error *err)
{
    const char *end = live_word_end(word);
    struct open_rounds *table = live_table(s, id_size);
    if (end - word != 1 || !strchr("10-", *word)) {
        live_refuse_token(s, word - text + 1, "expected 1, 0 or -", word, end - word);
        return LIVE_GO;
    }
    const char *rest = number_skip_blanks(end);
    if (*rest != '\n') {
        live_refuse_token(s, rest - text + 1, "expected the end of the line after feedback", rest,
                          live_word_end(rest) - rest);
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

/* ---- the line ---- */

int bandit_live_serve(struct live_server *s, char *text, int64_t size, struct error *err)
{
    const char *end = live_word_end(text);
    if (memchr(text, '\0', (size_t)size)) {
        live_refuse_token(s, 1, "a NUL byte", text, size - 1);
        return LIVE_GO;
    }
    if (*text == '?')
        return live_question(s, text, size, err);
    if (*text == '!' && end > text + 1)
        return live_feedback(s, text, text + 1, end - (text + 1), number_skip_blanks(end), err);
    if (*text == '1' || *text == '0' || *text == '-')
        return live_feedback(s, text, text, 0, text, err);
    if (*text == '.' && *number_skip_blanks(text + 1) == '\n')
        return LIVE_STOP;
    if (*text != '#' && *number_skip_blanks(text) != '\n')
        live_refuse_token(s, 1, "expected a question (?id index:value ...), feedback (!id 1) or .",
                          text, size - 1);
    return LIVE_GO;
}
