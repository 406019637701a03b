/* How well an RBF kernel predicts labels that may be wrong: ridge regression of the labels (one
 * column for each class, 1 where the label is that class) on Nystrom features, judged on the
 * examples of each fold by the others (ridge_folds.h).
 *
 * Regression needs no confusion matrix: noise of the class changes what a column predicts, not
 * which kernel predicts it best. */
#ifndef LEARNERS_FEATURES_KERNEL_TRIAL_H
#define LEARNERS_FEATURES_KERNEL_TRIAL_H

#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "learners/features/ridge_folds.h"

enum { TRIAL_RIDGES = RIDGE_EACH };

/* Examples with labels that may be wrong. */
struct trial_examples {
    const struct problem *problem; /* n >= 1 of them */
    const int32_t *y;              /* n: classes, 0 .. classes-1 */
    const double *weight;          /* n, > 0; NULL: 1 */
    const int64_t *fold;           /* n: 0 .. FOLDS_DEFAULT-1 */
    int64_t classes;
};

/* How kernels look at the features: [fold] for judging that fold, [TRIAL_ALL] by all examples.
 * NULL: at the features as they are. */
enum { TRIAL_ALL = FOLDS_DEFAULT, TRIAL_SETS };
struct trial_metrics {
    const struct feature_metric *of[TRIAL_SETS];
};

/* One for all of these, or NULL; one for each. */
struct trial_metrics trial_metrics_alike(const struct feature_metric *metric);
struct trial_metrics trial_metrics_each(const struct feature_metric metric[TRIAL_SETS]);

/* Of each example, predicted by the other folds, n each: its weight times the squared error; its
 * weight if another class has the largest score, else 0. */
struct trial_losses {
    double *error, *wrong;
};

/* losses: out; free after an error, too.  0 or -1. */
int trial_losses_make(int64_t n, struct trial_losses *losses, struct error *err);
void trial_losses_swap(struct trial_losses *a, struct trial_losses *b);
void trial_losses_free(struct trial_losses *losses);

/* By how many standard errors of the difference the second losses are less than the first. */
double trial_lead(const double *first, const double *second, int64_t n);

/* How a kernel does with the best of the ridges. */
struct trial_result {
    size_t g;     /* number of the gamma */
    double ridge; /* r over the number of examples */
    double error; /* the sum of losses->error */
};

struct trial {
    struct problem problem; /* the examples, at most n of them */
    int32_t *y;             /* n */
    double *weight;         /* n, 1 in the mean */
    int64_t *fold;          /* n */
    int64_t seed;           /* of samples and landmarks */
    int threads;
    bool dense; /* the landmarks of the last map are not sparse */
    float *phi; /* n x dims: the examples through the last map */
    struct ridge_folds ridge;

    double *w;                   /* dims x (TRIAL_RIDGES classes): the regressions without a fold */
    double *systems, *solutions; /* workspace of ridge_solve_each */
    struct trial_losses losses[TRIAL_RIDGES]; /* by each ridge */
};

/* dims: of the maps, at most the n of every trial_draw.  trial: in: seed and threads, all else 0;
 * free with trial_free, also after an error.  0 or -1. */
int trial_start(struct trial *trial, int64_t n, int64_t dims, int64_t classes, struct error *err);

void trial_free(struct trial *trial);

/* Bytes that trial_start and trial_judge take for these examples. */
double trial_bytes(const struct problem *problem, int64_t dims, int64_t classes, int threads);

/* The examples are to be n of these, drawn at random by trial->seed, as they are or at the lengths
 * they had.  n: 1 .. those of trial_start and of `from`.  0 or -1. */
int trial_draw(struct trial *trial, const struct trial_examples *from, int64_t n, bool at_length,
               struct error *err);

/* How many gammas there are. */
size_t trial_gammas(void);

/* Gamma number g: 1/2, 1, 2, ... times 1 / (2 sum_j var x_j) of the examples as a kernel sees them
 * by this metric.  0, FEATURE_MAP_UNFIT (these vary too little or too much) or -1. */
int trial_gamma(const struct trial *trial, const struct feature_metric *metric, size_t g,
                double *gamma, struct error *err);

/* Judge gamma number g.
 *
 * result  out
 * losses  out: those by its ridge, borrowed until the next call; to keep them, swap them with
 *         others of the same n
 * O(n D (d + D + K) + D^3), and three times that where each fold has a metric of its own.  Same
 * numbers for any number of threads.  0, FEATURE_MAP_UNFIT or -1. */
int trial_judge(struct trial *trial, const struct trial_metrics *metrics, size_t g,
                struct trial_result *result, struct trial_losses **losses, struct error *err);

/* The map of gamma number g by this metric, and the sums of all folds through it.  map: out, unless
 * the result is not 0.  0, FEATURE_MAP_UNFIT or -1. */
int trial_fit(struct trial *trial, const struct feature_metric *metric, size_t g,
              struct feature_map *map, struct error *err);

/* trial->ridge.w by the sums of trial_fit.  left_out: a fold or FOLDS_ALL; ridge: as in a result,
 * or as many times ten as it takes (ridge_solve_definite).  0 or -1. */
int trial_solve(struct trial *trial, int64_t left_out, double ridge, struct error *err);

#endif
