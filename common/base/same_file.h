/* Are two names the same file?  By device and inode, so that links, `./d` and /dev/stdin are seen
 * through. */
#ifndef COMMON_BASE_SAME_FILE_H
#define COMMON_BASE_SAME_FILE_H

#include <stdbool.h>

/* How a run uses a file.  The path "-" is standard output when it is written, else standard
 * input. */
struct file_use {
    const char *path;
    bool written;
};

/* True where writing through one name would destroy what the other stands for: both are the same
 * regular file, the same file that does not exist yet, or standard output twice.  Pipes and
 * devices, /dev/null say, can be shared. */
bool same_file(const struct file_use *a, const struct file_use *b);

#endif
