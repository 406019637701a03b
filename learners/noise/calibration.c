/* The difference of a bin is nearly normal with the variance that q (1 - q) sum to, so that chance
 * leaves sqrt(2 / pi) of its deviation, and the squared differences in units of it have mean 1. */
#include "learners/noise/calibration.h"

#include "learners/noise/em.h"

#include <math.h>

static const double calibration_chance = 0.7978845608028654; /* sqrt(2 / pi) */

/* Mean squared difference of the bins in units of the variance: ten bins exceed it by chance once
 * in a thousand. */
static const double calibration_significant = 3;

/* Measured (experiments/forward/choices.md): class-dependent and uniform noise, and clean labels,
 * of six sets leave up to .005; letter, which a linear model misfits, up to .025; noise near the
 * boundary from .013 on. */
static const double calibration_least = 0.01;

static double calibration_difference(const struct calibration_bin *bin)
{
    return fabs(bin->right - bin->expected);
}

void calibration_add(struct calibration *calibration, const double *c, int64_t K, const double *p,
                     int64_t class, int32_t y, double weight)
{
    double q = em_observed(c + class * K, K, p);
    q = q < 1 ? q : 1;
    const int number = (int)(q * CALIBRATION_BINS);
    struct calibration_bin *bin =
        &calibration->bins[number < CALIBRATION_BINS ? number : CALIBRATION_BINS - 1];
    calibration->weight += weight;
    bin->right += class == y ? weight : 0;
    bin->expected += weight * q;
    bin->variance += weight * weight * q * (1 - q);
}

void calibration_scale(struct calibration *calibration, double effect)
{
    for (int b = 0; b < CALIBRATION_BINS; b++)
        calibration->bins[b].variance *= effect;
}

double calibration_error(const struct calibration *calibration)
{
    double sum = 0;
    for (int b = 0; b < CALIBRATION_BINS; b++)
        sum += calibration_difference(&calibration->bins[b]);
    return sum / calibration->weight;
}

/* Mean over the bins of the squared difference, in units of the variance. */
static double calibration_square(const struct calibration *calibration)
{
    double squares = 0;
    int bins = 0;
    for (int b = 0; b < CALIBRATION_BINS; b++) {
        const struct calibration_bin *bin = &calibration->bins[b];
        if (!(bin->variance > 0))
            continue;
        const double difference = calibration_difference(bin);
        squares += difference * difference / bin->variance;
        bins++;
    }
    return bins > 0 ? squares / bins : 0;
}

double calibration_excess(const struct calibration *calibration)
{
    double chance = 0;
    for (int b = 0; b < CALIBRATION_BINS; b++)
        chance += calibration_chance * sqrt(calibration->bins[b].variance);
    const double excess = calibration_error(calibration) - chance / calibration->weight;
    if (excess < calibration_least || calibration_square(calibration) < calibration_significant)
        return 0;
    return excess;
}

double calibration_unexplained(const struct calibration *calibration)
{
    const double square = calibration_square(calibration);
    return square > 1 ? 1 - 1 / square : 0;
}
