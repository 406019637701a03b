/* Do labels that a classifier has not seen agree with its probabilities as often as these say?
 *
 *   a    the class with the largest p       q_a = sum_k C[a][k] p_k, the probability of its label
 *
 * Over bins of q_a, the share of labels that are a is held against the mean of q_a (expected
 * calibration error: Guo et al. 2017).  Where C and p are right they differ by chance alone.  Where
 * they differ by more, noise of the class alone does not explain the labels: it depends on the
 * example, or the classifier is too poor, and what it misfits is taken for noise. */
#ifndef LEARNERS_NOISE_CALIBRATION_H
#define LEARNERS_NOISE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

enum { CALIBRATION_BINS = 15 }; /* of equal width: Guo et al.'s */

struct calibration {
    double weight; /* sum over the examples */
    struct calibration_bin {
        /* Sums over its examples: weight where the label is a, weight times q, and the variance of
         * their difference, squared weight times q (1 - q). */
        double right, expected, variance;
    } bins[CALIBRATION_BINS];
};

/* Add an example with the label y.  c: K x K, p: K probabilities, class: the one of the largest. */
void calibration_add(struct calibration *calibration, const double *c, int64_t K, const double *p,
                     int64_t class, int32_t y, double weight);

/* The variances are so many times what they would be if the examples were independent
 * (design_effect.h).  After the last example. */
void calibration_scale(struct calibration *calibration, double effect);

/* The expected calibration error: mean over the examples of |share of the bin - mean of q|. */
double calibration_error(const struct calibration *calibration);

/* The error beyond the part that chance leaves in the mean; 0 where it is not significant, or less
 * than a point in a hundred. */
double calibration_excess(const struct calibration *calibration);

/* The part of the squared differences that chance does not explain, 0 .. 1: 1 - 1/s with s their
 * mean over the bins in units of the variance, 0 below 1 (as James and Stein shrink a mean). */
double calibration_unexplained(const struct calibration *calibration);

#endif
