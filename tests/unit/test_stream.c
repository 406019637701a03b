/* The same examples for any chunk size, any number of workers, a file, a pipe, and a pipe that
 * dribbles. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/random.h"
#include "common/data/problem_file.h"
#include "common/data/stream.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
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

/* ---- lines ---- */

/* What a line gives, as text: "label index:value ...", "-" when there is no example in it, and for
 * a line that is refused "column message".  Letters say how it is read: z zero-based, u unlabelled
 * lines may be there, n none has a label, l labels only, f a bandit log, p its propensities may be
 * missing, b a bias of 0, B of 2.5. */
static const char *parse_line(const char *line, const char *how, char *out)
{
    char text[200] = "";
    int32_t index[40];
    double value[40];
    struct example x = {0};
    struct error err = {0};
    struct example_format format = {.bias = -1};
    format.zero_based = strchr(how, 'z') != NULL;
    format.unlabelled = strchr(how, 'u') != NULL;
    format.no_label = strchr(how, 'n') != NULL;
    format.labels_only = strchr(how, 'l') != NULL;
    format.log = strchr(how, 'f') != NULL;
    format.no_propensity = strchr(how, 'p') != NULL;
    if (strchr(how, 'b') || strchr(how, 'B'))
        format.bias = strchr(how, 'b') ? 0 : 2.5;
    const int size = snprintf(text, sizeof text - NUMBER_PAD, "%s\n7 8:9\n", line);
    const char *p = text, *end = text + size;
    int status = example_parse(&p, end, &format, index, value, &x, &err);
    out[0] = '\0';
    if (status < 0) {
        sprintf(out, "%lld %s", (long long)err.column, err.message);
        return out;
    }
    CHECK(p == text + strlen(line) + 1, "\"%s\": the next line begins %d bytes from there", line,
          (int)(p - text - (int64_t)strlen(line)) - 1);
    if (status == 0)
        return strcpy(out, "-");
    int used = x.label == EXAMPLE_UNLABELLED ? sprintf(out, "?")
                                             : sprintf(out, "%lld", (long long)x.label);
    if (format.log)
        used += sprintf(out + used, ":%d:%.17g", x.feedback.f, x.feedback.p);
    for (int64_t j = 0; j < x.size; j++)
        used += sprintf(out + used, " %d:%.17g", (int)index[j], value[j]);
    return out;
}

