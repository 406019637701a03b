/* An allocator for common/memory.c that fails at the n-th call, n from the environment variable MEMORY_FAIL_AT (0: never), and at
 * every call after it, on any thread. */
#include <stdatomic.h>
#include <stdlib.h>

void *test_calloc(size_t count, size_t size);
void *test_realloc(void *block, size_t size);

static int fails(void)
{
    static _Atomic long calls;
    const char *at = getenv("MEMORY_FAIL_AT");
    long n = at ? atol(at) : 0;
    return n > 0 && atomic_fetch_add(&calls, 1) + 1 >= n;
}

void *test_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

void *test_realloc(void *block, size_t size)
{
    return fails() ? NULL : realloc(block, size);
}
