/* Inputs that are read whole.  The buffer doubles as bytes arrive and each doubling is checked
 * against the memory limit: an endless pipe ends in an error message and not in an exhausted
 * machine. */
#include "common/base/input.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_FIRST = 1 << 16 }; /* bytes of the first buffer; no reason but that it works */

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool input_is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool input_is_pipe(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0
           || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

const struct input_compression *input_find_compression(const char *text, int64_t size)
{
    static const struct input_compression known[] = {
        {"gzip", "zcat", "\x1f\x8b"},      {"bzip2", "bzcat", "BZh"},
        {"xz", "xzcat", "\xfd\x37zXZ"},    {"zstd", "zstdcat", "\x28\xb5\x2f\xfd"},
        {"zip", "unzip -p", "PK\x03\x04"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].magic);
        if (size >= (int64_t)length && memcmp(text, known[i].magic, length) == 0)
            return &known[i];
    }
    return NULL;
}

int64_t input_mark(const char *text, int64_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int64_t input_start(const char *name, const char *text, int64_t size, struct error *err)
{
    const struct input_compression *compression = input_find_compression(text, size);
    if (compression)
        return error_at(err, name, 1, 1, "%s data: decompress it first: %s %s | PROGRAM -",
                        compression->name, compression->command,
                        strcmp(name, "<stdin>") == 0 ? "FILE" : name);
    return input_mark(text, size);
}

int input_fill(int fd, char *block, int64_t *used, int64_t most)
{
    while (*used < most) {
        ssize_t got = read(fd, block + *used, (size_t)(most - *used));
        if (got < 0) {
            if (errno != EINTR)
                return -1;
            continue;
        }
        if (got == 0)
            return 0;
        *used += got;
    }
    return 1;
}

/* Read fd into *block, which is NULL before, to its end or beyond a NUL byte, at which no text goes
 * on.  After the *used bytes there is space for a newline and the padding.  0 or -1; the caller
 * frees *block in both cases. */
static int input_read_all(int fd, const char *name, char **block, int64_t *used, struct error *err)
{
    int64_t capacity = 0;
    for (;;) {
        const int64_t wanted = *used < INPUT_FIRST / 2 ? INPUT_FIRST : 2 * *used;
        char *more = NULL;
        if (memory_check((double)wanted, "the whole of it", err) == 0)
            more = memory_reserve(*block, &capacity, wanted, 1, err);
        if (!more) {
            error_name(err, name);
            return -1;
        }
        *block = more;
        const int64_t before = *used;
        const int full = input_fill(fd, *block, used, wanted - 1 - NUMBER_PAD);
        if (full < 0)
            return error_system(err, name);
        if (!full || memchr(*block + before, '\0', (size_t)(*used - before)))
            return 0;
    }
}

int input_read(const char *path, char **text, int64_t *size, bool *cut, struct error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    const int fd = standard ? 0 : open(path, O_RDONLY);
    if (fd < 0)
        return error_system(err, input_name(path));
    char *block = NULL;
    int64_t used = 0;
    const int status = input_read_all(fd, input_name(path), &block, &used, err);
    if (!standard)
        close(fd);
    if (status != 0) {
        memory_free(block);
        return -1;
    }
    *cut = used > 0 && block[used - 1] != '\n';
    if (*cut)
        block[used++] = '\n';
    assert(used == 0 || block[used - 1] == '\n');
    memset(block + used, 0, NUMBER_PAD);
    *text = block;
    *size = used;
    return 0;
}
