#include "common/base/memory.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The fault tests build this file with these names pointing to allocators that fail on demand. */
#ifdef MEMORY_TEST
void *test_calloc(size_t count, size_t size);
void *test_realloc(void *block, size_t size);
    #define calloc test_calloc
    #define realloc test_realloc
#endif

static int fits(int64_t count, size_t size, struct error *err)
{
    if (count >= 0 && (uint64_t)count <= (uint64_t)(SIZE_MAX / 2) / size)
        return 1;
    error_set(err, "out of memory: %lld elements of %zu bytes", (long long)count, size);
    return 0;
}

static void *checked(void *block, int64_t count, size_t size, struct error *err)
{
    char text[32];
    if (!block)
        error_set(err, "out of memory: %s more are needed",
                  memory_text((double)count * (double)size, text));
    return block;
}

void *memory_new(int64_t count, size_t size, struct error *err)
{
    if (!fits(count, size, err))
        return NULL;
    return checked(calloc(count ? (size_t)count : 1, size), count, size, err);
}

void *memory_resize(void *block, int64_t count, size_t size, struct error *err)
{
    if (!fits(count, size, err))
        return NULL;
    return checked(realloc(block, count ? (size_t)count * size : 1), count, size, err);
}

void *memory_reserve(void *block, int64_t *capacity, int64_t needed, size_t size, struct error *err)
{
    if (block && needed <= *capacity)
        return block;
    int64_t count = *capacity > needed / 2 ? *capacity * 2 : needed;
    if (count < 16)
        count = 16;
    void *bigger = memory_resize(block, count, size, err);
    if (bigger)
        *capacity = count;
    return bigger;
}

void memory_free(void *block)
{
    free(block);
}

double memory_limit(void)
{
    const double pages = (double)sysconf(_SC_PHYS_PAGES);
    double limit = pages > 0 ? pages * (double)sysconf(_SC_PAGESIZE)
                             : 0x1p62; /* a system that does not say */
    struct rlimit r;
#ifdef RLIMIT_AS /* OpenBSD has none */
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY && (double)r.rlim_cur < limit)
        limit = (double)r.rlim_cur;
#endif
    if (getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur != RLIM_INFINITY
        && (double)r.rlim_cur < limit)
        limit = (double)r.rlim_cur;
    /* Containers are given less than the machine has; the file is absent elsewhere, and holds "max"
     * when unlimited. */
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (f) {
        double group;
        if (fscanf(f, "%lf", &group) == 1 && group < limit)
            limit = group;
        fclose(f);
    }
    return limit;
}

double memory_budget(void)
{
    return 0.8 * memory_limit();
}

int memory_check(double bytes, const char *what, struct error *err)
{
    double limit = bytes < 16e6 ? bytes : memory_limit(); /* finding the limit is not free */
    if (bytes <= limit)
        return 0;
    char need[32], have[32];
    return error_set(err, "%s needs %s (%.0f bytes); this process may have %s", what,
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
