/* Output files that appear whole or not at all.
 *
 * A regular target is written to a temporary file in the same folder, so that rename, which is
 * atomic within a file system, can put it into place.  The names of unfinished temporary files are
 * kept in a static table, because the handler of a signal that ends the program must find them
 * without a lock and without allocating (unlink is safe in a handler). */
#include "common/base/output.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/reduce.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The unfinished temporary files.  A signal handler may read a slot at any moment and on any
 * thread, so a name is complete before in_use is set and does not change while it is.  A name that
 * is too long for a slot, or that finds no free one, is not removed by a signal. */
enum { UNFINISHED = 8, LONGEST_NAME = 4096 };
static struct {
    _Atomic int in_use;
    char name[LONGEST_NAME];
} unfinished[UNFINISHED];

/* Put a name into a free slot.  Returns the slot's in_use, or NULL. */
static _Atomic int *output_register(const char *name)
{
    if (strlen(name) >= LONGEST_NAME)
        return NULL;
    for (int i = 0; i < UNFINISHED; i++)
        if (!atomic_load(&unfinished[i].in_use)) {
            strcpy(unfinished[i].name, name);
            atomic_store(&unfinished[i].in_use, 1);
            return &unfinished[i].in_use;
        }
    return NULL;
}

/* Free the output's slot, if it has one. */
static void output_forget(struct output *out)
{
    if (out->registered)
        atomic_store(out->registered, 0);
    out->registered = NULL;
}

void output_remove_unfinished(void)
{
    for (int i = 0; i < UNFINISHED; i++)
        if (atomic_load(&unfinished[i].in_use))
            unlink(unfinished[i].name);
}

/* Create .libdoubt-PID-N.tmp in the target's folder and set out->temporary and out->fd.  replaces:
 * is there a target, which might be written itself?  N is 0, or larger where a killed program of
 * the same PID has left such a file.  0, or -1 with err and nothing to clean up. */
static int output_create_temporary(struct output *out, bool replaces, struct error *err)
{
    enum { SUFFIX = 64, ATTEMPTS = 1000 };
    const size_t size = strlen(out->path) + SUFFIX;
    const char *slash = strrchr(out->path, '/');
    const int folder = slash ? (int)(slash + 1 - out->path) : 0; /* length of that part of path */
    out->temporary = memory_new((int64_t)size, 1, err);
    if (!out->temporary)
        return -1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(out->temporary, size, "%.*s.libdoubt-%ld-%d.tmp", folder, out->path,
                 (long)getpid(), attempt);
        /* Registered before it exists: a signal may come between the two. */
        out->registered = output_register(out->temporary);
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (out->fd >= 0 || errno != EEXIST)
            break;
        output_forget(out);
    }
    if (out->fd < 0) {
        if (replaces)
            error_at(err, out->name, 0, 0, "no new file in its folder: %s", strerror(errno));
        else
            error_system(err, out->name);
        output_forget(out);
        memory_free(out->temporary);
        out->temporary = NULL;
        return -1;
    }
    return 0;
}

/* Follow symbolic links from out->path on, the last of which leads to nothing yet.  0 or -1
 * (memory). */
static int output_follow_links(struct output *out, struct error *err)
{
    enum { LONGEST = 4096, MOST_LINKS = 40 };
    char to[LONGEST];
    for (int followed = 0; followed < MOST_LINKS; followed++) {
        const ssize_t length = readlink(out->path, to, sizeof to);
        if (length <= 0 || length == LONGEST)
            return 0;
        const char *slash = strrchr(out->path, '/');
        const size_t folder = to[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - out->path);
        char *path = memory_new((int64_t)folder + length + 1, 1, err);
        if (!path)
            return -1;
        memcpy(path, out->path, folder);
        memcpy(path + folder, to, (size_t)length);
        memory_free(out->path);
        out->path = path;
    }
    return 0;
}

/* Open the temporary file for a regular target.  old: the target's state; NULL: it does not exist
 * yet.  0 or -1. */
static int output_open_regular(struct output *out, const char *path, const struct stat *old,
                               struct error *err)
{
    /* In the folder of the file itself, not of a symbolic link to it. */
    char *real = old ? realpath(path, NULL) : NULL;
    const char *target = real ? real : path;
    out->path = memory_new((int64_t)strlen(target) + 1, 1, err);
    if (out->path)
        memcpy(out->path, target, strlen(target));
    free(real);
    if (!out->path || (!old && output_follow_links(out, err) != 0)
        || output_create_temporary(out, old != NULL, err) != 0)
        return -1;
    if (old)
        (void)!fchmod(out->fd, old->st_mode & 0777); /* best effort */
    return 0;
}

