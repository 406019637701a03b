/* Do two names mean the same file?  Decided by device and inode, so that links, `./d` and
 * /dev/stdin are recognised. */
#ifndef COMMON_BASE_SAME_FILE_H
#define COMMON_BASE_SAME_FILE_H

#include <stdbool.h>

/* How a run uses a file.  The path "-" is standard output when it is written, else standard
 * input. */
struct file_use {
    const char *path;
    bool written;
};

/* Would writing to one destroy the other?  True for the same regular file, the same file that does
 * not exist yet, and standard output twice.  Pipes and devices, /dev/null say, can be shared. */
bool same_file(const struct file_use *a, const struct file_use *b);

/* Are both read from the same pipe, by whatever names? */
bool same_pipe(const struct file_use *a, const struct file_use *b);

#endif
