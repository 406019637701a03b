/* What an estimate has found and chosen, for people and in a report. */
#ifndef LEARNERS_ESTIMATE_ESTIMATE_REPORT_H
#define LEARNERS_ESTIMATE_ESTIMATE_REPORT_H

#include "common/base/findings.h"
#include "common/data/feature_numbers.h"
#include "learners/estimate/estimate.h"

/* The matrix, one line per class; where labels are predicted no better than by chance, and so taken
 * as right, a warning in its place.  Further warnings: of a poor gamma; where the labels disagree
 * with the predicted probabilities (misfit); of classes whose noise is not identifiable; where no
 * noise was found but might be there (passed_over); where the starting points disagree. */
void estimate_report_matrix(const struct estimate *estimate, const struct labels *labels,
                            const struct findings *to);

/* Of a matrix that was given: the warnings of chance, of a poor gamma and of misfit. */
void estimate_check_given(const struct estimate *estimate, const struct findings *to);

/* A note where an option other than -t has made the map linear; a warning where lack of memory has,
 * as the same command does better on another machine. */
void estimate_tell_linear(const struct estimate_options *options, const struct findings *to);

/* A note where the next line in the file is mostly alike (neighbours.h).  Nothing is asked of
 * examples that have groups, are on disk or on several ranks.  0 or -1 (memory). */
int estimate_note_neighbours(const struct labelled *data, int64_t seed, const struct findings *to,
                             struct error *err);

/* A warning of features with a stand-in for missing values, and one of those with heavy tails or,
 * where there are none, of single values that are nearly all of a line (odd_values.h).  Nothing is
 * looked at on several ranks, where examples are mapped as they are read, and where the lengths
 * that they had are not known.
 *
 * format   how the problem was read
 * numbers  of its features
 * 0, or -1: memory, or the disk. */
int estimate_warn_of_values(const struct problem *problem, const struct example_format *format,
                            const struct feature_numbers *numbers, int64_t seed,
                            const struct findings *to, struct error *err);

/* What the classifier is: print lambda, steps, the features, and whether another than softmax
 * regression was tried and is taken. */
void estimate_print_choices(const struct estimate *estimate, const struct findings *to);

/* Report the same, but for lambda and steps, which may have been given.  An estimate that is all 0
 * has no choices. */
void estimate_report_choices(const struct estimate *estimate, struct report *report);

#endif
