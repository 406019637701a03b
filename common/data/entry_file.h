/* The entries of examples on disk (disk_file.h) instead of in memory, read in windows.
 *
 * A read that fails gives nothing, and the file remembers why: see entry_file_check. */
#ifndef COMMON_DATA_ENTRY_FILE_H
#define COMMON_DATA_ENTRY_FILE_H

#include "common/base/disk_file.h"

#include <stdint.h>

struct entry_file;

/* Entries start .. start + count - 1 of the file. */
struct entry_window {
    int64_t start, count;
    int32_t *index; /* count */
    double *value;  /* count */
    int64_t capacity;
    int64_t first, end; /* for the user: which examples these are */
    struct entry_window *next;
};

/* Entries that a window usually has at most, and those of the first after a jump: no reason but
 * that they work. */
enum { ENTRY_WINDOW = 1 << 16, ENTRY_WINDOW_LEAST = 1 << 10 };

/* A new file in this folder.  NULL with err. */
struct entry_file *entry_file_open(const char *folder, struct error *err);

const char *entry_file_folder(const struct entry_file *file);

/* Append entries.  0, or -1 with err: a full disk, say. */
int entry_file_append(struct entry_file *file, const int32_t *index, const double *value,
                      int64_t count, struct error *err);

/* A window for one thread, empty, to be given back.  NULL: entry_file_check says why. */
struct entry_window *entry_file_take(struct entry_file *file);
void entry_file_give(struct entry_file *file, struct entry_window *window);

/* Read entries, which have been written, into a window.  0, or -1: entry_file_check says why, and
 * the window is empty. */
int entry_file_read(struct entry_file *file, struct entry_window *window, int64_t start,
                    int64_t count);

/* 0; or -1 with err once a read has failed, or a window had no memory. */
int entry_file_check(struct entry_file *file, struct error *err);

/* Bytes in memory where so many threads read at once, if no example is longer than a window. */
double entry_file_bytes(int threads);

/* Bytes of an entry on the disk. */
enum { ENTRY_BYTES = 12 };

/* NULL is fine. */
void entry_file_free(struct entry_file *file);

#endif
