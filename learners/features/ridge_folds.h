/* Ridge regression of targets on the features of a map, leaving out folds.
 *
 *   G_f = sum over fold f of v phi phi',  R_f = sum of v phi t'
 *   W   = (sum_{g /= f} G_g + r I)^-1 sum_{g /= f} R_g
 *
 * v is the weight of an example, t its target: one number a class, as 1 for its label and else 0.
 * Once the sums are known, another ridge r costs no pass over the examples.  The same numbers for
 * any number of threads. */
#ifndef LEARNERS_FEATURES_RIDGE_FOLDS_H
#define LEARNERS_FEATURES_RIDGE_FOLDS_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RIDGE_FOLDS = 3,  /* every third example: the labels of a file may be sorted, the features of
                         neighbours hardly are */
    RIDGE_ALL = -1,   /* no fold is left out */
    RIDGE_BLOCK = 512 /* examples that are added at once */
};

struct ridge_folds {
    int64_t dims, classes; /* D, K */
    int threads;
    double *gram[RIDGE_FOLDS];  /* D x D: G, all of it after ridge_close */
    double *right[RIDGE_FOLDS]; /* D x K: R */
    double *w;                  /* D x K: the last solution */
    double *system;             /* D x D, workspace */

    /* Up to RIDGE_BLOCK examples that are to be added. */
    int64_t fold, rows;
    bool gram_stays; /* it was opened by ridge_retarget */
    double weight[RIDGE_BLOCK];
    double *phi, *weighted; /* rows x D: phi, v phi */
    double *target;         /* rows x K: t */
};

/* r: out, without sums; free with ridge_free, also after an error.  0 or -1. */
int ridge_start(struct ridge_folds *r, int64_t dims, int64_t classes, int threads,
                struct error *err);

/* The sums of a fold are 0, and ridge_next adds to them. */
void ridge_open(struct ridge_folds *r, int64_t fold);

/* Sum other targets of a fold: R.  ridge_next is to be given the same weights and features again,
 * as G stays. */
void ridge_retarget(struct ridge_folds *r, int64_t fold);

/* The place of one more example's D features, which the caller fills before the next call.  target:
 * out, the place of its K numbers, which are 0.  NULL with err: memory. */
double *ridge_next(struct ridge_folds *r, double weight, double **target, struct error *err);

/* The fold has all its examples.  0 or -1. */
int ridge_close(struct ridge_folds *r, struct error *err);

/* r->w, without one fold or from all that have been closed (RIDGE_ALL).  ridge: > 0.  0,
 * DENSE_INDEFINITE (dense.h) or -1. */
int ridge_solve(struct ridge_folds *r, int64_t left_out, double ridge, struct error *err);

double ridge_bytes(int64_t dims, int64_t classes);

void ridge_free(struct ridge_folds *r);

#endif
