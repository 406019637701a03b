/* The confusion matrix of noisy labels from the labels alone, and the probability of each true
 * class of each example.
 *
 * The matrix is estimated by EM on temperature-scaled, cross-fitted predictions (em.h, crossfit.h).
 * From a starting point two steps alternate as long as the held-out likelihood grows: fit
 * `forward` through the current matrix, then run EM on its predictions for the folds that it has
 * not seen.  The number of L-BFGS steps is chosen in the first round, lambda when all rounds are
 * done.
 *
 * There are two starting points, the confident joint and even noise (start.h), which err in
 * opposite ways.  If one round brings them together, only the likelier goes on; if they still
 * disagree at their ends, there is a third from anchors: where a rival label is about as likely as
 * the right one, both may end near C = I, the classifier having learnt the noise.  The matrix with
 * the best held-out likelihood is kept, unless its classes are clearly permuted; the identity, if
 * plain softmax regression explains the labels better.  Finally the prior is chosen by held-out
 * likelihood: it is strong where all classes have similar noise.
 *
 * Before all this it is settled whether the examples are taken at unit length or, as plain softmax
 * regression predicts the labels clearly better so, at their lengths, with a bias.
 *
 * With few features the same is repeated with random Fourier features, and the estimate with the
 * higher likelihood is kept.  Through its matrix a classifier on features of an RBF kernel may be
 * fitted at last.
 *
 * The problem is not convex, and only the starting points tell which class is which: in each class
 * the right label must be more frequent than any other. */
#ifndef LEARNERS_FORWARD_CONFUSION_ESTIMATE_H
#define LEARNERS_FORWARD_CONFUSION_ESTIMATE_H

#include "common/base/report.h"
#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "learners/forward/crossfit.h"
#include "learners/forward/kernel_ridge.h"

#include <stdbool.h>
#include <stdio.h>

/* What the probabilities are computed with: the features as they are, those of an RBF kernel, or
 * whichever makes the held-out labels likelier. */
enum estimate_map { ESTIMATE_LINEAR, ESTIMATE_RBF, ESTIMATE_AUTO, ESTIMATE_MAPS };
extern const char *const estimate_map_words[]; /* in that order, then LIBSVM's numbers of the first
                                                  two; NULL-terminated */

struct estimate_options {
    struct crossfit_options fit;
    int64_t features; /* number of random Fourier features (feature_map.h) to try too, with the best
                         of three gammas; 0: none; < 0: 300 where the examples have at most 100
                         features, as a linear model may not fit these, and no map is tried, else
                         none */
    int64_t map;      /* enum estimate_map.  The matrix is estimated without it, which is safer: EM
                         through a flexible classifier can explain anything */
    int64_t map_dims; /* of Nystrom features (feature_map.h); 0: 500, of kernel ridge regression
                         200 a class, from 2000 to 2500, but at most n/2 and 1.2e8/n */
    double map_gamma; /* of their kernel; 0: chosen (map_choice.h) */
    struct feature_map *ridge_map; /* for kernel ridge regression; NULL: it makes its own */
    bool matrix_only; /* then a map is tried only where the matrix may be found through it */
};

struct estimate {
    int64_t n, classes; /* n: examples, of all ranks */
    double *c;          /* K x K: c[k*K + q] = P(observed k | true q) */
    double *joint;      /* K x K: the confident joint, normalised like c; zeros where the matrix was
                           known */
    double *p;          /* n x K: p[i*K + q], the cross-fitted probability of true class q given the
                           features, without the label; these are the features that c was estimated
                           with (random ones where gamma > 0), or those of map where there is one */
    double lambda;      /* for a classifier on the examples, or on plain or mapped, */
    int64_t steps;      /* and its number of L-BFGS steps; 0: to the minimum */
    double gamma;       /* of the random features that c was estimated with; 0: none */
    struct problem plain;      /* the examples at the lengths that they had, with a bias of 1, where
                                  these predict the labels better and no map is taken; else
                                  empty */
    struct feature_map *map;   /* that p, lambda, steps and temperature belong to; NULL: none */
    struct problem mapped;     /* the examples through it */
    bool at_length;            /* the map is of examples at the lengths that they had (problem.h) */
    double temperature;        /* of the classifier of lambda and steps, at which its scores are
                                  probabilities; not that of p where gamma > 0 */
    struct kernel_ridge ridge; /* what was tried; strict.ridge 0: nothing was */
    bool takes_ridge;          /* its map and examples are those above;
                                  p, lambda and temperature belong to it, not to softmax
                                  regression */
    double likelihood;         /* held-out: mean log-likelihood of the labels */
    double *share;             /* K: of the true classes among the examples */
    double *deviation;         /* K: standard error of the noise rate 1 - c[q][q] (reliability.h) */
    double disagreement; /* share of the examples whose true class differs by the matrices from the
                            first two starting points; 0 where a matrix was known */
    double misfit; /* by how much the labels agree with p less or more often than c says, beyond
                      chance; 0 where that is not clear (calibration.h), */
    double unexplained; /* and the part of the differences that is not chance, 0 .. 1 */
    bool thin;      /* some class has fewer than 5 examples, or by its column of the confident joint
                       a rival label within two standard errors */
    bool *doubtful; /* K: not identifiable: a rival label within two standard errors by c or, unless
                       all classes are found to be about as noisy, thin */
};

