/* Filling and printing struct error.  A file name or message that is too long is cut: reporting an
 * error must not fail. */
#include "common/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* What error_set and error_at share.  Returns -1. */
static int __attribute__((format(printf, 5, 0)))
error_fill(struct error *err, const char *file, int64_t line, int64_t column, const char *format,
           va_list args)
{
    if (!err)
        return -1;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->column = column;
    vsnprintf(err->message, sizeof err->message, format, args);
    err->usage = false;
    return -1;
}

int error_set(struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_fill(err, NULL, 0, 0, format, args);
    va_end(args);
    return -1;
}

int error_at(struct error *err, const char *file, int64_t line, int64_t column, const char *format,
             ...)
{
    va_list args;
    va_start(args, format);
    error_fill(err, file, line, column, format, args);
    va_end(args);
    return -1;
}

int error_usage(struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_fill(err, NULL, 0, 0, format, args);
    va_end(args);
    if (err)
        err->usage = true;
    return -1;
}

int error_system(struct error *err, const char *file)
{
    return error_at(err, file, 0, 0, "%s", strerror(errno));
}

void error_name(struct error *err, const char *file)
{
    if (err && file && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", file);
}

int error_take(const struct error *task, struct error *err)
{
    if (!task->message[0])
        return 0;
    if (err)
        *err = *task;
    return -1;
}

char *error_byte(char byte, char *out)
{
    const unsigned char c = (unsigned char)byte;
    snprintf(out, 5, c < 0x20 || c == 0x7f ? "\\x%02x" : "%c", c);
    return out;
}

char *error_escape(const char *text, char *out)
{
    char byte[5];
    *out = '\0';
    for (; *text; text++)
        out = stpcpy(out, error_byte(*text, byte));
    return out;
}

void error_print(FILE *out, const char *program, const struct error *err)
{
    enum { LONGEST_NUMBER = 24 };
    char line[ERROR_ESCAPED(sizeof err->file + sizeof err->message) + 2 * LONGEST_NUMBER],
        *p = line;
    if (err->file[0]) {
        p = error_escape(err->file, p);
        *p++ = ':';
        if (err->line > 0)
            p += snprintf(p, LONGEST_NUMBER, "%lld:", (long long)err->line);
        if (err->column > 0)
            p += snprintf(p, LONGEST_NUMBER, "%lld:", (long long)err->column);
        *p++ = ' ';
    }
    error_escape(err->message, p);
    fprintf(out, "%s: %s\n", program, line);
}

char *error_quote(const char *token, size_t length, char *out)
{
    static const char hex[] = "0123456789abcdef";
    enum { MOST_SHOWN = 40 };
    /* Four characters a byte, "..." and the NUL. */
    _Static_assert((int)ERROR_QUOTE >= 4 * MOST_SHOWN + 4, "ERROR_QUOTE is too small");
    size_t shown = length > MOST_SHOWN ? MOST_SHOWN : length;
    char *p = out;
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)token[i];
        if (c >= 0x20 && c < 0x7f) {
            *p++ = (char)c;
        } else {
            *p++ = '\\';
            *p++ = 'x';
            *p++ = hex[c >> 4];
            *p++ = hex[c & 15];
        }
    }
    if (shown < length) {
        memcpy(p, "...", 3);
        p += 3;
    }
    *p = '\0';
    return out;
}
