#include "common/base/input.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool input_is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int64_t input_start(const char *name, const char *text, int64_t size, struct error *err)
{
    if (size >= 2 && memcmp(text, "\x1f\x8b", 2) == 0)
        return error_at(err, name, 1, 1, "gzip data: unpack it on the way, zcat %s | PROGRAM -",
                        strcmp(name, "<stdin>") == 0 ? "FILE" : name);
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int input_read(const char *path, char **text, int64_t *size, bool *cut, struct error *err)
{
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
    char *block = NULL;
    int64_t capacity = 0, used = 0;
    ssize_t got = fd < 0 ? -1 : 1;
    int status = 0;
    while (status == 0 && got > 0) {
        /* Doubling, so that an endless input meets the limit and not the end of the machine's
         * memory. */
        int64_t wanted = used < 1 << 15 ? 1 << 16 : 2 * used;
        char *more = memory_check((double)wanted, input_name(path), err) == 0
                         ? memory_reserve(block, &capacity, wanted, 1, err)
                         : NULL;
        if (!more) {
            status = -1;
            break;
        }
        block = more;
        while (used < wanted - 1 - NUMBER_PAD
               && (got = read(fd, block + used, (size_t)(wanted - 1 - NUMBER_PAD - used))) != 0) {
            if (got < 0 && errno != EINTR)
                break;
            used += got > 0 ? got : 0;
        }
    }
    if (got < 0)
        status = error_system(err, input_name(path));
    if (fd > 0)
        close(fd);
    if (status != 0) {
        memory_free(block);
        return -1;
    }
    *cut = used > 0 && block[used - 1] != '\n';
    if (*cut)
        block[used++] = '\n';
    memset(block + used, 0, NUMBER_PAD);
    *text = block;
    *size = used;
    return 0;
}
