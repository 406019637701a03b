/* An estimate of the noise: what is asked for, and what is found. */
#ifndef LEARNERS_ESTIMATE_ESTIMATE_H
#define LEARNERS_ESTIMATE_ESTIMATE_H

#include "common/data/data_form.h"
#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "learners/estimate/crossfit.h"
#include "learners/estimate/kernel_ridge.h"

#include <stdbool.h>

/* What the probabilities are computed with: the features as they are, those of an RBF kernel, or
 * whichever makes the held-out labels likelier. */
enum estimate_map { ESTIMATE_LINEAR, ESTIMATE_RBF, ESTIMATE_AUTO, ESTIMATE_MAPS };

struct estimate_options {
    struct crossfit_options fit;
    int64_t features; /* number of random Fourier features (feature_map.h) to try too, with the best
                         of three gammas; 0: none; < 0: 300 where the examples have at most 100
                         features, as a linear model may not fit these, and no map is tried, else
                         none */
    int64_t map;      /* enum estimate_map.  Fits and EM alternate on the features without it: a
                         flexible classifier could take any noise for signal.  The matrix is
                         estimated anew, once, by what kernel ridge regression
                         says of held-out examples (scores_estimate.h) */
    const char *linear_for; /* the option that made the map linear where -t did not; NULL: none */
    bool lacks_memory;      /* lack of memory did */
    bool tries_lengths;     /* lengths and a bias are tried (richer_estimate.h), though the map is
                               linear */
    int64_t map_dims; /* of Nystrom features (feature_map.h); 0: 500, of kernel ridge regression
                         200 a class, from 2000 to 2500, but at most n/2 and 1.2e8/n */
    double map_gamma; /* of their kernel; 0: chosen (map_choice.h) */
    bool predicts;    /* a classifier for other examples is wanted: an SVM may take the place of
                         softmax regression, whose p stays (svm_estimate.h) */
    bool takes_svm;   /* the SVM takes it, whatever held-out decisions say */
    struct feature_map *ridge_map; /* for kernel ridge regression, and its kernel for softmax
                                      regression; NULL: both are chosen */
    bool matrix_only;              /* no classifier is wanted: p is undefined, and so are the
                                      classifier's lambda, steps and temperature */
    bool fine;                     /* p is wanted as good as can be: in the end it is made anew in
                                      FOLDS_FINE folds, if there are as many examples; all else
                                      that is said of p is of the three folds before */
};

/* What is known of the matrix.  It belongs to the features that the matrix was estimated with,
 * which need not be those of the classifier. */
struct estimate_matrix {
    double *c;     /* K x K: c[k*K + q] = P(observed k | true q) */
    double *joint; /* K x K: the confident joint, normalised like c; zeros where the matrix was
                      known */
    double gamma;  /* of the random features that c was estimated with; 0: none */
    double *standard_error; /* K: of the noise rate 1 - c[q][q] (reliability.h), passed_over at
                               least */
    bool *lost;             /* K: of a common label hardly any example is left to the class */
    bool *doubtful;      /* K: not identifiable: a rival label within two standard errors by c; or
                            lost; or, unless all classes are found to be about as noisy, thin */
    bool thin;           /* some class has fewer than 5 examples, or by its column of the confident
                            joint a rival label within two standard errors */
    bool led;            /* a wrong label led a column of the likeliest matrix (em.h) */
    double passed_over;  /* where c is the identity, but less than CROSSFIT_CLEAR standard errors
                            likelier than the matrix that EM has found: the noise of the labels by
                            that; else 0 */
    double disagreement; /* share of the examples whose true class differs by the matrices from the
                            first two starting points of the first estimate; 0 where a matrix was
                            known */
};

/* Softmax regression, or one that takes its place. */
enum estimate_kind { ESTIMATE_SOFTMAX, ESTIMATE_RIDGE, ESTIMATE_SVM };

/* The classifier, of estimate_examples. */
struct estimate_classifier {
    int kind;      /* enum estimate_kind.  Of kernel ridge regression are then also the map and,
                      where it was estimated anew by it (scores_estimate.h), the matrix */
    double lambda; /* L2 penalty */
    int64_t steps; /* 0: to the minimum */
    bool steps_by_decisions; /* the number of steps is not the likeliest, but one of better
                                decisions (crossfit.h) */
    double temperature;      /* at which its scores are probabilities */
};

/* What the classifier has in place of the examples as they are: one of the two, or none. */
struct estimate_input {
    struct problem lengthed; /* the examples at the lengths that they had, with a bias, where these
                                predict the labels better and no map is taken; else empty */
    double bias;             /* of lengthed: as large as the features (richer_estimate.h) */
    double *scale;           /* of lengthed, d: what each feature has been multiplied by; NULL: 1 */
    struct feature_map *map; /* NULL: none */
    struct problem mapped;   /* the examples through it */
    bool at_length;          /* the map is of examples at the lengths that they had (problem.h) */
};

/* What was found of an SVM (svm_estimate.h). */
struct estimate_svm {
    double cost;                                 /* C; 0: none was tried */
    double likelihood, softmax_likelihood, lead; /* as in struct kernel_ridge */
    struct weights w;                            /* as a model holds it; empty: it is not taken */
    struct estimate_classifier softmax;          /* whose place it takes, where it is taken */
};