static void check_lines(void)
{
    static const struct {
        const char *how, *line, *want;
    } known[] = {
        {"", "1 1:1", "1 1:1"},
        {"", " \t-3\t1:2 \t 3:4 \t", "-3 1:2 3:4"},
        {"", "+2147483647 2147483647:1", "2147483647 2147483647:1"},
        {"", "-2147483648", "-2147483648"},
        {"", "-2147483649", "1 the label is not in the range of 32-bit integers: \"-2147483649\""},
        {"", " 1x", "2 the label is not an integer: \"1x\""},
        {"", "1\r", "1"},
        {"", "1 2:3\r", "1 2:3"},
        {"", "1\r\r", "1 the label is not an integer: \"1\\x0d\""},
        {"", "\r", "-"},
        {"", " \t", "-"},
        {"", "", "-"},
        {"", " # 1 1:1", "-"},
        {"", "1 1:1 # 2:2", "1 1:1"},
        {"", "1 1:1 #\r", "1 1:1"},
        /* values, short and long: read in one step, in two, or by the general way */
        {"", "1 1:0 2:-0 3:12345678 4:1234567 5:123456",
         "1 1:0 2:-0 3:12345678 4:1234567 5:123456"},
        {"", "1 1:0.5 2:-0.5 3:.5 4:5. 5:-.25 6:+1.5", "1 1:0.5 2:-0.5 3:0.5 4:5 5:-0.25 6:1.5"},
        {"", "1 1:1.23456789 2:1.2345678 3:1.2345678901",
         "1 1:1.2345678899999999 2:1.2345678 3:1.2345678900999999"},
        {"", "1 1:1234567.25 2:-1234567.25 3:12345678.25",
         "1 1:1234567.25 2:-1234567.25 3:12345678.25"},
        {"", "1 1:1e3 2:-1e-3 3:1.5E2 4:2.5", "1 1:1000 2:-0.001 3:150 4:2.5"},
        {"", "1 1:1\t2:2.5\t3:-1.5\t123456:1", "1 1:1 2:2.5 3:-1.5 123456:1"},
        {"", "1 99999:7 1234567:8 12345678:9 123456789:-9.5",
         "1 99999:7 1234567:8 12345678:9 123456789:-9.5"},
        {"", "1 007:1", "1 7:1"},
        /* what is refused, and where */
        {"", "1 :1", "3 expected index:value: \":1\""},
        {"", "1 1",
         "3 expected index:value (columns with the label in front are turned by: awk '{s=$1; "
         "for(i=2;i<=NF;"
         "i++) if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE): \"1\""},
        {"", "1 1:1 1", "7 expected index:value: \"1\""},
        {"n", "1", "1 expected index:value: \"1\""},
        {"", "1 1:", "3 the value is not a finite decimal number: \"1:\""},
        {"", "1 1:-", "3 the value is not a finite decimal number: \"1:-\""},
        {"", "1 1:.", "3 the value is not a finite decimal number: \"1:.\""},
        {"", "1 1:--1", "3 the value is not a finite decimal number: \"1:--1\""},
        {"", "1 1:1.5.", "3 unexpected characters after the value: \"1:1.5.\""},
        {"", "1 1:1:1", "3 unexpected characters after the value: \"1:1:1\""},
        {"", "1 1:-1e999", "3 the value is too large for a double: \"1:-1e999\""},
        {"", "1 -1:1", "3 an index must not have a sign: \"-1:1\""},
        {"", "1 +1:1", "3 an index must not have a sign: \"+1:1\""},
        {"", "1 0:1",
         "3 index 0: indices start at 1 (--zero-based reads a file that starts at 0): \"0:1\""},
        {"", "1 2147483648:1", "3 the index is larger than 2147483647: \"2147483648:1\""},
        {"", "1 99999999999999999999:1",
         "3 the index is larger than 2147483647: \"99999999999999999999:1\""},
        {"", "1 5:1 5:1", "7 index 5 after 5: indices must increase: \"5:1\""},
        {"", "1 5:1 4:1", "7 index 4 after 5: indices must increase: \"4:1\""},
        {"", "1 qid:1", "3 query ids (qid) are for ranking; remove them: \"qid:1\""},
        {"", "1 qi:1", "3 expected index:value: \"qi:1\""},
        {"z", "1 0:1 1:2 2147483646:3", "1 1:1 2:2 2147483647:3"},
        {"z", "1 2147483647:3", "3 the index is larger than 2147483647: \"2147483647:3\""},
        {"z", "1 4:1 4:1", "7 index 4 after 4: indices must increase: \"4:1\""},
        {"z", "1 0:1 0:1", "7 index 0 after 0: indices must increase: \"0:1\""},
        {"z", "1 -1:1", "3 an index must not have a sign: \"-1:1\""},
        /* lines without a label, and nothing but labels */
        {"", "? 1:1", "1 only files to be predicted may have lines without a label: \"?\""},
        {"u", "? 1:1", "? 1:1"},
        {"u", "?", "?"},
        {"u", "?1 1:1", "1 the label is not an integer: \"?1\""},
        {"u", "2 1:1", "2 1:1"},
        {"n", "1:1 2:2", "? 1:1 2:2"},
        {"l", "4 this is not read", "4"},
        {"l", "x",
         "1 the label is not an integer (names are numbered, and listed in the file names, by: "
         "awk 'BEGIN {while ((getline < \"names\") > 0) k[$2]=n=$1} !($1 in k) {k[$1]=++n; "
         "print n,$1 >> \"names\"} {$1=k[$1]} 1' FILE): \"x\""},
        {"", "5,1,2",
         "1 the label is not an integer (CSV with the label in front is turned by: awk -F, "
         "'{s=$1; for(i=2;i<=NF;i++) if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE): \"5,1,2\""},
        {"f", "x:1:1", "1 the label is not an integer: \"x:1:1\""},
        /* the bias comes last, 0 too */
        {"b", "1 3:1", "1 3:1 0:0"},
        {"B", "1", "1 0:2.5"},
        {"zB", "1 0:1", "1 1:1 0:2.5"},
        /* logs */
        {"f", "3:1:0.5 1:1", "3:1:0.5 1:1"},
        {"f", "3:0:1", "3:0:1"},
        {"f", "3:-1:0.25 2:1", "3:0:0.25 2:1"},
        {"f", " 3:2:0.5", "2 the feedback is not 1, 0 or -1: \"3:2:0.5\""},
        {"f", "3:-2:0.5", "1 the feedback is not 1, 0 or -1: \"3:-2:0.5\""},
        {"f", "3:1:0", "1 the propensity is not in (0, 1]: \"3:1:0\""},
        {"f", "3:1:1.001", "1 the propensity is not in (0, 1]: \"3:1:1.001\""},
        {"f", "3:1:-1", "1 the propensity is not in (0, 1]: \"3:1:-1\""},
        {"f", "3:1:", "1 the propensity is not a number: \"3:1:\""},
        {"f", "3:1:0.5x", "1 the propensity is not a number: \"3:1:0.5x\""},
        {"f", "3:1 1:1", "1 no propensity (-p sets one for lines without it): \"3:1\""},
        {"f", "3 1:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3\""},
        {"f", "3: 1:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3:\""},
        {"f", "3:1x:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3:1x:1\""},
        {"fp", "3:1 1:1", "3:1:0 1:1"},
        {"fp", "3:0", "3:0:0"},
        {"fp", "3:1:0.5", "3:1:0.5"},
        {"", "3:1:0.5",
         "1 the label is not an integer (a bandit log is read by rcnbf-train --log and "
         "rcnbf-predict "
         "--log): \"3:1:0.5\""},
    };
    char got[800];
    check_group("lines, read and refused");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        parse_line(known[i].line, known[i].how, got);
        CHECK(strcmp(got, known[i].want) == 0, "\"%s\" (%s) is %s, not %s", known[i].line,
              known[i].how, got, known[i].want);
    }
}

