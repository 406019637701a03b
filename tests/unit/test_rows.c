/* Examples on disk: the same as in memory in any order, however they came there; dropped, sampled,
 * read by several threads. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/data/problem_file.h"
#include "common/data/rows.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXAMPLES = 3000, LONG = 2 * ENTRY_WINDOW };

static struct problem held, disk;
static struct error err;

/* Examples of 0 .. 90 entries, one of them longer than a window. */
static void make_examples(void)
{
    struct random g = random_seeded(3, 0);
    int32_t *index = memory_new(LONG, sizeof *index, NULL);
    double *value = memory_new(LONG, sizeof *value, NULL);
    held.keeps_lengths = disk.keeps_lengths = true;
    for (int64_t i = 0; i < EXAMPLES; i++) {
        const int64_t size = i == 2000 ? LONG : random_below(&g, 90);
        struct example x = {.label = i % 7,
                            .line = 2 * i + 1,
                            .size = size,
                            .length = i % 5 ? (double)(i % 5) : INFINITY};
        for (int64_t e = 0; e < size; e++) {
            index[e] = (int32_t)(e + 1);
            value[e] = random_uniform(&g);
        }
        x.index = index;
        x.value = value;
        problem_append_example(&held, &x, NULL);
    }
    memory_free(index);
    memory_free(value);
}

static bool same_example(const struct example *a, const struct example *b)
{
    return a->label == b->label && a->line == b->line && a->size == b->size
           && !(a->length < b->length || a->length > b->length)
           && (a->size == 0
               || (memcmp(a->index, b->index, (size_t)a->size * sizeof *a->index) == 0
                   && memcmp(a->value, b->value, (size_t)a->size * sizeof *a->value) == 0));
}

/* Are the examples of `disk` those of `held`, seen in steps? */
static void check_steps(int64_t first, int64_t step)
{
    struct rows rows = rows_of(&disk);
    for (int64_t i = first; i >= 0 && i < held.n; i += step) {
        const struct example a = problem_example(&held, i), b = rows_example(&rows, i);
        CHECK(same_example(&a, &b), "example %" PRId64 ", step %" PRId64, i, step);
    }
    rows_end(&rows);
    CHECK_INT(rows_check(&disk, &err), 0, "no failure");
}

static void check_same(void)
{
    CHECK(disk.disk && !disk.index && !disk.value, "on disk");
    CHECK_INT(disk.n, held.n, "examples");
    CHECK_INT(disk.nnz, held.nnz, "entries");
    CHECK_INT(disk.d, held.d, "largest index");
    check_steps(0, 1);
    check_steps(0, 3);
    check_steps(5, 97);
    check_steps(held.n - 1, -1);
}

static void test_moved(void)
{
    check_group("moved to disk, and appended to");
    for (int64_t i = 0; i < 1000; i++) {
        const struct example x = problem_example(&held, i);
        problem_append_example(&disk, &x, NULL);
    }
    CHECK_INT(problem_to_disk(&disk, ".", &err), 0, "moved");
    struct problem part = problem_part(&held, 1000, held.n - 1000), copy = {.keeps_lengths = true};
    for (int64_t i = 0; i < part.n; i++) {
        const struct example x = problem_example(&part, i);
        problem_append_example(&copy, &x, NULL);
    }
    CHECK_INT(problem_append(&disk, &copy, &err), 0, "appended");
    problem_free(&copy);
    check_same();
    CHECK(problem_bytes_held(&disk) < problem_bytes_held(&held) / 10, "bytes");
}

/* One thread's share of the examples: 1 where they are right. */
static void read_share(void *context, int64_t share)
{
    int64_t *right = context;
    struct rows rows = rows_of(&disk);
    right[share] = 1;
    for (int64_t i = share; i < held.n; i += 3) {
        const struct example a = problem_example(&held, i), b = rows_example(&rows, i);
        right[share] &= same_example(&a, &b);
    }
    rows_end(&rows);
}

