/* Reads and writes of temporary files, for common/base/disk_file.c, that fail on demand, on any
 * thread.
 *
 * DISK_FAIL_AT=n   the n-th call fails, and no other (0: none does)
 * DISK_CALLS=path  there, when the program ends, the number of calls */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t test_pread(int fd, void *to, size_t size, off_t at);
ssize_t test_pwrite(int fd, const void *from, size_t size, off_t at);

static _Atomic long disk_calls;

static void disk_report(void)
{
    FILE *file = fopen(getenv("DISK_CALLS"), "w");
    if (file) {
        fprintf(file, "%ld\n", disk_calls);
        fclose(file);
    }
}

static int disk_fails(void)
{
    const char *at = getenv("DISK_FAIL_AT");
    const long n = at ? atol(at) : 0, call = atomic_fetch_add(&disk_calls, 1) + 1;
    if (call == 1 && getenv("DISK_CALLS"))
        atexit(disk_report);
    return call == n;
}

ssize_t test_pread(int fd, void *to, size_t size, off_t at)
{
    if (!disk_fails())
        return pread(fd, to, size, at);
    errno = EIO;
    return -1;
}

ssize_t test_pwrite(int fd, const void *from, size_t size, off_t at)
{
    if (!disk_fails())
        return pwrite(fd, from, size, at);
    errno = ENOSPC;
    return -1;
}
