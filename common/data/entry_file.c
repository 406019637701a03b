/* Indices and values have a file each, so that both are aligned in every window and one position
 * serves for both.  Windows that are given back are kept for the next taker: there are never more
 * than threads that read at once. */
#include "common/data/entry_file.h"

#include "common/base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fault tests build this file with these names pointing to calls that fail on demand. */
#ifdef ENTRY_FILE_TEST
ssize_t test_pread(int fd, void *to, size_t size, off_t at);
ssize_t test_pwrite(int fd, const void *from, size_t size, off_t at);
    #define pread test_pread
    #define pwrite test_pwrite
#endif

struct entry_file {
    int index, value; /* descriptors */
    int64_t count;    /* entries */
    char *folder;
    pthread_mutex_t lock; /* of the rest */
    struct entry_window *unused;
    bool failed;
    struct error why;
};

/* A file without a name.  -1 with err. */
static int entry_file_create(const char *folder, struct error *err)
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
        error_system(err, folder);
    else
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    memory_free(path);
    return fd;
}

struct entry_file *entry_file_open(const char *folder, struct error *err)
{
    struct entry_file *file = memory_new(1, sizeof *file, err);
    if (!file)
        return NULL;
    file->index = file->value = -1;
    pthread_mutex_init(&file->lock, NULL);
    if ((file->folder = memory_new((int64_t)strlen(folder) + 1, 1, err))) {
        memcpy(file->folder, folder, strlen(folder));
        file->index = entry_file_create(folder, err);
        if (file->index >= 0)
            file->value = entry_file_create(folder, err);
    }
    if (file->value >= 0)
        return file;
    entry_file_free(file);
    return NULL;
}

const char *entry_file_folder(const struct entry_file *file)
{
    return file->folder;
}

/* 0, or -1 with errno. */
static int entry_file_write(int fd, const void *from, int64_t size, int64_t at)
{
    const char *bytes = from;
    while (size > 0) {
        const ssize_t wrote = pwrite(fd, bytes, (size_t)size, (off_t)at);
        if (wrote < 0 && errno != EINTR)
            return -1;
        if (wrote > 0) {
            bytes += wrote;
            size -= wrote;
            at += wrote;
        }
    }
    return 0;
}

int entry_file_append(struct entry_file *file, const int32_t *index, const double *value,
                      int64_t count, struct error *err)
{
    const int64_t at = file->count;
    if (entry_file_write(file->index, index, count * (int64_t)sizeof *index,
                         at * (int64_t)sizeof *index)
            != 0
        || entry_file_write(file->value, value, count * (int64_t)sizeof *value,
                            at * (int64_t)sizeof *value)
               != 0)
        return error_system(err, file->folder);
    file->count += count;
    return 0;
}

/* Remember why something has failed, the first time. */
static void entry_file_fail(struct entry_file *file, const struct error *why)
{
    pthread_mutex_lock(&file->lock);
    if (!file->failed)
        file->why = *why;
    file->failed = true;
    pthread_mutex_unlock(&file->lock);
}

struct entry_window *entry_file_take(struct entry_file *file)
{
    struct error why = {0};
    pthread_mutex_lock(&file->lock);
    struct entry_window *window = file->unused;
    if (window)
        file->unused = window->next;
    pthread_mutex_unlock(&file->lock);
    if (!window && !(window = memory_new(1, sizeof *window, &why)))
        entry_file_fail(file, &why);
    if (window)
        window->start = window->count = window->first = window->end = 0;
    return window;
}

void entry_file_give(struct entry_file *file, struct entry_window *window)
{
    pthread_mutex_lock(&file->lock);
    window->next = file->unused;
    file->unused = window;
    pthread_mutex_unlock(&file->lock);
}

/* Make space for so many entries.  What the window had is lost.  0 or -1. */
static int entry_file_widen(struct entry_window *window, int64_t count, struct error *err)
{
    if (count <= window->capacity)
        return 0;
    if (count < ENTRY_WINDOW)
        count = ENTRY_WINDOW;
    memory_free(window->index);
    memory_free(window->value);
    window->capacity = 0;
    window->value = NULL;
    if (!(window->index = memory_new(count, sizeof *window->index, err))
        || !(window->value = memory_new(count, sizeof *window->value, err)))
        return -1;
    window->capacity = count;
    return 0;
}

/* 0, or -1 with err. */
static int entry_file_fetch(const struct entry_file *file, int fd, void *to, int64_t size,
                            int64_t at, struct error *err)
{
    char *bytes = to;
    while (size > 0) {
        const ssize_t got = pread(fd, bytes, (size_t)size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(err, file->folder);
        if (got == 0)
            return error_at(err, file->folder, 0, 0, "a temporary file has become shorter");
        bytes += got;
        size -= got;
        at += got;
    }
    return 0;
}

int entry_file_read(struct entry_file *file, struct entry_window *window, int64_t start,
                    int64_t count)
{
    struct error why = {0};
    window->start = start;
    window->count = count;
    if (entry_file_widen(window, count, &why) == 0
        && entry_file_fetch(file, file->index, window->index,
                            count * (int64_t)sizeof *window->index,
                            start * (int64_t)sizeof *window->index, &why)
               == 0
        && entry_file_fetch(file, file->value, window->value,
                            count * (int64_t)sizeof *window->value,
                            start * (int64_t)sizeof *window->value, &why)
               == 0)
        return 0;
    window->count = 0;
    entry_file_fail(file, &why);
    return -1;
}

int entry_file_check(struct entry_file *file, struct error *err)
{
    pthread_mutex_lock(&file->lock);
    const bool failed = file->failed;
    pthread_mutex_unlock(&file->lock);
    if (failed && err)
        *err = file->why;
    return failed ? -1 : 0;
}

double entry_file_bytes(int threads)
{
    return (double)threads * ENTRY_WINDOW * (double)(sizeof(int32_t) + sizeof(double));
}

void entry_file_free(struct entry_file *file)
{
    if (!file)
        return;
    while (file->unused) {
        struct entry_window *window = file->unused;
        file->unused = window->next;
        memory_free(window->index);
        memory_free(window->value);
        memory_free(window);
    }
    if (file->index >= 0)
        close(file->index);
    if (file->value >= 0)
        close(file->value);
    pthread_mutex_destroy(&file->lock);
    memory_free(file->folder);
    memory_free(file);
}
