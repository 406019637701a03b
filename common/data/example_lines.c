/* Lines are those of stream_line.h, so a pipe is read while the data come. */
#include "common/data/example_lines.h"

#include "common/base/number.h"
#include "common/data/stream_line.h"

int example_lines_open(struct example_lines *lines, const char *path, const char *what,
                       const struct stop *stop, struct error *err)
{
    const struct stream_options options = {.threads = 1, .text_only = true, .stop = stop};
    *lines = (struct example_lines){.what = what};
    if (!(lines->stream = stream_open(path, &options, err)))
        return -1;
    lines->text.name = stream_name(lines->stream);
    return 0;
}

int example_lines_next(struct example_lines *lines, struct error *err)
{
    const int status = stream_line(lines->stream, &lines->text, err);
    char counted[NUMBER_COUNTED];
    if (status == 0)
        return text_refuse(&lines->text, err, "the %s end after %s, but there are more examples",
                           lines->what, number_counted(lines->count, "line", counted));
    if (status < 0)
        return -1;
    lines->count++;
    return 0;
}

int example_lines_end(struct example_lines *lines, struct error *err)
{
    const int status = stream_line(lines->stream, &lines->text, err);
    char examples[NUMBER_COUNTED];
    if (status > 0)
        return text_refuse(&lines->text, err, "a line more than the %s of the data",
                           number_counted(lines->count, "example", examples));
    return status;
}

void example_lines_close(struct example_lines *lines)
{
    stream_close(lines->stream);
    *lines = (struct example_lines){0};
}