static void test_threads(void)
{
    int64_t right[9] = {0};
    check_group("several threads");
    parallel_for(3, 9, read_share, right);
    for (int share = 0; share < 9; share++)
        CHECK(right[share], "share %d", share);
}

/* At their lengths, an infinite one 1, with a bias: as by a plain loop, in memory and on disk. */
static void test_lengthen(bool scaled)
{
    struct problem from_held = {0}, from_disk = {0};
    const double bias = 100;
    double *scale = memory_new(LONG, sizeof *scale, NULL);
    check_group("at their lengths%s", scaled ? ", of scaled features" : "");
    for (int64_t j = 0; j < LONG; j++)
        scale[j] = scaled ? 1 + (double)(j % 3) : 1;
    CHECK_INT(rows_lengthen(&held, scaled ? scale : NULL, bias, &from_held, &err), 0, "in memory");
    CHECK_INT(rows_lengthen(&disk, scaled ? scale : NULL, bias, &from_disk, &err), 0, "on disk");
    CHECK(from_disk.disk && !from_held.disk, "where the examples are");
    CHECK_INT(from_disk.n, held.n, "examples");
    CHECK_INT(from_disk.nnz, held.nnz + held.n, "entries");
    CHECK_INT(from_disk.d, held.d, "largest index");
    struct rows rows = rows_of(&from_disk);
    for (int64_t i = 0; i < held.n; i++) {
        const struct example x = problem_example(&held, i), b = problem_example(&from_held, i),
                             c = rows_example(&rows, i);
        const double length = isfinite(x.length) ? x.length : 1;
        CHECK(same_example(&b, &c) && b.size == x.size + 1 && b.line == x.line, "%" PRId64, i);
        CHECK(b.index[x.size] == 0 && b.value[x.size] == bias, "the bias of %" PRId64, i);
        for (int64_t e = 0; e < x.size; e++)
            CHECK(b.index[e] == x.index[e]
                      && b.value[e] == x.value[e] * length * scale[x.index[e] - 1],
                  "entry %" PRId64 " of %" PRId64, e, i);
    }
    rows_end(&rows);
    CHECK_INT(rows_check(&from_disk, &err), 0, "no failure");
    problem_free(&from_held);
    problem_free(&from_disk);
    memory_free(scale);
}

static void test_drop(void)
{
    check_group("weights of 0");
    double *weight = memory_new(held.n, sizeof *weight, NULL);
    for (int64_t i = 0; i < held.n; i++)
        weight[i] = i % 3 == 0 && i != 2000 ? 0.5 : 0;
    CHECK_INT(rows_drop(&disk, weight, &err), 0, "dropped");
    problem_drop(&held, weight);
    check_same();
    for (int64_t i = 0; i < held.n; i++)
        weight[i] = 0;
    CHECK_INT(rows_drop(&disk, weight, &err), 0, "all dropped");
    CHECK_INT(disk.n, 0, "none left");
    memory_free(weight);
}

static void test_sample(void)
{
    check_group("samples");
    int64_t times[EXAMPLES] = {0};
    int64_t *chosen = memory_new(held.n, sizeof *chosen, NULL),
            *again = memory_new(held.n, sizeof *again, NULL);
    for (int64_t seed = 0; seed < 300; seed++) {
        struct problem from_held = {0}, from_disk = {0};
        CHECK_INT(rows_sample(&held, 300, seed, &from_held, again, &err), 0, "from memory");
        CHECK_INT(rows_sample(&disk, 300, seed, &from_disk, chosen, &err), 0, "from disk");
        CHECK_INT(from_disk.n, 300, "examples");
        CHECK_INT(from_disk.d, held.d, "largest index");
        CHECK(memcmp(chosen, again, 300 * sizeof *chosen) == 0, "the same draw");
        for (int64_t i = 0; i < 300; i++) {
            const struct example a = problem_example(&held, chosen[i]),
                                 b = problem_example(&from_disk, i);
            CHECK(same_example(&a, &b), "example %" PRId64, i);
            CHECK(i == 0 || chosen[i] > chosen[i - 1], "ascending");
            times[chosen[i]]++;
        }
        problem_free(&from_held);
        problem_free(&from_disk);
    }
    /* 300 draws of a tenth: 30 times each, standard deviation 5.2. */
    for (int64_t i = 0; i < held.n; i++)
        CHECK(times[i] > 3 && times[i] < 60, "example %" PRId64 ": %" PRId64 " times", i, times[i]);
    struct problem all = {0};
    CHECK_INT(rows_sample(&disk, held.n, 1, &all, chosen, &err), 0, "all");
    CHECK_INT(all.nnz, held.nnz, "all entries");
    problem_free(&all);
    memory_free(chosen);
    memory_free(again);
}

