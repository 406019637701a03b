/* Where a token of a data line ends: blanks separate tokens, and a line may end with "\r\n". */
#ifndef COMMON_DATA_EXAMPLE_TOKEN_H
#define COMMON_DATA_EXAMPLE_TOKEN_H

#include <stdbool.h>

static inline bool example_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool example_at_line_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static inline bool example_at_token_end(const char *p)
{
    return example_is_blank(*p) || example_at_line_end(p);
}

#endif
