/* The examples that are left when a fold is left out to judge, and what is said of each of them
 * without that fold and without the example (cross_scores_of_rest): so that nothing that is learnt
 * from them knows the labels that judge it.
 *
 * Probabilities of cross-fits (crossfit.h) do know them: those of the other folds are by fits that
 * have learnt from the one that judges.  Whoever doubts labels by these keeps the examples that
 * agree with it.  Measured where classes overlap: a classifier then seems up to 9 points better
 * than it is. */
#ifndef LEARNERS_ESTIMATE_REST_OF_FOLD_H
#define LEARNERS_ESTIMATE_REST_OF_FOLD_H

#include "common/base/error.h"
#include "common/data/folds.h"

#include <stdint.h>

/* With so many examples in all, none of them copies, each of the folds of a rest has two. */
enum { REST_FEWEST = 9 };

/* What a rest is taken from. */
struct rest_source {
    int64_t n;
    const int32_t *y;     /* n: classes */
    const double *weight; /* n, > 0; NULL: 1 */
    const int64_t *fold;  /* n: 0 .. FOLDS_DEFAULT-1 */
};

struct rest_of_fold {
    int64_t n, *example; /* ascending */
    int32_t *y;
    double *weight; /* NULL: 1 */
    int64_t *fold;  /* 0 .. FOLDS_DEFAULT-1: the folds by which p is held out */
    double *p;      /* n x K: probabilities of the true classes */
    double *v;      /* n: how much the labels count, for whoever learns from them */
};

/* All examples but those of a fold (FOLDS_ALL: all), in their folds, without p.  rest: out; free
 * with rest_free, also after an error.  0 or -1. */
int rest_make(const struct rest_source *from, int64_t left_out, struct rest_of_fold *rest,
              struct error *err);

/* The confusion matrix that fits what a classifier says of the rest, by EM (em.h): EM_STEPS steps
 * with the likeliest prior (em_prior.h), columns led by their diagonals.  The fold that is left out
 * has no part in it but by `start`.
 *
 * p      n x K: probabilities of the true classes, held out by rest->fold; rest->p has no part
 * start  K x K: where EM begins
 * c      out, K x K; not `start`
 * The same numbers for any number of threads.  0 or -1 (memory). */
int rest_estimate_matrix(const struct rest_of_fold *rest, int64_t K, const double *p,
                         const double *start, int threads, double *c, struct error *err);

/* Bytes of one of n examples in all. */
double rest_bytes(int64_t n, int64_t classes);

void rest_free(struct rest_of_fold *rest);

#endif
