/* The library's allocator with a count: what is allocated at once, beside what a function says that
 * it takes.
 *
 *     counted_start();  ...;  counted_most() */
#ifndef TESTS_UNIT_COUNTED_MEMORY_H
#define TESTS_UNIT_COUNTED_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void counted_free(void *block);
#define MEMORY_TEST
#define free counted_free
#include "common/base/memory.c"
#undef calloc
#undef realloc
#undef free

/* Bytes that are held, those that were when counting began, and the most since; each block has its
 * size in front of it. */
static _Atomic int64_t counted_held, counted_before, counted_peak;
enum { COUNTED_BEFORE = 16 }; /* keeps the alignment */

void *test_realloc(void *block, size_t size)
{
    char *old = block ? (char *)block - COUNTED_BEFORE : NULL;
    const size_t had = old ? *(size_t *)(void *)old : 0;
    char *new = realloc(old, size + COUNTED_BEFORE);
    if (!new)
        return NULL;
    *(size_t *)(void *)new = size;
    counted_held += (int64_t)size - (int64_t)had;
    if (counted_held > counted_peak)
        counted_peak = counted_held;
    return new + COUNTED_BEFORE;
}

void *test_calloc(size_t count, size_t size)
{
    void *block = test_realloc(NULL, count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

static void counted_free(void *block)
{
    if (!block)
        return;
    counted_held -= (int64_t) * (size_t *)(void *)((char *)block - COUNTED_BEFORE);
    free((char *)block - COUNTED_BEFORE);
}

/* Count from here on. */
static void counted_start(void)
{
    counted_before = counted_held;
    counted_peak = counted_held;
}

/* The most bytes that were held at once since then, beside those that were already. */
static double counted_most(void)
{
    return (double)(counted_peak - counted_before);
}

#endif
