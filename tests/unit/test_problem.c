/* Examples held in memory (common/data/problem.h): put behind others, taken apart, counted,
 * dropped; lengths that are kept, and unit length of extreme values. */
#include "check.h"
#include "common/data/problem.h"

#include <string.h>

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

static void check_extreme_values(void)
{
    check_group("unit length of extreme values");
    static const char extreme[] = "1 1:1e300 2:1e300\n1 1:1e-300 2:1e-300\n1 1:1.7e308 2:1.7e308 "
                                  "3:1.7e308 4:1.7e308\n1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct example_format unit = {.bias = -1, .unit_length = true};
    struct problem p = {0};
    struct error err;
    CHECK(problem_append_text(&p, extreme, extreme + strlen(extreme), &unit, &err) == 0,
          "the text is sound");
    CHECK_NEAR(p.value[0], sqrt(0.5), 1e-15, "large");
    CHECK_NEAR(p.value[2], sqrt(0.5), 1e-15, "small");
    CHECK_NEAR(p.value[4], 0.5, 1e-15, "beyond the largest double");
    CHECK(!p.keeps_lengths, "lengths are not kept unasked");
    problem_free(&p);
}

int main(void)
{
    check_problems();
    check_kept_lengths();
    check_dense_drop();
    check_extreme_values();
    return check_finish();
}