struct estimate {
    int64_t n, classes; /* n: examples, of all ranks */
    struct estimate_matrix matrix;
    struct estimate_classifier classifier;
    struct estimate_input input;
    struct kernel_ridge ridge; /* what was tried; strict.ridge 0: nothing was */
    struct estimate_svm svm;   /* cost 0: none was tried */

    /* The cross-fitted probabilities, and what they tell of the labels through the matrix. */
    double *p;          /* n x K: p[i*K + q], the probability of true class q given the features,
                           without the label.  It is not the classifier's where that is an SVM, but
                           softmax regression's; nor where matrix.gamma > 0 without a map: then it is
                           through the random features; nor with options->fine and a map: then it is
                           the pool with that of the linear model (pool.h) */
    bool p_given;       /* p is another classifier's */
    double *share;      /* K: of the true classes among the examples */
    double likelihood;  /* held-out: mean log-likelihood of the labels by softmax regression and the
                           matrix that was found with it */
    double misfit;      /* by how much labels agree with p more or less often than p and c say: the
                           calibration error beyond what chance makes of it; 0 where it is not
                           significant (calibration.h) */
    double unexplained; /* the part of these differences that is not chance, 0 .. 1 */
    double poor_gamma;  /* that of the kernel, where it was asked for and held-out labels are
                           clearly likelier by softmax regression without the map; else 0 */
    bool by_chance;     /* labels are predicted no better than by chance (chance.h): by p or, where
                           the matrix was to be estimated, by softmax regression before it was, c
                           then being the identity; nor by the decisions that kernel ridge
                           regression was judged by */
};

/* The examples as the linear model has them: at their lengths, if these are taken. */
static inline const struct problem *estimate_linear_examples(const struct estimate_input *input,
                                                             const struct problem *problem)
{
    return input->lengthed.n > 0 ? &input->lengthed : problem;
}

/* The classes and weights of a subset of the examples.
 *
 * some_y, some_weight  out, NULL before; free both with memory_free, also after an error.
 *                      some_weight stays NULL where weight is
 * 0 or -1. */
int estimate_gather(const int64_t *subset, int64_t n, const int32_t *y, const double *weight,
                    int32_t **some_y, double **some_weight, struct error *err);

/* The weights of the classifier that takes the place of softmax regression, as a model holds them;
 * NULL: none does.  They are the estimate's, unless they are moved elsewhere. */
struct weights *estimate_weights(struct estimate *estimate);

/* What the classifier is of: the examples; or the same at the lengths that they had, with a bias;
 * or their features by the map that was chosen.  problem: what e is of. */
const struct problem *estimate_examples(const struct estimate *e, const struct problem *problem);

/* e->matrix.c, the identity, was preferred to a matrix with so much noise, but not clearly:
 * matrix.passed_over, and standard errors that are no less.  noise: 0: there is none. */
void estimate_pass_over(struct estimate *e, double noise);

/* Multiply w, learnt from the examples at their lengths, by e->input.scale, which is there: the
 * same scores, of features as they come. */
void estimate_undo_scale(const struct estimate *e, struct weights *w);

/* form: in: how the examples were read; out: how those of estimate_examples are.  It borrows e's
 * map. */
void estimate_set_form(const struct estimate *e, struct data_form *form);

void estimate_free(struct estimate *estimate);

/* ---- for those who make one ---- */

/* e: out, with arrays for K classes, and c, where the matrix is known (else NULL); p is NULL.  0 or
 * -1; free with estimate_free either way. */
int estimate_allocate(int64_t n, int64_t K, const double *c, struct estimate *e, struct error *err);

/* Free the map and the examples through it, if there are any; or those at their lengths. */
void estimate_drop_map(struct estimate *e);
void estimate_drop_lengths(struct estimate_input *input);

/* Put a better estimate of the same labels in the place of e, whose input stays.  The labels are by
 * chance only if they are by both: one that tells something of them is enough.  better: out: what e
 * was, with the input of its own, to be freed. */
void estimate_replace(struct estimate *e, struct estimate *better);

/* What a and b say of the matrix changes places. */
void estimate_swap_matrices(struct estimate *a, struct estimate *b);

/* Of all labels, for the third starting point and the warning.  Measured: two starts differ by more
 * in half of the runs where estimating is hard (amazon_domain, class-dependent 50 %) and in none on
 * optdigits and usps. */
#define ESTIMATE_DISAGREEMENT 0.05

/* Is the estimate one that may be wrong altogether, as where a linear model misfits? */
bool estimate_is_doubtful(const struct estimate *e);

/* Do the labels prefer the second of two estimates, beyond so many standard errors of the
 * difference of their log-likelihoods?
 *
 * y, weight  n: observed classes, weights of the examples (NULL: 1) */
bool estimate_is_likelier(const struct estimate *first, const struct estimate *second,
                          const int32_t *y, const double *weight, double errors);

/* The same of two with one matrix, beyond CROSSFIT_ERRORS, unless their decisions clearly tell
 * (crossfit_prefers).  prefers: out: the second.  0 or -1 (memory). */
int estimate_compare(const struct estimate *first, const struct estimate *second, const int32_t *y,
                     const double *weight, bool *prefers, struct error *err);

/* Are classifiers in place of softmax regression tried?  Not where lambda or steps, which are its
 * own, are given. */
bool estimate_tries_others(const struct estimate_options *options);

/* For the progress: what is done next. */
void estimate_tell_phase(const struct estimate_options *options, const char *phase);

#endif
