/* A file that exists is identified by its device and inode; one that does not exist yet by those of
 * its folder and by its name there. */
#include "common/base/same_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FOLDER = 4096 };

struct same_file_identity {
    struct stat st;   /* of the file, or of its folder */
    const char *name; /* in that folder; "" for a file that exists.  Points into the path */
};

/* Fill identity.  False: no regular file is involved, so writing can destroy nothing. */
static bool same_file_identify(const struct file_use *use, struct same_file_identity *identity)
{
    const bool standard = strcmp(use->path, "-") == 0;
    struct stat *st = &identity->st;
    identity->name = "";
    if (standard)
        return fstat(use->written ? STDOUT_FILENO : STDIN_FILENO, st) == 0 && S_ISREG(st->st_mode);
    if (stat(use->path, st) == 0)
        return S_ISREG(st->st_mode);
    char folder[LONGEST_FOLDER];
    const char *slash = strrchr(use->path, '/');
    identity->name = slash ? slash + 1 : use->path;
    int size = (int)(identity->name - use->path);
    return snprintf(folder, sizeof folder, "%.*s.", size, use->path) < LONGEST_FOLDER
           && stat(folder, st) == 0;
}

static bool same_file_is_pipe(const struct file_use *use, struct stat *st)
{
    const int status = strcmp(use->path, "-") == 0 ? fstat(STDIN_FILENO, st) : stat(use->path, st);
    return !use->written && status == 0 && S_ISFIFO(st->st_mode);
}

bool same_pipe(const struct file_use *a, const struct file_use *b)
{
    struct stat x, y;
    return same_file_is_pipe(a, &x) && same_file_is_pipe(b, &y) && x.st_dev == y.st_dev
           && x.st_ino == y.st_ino;
}

bool same_file(const struct file_use *a, const struct file_use *b)
{
    struct same_file_identity x, y;
    if (a->written && b->written && strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0)
        return true;
    if (!same_file_identify(a, &x) || !same_file_identify(b, &y))
        return false;
    return x.st.st_dev == y.st.st_dev && x.st.st_ino == y.st.st_ino && strcmp(x.name, y.name) == 0;
}
