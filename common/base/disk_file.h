/* Memory on disk: a temporary file in which bytes are written and read at places.
 *
 * The file has no name from the start on, so that nothing is left behind however the program ends.
 * It is read by pread into memory of the caller: a mapping of the file would count against the
 * limit on the address space (ulimit -v).
 *
 * Reads happen deep inside of parallel sums that cannot stop half-way.  So the file remembers the
 * first failure, and whoever uses the sums asks disk_file_check first. */
#ifndef COMMON_BASE_DISK_FILE_H
#define COMMON_BASE_DISK_FILE_H

#include "common/base/error.h"

#include <stdint.h>

struct disk_file;

/* A new file in this folder.  NULL with err. */
struct disk_file *disk_file_open(const char *folder, struct error *err);

const char *disk_file_folder(const struct disk_file *file);

/* Write or read bytes from place `at` on; several threads may.  0, or -1 with err: a full disk,
 * say, or bytes that were never written. */
int disk_file_write(struct disk_file *file, const void *from, int64_t size, int64_t at,
                    struct error *err);
int disk_file_read(struct disk_file *file, void *to, int64_t size, int64_t at, struct error *err);

/* Remember why something has failed, unless something has before. */
void disk_file_fail(struct disk_file *file, const struct error *why);

/* 0, or -1 with the err that is remembered. */
int disk_file_check(struct disk_file *file, struct error *err);

/* NULL is fine. */
void disk_file_free(struct disk_file *file);

#endif
