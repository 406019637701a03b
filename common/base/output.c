#include "common/base/output.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary files that there are, for a handler of signals, which may run on any thread.  A
 * name is written before its slot is in use and stays as it is until then; one too long for a slot,
 * or beyond the last, is not removed by a signal. */
enum { UNFINISHED = 8, LONGEST_NAME = 4096 };
static struct {
    _Atomic int in_use;
    char name[LONGEST_NAME];
} unfinished[UNFINISHED];

/* Returns the slot, or NULL. */
static _Atomic int *output_register(const char *name)
{
    for (int i = 0; i < UNFINISHED && strlen(name) < LONGEST_NAME; i++)
        if (!atomic_load(&unfinished[i].in_use)) {
            strcpy(unfinished[i].name, name);
            atomic_store(&unfinished[i].in_use, 1);
            return &unfinished[i].in_use;
        }
    return NULL;
}

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

/* Create .libdoubt-PID-N.tmp beside the target, N = 0, or more when a killed program has left one
 * of that name. */
static int create_beside(struct output *out, struct error *err)
{
    size_t room = strlen(out->path) + 64;
    const char *slash = strrchr(out->path, '/');
    int folder = slash ? (int)(slash + 1 - out->path) : 0; /* how much of the path names it */
    out->temporary = memory_new((int64_t)room, 1, err);
    if (!out->temporary)
        return -1;
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(out->temporary, room, "%.*s.libdoubt-%ld-%d.tmp", folder, out->path,
                 (long)getpid(), attempt);
        out->registered = output_register(
            out->temporary); /* before it is there: a signal may come in between */
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (out->fd >= 0 || errno != EEXIST)
            break;
        output_forget(out);
    }
    if (out->fd < 0) {
        error_system(err, out->name);
        output_forget(out);
        memory_free(out->temporary);
        out->temporary = NULL;
        return -1;
    }
    return 0;
}

int output_open(struct output *out, const char *path, struct error *err)
{
    *out = (struct output){.fd = -1, .name = path};
    out->buffer = memory_new(OUTPUT_BUFFER, 1, err);
    if (!out->buffer)
        return -1;
    if (strcmp(path, "-") == 0) {
        out->name = "<stdout>";
        out->fd = 1;
        return 0;
    }
    struct stat st;
    int exists = stat(path, &st) == 0;
    int status = 0;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        status = error_system(err, path);
    } else if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY);
        if (out->fd < 0)
            status = error_system(err, path);
    } else {
        /* Beside the file itself, not beside a symbolic link to it. */
        char *real = exists ? realpath(path, NULL) : NULL;
        const char *target = real ? real : path;
        out->path = memory_new((int64_t)strlen(target) + 1, 1, err);
        if (out->path)
            memcpy(out->path, target, strlen(target));
        free(real);
        status = out->path ? create_beside(out, err) : -1;
        if (status == 0 && exists)
            (void)!fchmod(out->fd,
                          st.st_mode & 0777); /* as the old file; a refusal is no failure */
    }
    if (status != 0)
        output_abandon(out);
    return status;
}

int output_check(const char *path, struct error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0
        || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return 0; /* to open a pipe or a device is to act on it */
    struct output out;
    if (output_open(&out, path, err) != 0)
        return -1;
    output_abandon(&out);
    return 0;
}

static void write_all(struct output *out, const char *bytes, int64_t size)
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
    if (size > OUTPUT_BUFFER - out->used) {
        write_all(out, out->buffer, out->used);
        out->used = 0;
        if (size >= OUTPUT_BUFFER) {
            write_all(out, bytes, size);
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
    write_all(out, out->buffer, out->used);
    out->used = 0;
    if (out->failed) {
        errno = out->failed;
        return error_system(err, out->name);
    }
    return 0;
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
    return status == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : -1;
}

int output_commit(struct output *out, struct error *err)
{
    int status = output_flush(out, err);
    if (status == 0 && out->fd != 1) {
        const int fd = out->fd;
        const bool synced = !out->temporary || output_sync(fd) == 0;
        out->fd = -1;
        if (!synced) {
            status = error_system(err, out->name);
            close(fd);
        } else if (close(fd) != 0 || (out->temporary && rename(out->temporary, out->path) != 0))
            status = error_system(err, out->name);
        else if (out->temporary)
            out->temporary[0] = '\0'; /* it is the target now */
    }
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
