/* The allocator, and the limit that large requests are checked against before they are made.  An
 * operating system may grant address space that it cannot back with memory, and kill the process
 * when it is used: so the success of malloc says little, hence memory_limit and memory_check. */
#include "common/base/memory.h"

#include "common/base/reduce.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
    #include <malloc.h>
#endif

#if defined(__has_feature)
    #if __has_feature(address_sanitizer) /* clang's way to tell */
        #define __SANITIZE_ADDRESS__ 1
    #endif
#endif
#ifdef __SANITIZE_ADDRESS__
    #include <sanitizer/asan_interface.h>
#endif

/* The fault tests build this file with these names pointing to allocators that fail on demand. */
#ifdef MEMORY_TEST
void *test_calloc(size_t count, size_t size);
void *test_realloc(void *block, size_t size);
    #define calloc test_calloc
    #define realloc test_realloc
#endif

/* Is count * size a size that an object may have?  If not, err says so. */
static bool memory_fits(int64_t count, size_t size, struct error *err)
{
    assert(size > 0);
    if (count >= 0 && (uint64_t)count <= (uint64_t)(SIZE_MAX / 2) / size)
        return true;
    error_set(err, "out of memory: %lld elements of %zu bytes", (long long)count, size);
    return false;
}

/* Returns block; when it is NULL, err says how much was asked for. */
static void *memory_checked(void *block, int64_t count, size_t size, struct error *err)
{
    char text[32];
    if (!block)
        error_set(err, "out of memory: %s more needed",
                  memory_text((double)count * (double)size, text));
    return block;
}

void *memory_new(int64_t count, size_t size, struct error *err)
{
    if (!memory_fits(count, size, err))
        return NULL;
    return memory_checked(calloc(count ? (size_t)count : 1, size), count, size, err);
}

void *memory_resize(void *block, int64_t count, size_t size, struct error *err)
{
    if (!memory_fits(count, size, err))
        return NULL;
    return memory_checked(realloc(block, count ? (size_t)count * size : 1), count, size, err);
}

void *memory_reserve(void *block, int64_t *capacity, int64_t needed, size_t size, struct error *err)
{
    if (block && needed <= *capacity) {
        memory_fence(block, needed, needed, size); /* what was asked for before stays in use */
        return block;
    }
    enum { LEAST = 16 }; /* elements; saves the first few moves of an array that grows by one */
    int64_t count = *capacity > needed / 2 ? *capacity * 2 : needed;
    if (count < LEAST)
        count = LEAST;
    void *bigger = memory_resize(block, count, size, err);
    if (bigger) {
        *capacity = count;
        memory_fence(bigger, needed, count, size);
    }
    return bigger;
}

void memory_fence(void *block, int64_t used, int64_t capacity, size_t size)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(block, (size_t)used * size);
    ASAN_POISON_MEMORY_REGION((char *)block + (size_t)used * size,
                              (size_t)(capacity - used) * size);
#else
    (void)block, (void)used, (void)capacity, (void)size;
#endif
}

void memory_free(void *block)
{
    free(block);
}

/* Has memory_start been called? */
static bool memory_is_own;

void memory_start(void)
{
    memory_is_own = true;
#ifdef M_ARENA_MAX
    /* glibc gives each thread that allocates a heap of its own, of 64 MB of addresses, which keeps
     * what the thread has freed: with many threads that is several times what they need at once.
     * Ours allocate little, and share that of the program. */
    mallopt(M_ARENA_MAX, 1);
#endif
#ifdef M_MMAP_THRESHOLD
    /* Blocks from this size on stay out of the heap.  By itself glibc begins so, but takes ever
     * larger ones from it once such have been freed, and what is free between those in use is kept
     * from the system.  Measured on a sparse set of 20000 examples: the peak is 90 MB in place of
     * 96 to 102, in the same time. */
    enum { MAPPED = 128 << 10 }; /* bytes */
    mallopt(M_MMAP_THRESHOLD, MAPPED);
#endif
}

void memory_keep(void)
{
#if defined M_TRIM_THRESHOLD && defined M_MMAP_THRESHOLD
    enum {
        MAPPED = 32 << 20, /* bytes; larger blocks are given back: what glibc comes to by itself */
        HEAP = 1 << 30     /* bytes that are kept: all */
    };
    if (memory_is_own && mallopt(M_MMAP_THRESHOLD, MAPPED) != 0)
        mallopt(M_TRIM_THRESHOLD, HEAP);
#endif
}

/* The lesser of `limit` and the soft limit on a resource. */
static double memory_resource_limit(int resource, double limit)
{
    struct rlimit r;
    if (getrlimit(resource, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
        return limit;
    return (double)r.rlim_cur < limit ? (double)r.rlim_cur : limit;
}

/* The lesser of `limit` and that of the control group: a container is given less than the machine
 * has.  The file is absent elsewhere, and holds "max" where there is no limit. */
static double memory_group_limit(double limit)
{
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (!f)
        return limit;
    double group;
    if (fscanf(f, "%lf", &group) == 1 && group / reduce_neighbours() < limit)
        limit = group / reduce_neighbours();
    fclose(f);
    return limit;
}

double memory_limit(void)
{
    double limit = 0x1p62; /* of a system that does not say how much memory it has */
    const double pages = (double)sysconf(_SC_PHYS_PAGES);
    if (pages > 0)
        limit = pages * (double)sysconf(_SC_PAGESIZE) / reduce_neighbours();
#ifdef RLIMIT_AS /* OpenBSD has none */
    limit = memory_resource_limit(RLIMIT_AS, limit);
#endif
    limit = memory_resource_limit(RLIMIT_DATA, limit);
    const double addresses = (double)(SIZE_MAX / 2); /* about what a 32-bit process can use */
    return memory_group_limit(limit < addresses ? limit : addresses);
}

double memory_budget(void)
{
    return 0.8 * memory_limit();
}

int memory_check(double bytes, const char *what, struct error *err)
{
    enum { NOT_WORTH_IT = 16000000 }; /* bytes; finding the limit takes several system calls */
    if (bytes < NOT_WORTH_IT)
        return 0;
    const double limit = memory_limit();
    if (bytes <= limit)
        return 0;
    char need[32], have[32];
    return error_set(err, "not enough memory for %s: %s (%.0f bytes) needed, %s may be used", what,
                     memory_text(bytes, need), bytes, memory_text(limit, have));
}

char *memory_text(double bytes, char *out)
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    int u = 0;
    while (bytes >= 1000 && u < 6) {
        bytes /= 1000;
        u++;
    }
    snprintf(out, 32, u && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
    return out;
}
