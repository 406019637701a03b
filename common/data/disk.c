/* Half of the memory: reading takes up to twice the data while arrays grow, and what is learnt
 * needs space too; whether that suffices is known only when the data are. */
#include "common/data/disk.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/entry_file.h"
#include "common/data/problem_file.h"

#include <stdlib.h>
#include <string.h>

static const double disk_share = 0.5; /* of the memory; no reason but that it works */

void disk_choose_folder(const char *given, const char *beside, char *out)
{
    const char *temporary = getenv("TMPDIR"), *slash = beside ? strrchr(beside, '/') : NULL;
    if (given || (temporary && *temporary))
        snprintf(out, DISK_FOLDER, "%s", given ? given : temporary);
    else if (slash)
        snprintf(out, DISK_FOLDER, "%.*s", (int)(slash + (slash == beside) - beside), beside);
    else
        snprintf(out, DISK_FOLDER, ".");
}

int disk_read(const char *path, const struct example_format *format, int threads, const char *given,
              const char *chosen, struct problem *problem, struct error *err)
{
    if (reduce_ranks() > 1) /* what does not fit is refused: more ranks are needed */
        return problem_read(path, format, threads, memory_budget(), problem, err);
    return problem_read_to_disk(path, format, threads, given ? 0 : disk_share * memory_limit(),
                                chosen, problem, err);
}

int disk_hold(const char *path, const struct example_format *format, int threads,
              const char *option, struct problem *problem, struct error *err)
{
    const int status = problem_read(path, format, threads, memory_limit(), problem, err);
    if (status == PROBLEM_TOO_LARGE)
        return error_usage(
            err,
            "%s needs all data in memory, and they do not fit: leave it out, or take a part of "
            "the lines",
            option);
    return status;
}

int disk_make_room(struct problem *problem, double more, const char *chosen, struct error *err)
{
    if (problem->disk || reduce_ranks() > 1 || problem_bytes_held(problem) + more <= memory_limit())
        return 0;
    return problem_to_disk(problem, chosen, err);
}

const char *disk_text(const struct problem *problem, char out[DISK_TEXT])
{
    char bytes[32];
    out[0] = '\0';
    if (problem->disk)
        snprintf(out, DISK_TEXT, "; %s on disk in %s, read again in every pass",
                 memory_text(ENTRY_BYTES * (double)problem->nnz, bytes),
                 entry_file_folder(problem->disk));
    return out;
}

void disk_say_sample(FILE *out, const char *what, int64_t count, int64_t n)
{
    if (out && count < n)
        fprintf(out, "%s from a sample of %lld of %lld examples\n", what, (long long)count,
                (long long)n);
}
