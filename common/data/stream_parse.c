/* The examples of a chunk's text.  Bad lines are noted while it is parsed, by whichever worker;
 * they are skipped, or refused, when the chunk is handed out, as only then is known how many there
 * were before. */
#include "common/base/memory.h"
#include "common/data/bad_lines.h"
#include "common/data/stream_state.h"

#include <assert.h>
#include <string.h>

/* ---- by a worker ---- */

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

int stream_parse(struct stream *s, struct stream_slot *slot, int64_t skip)
{
    struct chunk *chunk = &slot->chunk;
    chunk->text = slot->text + skip;
    chunk->text_size = slot->size - skip;
    if (!s->options.text_only && stream_make_examples(s, slot) != 0)
        return -1;
    return s->options.process ? s->options.process(s->options.context, chunk, &slot->error) : 0;
}

/* ---- by the consumer ---- */

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
    chunk->text_size = bad->start;
    chunk->output_size = bad->output;
}

void stream_skip(struct stream *s, struct stream_slot *slot)
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