/* Open any target but standard output.  0 or -1. */
static int output_open_path(struct output *out, const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return output_open_regular(out, path, NULL, err);
    if (S_ISREG(st.st_mode))
        /* A rename asks only whether the folder may be written. */
        return access(path, W_OK) != 0 ? error_system(err, path)
                                       : output_open_regular(out, path, &st, err);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return error_system(err, path);
    }
    out->fd = open(path, O_WRONLY);
    return out->fd < 0 ? error_system(err, path) : 0;
}

const char *output_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdout>" : path;
}

int output_open(struct output *out, const char *path, struct error *err)
{
    *out = (struct output){.fd = -1, .name = output_name(path)};
    out->buffer = memory_new(OUTPUT_BUFFER, 1, err);
    if (!out->buffer)
        return -1;
    if (reduce_rank() > 0)
        path = "/dev/null";
    if (strcmp(path, "-") == 0) {
        out->fd = 1;
        return 0;
    }
    if (output_open_path(out, path, err) == 0)
        return 0;
    output_abandon(out);
    return -1;
}

int output_check(const char *path, struct error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return 0;
    /* Opening a pipe or a device has effects of its own. */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    struct output out;
    if (output_open(&out, path, err) != 0)
        return -1;
    output_abandon(&out);
    return 0;
}

/* Write past the buffer.  The first failure is kept in out->failed and ends all writing. */
static void output_write_all(struct output *out, const char *bytes, int64_t size)
{
    while (size > 0 && !out->failed) {
        ssize_t wrote = write(out->fd, bytes, (size_t)size);
        if (wrote < 0) {
            if (errno != EINTR)
                out->failed = errno;
            continue;
        }
        bytes += wrote;
        size -= wrote;
    }
}

void output_write(struct output *out, const char *bytes, int64_t size)
{
    assert(size >= 0 && out->used >= 0 && out->used <= OUTPUT_BUFFER);
    if (size > OUTPUT_BUFFER - out->used) {
        output_write_all(out, out->buffer, out->used);
        out->used = 0;
        if (size >= OUTPUT_BUFFER) {
            output_write_all(out, bytes, size);
            return;
        }
    }
    memcpy(out->buffer + out->used, bytes, (size_t)size);
    out->used += size;
}

void output_text(struct output *out, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_write(out, text, size < (int)sizeof text ? size : (int)sizeof text - 1);
}

void output_relabelled(struct output *out, const char *line, int64_t size, int32_t label)
{
    char text[NUMBER_TEXT];
    const char *old = line + strspn(line, " \t"), *rest = old + strcspn(old, " \t\r\n");
    output_write(out, line, old - line);
    output_write(out, text, number_write_int(text, label) - text);
    output_write(out, rest, line + size - rest);
}

int output_flush(struct output *out, struct error *err)
{
    output_write_all(out, out->buffer, out->used);
    out->used = 0;
    if (!out->failed)
        return 0;
    errno = out->failed;
    return error_system(err, out->name);
}

int output_sync(int fd)
{
    int status;
#ifdef F_FULLFSYNC /* macOS: fsync leaves the bytes in the disk's own cache */
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
#endif
    while ((status = fsync(fd)) != 0 && errno == EINTR)
        ;
    /* These mean that fd is nothing that can be synchronised. */
    return status == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : -1;
}

/* Synchronise, close and rename what has been flushed.  0 or -1. */
static int output_put_into_place(struct output *out, struct error *err)
{
    if (out->temporary && output_sync(out->fd) != 0)
        return error_system(err, out->name);
    const int fd = out->fd;
    out->fd = -1; /* closed, even where close fails */
    if (close(fd) != 0)
        return error_system(err, out->name);
    if (!out->temporary)
        return 0;
    if (rename(out->temporary, out->path) != 0)
        return error_system(err, out->name);
    out->temporary[0] = '\0'; /* nothing left to remove: it is the target now */
    return 0;
}

int output_commit(struct output *out, struct error *err)
{
    int status = output_flush(out, err);
    if (status == 0 && out->fd != 1)
        status = output_put_into_place(out, err);
    output_abandon(out);
    return status;
}

void output_abandon(struct output *out)
{
    if (out->fd > 1)
        close(out->fd);
    if (out->temporary && out->temporary[0])
        unlink(out->temporary);
    output_forget(out);
    memory_free(out->path);
    memory_free(out->temporary);
    memory_free(out->buffer);
    *out = (struct output){.fd = -1};
}
