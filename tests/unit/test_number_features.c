/* Features numbered anew beside a plain table of numbers: in memory and on disk, with few and with
 * most of the indices in use, across the words and blocks of bits. */
#include "check.h"
#include "common/base/random.h"
#include "common/data/number_features.h"
#include "common/data/rows.h"

enum { EXAMPLES = 200, LARGEST = 5000 };

static struct error err;

/* Examples with a bias and each index up to d with this probability; nothing from `first` to
 * `last`, but an example with d alone. */
static void make_examples(struct problem *problem, double probability, int32_t first, int32_t last,
                          int32_t d)
{
    struct random g = random_seeded(5, 0);
    int32_t index[LARGEST + 1];
    double value[LARGEST + 1];
    for (int64_t i = 0; i < EXAMPLES; i++) {
        struct example x = {.label = 1, .line = i + 1, .index = index, .value = value};
        for (int32_t j = 1; j < d; j++)
            if ((j < first || j > last) && random_uniform(&g) < probability)
                index[x.size++] = j;
        if (i == EXAMPLES - 1)
            index[x.size++] = d;
        index[x.size++] = 0;
        for (int64_t e = 0; e < x.size; e++)
            value[e] = random_uniform(&g);
        CHECK(problem_append_example(problem, &x, &err) == 0, "memory");
    }
}

/* The plain way.  number: out, d + 1.  Returns how many features occur. */
static int32_t number_plainly(const struct problem *problem, int32_t *number)
{
    int32_t count = 0;
    for (int32_t j = 0; j <= problem->d; j++)
        number[j] = 0;
    for (int64_t e = 0; e < problem->nnz; e++)
        number[problem->index[e]] = 1;
    number[0] = 0;
    for (int32_t j = 1; j <= problem->d; j++)
        if (number[j])
            number[j] = ++count;
    return count;
}

static void check_numbers(const struct feature_numbers *numbers, const int32_t *number, int32_t d,
                          int32_t count)
{
    const bool any = count > 0 && count < d;
    CHECK_INT(numbers->count, any ? count : 0, "features that occur");
    CHECK_INT(feature_numbers_d(numbers, any ? count : d), d, "the largest index");
    for (int32_t j = 0; j <= d; j++) {
        const int64_t got = feature_numbers_of(numbers, j);
        CHECK_INT(got, any ? number[j] : j, "the number of %d", j);
        if (got > 0)
            CHECK_INT(feature_numbers_original(numbers, got), j, "the index of %d", (int)got);
    }
    if (any)
        CHECK_INT(feature_numbers_of(numbers, (int64_t)d + 1), 0, "beyond the largest");
    CHECK_INT(feature_numbers_original(numbers, 0), 0, "the bias");
}

/* held: numbered; as it was: `before`; the same on disk: disk. */
static void check_entries(const struct problem *before, const struct problem *held,
                          const struct problem *disk, const int32_t *number)
{
    struct rows rows = rows_of(disk);
    for (int64_t i = before->n - 1; i >= 0; i--) {
        const struct example old = problem_example(before, i), x = problem_example(held, i),
                             y = rows_example(&rows, i);
        CHECK_INT(x.size, old.size, "entries in memory");
        CHECK_INT(y.size, old.size, "entries on disk");
        for (int64_t e = 0; e < old.size && e < y.size; e++) {
            CHECK_INT(x.index[e], number[old.index[e]], "index in memory");
            CHECK_INT(y.index[e], number[old.index[e]], "index on disk");
            CHECK(x.value[e] == old.value[e] && y.value[e] == old.value[e], "value");
        }
    }
    rows_end(&rows);
    CHECK_INT(rows_check(disk, &err), 0, "no failure");
}

static void test(const char *what, double probability, int32_t first, int32_t last, int32_t d)
{
    struct problem before = {0}, held = {0}, disk = {0};
    struct feature_numbers numbers, of_disk;
    int32_t number[LARGEST + 1];
    check_group("%s", what);
    make_examples(&before, probability, first, last, d);
    make_examples(&held, probability, first, last, d);
    make_examples(&disk, probability, first, last, d);
    CHECK_INT(problem_to_disk(&disk, "/tmp", &err), 0, "to disk");
    const int32_t count = number_plainly(&before, number);
    if (count == d || count == 0) /* nothing changes */
        for (int32_t j = 0; j <= d; j++)
            number[j] = j;
    CHECK_INT(number_features(&held, &numbers, &err), 0, "in memory");
    CHECK_INT(number_features(&disk, &of_disk, &err), 0, "on disk");
    CHECK_INT(held.d, count > 0 ? count : d, "features in memory");
    CHECK_INT(disk.d, held.d, "features on disk");
    check_numbers(&numbers, number, d, count);
    check_numbers(&of_disk, number, d, count);
    check_entries(&before, &held, &disk, number);
    problem_free(&before);
    problem_free(&held);
    problem_free(&disk);
    feature_numbers_free(&numbers);
    feature_numbers_free(&of_disk);
}

int main(void)
{
    test("few of many features", 0.0005, 1, 0, LARGEST);
    test("most features", 0.02, 1, 0, LARGEST);
    test("all features", 0.9, 1, 0, 600);
    test("a gap of whole blocks", 0.1, 60, 4000, LARGEST);
    test("the largest alone", 0, 1, 0, 512);
    test("a bias alone", 0, 1, 0, 0);
    return check_finish();
}
