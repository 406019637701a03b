/* The confusion matrix of noisy labels from the labels alone, and the probability of each true
 * class of each example.
 *
 * First it is decided whether the examples are taken at unit length or, where softmax regression
 * then predicts the labels clearly better, at their lengths and with a bias (richer_estimate.h).
 * Then the matrix is estimated (matrix_estimate.h); with few features, and unless a map is tried,
 * once more through random Fourier features, and the likelier estimate is kept.  Next a classifier
 * on features of an RBF kernel may be fitted (map_estimate.h), through that matrix or, where it is
 * doubtful, through one that is found with these features; and the matrix is estimated anew by what
 * that classifier says of held-out examples.  With text the classifier may be a linear SVM
 * (svm_estimate.h); matrix and probabilities stay.  Else, with text, the number of steps of softmax
 * regression is chosen once more, by nine tenths of the examples; and with options->fine the
 * probabilities are made anew by ten folds (fine_estimate.h), and those through a map are pooled
 * with those of the linear model.
 *
 * Where held-out labels are predicted no better than by chance, they tell nothing of their noise,
 * and whatever they choose is chance, too.  All is then made anew with the identity, and unless
 * options say otherwise with a linear classifier and a strong penalty: measured 9 points better,
 * and by the choice of lengths, which stays, some more (experiments/forward/choices.md).
 *
 * Of few examples of many classes the matrix may lose classes: it leaves hardly an example to a
 * common label, and their labels are all noise.  Where a kernel may be tried, a classifier is then
 * fitted that takes the labels as right.  If it finds these classes beyond chance (chance.h), the
 * matrix is the one by EM from its held-out probabilities (scores_estimate.h), and all else is made
 * anew with that.
 *
 * The problem is not convex, and only the starting points tell which class is which: in each class
 * the right label must be more frequent than any other. */
#ifndef LEARNERS_ESTIMATE_CONFUSION_ESTIMATE_H
#define LEARNERS_ESTIMATE_CONFUSION_ESTIMATE_H

#include "learners/estimate/estimate.h"

/* Of enum estimate_map in its order, then LIBSVM's numbers of the first two; NULL-terminated. */
extern const char *const estimate_map_words[];

/* Without -t the map is linear, for this option (options->linear_for). */
void estimate_make_linear(struct estimate_options *options, const char *what);

/* The data are on disk: ESTIMATE_AUTO is linear, which is warned of (estimate_report.h). */
void estimate_lack_memory(struct estimate_options *options);

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
 * given.  Where nothing is chosen by them they are, too: for estimate_warn_of_values. */
bool estimate_keeps_lengths(const struct estimate_options *options, bool unit_length_given);

/* Estimate from the labels.
 *
 * known     K x K: the matrix, where it is known; NULL: it is estimated
 * estimate  out; free with estimate_free
 *
 * Takes rounds of cross-fits (crossfit.h), of at most three fits each: measured on the files of
 * data/ with -t linear, 4 to 10 where the matrix is known and 26 to 53 where it is not.  Where
 * lengths are tried, lambda is chosen twice more, as with a known matrix.  With text follow up to
 * ten searches in fine folds, and as many fits by the steps that are chosen, or the SVMs of
 * svm_estimate.h; with options->fine ten fits to nine tenths; and what a map takes (map_choice.h,
 * kernel_ridge.h).
 *
 * Several ranks (reduce.h) call it together, each with its examples; only without a map,
 * options->map, and without weights.  n is then that of all ranks, and each of them gets the whole
 * estimate (see crossfit.h for what that costs).  Same numbers for any number of threads and ranks.
 * 0, or -1 with err: it does not fit in memory, or too few examples. */
int estimate_noise(const struct labelled *data, const double *known,
                   const struct estimate_options *options, struct estimate *estimate,
                   struct error *err);

/* Bytes that estimate_noise takes. */
double estimate_noise_bytes(const struct estimate_options *options, const struct problem *problem,
                            int64_t classes, bool matrix_known);

/* ---- of a classifier in place of softmax regression ---- */

/* W that e->classifier learns from the labels of a subset alone; softmax regression, by which it
 * doubts labels, is fitted anew, too.  Kernel ridge regression has the features by e->input.map.
 * The examples are those of data as they are or, with e->input.at_length, at the lengths that they
 * had; without a bias either way.  No other label has a part in it but by C, the classifier and its
 * gamma and lengths, and for an SVM lambda and steps of softmax regression.
 *
 * data     what e is of
 * options  those of e
 * subset   n examples
 * w        out; free with weights_free
 * 0 or -1. */
int estimate_classifier_of(const struct estimate *e, const struct labelled *data,
                           const struct estimate_options *options, const int64_t *subset, int64_t n,
                           struct weights *w, struct error *err);

/* Bytes that the estimate holds meanwhile, and the examples of the subset, beside what
 * estimate_noise takes for these; 0: no such classifier is tried. */
double estimate_part_bytes(const struct estimate_options *options, const struct problem *problem,
                           int64_t classes);

#endif
