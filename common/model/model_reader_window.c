/* The text of a model through a window of whole lines, and what a line begins with. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/model/model_reader_state.h"

#include <assert.h>
#include <string.h>

enum { MODEL_WINDOW = 4 << 20 }; /* bytes; no reason but that it works */

/* Read until the window holds `wanted` bytes, the end of the file, or a NUL byte, at which no model
 * goes on; it holds *used, which is moved.  0 or -1. */
static int model_fill(struct model_reader *r, int64_t wanted, int64_t *used)
{
    const int64_t bytes = wanted + 1 + NUMBER_PAD;
    char *text = NULL;
    if (memory_check((double)bytes, "the model", r->err) == 0)
        text = memory_reserve(r->text, &r->capacity, bytes, 1, r->err);
    if (!text) {
        error_name(r->err, r->model->file);
        return -1;
    }
    r->text = text;
    const int64_t before = *used;
    const int full = input_fill(r->fd, r->text, used, wanted);
    if (full < 0)
        return error_system(r->err, r->model->file);
    r->at_end = full == 0 || memchr(r->text + before, '\0', (size_t)(*used - before));
    r->left -= order_least(r->left, *used - before); /* a file may grow */
    return 0;
}

/* An empty file, where left = 0, may be asked for one window more, which is empty too. */
int model_load(struct model_reader *r)
{
    if (r->p < r->end)
        return 1;
    if (r->at_end)
        return 0;
    int64_t used = r->held, lines = 0; /* lines: bytes of whole lines */
    /* 1 more than there is, to see the end of the file. */
    int64_t wanted = order_least(MODEL_WINDOW, used + r->left + 1);
    if (used > 0)
        memmove(r->text, r->end, (size_t)used);
    while (!r->at_end && lines == 0) {
        if (model_fill(r, wanted, &used) != 0)
            return -1;
        wanted = used * 2; /* for a line longer than the window */
        lines = used;
        while (lines > 0 && r->text[lines - 1] != '\n')
            lines--;
    }
    r->held = used - lines;
    if (r->at_end) {
        r->cut = used > 0 && r->text[used - 1] != '\n';
        if (r->cut)
            r->text[used++] = '\n';
        lines = used;
        r->held = 0;
        r->left = 0;
    }
    memset(r->text + used, 0, NUMBER_PAD);
    r->p = r->text;
    r->end = r->text + lines;
    assert(lines == 0 || r->end[-1] == '\n');
    return lines > 0;
}

double model_remaining(const struct model_reader *r)
{
    return (double)(r->end - r->p) + (double)r->held + (double)r->left;
}

int model_refuse(const struct model_reader *r, const char *reason)
{
    return error_at(r->err, r->model->file, r->line, 0, "%s", reason);
}

const char *model_line_end(const struct model_reader *r, const char *p)
{
    return memchr(p, '\n', (size_t)(r->end - p));
}

void model_next_line(struct model_reader *r)
{
    r->p = model_line_end(r, r->p) + 1;
    r->line++;
}

int model_read_keyword(struct model_reader *r, char word[MODEL_KEYWORD])
{
    int n = 0;
    if (r->line == 1)
        r->p += input_mark(r->p, r->end - r->p);
    r->p = number_skip_blanks(r->p);
    const struct input_compression *compression = r->line == 1
                                                      ? input_find_compression(r->p, r->end - r->p)
                                                      : NULL;
    if (compression)
        return error_at(r->err, r->model->file, 1, 0, "%s data: decompress it first (%s)",
                        compression->name, compression->command);
    while (n < MODEL_KEYWORD - 1
           && (*r->p == '_' || (*r->p >= 'a' && *r->p <= 'z') || (*r->p >= 'A' && *r->p <= 'Z')
               || (n && *r->p >= '0' && *r->p <= '9')))
        word[n++] = *r->p++;
    word[n] = '\0';
    if (n == 0 || (*r->p != ' ' && *r->p != '\n' && *r->p != '\r'))
        return model_refuse(r, r->line == 1 ? "this is no model: it begins with no keyword"
                                            : "a keyword was expected");
    r->p = number_skip_blanks(r->p);
    return 0;
}

int model_refuse_again(const struct model_reader *r, const char *keyword)
{
    return error_at(r->err, r->model->file, r->line, 0, "`%s` comes twice", keyword);
}
