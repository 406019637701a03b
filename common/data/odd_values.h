/* Features whose numbers are no amounts, or span many powers of ten.  Learners that add up products
 * of values see little else in them:
 *
 * - a stand-in for a missing value, as -999 among ages: the smallest or the largest value occurs
 *   often, and far from all others;
 * - heavy tails, as of incomes and counts: some values are many times as far from the median as
 *   half of them.  Their logarithm has none.  A feature that is rare beside the others is not
 *   looked at;
 * - single values, as a count of thousands in a text, that are nearly all of a line, each time
 *   another feature's: tails that no feature shows, as it has few values. */
#ifndef COMMON_DATA_ODD_VALUES_H
#define COMMON_DATA_ODD_VALUES_H

#include "common/data/problem.h"

enum { ODD_VALUES_LINES = 2000 }; /* examples that are looked at, at most */

/* How many features are so, and the first of them; features = 0: none is, and the rest of its
 * struct is 0. */
struct odd_values {
    struct odd_stand_in {
        int64_t features;
        int32_t index;
        double value;    /* what stands for a missing one */
        double share;    /* of the examples */
        double from, to; /* the range of the other values */
    } stand_in;
    struct odd_tails {
        int64_t features; /* none of which has a stand-in */
        int32_t index;
        double times;  /* of the hundredth of the values that is furthest from the median: the least
                          distance, over that which half of the values have at most */
        bool negative; /* some value is below 0 */
    } tails;
    double single; /* the part of the examples of which one value is nearly all; 0: few are so, or
                      most by the same feature */
};

/* Look at examples drawn by the seed, at the lengths that they had where the problem keeps them;
 * one whose length is infinite is not looked at.  The bias is no feature, and one that is left out
 * is 0.
 *
 * problem  in memory or, of which about a million entries are looked at, on disk
 * found    out
 * O(m log m + d) for m entries of these examples; some 8 MB and 4 d bytes, and 12 MB of data on
 * disk.  0, or -1 with err: memory, or the disk. */
int odd_values_find(const struct problem *problem, int64_t seed, struct odd_values *found,
                    struct error *err);

#endif
