/* Reads, writes and waits that a signal interrupts, or that move only some of the bytes: nothing is
 * lost, written twice or taken for a failure.  read, write and poll are replaced here; readv and
 * writev stand in for the first two, and poll finds everything ready, if it may wait for it. */
#include "check.h"
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/data/stream.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_rule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What the calls do from now on, and how many of each there were. */
static struct {
    bool troubled; /* of three calls the first is interrupted; the second writes nothing */
    size_t most;   /* bytes of a call; 0: all that are asked for */
    int fail;      /* errno of every call; 0: none fails */
    _Atomic int reads, writes, polls; /* calls */
} world;

/* Is this call, of a number from 0, interrupted, or does it fail?  errno is left alone by one that
 * succeeds, so after an interrupted one it stays EINTR. */
static bool world_fails(int call)
{
    const int failure = world.fail ? world.fail : world.troubled && call % 3 == 0 ? EINTR : 0;
    if (failure)
        errno = failure;
    return failure != 0;
}

static size_t world_share(size_t size)
{
    return world.most > 0 && size > world.most ? world.most : size;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    struct iovec part = {.iov_base = bytes, .iov_len = world_share(size)};
    return world_fails(world.reads++) ? -1 : readv(fd, &part, 1);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    static char copy[1 << 16];
    const size_t share = world_share(size < sizeof copy ? size : sizeof copy);
    struct iovec part = {.iov_base = copy, .iov_len = share};
    const int call = world.writes++;
    if (world_fails(call))
        return -1;
    if (world.troubled && call % 3 == 1) {
        errno = EIO; /* of an earlier call, say: only after -1 it means something */
        return 0;
    }
    memcpy(copy, bytes, share);
    return writev(fd, &part, 1);
}

int poll(struct pollfd *p, nfds_t count, int milliseconds)
{
    if (world_fails(world.polls++))
        return -1;
    if (milliseconds == 0)
        return 0;
    for (nfds_t i = 0; i < count; i++)
        p[i].revents = i == 0 ? p[i].events : 0;
    return 1;
}

static void world_set(bool troubled, size_t most, int fail)
{
    world.troubled = troubled;
    world.most = most;
    world.fail = fail;
    world.reads = world.writes = world.polls = 0;
    errno = fail;
}

/* ---- files ---- */

enum { TEXT = 3000 };

/* Lines of one example each; no newline at the end. */
static int64_t make_text(char *text)
{
    int64_t size = 0;
    for (int i = 0; size < TEXT - 100; i++)
        size += sprintf(text + size, "%s%d 1:%d 7:0.%d", i > 0 ? "\n" : "", i % 3, i, i + 1);
    return size;
}

static int write_file(const char *path, const char *text, int64_t size, struct error *err)
{
    struct output out;
    if (output_open(&out, path, err) != 0)
        return -1;
    output_write(&out, text, size);
    return output_commit(&out, err);
}

/* Is this what input_read gives, but for a newline at the end? */
static bool holds(const char *path, const char *text, int64_t size)
{
    struct error err = {0};
    char *got;
    int64_t got_size;
    bool cut;
    if (input_read(path, &got, &got_size, &cut, &err) != 0)
        return false;
    const bool same = got_size == size + cut && memcmp(got, text, (size_t)size) == 0;
    memory_free(got);
    return same;
}

static void test_files(void)
{
    static char text[TEXT];
    const int64_t size = make_text(text);
    struct error err = {0};
    for (int way = 0; way < 4; way++) {
        check_group("a file in parts, way %d", way);
        world_set(way > 0, way == 2 ? 1 : way == 3 ? 100 : 0, 0);
        CHECK(write_file("file", text, size, &err) == 0, "%s", err.message);
        CHECK(holds("file", text, size), "read in the same way");
        world_set(false, 0, 0);
        CHECK(holds("file", text, size), "read undisturbed");
    }
    check_group("a file that cannot be read or written");
    world_set(false, 0, EIO);
    CHECK(write_file("other", text, size, &err) == -1, "written");
    CHECK(strcmp(err.message, strerror(EIO)) == 0, "%s", err.message);
    err = (struct error){0};
    char *got;
    int64_t got_size;
    bool cut;
    CHECK(input_read("file", &got, &got_size, &cut, &err) == -1, "read");
    CHECK(strcmp(err.message, strerror(EIO)) == 0, "%s", err.message);
    world_set(false, 0, 0);
}

/* ---- streams ---- */

