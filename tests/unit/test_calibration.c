/* When labels and probabilities differ by more than chance makes them
 * (learners/noise/calibration.h): bins that are made up, and examples whose bin is known. */
#include "check.h"
#include "learners/noise/calibration.h"

/* Of a bin whose labels are the predicted class this many times more often than expected, in
 * standard deviations; the variance is that of 10000 examples of probability 1/2. */
static struct calibration_bin bin_off(double deviations)
{
    return (struct calibration_bin){
        .right = 5000 + 50 * deviations, .expected = 5000, .variance = 2500};
}

/* Less than sqrt(2 / pi) of a deviation is what chance makes in the mean; a difference counts from
 * sqrt(3) on. */
static void test_excess(void)
{
    struct calibration one = {.weight = 1000};
    check_group("what is beyond chance");
    one.bins[0] = bin_off(1.7);
    CHECK_NEAR(calibration_error(&one), .085, 1e-12, "the error");
    CHECK_NEAR(calibration_excess(&one), 0, 0, "a square of 2.9 variances may be chance");
    one.bins[0] = bin_off(1.75);
    CHECK_NEAR(calibration_excess(&one), .0875 - .05 * sqrt(2 / 3.14159265358979), 1e-12,
               "one of 3.06 is not");
    one.bins[0] = bin_off(-1.75);
    CHECK_NEAR(calibration_excess(&one), .0875 - .05 * sqrt(2 / 3.14159265358979), 1e-12,
               "nor is too few right ones");
    one.bins[1] = bin_off(0);
    CHECK_NEAR(calibration_excess(&one), 0, 0, "beside a bin without a difference it may be");
}

/* However significant, less than a point in a hundred is not told of. */
static void test_least(void)
{
    struct calibration one = {.weight = 1e6};
    const double chance = 50 * sqrt(2 / 3.14159265358979);
    check_group("what is worth telling");
    one.bins[0] = bin_off((.0099e6 + chance) / 50);
    CHECK_NEAR(calibration_excess(&one), 0, 0, ".99 points");
    one.bins[0] = bin_off((.0101e6 + chance) / 50);
    CHECK_NEAR(calibration_excess(&one), .0101, 1e-9, "1.01 points");
}

/* Bins without examples have no part in the mean. */
static void test_unexplained(void)
{
    struct calibration two = {.weight = 1000};
    check_group("the part that chance does not explain");
    CHECK_NEAR(calibration_unexplained(&two), 0, 0, "no example");
    two.bins[0] = bin_off(.5);
    CHECK_NEAR(calibration_unexplained(&two), 0, 0, "less than chance makes");
    two.bins[0] = bin_off(1);
    two.bins[CALIBRATION_BINS - 1] = bin_off(-sqrt(7));
    CHECK_NEAR(calibration_unexplained(&two), .75, 1e-12, "squares of 1 and 7 variances");
    calibration_scale(&two, 2);
    CHECK_NEAR(calibration_unexplained(&two), .5, 1e-12, "which are twice as large");
}

/* q runs from 0, in the first bin, to 1, in the last; rounding may make it more than 1. */
static void test_bins(void)
{
    static const double c[] = {1, 0, 0, 1}, more[] = {1 + 1e-15, 0, 0, 1};
    static const double never[] = {0, 1}, half[] = {.5, .5}, sure[] = {1, 0};
    struct calibration all = {0}, rounded = {.weight = 999};
    check_group("bins");
    calibration_add(&all, c, 2, never, 0, 1, 2);
    calibration_add(&all, c, 2, half, 0, 0, 3);
    calibration_add(&all, c, 2, sure, 0, 0, 4);
    calibration_add(&all, more, 2, sure, 0, 1, 1);
    CHECK_NEAR(all.weight, 10, 0, "weight");
    for (int b = 0; b < CALIBRATION_BINS; b++) {
        const struct calibration_bin *bin = &all.bins[b];
        const double right = b == 7    ? 3
                             : b == 14 ? 4
                                       : 0,
                     expected = b == 7    ? 1.5
                                : b == 14 ? 5
                                          : 0,
                     variance = b == 7 ? 9 / 4. : 0;
        CHECK_NEAR(bin->right, right, 1e-12, "bin %d: right", b);
        CHECK_NEAR(bin->expected, expected, 1e-12, "bin %d: expected", b);
        CHECK_NEAR(bin->variance, variance, 1e-12, "bin %d: variance", b);
    }
    CHECK_NEAR(calibration_error(&all), (1.5 + 1) / 10, 1e-15, "error");
    rounded.bins[0] = bin_off(2);
    calibration_add(&rounded, more, 2, sure, 0, 0, 1);
    CHECK_NEAR(calibration_excess(&rounded), .1 - .05 * sqrt(2 / 3.14159265358979), 1e-12,
               "the excess beside it");
}

int main(void)
{
    test_excess();
    test_least();
    test_unexplained();
    test_bins();
    return check_finish();
}
