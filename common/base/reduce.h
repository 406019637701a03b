/* Ranks: copies of a program that run together, each with a part of the examples, and everything
 * that they say to each other.
 *
 * There are two implementations: reduce.c, one rank, for the ordinary build, where each of these
 * functions does nothing or returns its argument; and reduce_mpi.c for `make mpi`, whose programs
 * are started by mpirun or srun.  A caller therefore never asks which of the two it has.
 *
 * Sums over examples have one order, that of the lines, so that N ranks compute the bits that one
 * does: a rank receives the sum over all lines before its own, goes on with it, and sends it to the
 * next (reduce_receive, reduce_send, reduce_finish).  Tables are sent piece by piece, so that the
 * ranks work at the same time, each on another piece.
 *
 * What all ranks call together, they call in the same order and from the main thread.  A rank that
 * fails by itself ends the run (reduce_end), so these functions do not fail.  Standard output,
 * standard error and the output files (output.h) of all ranks but the first go nowhere. */
#ifndef COMMON_BASE_REDUCE_H
#define COMMON_BASE_REDUCE_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before anything else; a second call does nothing. */
void reduce_start(void);

/* 0 and 1 in the ordinary build, and before reduce_start. */
int reduce_rank(void);
int reduce_ranks(void);

/* How many ranks share this machine's processors and memory.  Calls reduce_start. */
int reduce_neighbours(void);

/* The file that this rank reads: path with its number in place of each %r.  Valid until the program
 * ends; NULL with err where it is too long. */
const char *reduce_path(const char *path, struct error *err);

/* Has reduce_path replaced anything: does each rank read a file of its own, and all of it? */
bool reduce_has_shards(void);

/* ---- sums and shares: called by all ranks together ---- */

/* The sum over all ranks; over the ranks before this one; the largest. */
int64_t reduce_count(int64_t n);
int64_t reduce_before(int64_t n);
int64_t reduce_most(int64_t n);

/* The same of n counts, and of n numbers: x becomes the sum.  That of numbers is rounded in another
 * way for each number of ranks. */
void reduce_counts(int64_t *x, int64_t n);
void reduce_sum(double *x, int64_t n);

/* x has elements of this size, of which each rank has set `count` from `first` on, in the order of
 * the ranks: afterwards every rank has all. */
void reduce_gather(void *x, size_t size, int64_t first, int64_t count);

/* 0 if status is 0 on all ranks, else -1 with the error of the first rank where it is not. */
int reduce_agree(int status, struct error *err);

/* ---- from rank to rank ---- */

/* x becomes what the rank before has sent; unchanged on the first. */
void reduce_receive(double *x, int64_t n);

/* Send x to the next rank; nothing on the last.  x must not change until reduce_sent. */
void reduce_send(const double *x, int64_t n);
void reduce_sent(void);

/* x becomes that of the last rank, on all. */
void reduce_finish(double *x, int64_t n);

/* ---- the end ---- */

enum reduce_ending {
    REDUCE_GOOD,
    REDUCE_FAILED, /* on some rank, or on all; err is what is to be said */
    REDUCE_ALONE   /* the others are still at work: this rank must say why, then reduce_abort */
};

/* Wait for the other ranks to end.  failed: this rank has, with *err (in, out). */
enum reduce_ending reduce_end(bool failed, struct error *err);

/* End all ranks. */
_Noreturn void reduce_abort(void);

#endif