/* A file is held or goes to disk as the limit says, and the examples are the same. */
static void test_file(void)
{
    const struct example_format format = {.bias = 1};
    char path[] = "rows-XXXXXX";
    struct problem in_memory = {0}, limited = {0};
    FILE *f = fdopen(mkstemp(path), "w");
    check_group("a file");
    for (int i = 0; i < 60000; i++)
        fprintf(f, "%d %d:0.5 %d:%d\n", i % 3, i % 10 + 1, i % 1000 + 20, i);
    fclose(f);
    CHECK_INT(problem_read(path, &format, 2, 0, &in_memory, &err), 0, "read");
    const double bytes = problem_bytes_held(&in_memory);
    for (int share = 0; share <= 3; share++) {
        CHECK_INT(problem_read_to_disk(path, &format, 2, share * bytes / 2, ".", &limited, &err), 0,
                  "read with a limit");
        CHECK(!limited.disk == (share == 3), "share %d: on disk", share);
        CHECK_INT(limited.n, in_memory.n, "examples");
        struct rows rows = rows_of(&limited);
        for (int64_t i = 0; i < limited.n; i++) {
            const struct example a = problem_example(&in_memory, i), b = rows_example(&rows, i);
            CHECK(same_example(&a, &b), "example %" PRId64, i);
        }
        rows_end(&rows);
        problem_free(&limited);
    }
    problem_free(&in_memory);
    unlink(path);
}

/* Lengths that are kept count to what a file takes. */
static void test_file_with_lengths(void)
{
    enum { LINES = 100, BYTES = LINES * (4 * 8 + 12) };
    const struct example_format format = {.bias = -1, .unit_length = true, .keep_lengths = true};
    char path[] = "rows-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    check_group("a file whose lengths are kept");
    for (int i = 0; i < LINES; i++)
        fputs("1 1:2\n", f);
    fclose(f);
    for (int more = 0; more < 2; more++) {
        struct problem limited = {0};
        CHECK_INT(problem_read_to_disk(path, &format, 1, BYTES - 1 + more, ".", &limited, &err), 0,
                  "read with a limit");
        CHECK(!limited.disk == (more == 1), "%d bytes: on disk", BYTES - 1 + more);
        problem_free(&limited);
    }
    unlink(path);
}

static void test_failures(void)
{
    check_group("failures");
    struct problem none = {0};
    CHECK_INT(problem_to_disk(&none, "no such folder", &err), -1, "a folder that is not there");
    CHECK(strcmp(err.file, "no such folder") == 0, "named");
    CHECK(!none.disk, "unchanged");
    /* A file may not grow beyond this: a full disk. */
    const struct rlimit few = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &few);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(problem_to_disk(&held, ".", &err), -1, "a full disk");
    CHECK(!held.disk && held.index, "unchanged");
    CHECK(strcmp(err.file, ".") == 0, "the folder is named");
}

int main(void)
{
    make_examples();
    test_moved();
    test_threads();
    problem_free(&disk);
    problem_to_disk(&disk, ".", NULL);
    problem_append(&disk, &held, NULL);
    test_sample();
    test_file();
    test_file_with_lengths();
    test_failures();
    const struct rlimit any = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &any);
    test_lengthen(false);
    test_lengthen(true);
    test_drop();
    problem_free(&held);
    problem_free(&disk);
    return check_finish();
}
