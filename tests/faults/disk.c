/* Reads and writes of temporary files, for common/base/disk_file.c, that fail on demand, on any
 * thread.
 *
 * DISK_FAIL_AT=n   the n-th call fails, and no other (0: none does)
 * DISK_CALLS=path  there, when the program ends, the number of calls */
#include "tests/faults/calls.h"

#include <errno.h>
#include <unistd.h>

ssize_t test_pread(int fd, void *to, size_t size, off_t at);
ssize_t test_pwrite(int fd, const void *from, size_t size, off_t at);

static int disk_fails(void)
{
    return calls_count("DISK_CALLS") == calls_number("DISK_FAIL_AT");
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
