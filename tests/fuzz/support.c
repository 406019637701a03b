/* What fuzz targets share, under any engine: the report of a broken promise, and files in a folder
 * of their own, which is removed when the program ends or a promise is broken. */
#include "driver.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64], input[80], output[80]; /* paths; "" before the first use */

static void remove_folder(void)
{
    if (!input[0])
        return;
    unlink(input);
    unlink(output);
    rmdir(folder);
}

/* In memory where the system has a place for that: millions of files come and go. */
static void make_folder(void)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    if (input[0])
        return;
    bool made = false;
    for (int i = 0; i < 2 && !made; i++) {
        snprintf(folder, sizeof folder, "%s/libdoubt-fuzz.XXXXXX", places[i]);
        made = mkdtemp(folder) != NULL;
    }
    fuzz_require(made);
    snprintf(input, sizeof input, "%s/input", folder);
    snprintf(output, sizeof output, "%s/output", folder);
    atexit(remove_folder);
}

_Noreturn void fuzz_broken(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: a promise is broken: %s\n", file, line, condition);
    remove_folder();
    abort();
}

const char *fuzz_input_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    make_folder();
    if (fd < 0)
        fd = open(input, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fuzz_require(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    return input;
}

const char *fuzz_output_path(void)
{
    make_folder();
    return output;
}
