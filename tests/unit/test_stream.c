/* A stream gives the same examples for any chunk size, any number of workers, a file, a pipe, and a
 * pipe that dribbles. */
#include "check.h"
#include "common/base/number.h"
#include "common/base/random.h"
#include "common/data/problem_file.h"
#include "common/data/stream.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 200000 };

/* Random lines: examples of 0 .. 30 features, comments, empty lines, CRLF; the last line has no
 * newline. */
static int64_t make_text(char *text)
{
    struct random g = {11};
    int64_t n = 0;
    while (n < TEXT - 1000) {
        int64_t kind = random_below(&g, 12), features = random_below(&g, 30), index = 0;
        if (kind == 0)
            n += sprintf(text + n, "# a comment");
        else if (kind > 1)
            n += sprintf(text + n, "%d", (int)random_below(&g, 7) - 3);
        for (int64_t i = 0; kind > 1 && i < features; i++)
            n += sprintf(text + n, " %lld:%.*g", (long long)(index += 1 + random_below(&g, 9)),
                         (int)random_below(&g, 18), random_uniform(&g) - 0.5);
        n += sprintf(text + n, kind % 3 ? "\n" : "\r\n");
    }
    n += sprintf(text + n, "3 1:1 2:0.25");
    return n;
}

static bool same(const struct problem *a, const struct problem *b)
{
    return a->n == b->n && a->nnz == b->nnz && a->d == b->d && a->lines == b->lines
           && !memcmp(a->label, b->label, (size_t)a->n * sizeof *a->label)
           && !memcmp(a->line, b->line, (size_t)a->n * sizeof *a->line)
           && !memcmp(a->row_start, b->row_start, (size_t)(a->n + 1) * sizeof *a->row_start)
           && !memcmp(a->index, b->index, (size_t)a->nnz * sizeof *a->index)
           && !memcmp(a->value, b->value, (size_t)a->nnz * sizeof *a->value);
}

/* Everything a stream gives, line numbers being absolute already. */
static int collect(const char *path, int threads, int64_t chunk, struct problem *all)
{
    struct stream_options options = {
        .format = {.bias = 2, .unit_length = true}, .threads = threads, .chunk = chunk};
    struct error err;
    struct stream *stream = stream_open(path, &options, &err);
    struct chunk *c;
    int status = -1;
    double share = 0;
    while (stream && (status = stream_next(stream, &c, &err)) > 0) {
        int64_t before = all->lines;
        double now = stream_share(stream);
        CHECK(stream_size(stream) < 0 ? now == -1 : now > share && now <= 1, "%g behind %g", now,
              share);
        share = now;
        for (int64_t i = 0; i < c->problem.n; i++)
            c->problem.line[i] -= before; /* problem_append adds them again */
        if (problem_append(all, &c->problem, &err) != 0)
            break;
    }
    CHECK(status < 0 || share == 1 || share == -1, "at the end %g of the input", share);
    stream_close(stream);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input was closed");
    return status;
}

struct writer {
    int fd;
    const char *text;
    int64_t size, piece;
};

static void *write_pieces(void *argument)
{
    struct writer *w = argument;
    for (int64_t i = 0; i < w->size;) {
        int64_t n = w->size - i < w->piece ? w->size - i : w->piece;
        ssize_t wrote = write(w->fd, w->text + i, (size_t)n);
        if (wrote <= 0)
            break;
        i += wrote;
    }
    close(w->fd);
    return NULL;
}

/* A NUL ends the wait for a newline.  Three bytes are carried, and a chunk of 4 and its double just
 * fit what has come. */
static void check_nul(const char *path)
{
    static const char text[] = "\n2 1:\0xxxyyyyyyyy\n";
    struct problem got = {0};
    FILE *f = fopen(path, "wb");
    check_group("a NUL in a full buffer");
    CHECK(f && fwrite(text, 1, sizeof text - 1, f) == sizeof text - 1 && fclose(f) == 0,
          "the file is written");
    CHECK_INT(collect(path, 1, 4, &got), -1, "status");
    problem_free(&got);
}

int main(void)
{
    static char text[TEXT + NUMBER_PAD];
    int64_t size = make_text(text);
    char path[] = "/tmp/test_stream.XXXXXX";
    int fd = mkstemp(path);
    struct error err;
    check_group("setting up");
    CHECK(fd >= 0 && write(fd, text, (size_t)size) == size, "the file is written");
    close(fd);
    text[size] = '\n';
    struct example_format format = {.bias = 2, .unit_length = true};
    struct problem whole = {0};
    CHECK(problem_append_text(&whole, text, text + size + 1, &format, &err) == 0,
          "the text is sound");

    for (int threads = 1; threads <= 4; threads++)
        for (int64_t chunk = 1; chunk < 1000000; chunk = chunk * 7 + 3) {
            check_group("a file, %d workers, chunks of %lld", threads, (long long)chunk);
            struct problem got = {0};
            CHECK_INT(collect(path, threads, chunk, &got), 0, "status");
            CHECK(same(&whole, &got), "the same examples");
            problem_free(&got);
        }
    check_group("standard input");
    CHECK(freopen(path, "r", stdin) != NULL, "it is the file");
    struct problem from_stdin = {0};
    CHECK_INT(collect("-", 2, 5000, &from_stdin), 0, "status");
    CHECK(same(&whole, &from_stdin), "the same examples");
    problem_free(&from_stdin);
    check_group("a whole file in memory");
    struct problem held = {0};
    CHECK_INT(problem_read(path, &format, 3, 0, &held, &err), 0, "status");
    CHECK(same(&whole, &held), "the same examples");
    problem_free(&held);
    CHECK_INT(problem_read(path, &format, 3, 1000, &held, &err), PROBLEM_TOO_LARGE,
              "a limit on the memory");
    CHECK(held.index == NULL, "nothing is kept");
    check_nul(path);
    unlink(path);

    /* Pipes as standard input, as /dev/fd is not everywhere.  Where nothing reads one, its writer
     * ends with EPIPE when the reading end is closed. */
    const int input = dup(STDIN_FILENO);
    signal(SIGPIPE, SIG_IGN);
    for (int64_t piece = 1; piece < 100000; piece *= 13) {
        check_group("a pipe in pieces of %lld", (long long)piece);
        int ends[2];
        CHECK(pipe(ends) == 0, "a pipe");
        struct writer w = {ends[1], text, size, piece};
        pthread_t thread;
        CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO && close(ends[0]) == 0, "it is the pipe");
        CHECK(pthread_create(&thread, NULL, write_pieces, &w) == 0, "a thread");
        struct problem got = {0};
        CHECK_INT(collect("-", 2, 5000, &got), 0, "status");
        CHECK(dup2(input, STDIN_FILENO) == STDIN_FILENO, "the reading end is closed");
        pthread_join(thread, NULL);
        CHECK(same(&whole, &got), "the same examples");
        problem_free(&got);
    }

    check_group("bias and unit length");
    for (int64_t i = 0; i < whole.n; i++) {
        struct example x = problem_example(&whole, i);
        double sum = 0;
        for (int64_t j = 0; j < x.size; j++)
            sum += x.value[j] * x.value[j];
        CHECK(x.size > 0 && x.index[x.size - 1] == 0, "the bias comes last");
        CHECK_NEAR(sum, 1, 1e-14, "squared length of example %lld", (long long)i);
    }
    problem_free(&whole);

    return check_finish();
}
