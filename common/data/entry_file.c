/* Indices and values have a file each, so that both are aligned in every window and one position
 * serves for both.  Windows that are given back are kept for the next taker: there are never more
 * than threads that read at once. */
#include "common/data/entry_file.h"

#include "common/base/memory.h"

#include <pthread.h>

struct entry_file {
    struct disk_file *index, *value; /* the first remembers failures of both */
    int64_t count;                   /* entries */
    pthread_mutex_t lock;            /* of the rest */
    struct entry_window *unused;
};

struct entry_file *entry_file_open(const char *folder, struct error *err)
{
    struct entry_file *file = memory_new(1, sizeof *file, err);
    if (!file)
        return NULL;
    pthread_mutex_init(&file->lock, NULL);
    if ((file->index = disk_file_open(folder, err)) && (file->value = disk_file_open(folder, err)))
        return file;
    entry_file_free(file);
    return NULL;
}

const char *entry_file_folder(const struct entry_file *file)
{
    return disk_file_folder(file->index);
}

/* Bytes of so many indices, or values. */
static int64_t entry_file_indices(int64_t count)
{
    return count * (int64_t)sizeof(int32_t);
}

static int64_t entry_file_values(int64_t count)
{
    return count * (int64_t)sizeof(double);
}

int entry_file_append(struct entry_file *file, const int32_t *index, const double *value,
                      int64_t count, struct error *err)
{
    const int64_t at = file->count;
    if (disk_file_write(file->index, index, entry_file_indices(count), entry_file_indices(at), err)
            != 0
        || disk_file_write(file->value, value, entry_file_values(count), entry_file_values(at), err)
               != 0)
        return -1;
    file->count += count;
    return 0;
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
        disk_file_fail(file->index, &why);
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

int entry_file_read(struct entry_file *file, struct entry_window *window, int64_t start,
                    int64_t count)
{
    struct error why = {0};
    window->start = start;
    window->count = count;
    if (entry_file_widen(window, count, &why) == 0
        && disk_file_read(file->index, window->index, entry_file_indices(count),
                          entry_file_indices(start), &why)
               == 0
        && disk_file_read(file->value, window->value, entry_file_values(count),
                          entry_file_values(start), &why)
               == 0)
        return 0;
    window->count = 0;
    disk_file_fail(file->index, &why);
    return -1;
}

int entry_file_check(struct entry_file *file, struct error *err)
{
    return disk_file_check(file->index, err);
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
    disk_file_free(file->index);
    disk_file_free(file->value);
    pthread_mutex_destroy(&file->lock);
    memory_free(file);
}
