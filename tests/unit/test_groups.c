/* Groups of examples by their names, beside plain loops. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/groups.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 700, LONGEST = 4 };

static char path[] = "/tmp/test_groups.XXXXXX";

/* Names of one to three characters of four and, within, a blank: few, so that each occurs several
 * times, and with others of the same letters or of which it is a part. */
static void make_names(char (*name)[LONGEST])
{
    struct random g = random_seeded(1, 1);
    for (int i = 0; i < N; i++) {
        const int64_t size = 1 + random_below(&g, 3);
        for (int64_t at = 0; at < size; at++)
            name[i][at] = "ab1# "[random_below(&g, at > 0 && at < size - 1 ? 5 : 4)];
        name[i][size] = '\0';
    }
}

/* Blanks around them, and lines that end in either way or not at all, make no difference. */
static void write_names(char (*name)[LONGEST])
{
    static const char *const before[] = {"", " ", "\t "}, *const after[] = {"", " ", "\r", "\t\r"};
    FILE *file = fopen(path, "w");
    CHECK(file, "a file");
    for (int i = 0; file && i < N; i++)
        fprintf(file, "%s%s%s%s", before[i % 3], name[i], after[i / 2 % 4], i < N - 1 ? "\n" : "");
    CHECK(file && fclose(file) == 0, "a file");
}

/* Examples are of one group where their names are the same, and there alone; its first example is
 * the first in the file. */
static void test_names(void)
{
    char name[N][LONGEST];
    uint64_t *group = NULL;
    int64_t *first = NULL, groups = 0;
    struct error err = {0};
    check_group("groups by names");
    make_names(name);
    write_names(name);
    CHECK(groups_read(path, N, &group, &err) == 0
              && groups_first(group, N, 2, path, &first, &err) == 0,
          "%s", err.message);
    for (int i = 0; i < N; i++) {
        int want = 0;
        while (strcmp(name[want], name[i]) != 0)
            want++;
        groups += want == i;
        CHECK_INT(first[i], want, "example %d, \"%s\"", i, name[i]);
        CHECK(group[i] == group[want], "example %d, \"%s\"", i, name[i]);
    }
    CHECK(groups > 50 && groups < N / 2, "%d groups", (int)groups);
    memory_free(first);

    check_group("as many groups as folds, and one fewer");
    CHECK_INT(groups_first(group, N, groups, path, &first, &err), 0, "%s", err.message);
    memory_free(first);
    CHECK_INT(groups_first(group, N, groups + 1, path, &first, &err), -1, "refused");
    memory_free(first);
    memory_free(group);
}

/* Groups whose numbers are any: the smallest and the largest, and such as differ in one bit. */
static void test_numbers(void)
{
    enum { BITS = 64 };
    uint64_t group[2 * BITS + 2];
    int64_t *first = NULL;
    check_group("groups by numbers");
    for (int i = 0; i < 2 * BITS; i++)
        group[i] = UINT64_C(1) << i * 7 % BITS;
    group[2 * BITS] = 0;
    group[2 * BITS + 1] = UINT64_MAX;
    CHECK_INT(groups_first(group, 2 * BITS + 2, 2, path, &first, NULL), 0, "memory");
    for (int i = 0; i < 2 * BITS; i++)
        CHECK_INT(first[i], i % BITS, "example %d", i);
    for (int i = 2 * BITS; i < 2 * BITS + 2; i++)
        CHECK_INT(first[i], i, "example %d", i);
    memory_free(first);
}

int main(void)
{
    const int fd = mkstemp(path);
    check_group("a file of groups");
    CHECK(fd >= 0 && close(fd) == 0, "a file");
    test_names();
    test_numbers();
    unlink(path);
    return check_finish();
}