/* Turn the number of a word in options->map into the enum; with a bias (>= 0), or for several ranks
 * (reduce.h), ESTIMATE_AUTO is linear.  Do the options of the map go together, and with the bias?
 * 0, or -1 with err, a usage error. */
int estimate_settle_map(struct estimate_options *options, double bias, struct error *err);

/* With an option that does not hold the data in memory, such as --sample: the map is linear unless
 * -t is given, which must not name another one.  Called before estimate_settle_map.  0, or -1 with
 * err, a usage error. */
int estimate_settle_size(struct estimate_options *options, bool map_given, const char *option,
                         struct error *err);

/* Are the lengths of the examples to be kept (struct example_format), so that a kernel, and by
 * -t auto a linear model, is chosen with them, too?  Not where -l or gamma, whose unit they are, is
 * given. */
bool estimate_keeps_lengths(const struct estimate_options *options, bool unit_length_given);

/* What the classifier has in place of the examples, in words: features of a map, or lengths and a
 * bias; "" for the examples as they are.  text: out.  Returns text. */
enum { ESTIMATE_MAP_TEXT = 120 };
char *estimate_map_text(const struct estimate *estimate, char text[ESTIMATE_MAP_TEXT]);

/* Estimate from the labels.
 *
 * y         n: observed classes of the examples
 * known     K x K: the matrix, where it is known; NULL: it is estimated
 * estimate  out; free with estimate_free
 * Takes 7 to 30 cross-fits, three with a known matrix; six more where lengths are tried.  Several
 * ranks (reduce.h) call it together, each with its examples; only without a map, options->map, and
 * without weights.  n is then that of all ranks, and each of them gets the whole estimate (see
 * crossfit.h for what that costs).  Same numbers for any number of threads and ranks.  0, or -1
 * with err: it does not fit in memory, or too few examples. */
int estimate_noise(const struct problem *problem, const int32_t *y, const struct labels *labels,
                   const double *known, const struct estimate_options *options,
                   struct estimate *estimate, struct error *err);

/* Print the estimate, one line per class, and report it.  out: may be NULL. */
void estimate_print(const struct estimate *estimate, const struct labels *labels, FILE *out,
                    struct report *report);

/* Call `warn` with a sentence for each class whose noise is not identifiable, and where the
 * starting points disagree. */
void estimate_warn(const struct estimate *estimate, const struct labels *labels,
                   void (*warn)(void *context, const char *text), void *context);

/* Bytes that estimate_noise takes.  known: a matrix is. */
double estimate_noise_bytes(const struct estimate_options *options, const struct problem *problem,
                            int64_t classes, bool known);

/* ---- of an estimate that takes kernel ridge regression ---- */

/* W that it learns from the labels of a subset alone, from softmax regression on (of the examples
 * as they are in problem, even where e was found with their lengths and a bias), for the features
 * by e->map.  No other label has a part in it but by C, gamma and the temperature.
 *
 * problem  what e is of
 * y        of all its examples
 * options  those of e
 * subset   n examples
 * w        out; free with weights_free
 * 0 or -1. */
int estimate_ridge_of(const struct estimate *e, const struct problem *problem, const int32_t *y,
                      const struct labels *labels, const struct estimate_options *options,
                      const int64_t *subset, int64_t n, struct weights *w, struct error *err);

/* Bytes that the estimate holds meanwhile, and the examples of the subset, beside what
 * estimate_noise takes for these; 0: kernel ridge regression is not tried. */
double estimate_ridge_bytes(const struct estimate_options *options, const struct problem *problem,
                            int64_t classes);

void estimate_free(struct estimate *estimate);

#endif
