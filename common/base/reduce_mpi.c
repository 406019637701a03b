/* Several ranks, by MPI.  This file is not part of the library: `make mpi` links it before the
 * library, whose reduce.c is then left out.
 *
 * Messages are cut into pieces of REDUCE_PIECE numbers, as MPI counts in int.  What is sent on to
 * the next rank is sent without waiting (MPI_Isend), so that a rank goes on computing.
 *
 * The end.  A rank that fails by itself, for want of memory say, leaves the others in a call where
 * they wait for it; one that fails as all do, because a sum is not finite say, must not make each
 * of them print the same.  So every rank that ends enters a barrier of a communicator of its own.
 * Where the others come, too, the first prints the error of one of them; where they do not come for
 * REDUCE_PATIENCE seconds, the rank is alone: it prints its error and ends the others. */
#include "common/base/memory.h"
#include "common/base/progress.h"
#include "common/base/reduce.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    REDUCE_PIECE = 1 << 24,  /* numbers in a message, at most: 128 MB */
    REDUCE_ON_THE_WAY = 256, /* messages; no reason for the two but that they work */
    REDUCE_PATHS = 8,        /* files with %r, and the length of their names */
    REDUCE_LONGEST = 4096,
    REDUCE_PATIENCE = 2 /* seconds; ranks that end for one reason do so within far less */
};

static struct {
    int rank, ranks, neighbours;
    bool started, ended, sharded;
    MPI_Comm ending;
    MPI_Request sent[REDUCE_ON_THE_WAY];
    int on_the_way;
    int error_output; /* where standard error went before it was silenced; -1: it was not */
    char path[REDUCE_PATHS][REDUCE_LONGEST];
    int paths;
} reduce = {.ranks = 1, .neighbours = 1, .error_output = -1};

/* An error of MPI cannot be mended: say what it is, and end all. */
static void reduce_check(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int size;
    if (code == MPI_SUCCESS)
        return;
    if (MPI_Error_string(code, text, &size) != MPI_SUCCESS)
        strcpy(text, "unknown error");
    fprintf(stderr, "rank %d: MPI: %s\n", reduce.rank, text);
    reduce_abort();
}

_Noreturn void reduce_abort(void)
{
    fflush(stderr);
    /* mpirun, told to abort, may end before it has passed on what was written. */
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* Only the first rank speaks. */
static void reduce_silence(void)
{
    if (reduce.rank == 0)
        return;
    reduce.error_output = dup(STDERR_FILENO);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        reduce_abort();
}

static void reduce_speak(void)
{
    if (reduce.error_output < 0)
        return;
    fflush(stderr);
    dup2(reduce.error_output, STDERR_FILENO);
    reduce.error_output = -1;
}

/* At exit: a program may return from main without reduce_end, as after a usage error, which all
 * ranks have.  Only the first has an exit status: mpirun ends all others when one has failed, and
 * might come before the first has said why. */
static void reduce_leave(void)
{
    struct error none = {0};
    if (!reduce.ended && reduce_end(true, &none) == REDUCE_ALONE)
        reduce_abort();
    if (reduce.rank > 0)
        _exit(0);
}

void reduce_start(void)
{
    int level;
    MPI_Comm here;
    if (reduce.started)
        return;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS
        || level < MPI_THREAD_FUNNELED) {
        fputs("MPI could not be started, or knows no threads\n", stderr);
        exit(1);
    }
    reduce.started = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &reduce.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &reduce.ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &reduce.neighbours);
    MPI_Comm_free(&here);
    MPI_Comm_dup(MPI_COMM_WORLD, &reduce.ending);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(reduce.ending, MPI_ERRORS_RETURN);
    reduce_silence();
    atexit(reduce_leave);
}

int reduce_rank(void)
{
    return reduce.rank;
}

int reduce_ranks(void)
{
    return reduce.ranks;
}

int reduce_neighbours(void)
{
    reduce_start();
    return reduce.neighbours;
}

const char *reduce_path(const char *path, struct error *err)
{
    const char *place = strstr(path, "%r");
    size_t used = 0;
    char number[16];
    if (!place)
        return path;
    if (reduce.paths == REDUCE_PATHS) {
        error_usage(err, "too many names with %%r");
        return NULL;
    }
    char *out = reduce.path[reduce.paths++];
    snprintf(number, sizeof number, "%d", reduce.rank);
    for (const char *p = path; *p;) {
        const bool here = p == place;
        const char *text = here ? number : p;
        const size_t size = here ? strlen(number) : 1;
        if (used + size >= REDUCE_LONGEST) {
            error_usage(err, "the name is too long");
            return NULL;
        }
        memcpy(out + used, text, size);
        used += size;
        p += here ? 2 : 1;
        if (here)
            place = strstr(p, "%r");
    }
    reduce.sharded = true;
    return out;
}

bool reduce_has_shards(void)
{
    return reduce.sharded;
}

/* ---- sums and shares ---- */

