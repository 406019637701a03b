/* A search for kernel ridge regression, as its files share it (kernel_ridge.h). */
#ifndef LEARNERS_ESTIMATE_KERNEL_RIDGE_STATE_H
#define LEARNERS_ESTIMATE_KERNEL_RIDGE_STATE_H

#include "learners/estimate/kernel_ridge.h"
#include "learners/features/ridge_folds.h"
#include "learners/noise/label_weights.h"
#include "learners/noise/suspicion.h"

#include <stdbool.h>
#include <string.h>

/* What is kept from kernel_ridge_begin to kernel_ridge_finish. */
struct kernel_ridge_search {
    const struct kernel_ridge_basis *b;
    int64_t n, K;
    int64_t judges;    /* folds that judge, from the first on */
    double per_weight; /* 1 over the mean weight of the examples */
    struct kernel_ridge *out;
    struct ridge_folds folds;
    double *scores; /* n x K, held out */
    double *best;   /* n x K: those of the ridge that is chosen; at last the mean of regressions 3
                       and 4 */
    double *count;  /* K x K, for decisions_likelihood */

    double *matrix; /* judges x KERNEL_RIDGE_JUDGED x K x K: all of kernel_ridge_matrix */
};

/* The classifiers that are compared. */
enum { KERNEL_RIDGE_SOFTMAX, KERNEL_RIDGE_OWN, KERNEL_RIDGE_JUDGED };

/* The matrix through which a fold judges one of them, K x K. */
static inline double *kernel_ridge_matrix(const struct kernel_ridge_search *s, int64_t fold,
                                          int judged)
{
    return s->matrix + (fold * KERNEL_RIDGE_JUDGED + judged) * s->K * s->K;
}

static inline double kernel_ridge_own_weight(const struct kernel_ridge_search *s, int64_t i)
{
    return label_weights_own(s->b->weight, s->per_weight, i);
}

static inline void kernel_ridge_put_features(const struct kernel_ridge_search *s, int64_t i,
                                             double *phi)
{
    const struct problem *mapped = &s->out->mapped;
    memcpy(phi, mapped->value + mapped->row_start[i], (size_t)mapped->d * sizeof *phi);
}

/* The noise of n labels: all, or some of them. */
struct label_noise kernel_ridge_noise(const struct kernel_ridge_basis *b, int64_t n,
                                      const int32_t *y, const double *weight);

/* The targets of the lenient reading of these labels and, where sets_weights, its weights; those of
 * other examples stay.
 *
 * example  labels->n: the numbers of the examples; NULL: 0, 1, ...
 * p        labels->n x K, probabilities of their true classes */
void kernel_ridge_read_leniently(const struct label_noise *labels, const int64_t *example,
                                 const double *p, bool sets_weights,
                                 struct kernel_ridge_reading *lenient);

/* The sums of all folds.  keep_gram: the weights are those of the last call.  0 or -1. */
int kernel_ridge_add_folds(struct kernel_ridge_search *s,
                           const struct kernel_ridge_reading *reading, bool keep_gram,
                           struct error *err);

/* W without a fold, or from all, with this ridge, or as many times ten as it takes.  0 or -1. */
int kernel_ridge_solve(struct ridge_folds *folds, int64_t left_out, double ridge,
                       struct error *err);

/* The scores of a fold by the others with this ridge.  take: its context is the search.  0 or
 * -1. */
int kernel_ridge_score_fold(struct kernel_ridge_search *s, int64_t fold, double ridge,
                            ridge_take *take, struct error *err);

/* A ridge_take that sets s->scores. */
void kernel_ridge_take_scores(void *search, int64_t i, double *scores);

/* s->scores of the folds that judge, by readings of s->b->rest, and their matrices, unless C is
 * known; scores of the other folds, and both readings, are undefined then.  0 or -1. */
int kernel_ridge_score_rests(struct kernel_ridge_search *s, struct error *err);

#endif
