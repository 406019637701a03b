/* A sentence is made here and then told by the program, which puts its name before it. */
#include "common/base/findings.h"

void findings_print(FILE *out, const char *format, va_list args)
{
    if (!out)
        return;
    vfprintf(out, format, args);
    fputc('\n', out);
}

void findings_say(const struct findings *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    findings_print(to->out, format, args);
    va_end(args);
}

/* Tell a sentence. */
static void findings_tell(void (*tell)(void *context, const char *text), void *context,
                          const char *format, va_list args) __attribute__((format(printf, 3, 0)));

static void findings_tell(void (*tell)(void *context, const char *text), void *context,
                          const char *format, va_list args)
{
    char text[FINDINGS_SENTENCE];
    vsnprintf(text, sizeof text, format, args);
    tell(context, text);
}

void findings_warn(const struct findings *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    findings_tell(to->warn, to->context, format, args);
    va_end(args);
}

void findings_note(const struct findings *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    findings_tell(to->note, to->context, format, args);
    va_end(args);
}

void findings_list_add(struct findings_list *list, const char *format, ...)
{
    va_list args;
    if (list->count++ >= FINDINGS_NAMED)
        return;
    if (list->used > 0)
        list->text[list->used++] = ' ';
    va_start(args, format);
    list->used += (size_t)vsnprintf(list->text + list->used, FINDINGS_ENTRY, format, args);
    va_end(args);
}

const char *findings_list_text(struct findings_list *list)
{
    if (list->count > FINDINGS_NAMED)
        snprintf(list->text + list->used, FINDINGS_ENTRY, " and %lld more",
                 (long long)(list->count - FINDINGS_NAMED));
    return list->text;
}
