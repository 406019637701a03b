/* The lines of a stream of text that is not data (text_only of stream_options): base/text.h over
 * chunks, so in constant memory.
 *
 *     struct text text = {.name = stream_name(stream)};
 *     while (stream_line(stream, &text, err) > 0): text_token, text_number ... text_refuse */
#ifndef COMMON_DATA_STREAM_LINE_H
#define COMMON_DATA_STREAM_LINE_H

#include "common/base/text.h"
#include "common/data/stream.h"

/* Go to the next line, in this chunk or the next.  1; 0: the end, and text is where a further line
 * would be; -1: err, also for a NUL byte. */
int stream_line(struct stream *stream, struct text *text, struct error *err);

#endif
