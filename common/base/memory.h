/* The only allocator.  A count times a size that overflows is a failure and never a short block.
 *
 * On failure the functions return NULL and fill err (may be NULL).  Free with memory_free. */
#ifndef COMMON_BASE_MEMORY_H
#define COMMON_BASE_MEMORY_H

#include "common/base/error.h"

#include <stdint.h>

/* count * size bytes, all zero.  count >= 0; a block of 0 bytes is a valid pointer. */
void *memory_new(int64_t count, size_t size, struct error *err);

/* Resize block (may be NULL) to count * size bytes; new bytes are undefined.  On failure block
 * stays valid. */
void *memory_resize(void *block, int64_t count, size_t size, struct error *err);

/* Make *capacity at least `needed` elements.  A growing array at least doubles, so that appending
 * is O(1); elements that are never touched cost address space only.  On failure block and *capacity
 * stay as they were. */
void *memory_reserve(void *block, int64_t *capacity, int64_t needed, size_t size,
                     struct error *err);

/* Only the first `used` of a block's `capacity` elements are in use: in a build with the address
 * sanitizer a touch of the others is an error, until the next call.  Elsewhere it does nothing.
 * memory_reserve calls it. */
void memory_fence(void *block, int64_t used, int64_t capacity, size_t size);

/* The first whole cache line of a block that has MEMORY_LINE bytes to spare. */
enum { MEMORY_LINE = 64 };
static inline void *memory_cache_line(void *block)
{
    return (char *)block + (MEMORY_LINE - (uintptr_t)block % MEMORY_LINE) % MEMORY_LINE;
}

void memory_free(void *block); /* NULL is fine */

/* Let the threads share one heap, and give large blocks back to the system when they are freed,
 * where the system's allocator can be told to; for programs, at their start. */
void memory_start(void);

/* Keep the memory of blocks that are freed from now on for the next ones, in a program that has
 * called memory_start (the allocator of others is theirs) and where the system's allocator can be
 * told to; for work that takes blocks of the same sizes again and again.  Memory that the system
 * gives anew it zeroes page by page: measured on text (r8), a quarter of the time of a run. */
void memory_keep(void);

/* How many bytes this process may use in all: the least of the machine's memory, the address space
 * and data limits (ulimit -v, -d) and the control group's limit; of the machine's and the group's,
 * ranks on one machine (reduce.h) have equal shares. */
double memory_limit(void);

/* What a program may plan with: four fifths of that, as pages of files, stacks and the heap's own
 * needs take the rest. */
double memory_budget(void);

/* Refuse what cannot fit before it is allocated: 0, or -1 with a message that gives the bytes.
 * what: completes "not enough memory for ...", for instance "a model of 2147483647 features x 10
 * classes". */
int memory_check(double bytes, const char *what, struct error *err);

/* A number of bytes for people: "812 MB".  out: at least 32 bytes.  Returns out. */
char *memory_text(double bytes, char *out);

#endif
