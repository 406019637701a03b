/* One rank: the ordinary build, in which nothing is communicated.  reduce_mpi.c has the same
 * functions for several. */
#include "common/base/reduce.h"

#include <stdlib.h>

void reduce_start(void)
{
}

int reduce_rank(void)
{
    return 0;
}

int reduce_ranks(void)
{
    return 1;
}

int reduce_neighbours(void)
{
    return 1;
}

const char *reduce_path(const char *path, struct error *err)
{
    (void)err;
    return path;
}

bool reduce_has_shards(void)
{
    return false;
}

int64_t reduce_count(int64_t n)
{
    return n;
}

int64_t reduce_before(int64_t n)
{
    (void)n;
    return 0;
}

int64_t reduce_most(int64_t n)
{
    return n;
}

void reduce_counts(int64_t *x, int64_t n)
{
    (void)x;
    (void)n;
}

void reduce_sum(double *x, int64_t n)
{
    (void)x;
    (void)n;
}

void reduce_gather(void *x, size_t size, int64_t first, int64_t count)
{
    (void)x;
    (void)size;
    (void)first;
    (void)count;
}

int reduce_agree(int status, struct error *err)
{
    (void)err;
    return status;
}

void reduce_receive(double *x, int64_t n)
{
    (void)x;
    (void)n;
}

void reduce_send(const double *x, int64_t n)
{
    (void)x;
    (void)n;
}

void reduce_sent(void)
{
}

void reduce_finish(double *x, int64_t n)
{
    (void)x;
    (void)n;
}

enum reduce_ending reduce_end(bool failed, struct error *err)
{
    (void)err;
    return failed ? REDUCE_FAILED : REDUCE_GOOD;
}

_Noreturn void reduce_abort(void)
{
    abort();
}
