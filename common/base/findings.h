/* What a learner reports goes here: lines for people, keys for scripts (report.h), warnings and
 * notes.  Its program provides it, so that no learner prints of its own accord. */
#ifndef COMMON_BASE_FINDINGS_H
#define COMMON_BASE_FINDINGS_H

#include "common/base/report.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

struct findings {
    FILE *out;             /* NULL: no lines */
    struct report *report; /* never NULL; it may be one without a path */

    /* Called with whole sentences of less than FINDINGS_SENTENCE bytes.  note: of what is no cause
     * for a warning; NULL if whoever is given this has no notes. */
    void (*warn)(void *context, const char *text);
    void (*note)(void *context, const char *text);
    void *context;
};

enum { FINDINGS_SENTENCE = 2048 };

/* A line.  out: NULL: none. */
void findings_print(FILE *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* The same, to->out. */
void findings_say(const struct findings *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void findings_warn(const struct findings *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void findings_note(const struct findings *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a sentence is about where that may be thousands, as classes are: the first few are named,
 * the others counted.  Starts as {0}. */
enum {
    FINDINGS_NAMED = 10, /* so that the sentence is a line or two */
    FINDINGS_ENTRY = 40  /* bytes, the end included */
};
struct findings_list {
    int64_t count;
    size_t used;
    char text[(FINDINGS_NAMED + 1) * FINDINGS_ENTRY];
};

/* Add an entry of less than FINDINGS_ENTRY - 1 bytes. */
void findings_list_add(struct findings_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* After the last entry: those that are named, separated by blanks, and " and 5 more". */
const char *findings_list_text(struct findings_list *list);

#endif
