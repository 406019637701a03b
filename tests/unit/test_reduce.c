/* What ranks say to each other, and the parts of a file that they read.  Run by itself there is one
 * rank; tests/script/mpi.sh runs the same under mpirun. */
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/problem_file.h"
#include "tests/unit/check.h"

#include <string.h>
#include <unistd.h>

/* Sums and shares of numbers that differ from rank to rank. */
static void test_sums(void)
{
    const int64_t rank = reduce_rank(), ranks = reduce_ranks();
    check_group("sums");
    CHECK(0 <= rank && rank < ranks, "the rank");
    CHECK(reduce_neighbours() >= 1 && reduce_neighbours() <= ranks, "ranks on this machine");
    CHECK_INT(reduce_count(rank + 1), ranks * (ranks + 1) / 2, "the sum over all");
    CHECK_INT(reduce_before(rank + 1), rank * (rank + 1) / 2, "over those before");
    CHECK_INT(reduce_most(10 * rank), 10 * (ranks - 1), "the largest");
    int64_t counts[2] = {1, rank};
    double numbers[2] = {0.5, (double)rank};
    reduce_counts(counts, 2);
    reduce_sum(numbers, 2);
    CHECK_INT(counts[0], ranks, "counts");
    CHECK_INT(counts[1], ranks * (ranks - 1) / 2, "counts that differ");
    CHECK_NEAR(numbers[0], 0.5 * (double)ranks, 0, "numbers");
    CHECK_NEAR(numbers[1], (double)(ranks * (ranks - 1) / 2), 0, "numbers that differ");

    check_group("gather");
    int64_t all[64] = {0};
    const int64_t own = rank % 3, first = reduce_before(own), n = reduce_count(own);
    for (int64_t i = 0; i < own; i++)
        all[first + i] = 100 + first + i;
    reduce_gather(all, sizeof *all, first, own);
    for (int64_t i = 0; i < n; i++)
        CHECK_INT(all[i], 100 + i, "element %lld", (long long)i);
    CHECK_INT(all[n], 0, "what comes after them");
}

/* A sum goes on from rank to rank: the order is that of the ranks. */
static void test_chain(void)
{
    enum { N = 300000 }; /* longer than what MPI sends before it is asked for it */
    const int64_t rank = reduce_rank(), ranks = reduce_ranks();
    double one = 0, *x = memory_new(N, sizeof *x, NULL);
    check_group("from rank to rank");
    reduce_receive(&one, 1);
    one = 10 * one + 1;
    reduce_send(&one, 1);
    reduce_finish(&one, 1);
    double want = 0;
    for (int64_t r = 0; r < ranks; r++)
        want = 10 * want + 1;
    CHECK_NEAR(one, want, 0, "one number");
    for (int piece = 0; piece < 3; piece++) {
        reduce_receive(x + piece * N / 3, N / 3);
        for (int i = piece * N / 3; i < (piece + 1) * N / 3; i++)
            x[i] = 2 * x[i] + (double)(rank + i);
        reduce_send(x + piece * N / 3, N / 3);
    }
    reduce_finish(x, N);
    for (int i = 0; i < N; i += 997) {
        want = 0;
        for (int64_t r = 0; r < ranks; r++)
            want = 2 * want + (double)(r + i);
        CHECK_NEAR(x[i], want, 0, "number %d of many", i);
    }
    memory_free(x);
}

static void test_errors(void)
{
    const int64_t rank = reduce_rank(), ranks = reduce_ranks();
    struct error err = {0};
    check_group("one error for all");
    CHECK_INT(reduce_agree(0, &err), 0, "none has failed");
    const bool last = rank == ranks - 1;
    const int status = last ? error_set(&err, "rank %d", (int)rank) : 0;
    char want[32];
    snprintf(want, sizeof want, "rank %d", (int)ranks - 1);
    CHECK_INT(reduce_agree(status, &err), -1, "the last has failed");
    CHECK(strcmp(err.message, want) == 0, "%s: why", err.message);
    if (last)
        error_at(&err, NULL, 7, 0, "with a line");
    else
        error_set(&err, "without one");
    CHECK_INT(reduce_agree(-1, &err), -1, "all have failed");
    CHECK_INT(err.line, 7, "a line is preferred");
}

