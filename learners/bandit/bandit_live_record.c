/* The record of a live loop: a bandit log to which rounds with feedback are appended. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/data/stream.h"
#include "learners/bandit/bandit_live_state.h"
#include "learners/bandit/bandit_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is there something in the file, and no newline at its end?  1, 0 (also of a pipe), or -1 with
 * err.
 */
static int live_record_is_cut(const char *path, struct error *err)
{
    struct stat st;
    char last = '\n';
    if (!input_is_file(path))
        return 0;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return error_system(err, path);
    bool failed = fstat(fd, &st) != 0
                  || (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1);
    int status = failed ? error_system(err, path) : last != '\n';
    close(fd);
    return status;
}

/* Does a text begin like a record with one of these labels, "3:1:0.5 1:2"?  It may end anywhere
 * after the label, which alone might be anything. */
static bool live_record_begins(const char *text, const struct labels *labels)
{
    char *end;
    const long label = strtol(text, &end, 10);
    return end > text && *end == ':' && labels_find(labels, label) >= 0
           && (!end[1] || ((end[1] == '0' || end[1] == '1') && (!end[2] || end[2] == ':')));
}

/* Has a file no more than the beginning of a record? */
static bool live_record_is_begun(const char *path, const struct labels *labels)
{
    FILE *file = fopen(path, "r");
    char text[32]; /* a label has at most 11 characters */
    if (!file)
        return false;
    const bool begins = fgets(text, sizeof text, file) && live_record_begins(text, labels);
    int c = begins ? (unsigned char)text[strlen(text) - 1] : '\n';
    while (c != EOF && c != '\n')
        c = getc(file);
    fclose(file);
    return c == EOF;
}

/* Is what is in a file a bandit log of these labels?  Its first lines tell.  1: it is only the
 * beginning of a record; 0: it is (also a pipe, and a file without a line); or -1. */
static int live_record_check(const char *path, const struct labels *labels, bool zero_based,
                             struct error *err)
{
    const struct stream_options options = {
        .format = {.log = true, .zero_based = zero_based}, .threads = 1, .may_be_empty = true};
    struct chunk *chunk;
    if (!input_is_file(path))
        return 0;
    struct stream *log = stream_open(path, &options, err);
    int status = log ? 1 : -1;
    bool found = false;
    while (status > 0 && !found) {
        status = stream_next(log, &chunk, err);
        found = status > 0 && chunk->problem.n > 0;
    }
    if (found) {
        const struct problem *rounds = &chunk->problem;
        status = labels_require(labels, rounds->label[0], path, rounds->line[0], err) < 0 ? -1 : 0;
    } else if (log && status < 0 && err->line > 0 && live_record_is_begun(path, labels)) {
        status = 1;
    }
    stream_close(log);
    return status;
}

int bandit_live_open_record(const char *path, const struct labels *labels, bool zero_based,
                            enum bandit_live_mended *mended, struct error *err)
{
    const int cut = live_record_is_cut(path, err),
              begun = cut < 0 ? -1 : live_record_check(path, labels, zero_based, err);
    *mended = BANDIT_LIVE_WHOLE;
    if (begun < 0)
        return -1;
    const int fd = bandit_live_open(path, O_WRONLY | O_CREAT | O_APPEND, err);
    if (fd < 0)
        return -1;
    if (begun > 0)
        *mended = BANDIT_LIVE_DROPPED;
    else if (cut > 0)
        *mended = BANDIT_LIVE_ENDED;
    if ((*mended == BANDIT_LIVE_DROPPED && ftruncate(fd, 0) != 0)
        || (*mended == BANDIT_LIVE_ENDED && write(fd, "\n", 1) != 1)) {
        error_system(err, path);
        close(fd);
        return -1;
    }
    return fd;
}

/* Write a line; of one that could not be written whole nothing stays, if the record is a file that
 * nobody else has written to in the meantime.  Returns as bandit_live_write. */
static int live_record_line(struct live_server *s, const char *line, int64_t size,
                            struct error *err)
{
    struct stat before, after;
    const int fd = s->live->record;
    const bool known = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    const int status = bandit_live_write(s, fd, s->live->record_name, line, size, err);
    if (status != LIVE_GO && known && fstat(fd, &after) == 0
        && after.st_size - before.st_size < size)
        (void)!ftruncate(fd, before.st_size); /* else the next session ends the line */
    return status;
}

int bandit_live_append_record(struct live_server *s, const struct open_round *round, int f,
                              struct error *err)
{
    if (s->live->record == -1)
        return LIVE_GO;
    int64_t after = 1 + round->id_size, size = round->size - after;
    char *line = memory_new(size + 3 * NUMBER_TEXT, 1, err);
    if (!line)
        return -1;
    char *p = number_write_int(line, bandit_labels(s->b)->value[round->shown]);
    *p++ = ':';
    *p++ = (char)('0' + f);
    *p++ = ':';
    p = number_write(p, round->p);
    memcpy(p, round->text + after, (size_t)size);
    const int status = live_record_line(s, line, p + size - line, err);
    memory_free(line);
    return status;
}

int bandit_live_close_record(int fd, const char *path, struct error *err)
{
    int status = 0;
    if (output_sync(fd) != 0)
        status = error_system(err, path);
    if (close(fd) != 0 && status == 0)
        status = error_system(err, path);
    return status;
}