/* The number of examples that a stream gives from a pipe that holds the text; -1 with err. */
static int64_t stream_count(const char *text, int64_t size, struct error *err)
{
    int end[2];
    char path[32];
    if (pipe(end) != 0)
        return -1;
    struct iovec part = {.iov_base = (char *)(uintptr_t)text, .iov_len = (size_t)size};
    CHECK(writev(end[1], &part, 1) == size, "a pipe that takes %d bytes", (int)size);
    close(end[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    struct stream_options options = {.format = {.bias = -1}, .threads = 1};
    struct stream *stream = stream_open(path, &options, err);
    struct chunk *chunk;
    int status = -1;
    int64_t count = 0;
    while (stream && (status = stream_next(stream, &chunk, err)) > 0)
        count += chunk->problem.n;
    stream_close(stream);
    close(end[0]);
    return status < 0 ? -1 : count;
}

static void test_streams(void)
{
    static char text[TEXT];
    const int64_t size = make_text(text);
    struct error err = {0};
    check_group("a pipe in parts");
    world_set(false, 0, 0);
    const int64_t want = stream_count(text, size, &err);
    CHECK(want > 100, "%d examples", (int)want);
    for (int way = 0; way < 3; way++) {
        world_set(true, way == 1 ? 1 : way == 2 ? 100 : 0, 0);
        CHECK_INT(stream_count(text, size, &err), want, "way %d: %s", way, err.message);
    }
    world_set(false, 0, EIO);
    CHECK_INT(stream_count(text, size, &err), -1, "a pipe that fails");
    CHECK(strcmp(err.message, strerror(EIO)) == 0, "%s", err.message);
    world_set(false, 0, 0);
}

/* ---- a live loop ---- */

static void refuse(void *context, const struct error *why)
{
    CHECK(!context, "%s", why->message);
}

/* Questions and feedback from "questions"; answers and a record to files of these names. */
static int live(const char *answers, const char *record, struct bandit_live_counts *counts,
                struct error *err)
{
    int32_t value[] = {1, 2, 3};
    const struct labels labels = {.count = 3, .value = value};
    const struct bandit_options options = {.rule = bandit_rules[0], .gamma = 0.5};
    struct bandit *b = bandit_new(&options, &labels, err);
    int in = open("questions", O_RDONLY);
    int out = open(answers, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int log = open(record, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const struct bandit_live peer = {.in = in,
                                     .out = out,
                                     .in_name = "in",
                                     .out_name = "out",
                                     .stop = -1,
                                     .record = log,
                                     .record_name = "record",
                                     .format = {.bias = -1},
                                     .most_open = 3,
                                     .most_features = 10,
                                     .seed = 1,
                                     .refuse = refuse};
    const int status = b ? bandit_live_run(b, &peer, counts, err) : -1;
    bandit_free(b);
    close(in);
    close(out);
    close(log);
    return status;
}

static bool same_files(const char *a, const char *b)
{
    struct error err = {0};
    char *text;
    int64_t size;
    bool cut;
    if (input_read(a, &text, &size, &cut, &err) != 0)
        return false;
    const bool same = size > 0 && !cut && holds(b, text, size);
    memory_free(text);
    return same;
}

static void test_live(void)
{
    static char text[TEXT];
    struct error err = {0};
    struct bandit_live_counts counts;
    int64_t size = 0, rounds = 0;
    for (; size < TEXT - 100; rounds++)
        size += sprintf(text + size, "? 1:%d 3:0.5\n%d\n", (int)rounds, (int)(rounds % 2));
    check_group("a live loop in parts");
    world_set(false, 0, 0);
    CHECK(write_file("questions", text, size, &err) == 0, "%s", err.message);
    CHECK(live("answers", "record", &counts, &err) == 0, "%s", err.message);
    CHECK_INT(counts.learnt, rounds, "rounds");
    for (int way = 0; way < 3; way++) {
        world_set(true, way == 1 ? 1 : way == 2 ? 100 : 0, 0);
        CHECK(live("answers2", "record2", &counts, &err) == 0, "way %d: %s", way, err.message);
        world_set(false, 0, 0);
        CHECK_INT(counts.learnt, rounds, "way %d", way);
        CHECK(same_files("answers", "answers2"), "way %d: other answers", way);
        CHECK(same_files("record", "record2"), "way %d: another record", way);
    }
    world_set(false, 0, EIO);
    CHECK(live("answers2", "record2", &counts, &err) == -1, "nothing can be read");
    CHECK(strcmp(err.file, "in") == 0 && strcmp(err.message, strerror(EIO)) == 0, "%s: %s",
          err.file, err.message);
    world_set(false, 0, 0);
}

int main(void)
{
    char folder[] = "/tmp/test_interrupted.XXXXXX";
    char clean[64];
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    test_files();
    test_streams();
    test_live();
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    CHECK(system(clean) == 0, "%s", folder);
    return check_finish();
}
