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
#include "common/data/folds.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RIDGE_BLOCK = 512, /* examples that are summed or scored at once; no reason but that it works */
    RIDGE_EACH = 5     /* the most systems that are solved side by side */
};

struct ridge_folds {
    int64_t dims, classes; /* D, K */
    int threads;
    int64_t *order; /* the examples, fold after fold, as folds_list has them */
    int64_t start[FOLDS_FINE + 1];
    double *gram[FOLDS_DEFAULT];  /* D x D: G, of which only the lower triangle is known */
    double *right[FOLDS_DEFAULT]; /* D x K: R */
    double *w;                    /* D x K: the last solution */
    double *system;               /* D x D, workspace */

    /* Workspace: a block of examples. */
    double *phi, *target; /* RIDGE_BLOCK x D, K: phi, v t */
    float *single;        /* RIDGE_BLOCK x D: phi */
    double *weight;       /* RIDGE_BLOCK: v */
};

/* Where examples come from.  Called on several threads at once, in any order. */
struct ridge_source {
    const void *context;

    /* Write the D features of example i. */
    void (*features)(const void *context, int64_t i, double *phi);

    /* Write its K numbers into target, which is 0 before.  Returns its weight; all of them in the
     * range of floats. */
    double (*label)(const void *context, int64_t i, double *target);
};

/* r: out, with room for n examples; ridge_deal says which.  Free with ridge_free, also after an
 * error.  0 or -1. */
int ridge_start(struct ridge_folds *r, int64_t n, int64_t dims, int64_t classes, int threads,
                struct error *err);

/* The examples are to be n.  fold: of each, 0 .. folds-1; folds: FOLDS_DEFAULT, or for
 * ridge_solve_without at most FOLDS_FINE. */
void ridge_deal(struct ridge_folds *r, const int64_t *fold, int64_t n, int64_t folds);

/* G and R of all folds.  keep_gram: R only; weights and features are those of the last call.
 * O(n D (D + K)).  0 or -1; then the sums are undefined. */
int ridge_sum(struct ridge_folds *r, const struct ridge_source *source, bool keep_gram,
              struct error *err);

/* Takes the scores of example i, which are valid until it returns, and may be destroyed. */
typedef void ridge_take(void *context, int64_t i, double *scores);

/* The scores w' phi of a fold's examples, each handed to `take`, one after the other.
 *
 * source  its label is not called, and may be NULL
 * w       D x columns
 * take    with its context
 * O(n D columns) time, RIDGE_BLOCK x columns of workspace.  0 or -1. */
int ridge_score(struct ridge_folds *r, int64_t fold, const struct ridge_source *source,
                const double *w, int64_t columns, ridge_take *take, void *context,
                struct error *err);

/* r->w, without one fold or from all (FOLDS_ALL), with the least of ridge, 10 ridge, 100 ridge ..,
 * up to `most`, at which the system is definite in spite of rounding.  ridge: > 0.  O(D^2 (D + K)).
 * 0, or -1 with err: memory, or there is none; r->w is then undefined. */
int ridge_solve_definite(struct ridge_folds *r, int64_t left_out, double ridge, double most,
                         struct error *err);

/* ridge_solve_definite with each of some ridges, side by side, each on one thread: for D of some
 * hundreds a system has too little work for two.
 *
 * ridge   `ridges` numbers, at most RIDGE_EACH
 * system  workspace, ridges x D x D
 * w       out, ridges x D x K: a solution after the other */
int ridge_solve_each(struct ridge_folds *r, int64_t left_out, const double *ridge, int64_t ridges,
                     double most, double *system, double *w, struct error *err);

/* ridge_solve_definite without a fold of another deal than that of the sums, of the same examples:
 * its own sums are made once more, and taken from those of all, whose errors add.  source: that of
 * the sums.  O(D^2 (D + K)) and, for m examples in the fold, O(m D (D + K)). */
int ridge_solve_without(struct ridge_folds *r, int64_t left_out, const struct ridge_source *source,
                        double ridge, double most, struct error *err);

/* Bytes that all of these take, with scores for as many columns as classes. */
double ridge_bytes(int64_t n, int64_t dims, int64_t classes);

void ridge_free(struct ridge_folds *r);

#endif
