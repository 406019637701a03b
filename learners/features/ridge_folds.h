/* Ridge regression of targets on the features of a map, leaving out folds.
 *
 *   G_f = sum over fold f of v phi phi',  R_f = sum of v phi t'
 *   W   = (sum_{g /= f} G_g + r I)^-1 sum_{g /= f} R_g
 *
 * v is the weight of an example, t its target: one number a class, as 1 for its label and else 0.
 * G is summed in single precision (dense_add_gram), which takes half the time.  Its error, as the
 * largest eigenvalue, is at most some 2e-6 of the sum of v phi'phi, where examples are alike, and
 * usually far less: a ridge below that need not make the system definite.
 * Once the sums are known, another ridge r costs no pass over the examples.  The same numbers for
 * any number of threads. */
#ifndef LEARNERS_FEATURES_RIDGE_FOLDS_H
#define LEARNERS_FEATURES_RIDGE_FOLDS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RIDGE_FOLDS = 3, /* fold f has the examples f, f + 3, ...: so each has its share of every class,
                        even where a file is sorted by label */
    RIDGE_ALL = -1,  /* no fold is left out */
    RIDGE_BLOCK = 512 /* examples that are summed at once; no reason but that it works */
};

struct ridge_folds {
    int64_t dims, classes; /* D, K */
    int threads;
    double *gram[RIDGE_FOLDS];  /* D x D: G, of which only the lower triangle is known */
    double *right[RIDGE_FOLDS]; /* D x K: R */
    double *w;                  /* D x K: the last solution */
    double *system;             /* D x D, workspace */

    /* Workspace: a block of examples. */
    double *phi, *target; /* RIDGE_BLOCK x D, K: phi, v t */
    float *single;        /* RIDGE_BLOCK x D: phi */
    double *weight;       /* RIDGE_BLOCK: v */
};

/* r: out, without sums; free with ridge_free, also after an error.  0 or -1. */
int ridge_start(struct ridge_folds *r, int64_t dims, int64_t classes, int threads,
                struct error *err);

/* Write example i.  Called on several threads at once, in any order.
 *
 * phi     out: its D features
 * target  out: its K numbers, which are 0 before
 * Returns its weight; all of them in the range of floats. */
typedef double ridge_example(const void *context, int64_t i, double *phi, double *target);

/* G and R of all folds of n examples.  keep_gram: R only; n, weights and features are those of the
 * last call.  O(n D (D + K)).  0 or -1; then the sums are undefined. */
int ridge_sum(struct ridge_folds *r, int64_t n, ridge_example *example, const void *context,
              bool keep_gram, struct error *err);

/* r->w, without one fold or from all (RIDGE_ALL).  ridge: > 0.  O(D^2 (D + K)).  0,
 * DENSE_INDEFINITE (dense.h) or -1; after these r->w is undefined. */
int ridge_solve(struct ridge_folds *r, int64_t left_out, double ridge, struct error *err);

/* The same with the least of ridge, 10 ridge, 100 ridge .., up to `most`, at which the system is
 * definite in spite of rounding.  0, or -1 with err: memory, or there is none. */
int ridge_solve_definite(struct ridge_folds *r, int64_t left_out, double ridge, double most,
                         struct error *err);

/* Bytes that ridge_start and ridge_sum take. */
double ridge_bytes(int64_t dims, int64_t classes);

void ridge_free(struct ridge_folds *r);

#endif
