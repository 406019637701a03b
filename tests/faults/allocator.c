/* An allocator for common/base/memory.c that fails on demand, on any thread.
 *
 * MEMORY_FAIL_AT=n     the n-th call fails, and every call after it (0: none does)
 * MEMORY_FAIL_ONCE=1   the n-th only: whoever overlooks that one goes on without what it asked for
 * MEMORY_CALLS=path    there, when the program ends, the number of calls */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *test_calloc(size_t count, size_t size);
void *test_realloc(void *block, size_t size);

static _Atomic long allocator_calls;

static void allocator_report(void)
{
    FILE *file = fopen(getenv("MEMORY_CALLS"), "w");
    if (file) {
        fprintf(file, "%ld\n", allocator_calls);
        fclose(file);
    }
}

static int allocator_fails(void)
{
    const char *at = getenv("MEMORY_FAIL_AT");
    const long n = at ? atol(at) : 0, call = atomic_fetch_add(&allocator_calls, 1) + 1;
    if (call == 1 && getenv("MEMORY_CALLS"))
        atexit(allocator_report);
    return n > 0 && (getenv("MEMORY_FAIL_ONCE") ? call == n : call >= n);
}

void *test_calloc(size_t count, size_t size)
{
    return allocator_fails() ? NULL : calloc(count, size);
}

void *test_realloc(void *block, size_t size)
{
    return allocator_fails() ? NULL : realloc(block, size);
}