/* Lengths that overflow or vanish on the way, and what an example tells about itself. */
static void check_lengths(void)
{
    check_group("unit length, largest index, squared norm");
    static const struct {
        double from[3], to[3];
    } known[] = {
        {{3, 4, 0}, {0.6, 0.8, 0}},
        {{0, 0, 0}, {0, 0, 0}},
        {{-2, 0, 0}, {-1, 0, 0}},
        {{3e-140, 4e-140, 0}, {0.6, 0.8, 0}},
        {{3e-200, -4e-200, 0}, {0.6, -0.8, 0}},
        {{3e-320, 4e-320, 0}, {0.6, 0.8, 0}},
        {{3e150, 4e150, 0}, {0.6, 0.8, 0}},
        {{3e200, 4e200, 0}, {0.6, 0.8, 0}},
        {{0, 1e308, -1e308}, {0, 0.70710678118654757, -0.70710678118654757}},
        {{1.7e308, 1.7e308, -1.7e308},
         {0.57735026918962573, 0.57735026918962573, -0.57735026918962573}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value[4] = {known[i].from[0], known[i].from[1], known[i].from[2], 5};
        example_unit_length(value, 3);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(value[j], known[i].to[j], i == 5 ? 1e-4 : 1e-15, "value %d of vector %zu", j,
                       i);
        CHECK(value[3] == 5, "what is behind the vector");
    }
    static const int32_t index[] = {3, 8, 0};
    static const double value[] = {1, 2, 3};
    static const struct {
        int64_t size, largest, square;
    } sizes[] = {{0, 0, 0}, {1, 3, 1}, {2, 8, 5}, {3, 8, 14}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct example x = {.size = sizes[i].size, .index = index, .value = value};
        CHECK_INT(example_largest_index(&x), sizes[i].largest, "the largest index of %zu", i);
        CHECK_INT((int64_t)example_squared_norm(&x), sizes[i].square, "the squared norm of %zu", i);
    }
    const struct example bias = {.size = 1, .index = index + 2, .value = value};
    CHECK_INT(example_largest_index(&bias), 0, "the bias alone");
}

/* Examples that are put behind others, taken apart and counted. */
static void check_problems(void)
{
    check_group("examples behind others");
    static const char first[100] = "3:1:0.5 1:1 4:2\n# c\n?:1:0.25\n\n";
    static const char second[100] = "# c\n-2:0:1 9:3\n3:1:0.125 2:5\n";
    const struct example_format log = {.log = true, .bias = -1};
    struct problem all = {0}, more = {0}, none = {0};
    struct error err = {0};
    CHECK(problem_append_text(&all, first, first + strlen(first), &log, &err) == -1 && err.line == 3
              && err.column == 1,
          "a log has no line without a label: %lld:%lld", (long long)err.line,
          (long long)err.column);
    CHECK(all.n == 1 && all.nnz == 2 && all.d == 4 && all.log, "what was read before it");
    CHECK(problem_append_text(&more, second, second + strlen(second), &log, &err) == 0, "%s",
          err.message);
    CHECK_INT(more.lines, 3, "lines");
    CHECK(problem_append(&all, &none, &err) == 0 && all.n == 1, "nothing is added");
    CHECK(problem_append(&all, &more, &err) == 0 && all.n == 3 && all.nnz == 4 && all.d == 9
              && all.lines == 6,
          "%s", err.message);
    const struct example last = problem_example(&more, 1);
    CHECK(problem_append_example(&all, &last, &err) == 0 && all.n == 4 && all.nnz == 5 && all.d == 9
              && all.lines == 6,
          "%s", err.message);
    static const struct {
        int64_t label, line, size, index;
        double value, p;
        int f;
    } known[] = {{3, 1, 2, 1, 1, 0.5, 1},
                 {-2, 5, 1, 9, 3, 1, 0},
                 {3, 6, 1, 2, 5, 0.125, 1},
                 {3, 3, 1, 2, 5, 0.125, 1}};
    for (int64_t from = 0; from < 4; from++) {
        const struct problem part = problem_part(&all, from, 4 - from);
        CHECK_INT(part.n, 4 - from, "examples from %lld on", (long long)from);
        for (int64_t i = 0; i < part.n; i++) {
            const struct example x = problem_example(&part, i);
            const int64_t k = from + i;
            CHECK(x.label == known[k].label && x.line == known[k].line && x.size == known[k].size
                      && x.index[0] == known[k].index && x.value[0] == known[k].value
                      && x.feedback.p == known[k].p && x.feedback.f == known[k].f,
                  "example %lld of those from %lld on", (long long)i, (long long)from);
        }
    }
    struct labels labels = {0};
    int32_t y[4];
    CHECK(problem_labels(&all, &labels, &err) == 0 && labels.count == 2 && labels.value[0] == -2
              && labels.value[1] == 3,
          "labels");
    CHECK(problem_classes(&all, &labels, "f", y, &err) == 0 && y[0] == 1 && y[1] == 0 && y[2] == 1
              && y[3] == 1,
          "classes");
    all.label[1] = 4;
    CHECK(problem_classes(&all, &labels, "f", y, &err) == -1 && strcmp(err.file, "f") == 0
              && err.line == 5,
          "a label that is none of them");
    all.label[0] = EXAMPLE_UNLABELLED;
    labels_free(&labels);
    CHECK(problem_labels(&all, &labels, &err) == 0 && labels.count == 2 && labels.value[1] == 4,
          "lines without a label are left out");
    labels_free(&labels);
    CHECK(problem_bytes(10, 100, false) == 10 * 24 + 100 * 12, "bytes");
    CHECK(problem_bytes(10, 100, true) == 10 * (24 + sizeof(struct feedback)) + 100 * 12,
          "bytes of a log");
    problem_clear(&all);
    CHECK(all.n == 0 && all.nnz == 0 && all.lines == 0 && all.d == 0 && all.index, "forgotten");
    CHECK(problem_append(&all, &more, &err) == 0 && all.n == 2 && all.line[0] == 2
              && all.row_start[2] == 2,
          "and used again");
    problem_free(&all);
    problem_free(&more);
    CHECK(!all.index && all.entries_capacity == 0, "freed");

    check_group("many examples, one by one");
    struct problem many = {0};
    int32_t index[3] = {1, 2, 0};
    double value[3];
    for (int64_t i = 0; i < 300; i++) {
        for (int j = 0; j < 3; j++)
            value[j] = (double)(3 * i + j);
        index[1] = (int32_t)i + 2;
        const struct example x = {
            .label = i, .line = i + 1, .size = i % 4, .index = index, .value = value};
        CHECK(problem_append_example(&many, &x, &err) == 0, "memory");
    }
    CHECK(many.n == 300 && many.nnz == 450 && many.d == 301, "%lld entries, %d",
          (long long)many.nnz, (int)many.d);
    for (int64_t i = 0; i < many.n; i++) {
        const struct example x = problem_example(&many, i);
        CHECK(x.label == i && x.size == i % 4, "example %lld", (long long)i);
        for (int64_t j = 0; j < x.size; j++)
            CHECK(x.value[j] == (double)(3 * i + j), "value %lld of example %lld", (long long)j,
                  (long long)i);
    }
    problem_free(&many);
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

/* What examples were before they were brought to length 1. */
static void check_kept_lengths(void)
{
    static const char text[] =
        "1 1:3 2:4\n2 1:0\n3 2:-2 # x\n4 1:1.7e308 2:1.7e308 3:1.7e308 4:1.7e308\n"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const double length[] = {5, 0, 2, INFINITY}, keep[] = {1, 0, 1, 1, 0, 0, 1, 1};
    const struct example_format format = {.bias = -1, .unit_length = true, .keep_lengths = true};
    struct problem part = {0}, all = {0}, raw = {0};
    struct error err = {0};
    check_group("lengths that are kept");
    CHECK(problem_append_text(&part, text, text + strlen(text), &format, &err) == 0, "the text");
    for (int times = 0; times < 2; times++)
        CHECK(problem_append(&all, &part, &err) == 0, "memory");
    for (int64_t i = 0; i < all.n; i++)
        CHECK(problem_example(&all, i).length == length[i % 4], "length of %d", (int)i);
    CHECK(problem_part(&all, 2, 3).length[0] == 2, "of a part");
    CHECK(problem_bytes_held(&all) == (double)(all.n * 4 * 8 + all.nnz * 12), "bytes");
    problem_drop(&all, keep);
    for (int64_t i = 0; i < all.n; i++) {
        const struct example x = problem_example(&all, i);
        CHECK(x.length == length[x.label - 1], "length of %d, others dropped", (int)i);
        CHECK(problem_append_from(&raw, &all, i, true, &err) == 0, "memory");
    }
    CHECK_INT(raw.n, 5, "examples");
    CHECK_NEAR(raw.value[0], 3, 1e-15, "as it was");
    CHECK_NEAR(raw.value[1], 4, 1e-15, "as it was");
    CHECK_NEAR(raw.value[2], -2, 1e-15, "as it was");
    CHECK_NEAR(raw.value[3], 0.5, 1e-15, "what no double holds stays");
    problem_free(&part);
    problem_free(&all);
    problem_free(&raw);
}

/* Rows that share their indices: these stand once, whatever is dropped. */
static void check_dense_drop(void)
{
    enum { N = 200, D = 50 };
    struct problem p = {0};
    double keep[N];
    check_group("examples dropped from a dense problem");
    CHECK(problem_make_dense(&p, N, D, NULL) == 0, "memory");
    for (int32_t j = 0; j < D; j++)
        p.index[j] = j + 1;
    for (int64_t i = 0; i < N; i++) {
        keep[i] = i % 3 == 0 ? 0 : 1;
        p.label[i] = p.line[i] = i;
        for (int64_t j = 0; j < D; j++)
            p.value[i * D + j] = (double)(i * D + j);
    }
    problem_drop(&p, keep);
    CHECK_INT(p.n, N - (N + 2) / 3, "examples");
    CHECK_INT(p.nnz, p.n * D, "entries");
    CHECK_INT(p.d, D, "largest index");
    for (int64_t i = 0; i < p.n; i++) {
        const struct example x = problem_example(&p, i);
        CHECK_INT(x.label, i / 2 * 3 + i % 2 + 1, "label of %d", (int)i);
        CHECK_INT(x.size, D, "entries of %d", (int)i);
        for (int64_t j = 0; j < D; j++)
            CHECK(x.index[j] == j + 1 && x.value[j] == (double)(x.label * D + j), "%d, %d", (int)i,
                  (int)j);
    }
    problem_free(&p);
}

int main(void)
{
    check_dense_drop();
    check_lines();
    check_problems();
    check_lengths();
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

    check_group("unit length of extreme values");
    static const char extreme[] = "1 1:1e300 2:1e300\n1 1:1e-300 2:1e-300\n1 1:1.7e308 2:1.7e308 "
                                  "3:1.7e308 4:1.7e308\n1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct example_format unit = {.bias = -1, .unit_length = true};
    struct problem p = {0};
    CHECK(problem_append_text(&p, extreme, extreme + strlen(extreme), &unit, &err) == 0,
          "the text is sound");
    CHECK_NEAR(p.value[0], sqrt(0.5), 1e-15, "large");
    CHECK_NEAR(p.value[2], sqrt(0.5), 1e-15, "small");
    CHECK_NEAR(p.value[4], 0.5, 1e-15, "beyond the largest double");
    CHECK(!p.keeps_lengths, "lengths are not kept unasked");
    problem_free(&p);
    check_kept_lengths();
    return check_finish();
}
