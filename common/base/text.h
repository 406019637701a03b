/* A small text file that is read whole, line by line and token by token, with the place of each
 * token for messages.
 *
 *     text_open; while (text_line): text_token, text_number, text_int ... text_refuse; text_close
 *
 * Tokens are separated by blanks and tabs.  A byte order mark, "\r\n" and a last line without a
 * newline are accepted; a NUL byte is refused.  (Data sets, which may be of any size, have a
 * tokenizer of their own: example.h.) */
#ifndef COMMON_BASE_TEXT_H
#define COMMON_BASE_TEXT_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct text {
    const char *name; /* of the file, for messages; borrowed */
    char *block;      /* the allocation that holds the text */
    const char *line; /* the current line */

    /* Its last token: [token, p).  Empty, at the end of the line, when there was none; messages
     * name its place. */
    const char *token, *p;

    const char *next; /* the line after it */
    const char *end;  /* of the text */
    int64_t number;   /* of the current line, 1-based; 0 before the first */
    bool cut;         /* the last line of the file had no newline */
};

/* Read the file at path ("-": standard input).  text: out; close with text_close.  0 or -1. */
int text_open(struct text *text, const char *path, struct error *err);

/* Is there a NUL byte in the lines that are still to come?  0, or -1 with err at its place. */
int text_check_nul(struct text *text, struct error *err);

/* Go to the next line.  False at the end of the text, which then has an empty line after the last
 * one as its current line: a place for the message. */
bool text_line(struct text *text);

/* The same, but skip empty lines and lines that start with `#`, as in data. */
bool text_line_of_data(struct text *text);

/* Read the next token of the line into [text->token, text->p).  False at the end of the line or at
 * a comment: a `#` at the start of a token. */
bool text_token(struct text *text);

/* Read the rest of the line as one token, which may hold blanks and `#`, but none around it. False:
 * there is nothing else on the line. */
bool text_rest(struct text *text);

/* Is the token this word? */
bool text_is(const struct text *text, const char *word);

/* The next token as a finite number, or as an integer in lowest .. highest.  1; 0: there is none on
 * this line; -1: err. */
int text_number(struct text *text, double *value, struct error *err);
int text_int(struct text *text, int64_t lowest, int64_t highest, int64_t *value, struct error *err);

/* Fill err with a reason and the place of the token.  Returns -1. */
int text_refuse(const struct text *text, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A no-op on a zeroed text. */
void text_close(struct text *text);

#endif
