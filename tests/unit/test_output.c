/* Files that appear whole or not at all: the order in which a file is written, brought to the disk
 * and renamed, what is left when one of these fails, and what a signal removes.  fsync and rename
 * are replaced here, so that they can be watched and made to fail. */
#include "check.h"
#include "common/base/output.h"
#include "learners/bandit/bandit_live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    int synced, renamed; /* calls */
    off_t size;          /* of the file at the last fsync */
    int interrupts;      /* calls of fsync that a signal is to interrupt */
    int fail;            /* errno of the next fsync after these; 0: none */
    bool protects;       /* no file may be written: nothing stops root, who runs tests, too */
} seen;

int fsync(int fd)
{
    struct stat st;
    seen.synced++;
    seen.size = fstat(fd, &st) == 0 ? st.st_size : -1;
    if (seen.interrupts == 0 && seen.fail == 0)
        return 0; /* errno stays as it was */
    errno = seen.interrupts > 0 ? EINTR : seen.fail;
    seen.interrupts -= seen.interrupts > 0;
    return -1;
}

int access(const char *path, int mode)
{
    errno = EACCES;
    return seen.protects && (mode & W_OK) ? -1 : faccessat(AT_FDCWD, path, mode, 0);
}

int rename(const char *from, const char *to)
{
    CHECK(seen.synced > 0, "%s is renamed before it is on the disk", to);
    seen.renamed++;
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* The first bytes of a file; "" when there is none. */
static const char *content(const char *path)
{
    static char text[64];
    FILE *f = fopen(path, "r");
    size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[size] = '\0';
    if (f)
        fclose(f);
    return text;
}

static int write_file(const char *path, const char *text, struct error *err)
{
    struct output out;
    if (output_open(&out, path, err) != 0)
        return -1;
    output_write(&out, text, (int64_t)strlen(text));
    return output_commit(&out, err);
}

static void test_commit(void)
{
    struct error err = {0};
    check_group("written, on the disk, renamed");
    CHECK(write_file("file", "one\n", &err) == 0, "%s", err.message);
    CHECK(seen.synced == 1 && seen.renamed == 1 && seen.size == 4, "%d, %d, %ld bytes", seen.synced,
          seen.renamed, (long)seen.size);
    CHECK(strcmp(content("file"), "one\n") == 0, "%s", content("file"));

    struct stat st;
    CHECK(chmod("file", 0640) == 0 && write_file("file", "one\n", &err) == 0
              && stat("file", &st) == 0 && (st.st_mode & 0777) == 0640,
          "others may do with it what they might before");
    seen.protects = true;
    CHECK(write_file("file", "two\n", &err) == -1 && strcmp(err.file, "file") == 0
              && strcmp(err.message, strerror(EACCES)) == 0
              && strcmp(content("file"), "one\n") == 0,
          "a file protected against writing is replaced: %s", err.message);
    CHECK(output_check("file", &err) == -1, "it is found out after long work only");
    CHECK(write_file("/dev/null", "two\n", &err) == 0, "%s", err.message);
    seen.protects = false;
    seen.renamed = 1;

    check_group("what cannot be brought to the disk");
    seen.fail = EIO;
    CHECK(write_file("file", "two\n", &err) == -1, "written to a broken disk");
    CHECK(strcmp(err.file, "file") == 0 && strcmp(err.message, strerror(EIO)) == 0, "%s: %s",
          err.file, err.message);
    CHECK(seen.renamed == 1 && strcmp(content("file"), "one\n") == 0, "the old file is gone");
    seen.fail = EINVAL; /* there is no disk below it */
    CHECK(write_file("file", "three\n", &err) == 0 && strcmp(content("file"), "three\n") == 0, "%s",
          err.message);
    seen.fail = 0;

    check_group("a signal comes in between");
    seen.synced = 0;
    seen.interrupts = 2;
    CHECK(write_file("file", "three\n", &err) == 0 && seen.synced == 3, "%d calls", seen.synced);

    check_group("a record that cannot be brought to the disk, or closed");
    for (int way = 0; way < 3; way++) {
        int fd = way < 2 ? open("file", O_WRONLY | O_APPEND) : -1;
        seen.fail = way == 1 ? EIO : 0;
        CHECK_INT(bandit_live_close_record(fd, "file", &err), way == 0 ? 0 : -1, "way %d", way);
        CHECK(way == 0 || strcmp(err.message, strerror(way == 1 ? EIO : EBADF)) == 0, "way %d: %s",
              way, err.message);
    }
    seen.fail = 0;

    check_group("what is written directly");
    seen.synced = seen.renamed = 0;
    CHECK(write_file("/dev/null", "four\n", &err) == 0 && seen.synced == 0 && seen.renamed == 0,
          "%d, %d", seen.synced, seen.renamed);
}

static void test_signal(void)
{
    enum { OUTPUTS = 3 };
    struct error err = {0};
    struct output out[OUTPUTS];
    const char *const name[OUTPUTS] = {"file", "second", "third"};
    char temporary[OUTPUTS][4096];
    check_group("what a signal removes");
    for (int i = 0; i < OUTPUTS; i++) {
        CHECK(output_open(&out[i], name[i], &err) == 0, "%s", err.message);
        snprintf(temporary[i], sizeof temporary[i], "%s", out[i].temporary);
        char name_there[64];
        snprintf(name_there, sizeof name_there, ".libdoubt-%ld-%d.tmp", (long)getpid(), i);
        CHECK(strstr(temporary[i], name_there), "%s", temporary[i]);
    }
    seen.synced = 1;
    CHECK(output_commit(&out[1], &err) == 0, "%s", err.message);
    output_remove_unfinished();
    for (int i = 0; i < OUTPUTS; i++)
        CHECK(access(temporary[i], F_OK) != 0, "%s is left", temporary[i]);
    CHECK(strcmp(content("file"), "three\n") == 0, "the old file is removed");
    CHECK(access("second", F_OK) == 0 && access("third", F_OK) != 0, "more or less is removed");
    output_abandon(&out[0]);
    output_abandon(&out[2]);

    /* A slot is free again when its output has ended. */
    for (int i = 0; i < 100; i++)
        CHECK(write_file("file", "five\n", &err) == 0, "%s", err.message);
    CHECK(output_open(&out[0], "file", &err) == 0, "%s", err.message);
    snprintf(temporary[0], sizeof temporary[0], "%s", out[0].temporary);
    output_remove_unfinished();
    CHECK(access(temporary[0], F_OK) != 0, "%s is left", temporary[0]);
    output_abandon(&out[0]);
    CHECK(strcmp(content("file"), "five\n") == 0, "%s", content("file"));
}

int main(void)
{
    char folder[] = "/tmp/test_output.XXXXXX";
    char clean[64];
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    test_commit();
    test_signal();
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    CHECK(system(clean) == 0, "%s", folder);
    return check_finish();
}
