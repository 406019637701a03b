/* A sentence is made here and then told by the program, which puts its name before it. */
#include "common/base/findings.h"

#include <stdarg.h>

void findings_say(const struct findings *to, const char *format, ...)
{
    va_list args;
    if (!to->out)
        return;
    va_start(args, format);
    vfprintf(to->out, format, args);
    va_end(args);
    fputc('\n', to->out);
}

void findings_warn(const struct findings *to, const char *format, ...)
{
    char text[FINDINGS_SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->warn(to->context, text);
}

void findings_note(const struct findings *to, const char *format, ...)
{
    char text[FINDINGS_SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->note(to->context, text);
}