static void test_paths(void)
{
    struct error err = {0};
    check_group("names with %%r");
    CHECK(strcmp(reduce_path("plain", &err), "plain") == 0, "without");
    CHECK(!reduce_has_shards(), "one file");
    if (reduce_ranks() == 1) {
        CHECK(strcmp(reduce_path("a%r", &err), "a%r") == 0, "the ordinary build has none");
        return;
    }
    char want[64];
    snprintf(want, sizeof want, "a%d.%d", reduce_rank(), reduce_rank());
    const char *path = reduce_path("a%r.%r", &err);
    CHECK(path && strcmp(path, want) == 0, "with two");
    CHECK(reduce_has_shards(), "shards");
}

/* Write `lines` lines whose lengths differ a lot; line i has label i % 5, feature 1 is i.  The last
 * has no end. */
static void write_file(const char *path, int64_t lines, int64_t longest)
{
    FILE *f = fopen(path, "w");
    for (int64_t i = 1; i <= lines; i++) {
        fprintf(f, "%d 1:%d", (int)(i % 5), (int)i);
        for (int64_t j = 0; j < i * i % longest; j++)
            fprintf(f, " %d:1", (int)j + 2);
        if (i < lines)
            fputs(i % 11 == 0 ? "\n# a comment\n" : "\n", f);
    }
    fclose(f);
}

/* Every line is read once, by the right rank, and knows where it is. */
static void test_parts(int64_t lines, int64_t longest)
{
    const char *path = "test_reduce.data";
    const struct example_format format = {.bias = -1};
    struct problem p = {0};
    struct labels labels = {0};
    struct error err = {0};
    check_group("parts of %lld lines, longest %lld", (long long)lines, (long long)longest);
    if (reduce_rank() == 0)
        write_file(path, lines, longest);
    (void)reduce_count(0); /* it is there for all */
    CHECK_INT(problem_read(path, &format, 2, 0, &p, &err), 0, "%s", err.message);
    CHECK_INT(reduce_count(p.n), lines, "examples");
    const int64_t before = reduce_before(p.n);
    int64_t most = 0;
    for (int64_t i = 1; i <= lines; i++)
        most = i * i % longest > most ? i * i % longest : most;
    CHECK_INT(p.d, most + 1, "the largest index of all");
    for (int64_t i = 0; i < p.n; i++) {
        const struct example x = problem_example(&p, i);
        const int64_t number = before + i + 1;
        CHECK_NEAR(x.value[0], (double)number, 0, "example %lld", (long long)i);
        CHECK_INT(x.label, number % 5, "its label");
        CHECK_INT(x.line, number + (number - 1) / 11, "its line");
    }
    CHECK_INT(problem_labels(&p, &labels, &err), 0, "%s", err.message);
    CHECK_INT(labels.count, lines < 5 ? lines : 5, "labels of all");
    labels_free(&labels);
    problem_free(&p);
    (void)reduce_count(0); /* all have read it */
    if (reduce_rank() == 0)
        unlink(path);
}

int main(void)
{
    reduce_start();
    test_sums();
    test_chain();
    test_errors();
    test_parts(1, 2);
    test_parts(3, 2);
    test_parts(400, 30);
    test_parts(7, 20000); /* ranks without a line */
    test_paths();         /* last, as it has an effect */
    check_end_group();
    check_state.failed = reduce_count(check_state.failed);
    struct error none = {0};
    const int status = check_finish();
    return reduce_end(status != 0, &none) != REDUCE_GOOD;
}
