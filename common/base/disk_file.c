/* An open file without a name takes space until it is closed, which the system does at the latest
 * when the program ends. */
#include "common/base/disk_file.h"

#include "common/base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fault tests build this file with these names pointing to calls that fail on demand. */
#ifdef DISK_FILE_TEST
ssize_t test_pread(int fd, void *to, size_t size, off_t at);
ssize_t test_pwrite(int fd, const void *from, size_t size, off_t at);
    #define pread test_pread
    #define pwrite test_pwrite
#endif

struct disk_file {
    int fd;
    char *folder;
    pthread_mutex_t lock; /* of the rest */
    bool failed;
    struct error why;
};

/* What errno says of a temporary file, which nobody may have asked for.  Returns -1. */
static int disk_file_refuse(const char *folder, struct error *err)
{
    return error_at(err, folder, 0, 0, "temporary file: %s (--disk or $TMPDIR: another folder)",
                    strerror(errno));
}

/* A file without a name.  -1 with err. */
static int disk_file_create(const char *folder, struct error *err)
{
    static const char name[] = "/.libdoubt-XXXXXX";
    sigset_t all, before;
    char *path = memory_new((int64_t)(strlen(folder) + sizeof name), 1, err);
    if (!path)
        return -1;
    memcpy(path, folder, strlen(folder));
    memcpy(path + strlen(folder), name, sizeof name);
    /* No signal may end the program while the file has a name. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int fd = mkstemp(path);
    if (fd < 0)
        disk_file_refuse(folder, err);
    else
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    memory_free(path);
    return fd;
}

struct disk_file *disk_file_open(const char *folder, struct error *err)
{
    struct disk_file *file = memory_new(1, sizeof *file, err);
    if (!file)
        return NULL;
    file->fd = -1;
    pthread_mutex_init(&file->lock, NULL);
    if ((file->folder = memory_new((int64_t)strlen(folder) + 1, 1, err))) {
        memcpy(file->folder, folder, strlen(folder));
        file->fd = disk_file_create(folder, err);
    }
    if (file->fd >= 0)
        return file;
    disk_file_free(file);
    return NULL;
}

const char *disk_file_folder(const struct disk_file *file)
{
    return file->folder;
}

int disk_file_write(struct disk_file *file, const void *from, int64_t size, int64_t at,
                    struct error *err)
{
    const char *bytes = from;
    while (size > 0) {
        const ssize_t wrote = pwrite(file->fd, bytes, (size_t)size, (off_t)at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return disk_file_refuse(file->folder, err);
        bytes += wrote;
        size -= wrote;
        at += wrote;
    }
    return 0;
}

int disk_file_read(struct disk_file *file, void *to, int64_t size, int64_t at, struct error *err)
{
    char *bytes = to;
    while (size > 0) {
        const ssize_t got = pread(file->fd, bytes, (size_t)size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return disk_file_refuse(file->folder, err);
        if (got == 0)
            return error_at(err, file->folder, 0, 0,
                            "a temporary file is shorter than it should be");
        bytes += got;
        size -= got;
        at += got;
    }
    return 0;
}

void disk_file_fail(struct disk_file *file, const struct error *why)
{
    pthread_mutex_lock(&file->lock);
    if (!file->failed)
        file->why = *why;
    file->failed = true;
    pthread_mutex_unlock(&file->lock);
}

int disk_file_check(struct disk_file *file, struct error *err)
{
    pthread_mutex_lock(&file->lock);
    const bool failed = file->failed;
    pthread_mutex_unlock(&file->lock);
    if (failed && err)
        *err = file->why;
    return failed ? -1 : 0;
}

void disk_file_free(struct disk_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    pthread_mutex_destroy(&file->lock);
    memory_free(file->folder);
    memory_free(file);
}
