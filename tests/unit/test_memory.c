/* Allocation, growing arrays, and memory in words. */
#include "check.h"
#include "common/base/error.h"
#include "common/base/memory.h"

#include <string.h>

static void check_memory(void)
{
    check_group("memory");
    struct error err = {0};
    CHECK(memory_new(INT64_MAX, 16, &err) == NULL && err.message[0],
          "a product that overflows is refused");
    CHECK(memory_new(-1, 1, &err) == NULL, "a negative count is refused");
    CHECK(memory_check(1e30, "all of it", &err) != 0, "more than there is");
    CHECK(strstr(err.message, "not enough memory for all of it: 1000000000000 EB (1")
              == err.message,
          "%s", err.message);
    CHECK(memory_check(1000, "little", &err) == 0 && memory_check(16e6, "some", &err) == 0,
          "a little");
    char text[32];
    static const struct {
        double bytes;
        const char *text;
    } sizes[] = {{0, "0 bytes"},      {7, "7 bytes"},     {999, "999 bytes"}, {1000, "1.0 KB"},
                 {1234567, "1.2 MB"}, {99940, "99.9 KB"}, {100000, "100 KB"}, {1e9, "1.0 GB"},
                 {2e12, "2.0 TB"},    {3e15, "3.0 PB"},   {4e18, "4.0 EB"},   {999e18, "999 EB"},
                 {1e21, "1000 EB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(strcmp(memory_text(sizes[i].bytes, text), sizes[i].text) == 0, "%g bytes are %s",
              sizes[i].bytes, text);

    /* An array that grows: to 16 elements at least, to twice its size, or to what is asked for. */
    static const int64_t growth[][2] = {{0, 16},    {1, 16},    {16, 16},    {17, 32},
                                        {32, 32},   {33, 64},   {127, 128},  {128, 128},
                                        {300, 300}, {599, 600}, {1201, 1201}};
    int64_t capacity = 0;
    char *array = NULL;
    for (size_t i = 0; i < sizeof growth / sizeof *growth; i++) {
        array = memory_reserve(array, &capacity, growth[i][0], 1, NULL);
        CHECK(array != NULL, "memory");
        CHECK_INT(capacity, growth[i][1], "capacity for %lld", (long long)growth[i][0]);
    }
    CHECK(memory_reserve(array, &capacity, INT64_MAX, 8, &err) == NULL && capacity == 1201,
          "what fails changes nothing");
    memory_free(array);
    CHECK(memory_new(INT64_MAX / 16 + 1, 16, &err) == NULL && strstr(err.message, " of 16 bytes"),
          "one too many: %s", err.message);
    CHECK(memory_resize(NULL, INT64_MAX / 16 + 1, 16, &err) == NULL, "one too many");
    char *some = memory_new(100, 3, &err), sum = 0;
    for (int i = 0; some && i < 300; i++)
        sum |= some[i];
    CHECK(some && sum == 0, "a new block is zero");
    memory_free(some);
    void *zero = memory_new(0, 8, &err);
    CHECK(zero != NULL, "a block of no bytes");
    memory_free(zero);
}

int main(void)
{
    check_memory();
    return check_finish();
}
