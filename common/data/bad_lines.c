/* Lines are met in the order of the file, whoever parses them (stream.c), so which line is one too
 * many does not depend on threads. */
#include "common/data/bad_lines.h"

#include <string.h>

void bad_lines_open(struct bad_lines *bad, const char *file)
{
    if (!bad)
        return;
    if (strncmp(bad->file, file, sizeof bad->file - 1) != 0) {
        snprintf(bad->file, sizeof bad->file, "%s", file);
        bad->told = 0;
    }
    bad->skipped = 0;
}

int bad_lines_skip(struct bad_lines *bad, struct error *why)
{
    if (!bad || bad->most == 0)
        return -1;
    if (bad->skipped == bad->most) {
        const size_t used = strlen(why->message);
        snprintf(why->message + used, sizeof why->message - used,
                 " (bad lines skipped before it: %lld, as many as --skip-bad allows)",
                 (long long)bad->most);
        return -1;
    }
    bad->skipped++;
    if (why->line > bad->told) {
        bad->told = why->line;
        bad->all_told++;
        bad->tell(bad->context, why);
    }
    return 0;
}