int64_t reduce_count(int64_t n)
{
    reduce_counts(&n, 1);
    return n;
}

int64_t reduce_before(int64_t n)
{
    int64_t before = 0; /* MPI leaves that of the first rank as it was */
    reduce_check(MPI_Exscan(&n, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    return before;
}

int64_t reduce_most(int64_t n)
{
    reduce_check(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD));
    return n;
}

static int reduce_piece(int64_t n)
{
    return (int)(n < REDUCE_PIECE ? n : REDUCE_PIECE);
}

void reduce_counts(int64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += REDUCE_PIECE)
        reduce_check(MPI_Allreduce(MPI_IN_PLACE, x + i, reduce_piece(n - i), MPI_INT64_T, MPI_SUM,
                                   MPI_COMM_WORLD));
}

void reduce_sum(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += REDUCE_PIECE)
        reduce_check(MPI_Allreduce(MPI_IN_PLACE, x + i, reduce_piece(n - i), MPI_DOUBLE, MPI_SUM,
                                   MPI_COMM_WORLD));
}

/* Rank after rank sends its elements to all, in pieces. */
void reduce_gather(void *x, size_t size, int64_t first, int64_t count)
{
    for (int rank = 0; rank < reduce.ranks; rank++) {
        int64_t range[2] = {first, count};
        reduce_check(MPI_Bcast(range, 2, MPI_INT64_T, rank, MPI_COMM_WORLD));
        char *at = (char *)x + range[0] * (int64_t)size;
        const int64_t bytes = range[1] * (int64_t)size;
        for (int64_t i = 0; i < bytes; i += REDUCE_PIECE)
            reduce_check(
                MPI_Bcast(at + i, reduce_piece(bytes - i), MPI_BYTE, rank, MPI_COMM_WORLD));
    }
}

/* Make *err, on all ranks, that of the first rank which has failed and names a line, or else of the
 * first that has failed.  Returns whether there is one. */
static bool reduce_share_error(bool failed, struct error *err, MPI_Comm comm)
{
    /* The smallest number wins: ranks with a line, then others, then those that have not failed. */
    int mine = reduce.rank, first;
    if (!failed)
        mine += 2 * reduce.ranks;
    else if (err->line == 0)
        mine += reduce.ranks;
    reduce_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
    if (first >= 2 * reduce.ranks)
        return false;
    reduce_check(MPI_Bcast(err, (int)sizeof *err, MPI_BYTE, first % reduce.ranks, comm));
    return true;
}

int reduce_agree(int status, struct error *err)
{
    return reduce_share_error(status != 0, err, MPI_COMM_WORLD) ? -1 : 0;
}

/* ---- from rank to rank ---- */

void reduce_receive(double *x, int64_t n)
{
    if (reduce.rank == 0)
        return;
    for (int64_t i = 0; i < n; i += REDUCE_PIECE)
        reduce_check(MPI_Recv(x + i, reduce_piece(n - i), MPI_DOUBLE, reduce.rank - 1, 0,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

void reduce_send(const double *x, int64_t n)
{
    if (reduce.rank + 1 == reduce.ranks)
        return;
    for (int64_t i = 0; i < n; i += REDUCE_PIECE) {
        if (reduce.on_the_way == REDUCE_ON_THE_WAY)
            reduce_sent();
        reduce_check(MPI_Isend(x + i, reduce_piece(n - i), MPI_DOUBLE, reduce.rank + 1, 0,
                               MPI_COMM_WORLD, &reduce.sent[reduce.on_the_way++]));
    }
}

void reduce_sent(void)
{
    reduce_check(MPI_Waitall(reduce.on_the_way, reduce.sent, MPI_STATUSES_IGNORE));
    reduce.on_the_way = 0;
}

void reduce_finish(double *x, int64_t n)
{
    reduce_sent();
    for (int64_t i = 0; i < n; i += REDUCE_PIECE)
        reduce_check(
            MPI_Bcast(x + i, reduce_piece(n - i), MPI_DOUBLE, reduce.ranks - 1, MPI_COMM_WORLD));
}

/* ---- the end ---- */

/* Do all ranks come to their end?  One that has failed does not wait for ever. */
static bool reduce_meet(bool failed)
{
    const double start = progress_clock();
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request all;
    int met = 0;
    reduce_check(MPI_Ibarrier(reduce.ending, &all));
    for (;;) {
        reduce_check(MPI_Test(&all, &met, MPI_STATUS_IGNORE));
        if (met || (failed && progress_clock() - start > REDUCE_PATIENCE))
            return met;
        nanosleep(&nap, NULL);
    }
}

enum reduce_ending reduce_end(bool failed, struct error *err)
{
    if (!reduce_meet(failed)) {
        reduce_speak();
        return REDUCE_ALONE;
    }
    const bool some = reduce_share_error(failed, err, reduce.ending);
    reduce.ended = true;
    MPI_Finalize();
    return some ? REDUCE_FAILED : REDUCE_GOOD;
}
