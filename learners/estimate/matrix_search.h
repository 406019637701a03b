/* The search for the matrix.
 *
 * The matrix is found by EM on temperature-scaled, cross-fitted predictions (em.h, crossfit.h).
 * From a starting point two steps alternate as long as the held-out likelihood grows: fit
 * `forward` through the current matrix, then run EM on its predictions for the folds that it has
 * not seen.  The number of steps is chosen in the first round.
 *
 * There are two starting points, the confident joint and even noise (start.h), which err in
 * opposite ways.  If one round brings them together, only the likelier goes on; if they still
 * disagree at their ends, there is a third from anchors: where a rival label is about as likely as
 * the right one, both may end near C = I, the classifier having learnt the noise.  The matrix with
 * the best held-out likelihood is kept, unless its classes are clearly permuted (climb.h).  If a
 * wrong label leads a column of it, one more climb starts from the nearest matrix in which none
 * does, and keeps to such matrices (em.h).
 *
 * With few examples a class the K^2 numbers of a matrix learn the labels by heart, and the
 * likelihood of labels that it was made of praises it: so what EM makes of two thirds of them must
 * not make the others less likely, by two standard errors, than no noise does.  Else there is one
 * climb from even noise, with a prior that all but keeps it even; and where the same is true of its
 * end the matrix is the identity.
 *
 * It all begins with plain softmax regression, by which chance is tested: a later fit names its
 * classes by the labels that they agree with, which would then agree by more than chance
 * (chance.h).  And the matrix is the identity where that alone makes the labels likelier: of noise
 * near the boundary, which no matrix describes, EM would take some for noise of the class.  Where
 * it does so by less than half a standard error the matrix is kept: of few labels with noise the
 * identity may be ahead by chance, and would say with a small standard error that there is none. */
#ifndef LEARNERS_ESTIMATE_MATRIX_SEARCH_H
#define LEARNERS_ESTIMATE_MATRIX_SEARCH_H

#include "learners/estimate/climb.h"
#include "learners/estimate/estimate.h"

enum {
    MATRIX_CHANCE_ROUNDS = 2, /* of fits for the test of chance, at most */
    MATRIX_ANCHOR_ROUNDS = 4, /* before the climb from anchors: no reason but that it works */

    /* For crossfit_expect: what matrix_find takes at most, rounds of fits and choices of the number
     * of steps, before it may begin again; and matrix_improve. */
    MATRIX_FIND_ROUNDS = MATRIX_CHANCE_ROUNDS + 1 + MATRIX_ANCHOR_ROUNDS
                         + CLIMB_STARTS * (CLIMB_ROUNDS - 1) + CLIMB_ROUNDS,
    MATRIX_FIND_CHOICES = 3, /* of plain softmax regression and of two starts */
    MATRIX_IMPROVE_ROUNDS = CLIMB_ROUNDS - 1,
    MATRIX_IMPROVE_CHOICES = 1
};

/* The search, with the lambda of f->now.
 *
 * m          c: in: the identity; out; joint, led, passed_over and disagreement: out
 * by_chance  out: do held-out labels tell nothing (chance.h)?
 * 0 or -1. */
int matrix_find(struct crossfit *f, struct estimate_matrix *m, bool *by_chance, struct error *err);

/* One climb alone, from c (in, out).  0 or -1. */
int matrix_improve(struct crossfit *f, double *c, struct error *err);

#endif
