/* A small text file that is read whole, line by line and token by token, each with its place for
 * messages.
 *
 *     text_open; while text_line > 0: text_token, text_number, text_int ... text_refuse; text_close
 *
 * Tokens are separated by blanks and tabs.  A byte order mark, "\r\n" and a last line without
 * newline are fine; a NUL byte is refused.  (Data sets, which may be of any size, have a tokenizer
 * of their own: example.h.) */
#ifndef COMMON_BASE_TEXT_H
#define COMMON_BASE_TEXT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct text {
    const char *name;  /* of the file, for messages */
    char *block;       /* the allocation that the text lies in */
    const char *line;  /* the current line */
    const char *token; /* its last token, or the end of the line when there was none: the place that
                          messages name */
    const char *p;     /* behind that: what is not read yet */
    const char *next;  /* the line behind it */
    const char *end;   /* of the text */
    int64_t number;    /* of the current line, 1-based; 0 before the first */
    bool cut;          /* the last line of the file had no newline */
};

/* Read the file at path ("-": standard input).  text: out; close with text_close.  0 or -1. */
int text_open(struct text *text, const char *path, struct error *err);

/* Go to the next line: true.  At the end of the text: false, and text is at a line behind the last
 * one, for the message. */
bool text_line(struct text *text);

/* The same, with empty lines and lines that start with `#` left out, as in data. */
bool text_line_of_data(struct text *text);

/* Read the next token of the line into text->token .. text->p.  False at the line's end, where a
 * `#` behind a blank or in front puts it too. */
bool text_token(struct text *text);

/* Is the token this word? */
bool text_is(const struct text *text, const char *word);

/* The next token as a finite number, or as an integer in lowest .. highest: 1; 0: the line has no
 * more; -1: err. */
int text_number(struct text *text, double *value, struct error *err);
int text_int(struct text *text, int64_t lowest, int64_t highest, int64_t *value, struct error *err);

/* A reason with the place of the token.  Returns -1. */
int text_refuse(const struct text *text, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A no-op on a zeroed text. */
void text_close(struct text *text);

#endif
