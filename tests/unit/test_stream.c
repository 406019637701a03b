/* The same examples for any chunk size, any number of workers, a file, a pipe, and a pipe that dribbles. */
#include "../../common/memory.h"
#include "../../common/number.h"
#include "../../common/problem_file.h"
#include "../../common/random.h"
#include "../../common/stream.h"
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT = 200000 };

/* Random lines: examples of 0 .. 30 features, comments, empty lines, CRLF; the last line has no newline. */
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
            n += sprintf(text + n, " %lld:%.*g", (long long)(index += 1 + random_below(&g, 9)), (int)random_below(&g, 18),
                         random_uniform(&g) - 0.5);
        n += sprintf(text + n, kind % 3 ? "\n" : "\r\n");
    }
    n += sprintf(text + n, "3 1:1 2:0.25");
    return n;
}

static bool same(const struct problem *a, const struct problem *b)
{
    return a->n == b->n && a->nnz == b->nnz && a->d == b->d && a->lines == b->lines && !memcmp(a->label, b->label, (size_t)a->n * sizeof *a->label)
        && !memcmp(a->line, b->line, (size_t)a->n * sizeof *a->line)
        && !memcmp(a->row_start, b->row_start, (size_t)(a->n + 1) * sizeof *a->row_start)
        && !memcmp(a->index, b->index, (size_t)a->nnz * sizeof *a->index) && !memcmp(a->value, b->value, (size_t)a->nnz * sizeof *a->value);
}

/* Everything a stream gives, line numbers being absolute already. */
static int collect(const char *path, int threads, int64_t chunk, struct problem *all)
{
    struct stream_options options = {.format = {.bias = 2, .unit_length = true}, .threads = threads, .chunk = chunk};
    struct error err;
    struct stream *stream = stream_open(path, &options, &err);
    struct chunk *c;
    int status = -1;
    while (stream && (status = stream_next(stream, &c, &err)) > 0) {
        int64_t before = all->lines;
        for (int64_t i = 0; i < c->problem.n; i++)
            c->problem.line[i] -= before; /* problem_append adds them again */
        if (problem_append(all, &c->problem, &err) != 0)
            break;
    }
    stream_close(stream);
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
    CHECK(problem_append_text(&whole, text, text + size + 1, &format, &err) == 0, "the text is sound");

    for (int threads = 1; threads <= 4; threads++)
        for (int64_t chunk = 1; chunk < 1000000; chunk = chunk * 7 + 3) {
            check_group("a file, %d workers, chunks of %lld", threads, (long long)chunk);
            struct problem got = {0};
            CHECK_INT(collect(path, threads, chunk, &got), 0, "status");
            CHECK(same(&whole, &got), "the same examples");
            problem_free(&got);
        }
    check_group("a whole file in memory");
    struct problem held = {0};
    CHECK_INT(problem_read(path, &format, 3, 0, &held, &err), 0, "status");
    CHECK(same(&whole, &held), "the same examples");
    problem_free(&held);
    CHECK_INT(problem_read(path, &format, 3, 1000, &held, &err), PROBLEM_TOO_LARGE, "a limit on the memory");
    CHECK(held.index == NULL, "nothing is kept");
    unlink(path);

    for (int64_t piece = 1; piece < 100000; piece *= 13) {
        check_group("a pipe in pieces of %lld", (long long)piece);
        int ends[2];
        CHECK(pipe(ends) == 0, "a pipe");
        struct writer w = {ends[1], text, size, piece};
        pthread_t thread;
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        CHECK(pthread_create(&thread, NULL, write_pieces, &w) == 0, "a thread");
        struct problem got = {0};
        CHECK_INT(collect(name, 2, 5000, &got), 0, "status");
        pthread_join(thread, NULL);
        close(ends[0]);
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

    check_group("unit length of extreme values");
    static const char extreme[] = "1 1:1e300 2:1e300\n1 1:1e-300 2:1e-300\n1 1:1.7e308 2:1.7e308 3:1.7e308 4:1.7e308\n1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct example_format unit = {.bias = -1, .unit_length = true};
    struct problem p = {0};
    CHECK(problem_append_text(&p, extreme, extreme + strlen(extreme), &unit, &err) == 0, "the text is sound");
    CHECK_NEAR(p.value[0], sqrt(0.5), 1e-15, "large");
    CHECK_NEAR(p.value[2], sqrt(0.5), 1e-15, "small");
    CHECK_NEAR(p.value[4], 0.5, 1e-15, "beyond the largest double");
    problem_free(&p);
    return check_finish();
}
