/* An allocator for common/base/memory.c that fails on demand, on any thread.
 *
 * MEMORY_FAIL_AT=n     the n-th call fails, and every call after it (0: none does)
 * MEMORY_FAIL_ONCE=1   the n-th only: whoever overlooks that one goes on without what it asked for
 * MEMORY_CALLS=path    there, when the program ends, the number of calls */
#include "tests/faults/calls.h"

void *test_calloc(size_t count, size_t size);
void *test_realloc(void *block, size_t size);

static int allocator_fails(void)
{
    const long n = calls_number("MEMORY_FAIL_AT"), call = calls_count("MEMORY_CALLS");
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
