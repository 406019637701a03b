/* The vectors z_pq of UMA (uma.h) and their norms, kept up to date while examples enter and leave
 * the sets A_p.
 *
 *     c_iq        = C^-1[q, y_i] / n: while example i is in A_p, c_iq x_i is its part of z_pq
 *     norm2[p,q]  = ||z_pq||^2, from the tables Z^p (features x K); an example that moves takes one
 *                   pass over its rows
 *     sigma2[p,q] = sum over A_p of c_iq^2 ||x_i||^2
 *
 * Each norm2 carries a bound of the rounding that it has gathered (slack), from a bound of that in
 * the table's columns (error).  A table is built anew when that is cheaper than moving its
 * examples, or when so many have moved that the bounds mean little.
 *
 * With several ranks (reduce.h) each has its examples, and all have all tables: a sum over examples
 * goes on from rank to rank, so that they have the same bits.  Functions that change the tables are
 * called by all ranks together. */
#ifndef LEARNERS_UMA_UMA_TABLES_H
#define LEARNERS_UMA_UMA_TABLES_H

#include "common/linear/weights.h"
#include "learners/uma/uma_data.h"

#include <stdbool.h>
#include <stdint.h>

struct uma_tables {
    struct uma_data data;
    int64_t n, K, D; /* examples and classes of the data; features and the bias, feature 0 */
    int64_t all;     /* examples of all ranks: the n of the formulas */

    int64_t stride;      /* K, padded */
    double *coefficient; /* K x stride: c_iq of an example observed as k at [k*stride + q] */
    double *square;      /* n: ||x_i||^2 */

    /* The sets. */
    int32_t *member;    /* n: p when the example is in A_p, -1: in none */
    int64_t *order;     /* n: the examples of A_p, ascending, are order[start[p]] .. */
    int64_t *start;     /* K + 1 */
    int64_t *size;      /* K: examples in A_p, of all ranks; owns the next two, which follow it */
    int64_t *entries;   /* K: entries of the examples in A_p, of all ranks */
    int64_t *count;     /* K x K: [p*K + k], examples in A_p observed as k, of all ranks */
    int64_t *own;       /* the same three of this rank, one after the other */
    double *square_sum; /* K x K: [p*K + k], sum of ||x||^2 of the examples in A_p observed as k */

    /* The pairs, [p*stride + q]. */
    double *norm2, *sigma2; /* K x stride */
    double *slack;          /* K x stride: how far norm2 may be from ||z_pq||^2 */
    double *error;          /* K x stride: how far the column of Z^p may be from z_pq */
    bool *exact;            /* K x stride: norm2 was summed anew since A_p last changed */
    double *score;          /* K x stride: <x, z_pq> of the example that moves */

    bool hold;               /* tables are held */
    struct weights *table;   /* K tables of D rows, or NULL */
    int64_t *since;          /* K: entries moved since the table was built */
    int64_t slots;           /* threads at work without tables held */
    struct weights *scratch; /* slots: tables of 8 columns, or NULL */

    /* The examples that change their set. */
    int64_t *moved;  /* moved_count of them, ascending */
    int32_t *target; /* n: where to */
    int64_t moved_count;
    int64_t *list;       /* 2 n: those of class p are at list[list_start[p]] .. */
    int64_t *list_start; /* K + 1 */
    int64_t *moves;      /* K + K: how many on all ranks; and their entries */
    int32_t *changed;    /* K: classes whose A_p changes */
    int64_t changed_count;
    int threads;
};

/* All examples in no set.  hold: keep the K tables.  What the data borrow must outlive the tables.
 * 0 or -1 (memory; free as after success). */
int uma_tables_make(struct uma_tables *t, const struct uma_data *data, bool hold, int threads,
                    struct error *err);

/* Move every example i with target[i] != member[i]; `moved` has them, ascending. */
void uma_tables_move(struct uma_tables *t);

/* z[0 .. D) = z_pq, summed anew over the examples of A_p in their order.  Returns ||z||^2, which
 * norm2 holds then, too. */
double uma_tables_sum(struct uma_tables *t, int64_t p, int64_t q, double *z);

/* Has z_pq a term, an example in A_p with c_iq != 0?  Without one it is exactly 0, whatever
 * rounding has left in norm2. */
bool uma_tables_has_terms(const struct uma_tables *t, int64_t p, int64_t q);

/* How far norm2[p,q] may be from ||z_pq||^2; 0 where it was summed anew. */
double uma_tables_slack(const struct uma_tables *t, int64_t p, int64_t q);

/* Bytes of the K tables; of everything else (with the scratch of `threads` when they are not
 * held). */
double uma_tables_bytes_held(int64_t d, int64_t K);
double uma_tables_bytes(int64_t n, int64_t d, int64_t K, bool hold, int threads);

void uma_tables_free(struct uma_tables *t);

#endif
