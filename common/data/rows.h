/* The examples of a problem one after the other, wherever its entries are: in memory, or in a file
 * (entry_file.h) of which a window is read at a time.
 *
 *     struct rows rows = rows_of(problem);
 *     for ...: const struct example x = rows_example(&rows, i); ...
 *     rows_end(&rows);
 *     if (rows_check(problem, err) != 0) ...
 *
 * Each thread has its own.  Ascending order is fast, also with gaps; a jump costs a small read. */
#ifndef COMMON_DATA_ROWS_H
#define COMMON_DATA_ROWS_H

#include "common/data/entry_file.h"
#include "common/data/problem.h"

struct rows {
    const struct problem *problem;
    struct entry_window *window; /* NULL: none is needed yet */
};

static inline struct rows rows_of(const struct problem *problem)
{
    return (struct rows){.problem = problem};
}

/* Example i of a problem on disk. */
struct example rows_fetch(struct rows *rows, int64_t i);

/* Example i, valid until the next call.  Where it cannot be read it is one without entries, and
 * rows_check says why. */
static inline struct example rows_example(struct rows *rows, int64_t i)
{
    return rows->problem->disk ? rows_fetch(rows, i) : problem_example(rows->problem, i);
}

/* How many of subset[0 .. n) (indices, ascending; NULL: all, n = problem->n) from number `first` on
 * may be held at once: at most `most`, at least one; those on disk with some 3 MB of entries,
 * counting what lies between them. */
int64_t rows_batch(const struct problem *problem, const int64_t *subset, int64_t n, int64_t first,
                   int64_t most);

/* Read examples first .. end-1 at once, so that several threads may look at these through the same
 * rows.  0, or -1, and rows_check says why: these examples must not be looked at then.  In memory
 * it does nothing. */
int rows_hold(struct rows *rows, int64_t first, int64_t end);

/* Bytes of such a batch, if no example is longer. */
double rows_batch_bytes(void);

/* Give the window back. */
void rows_end(struct rows *rows);

/* 0, or -1 with err if an example of the problem could not be read. */
int rows_check(const struct problem *problem, struct error *err);

/* problem_drop for a problem on disk: the others are written to a new file.  0, or -1; the problem
 * is then unchanged. */
int rows_drop(struct problem *problem, const double *weight, struct error *err);

/* The examples of a problem that keeps lengths, at these and with a bias, in memory or on disk as
 * they are.
 *
 * scale     problem->d: each feature is multiplied by it; NULL: 1
 * lengthed  out, zero before: with the problem's largest index; free with problem_free
 * 0 or -1. */
int rows_lengthen(const struct problem *problem, const double *scale, double bias,
                  struct problem *lengthed, struct error *err);

/* Draw some examples of a problem, in memory or on disk, all equally likely, into a problem in
 * memory.
 *
 * count   1 .. problem->n
 * seed    of the draw
 * sample  out, zero before: in the order of the problem, with its largest index and, if it keeps
 *         them, lengths; free with problem_free
 * chosen  out, count: their places in the problem, ascending
 * 0 or -1. */
int rows_sample(const struct problem *problem, int64_t count, int64_t seed, struct problem *sample,
                int64_t *chosen, struct error *err);

#endif
