/* Lines and tokens of a text that is in memory as a whole.  It ends with '\n' followed by padding
 * (input.h), so that scanning needs no checks for the end of the text. */
#include "common/base/text.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

int text_open(struct text *text, const char *path, struct error *err)
{
    int64_t size, skip;
    *text = (struct text){.name = input_name(path)};
    if (input_read(path, &text->block, &size, &text->cut, err) != 0)
        return -1;
    text->end = text->block + size;
    skip = input_start(text->name, text->block, size, err);
    if (skip < 0)
        goto refused;
    text->next = text->block + skip;
    if (text_check_nul(text, err) != 0)
        goto refused;
    return 0;

refused:
    text_close(text);
    return -1;
}

int text_check_nul(struct text *text, struct error *err)
{
    const char *nul = memchr(text->next, '\0', (size_t)(text->end - text->next));
    if (!nul)
        return 0;
    while (text_line(text) && text->next <= nul)
        ;
    text->token = nul;
    return text_refuse(text, err, "a NUL byte (is this a text file?)");
}

bool text_line(struct text *text)
{
    text->line = text->token = text->p = text->next;
    text->number++;
    assert(text->line <= text->end);
    if (text->line == text->end)
        return false;
    text->next = (const char *)memchr(text->line, '\n', (size_t)(text->end - text->line)) + 1;
    return true;
}

bool text_line_of_data(struct text *text)
{
    while (text_line(text)) {
        bool something = text_token(text);
        text->token = text->p = text->line;
        if (something)
            return true;
    }
    return false;
}

static bool text_at_line_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

bool text_token(struct text *text)
{
    const char *p = text->p;
    while (*p == ' ' || *p == '\t')
        p++;
    text->token = p;
    if (*p != '#')
        while (p < text->end && *p != ' ' && *p != '\t' && !text_at_line_end(p))
            p++;
    text->p = p;
    return p > text->token;
}

static bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool text_rest(struct text *text)
{
    const char *end = text->next - 1;
    while (text->p < end && text_is_blank(*text->p))
        text->p++;
    while (end > text->p && text_is_blank(end[-1]))
        end--;
    text->token = text->p;
    text->p = end;
    return end > text->token;
}

bool text_is(const struct text *text, const char *word)
{
    return (size_t)(text->p - text->token) == strlen(word)
           && memcmp(text->token, word, strlen(word)) == 0;
}

/* Say why the token is not a number of this kind; its reading ended at `end`.  Returns -1. */
static int text_refuse_number(const struct text *text, enum number_status status, const char *end,
                              const char *kind, struct error *err)
{
    char quoted[ERROR_QUOTE];
    error_quote(text->token, (size_t)(text->p - text->token), quoted);
    if (status == NUMBER_OVERFLOW && end == text->p)
        return text_refuse(text, err, "%s is out of range: \"%s\"", kind, quoted);
    return text_refuse(text, err, "%s was expected: \"%s\"", kind, quoted);
}

int text_number(struct text *text, double *value, struct error *err)
{
    const char *end;
    if (!text_token(text))
        return 0;
    enum number_status status = number_read(text->token, &end, value);
    if (status == NUMBER_OK && end == text->p)
        return 1;
    return text_refuse_number(text, status, end, "a finite decimal number", err);
}

int text_int(struct text *text, int64_t lowest, int64_t highest, int64_t *value, struct error *err)
{
    const char *end;
    if (!text_token(text))
        return 0;
    enum number_status status = number_read_int(text->token, &end, lowest, highest, value);
    if (status == NUMBER_OK && end == text->p)
        return 1;
    return text_refuse_number(text, status, end, "a whole number", err);
}

int text_refuse(const struct text *text, struct error *err, const char *format, ...)
{
    char reason[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return error_at(err, text->name, text->number, text->token - text->line + 1, "%s", reason);
}

void text_close(struct text *text)
{
    memory_free(text->block);
    *text = (struct text){0};
}
