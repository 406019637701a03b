/* The generator of random numbers, and what is drawn from it. */
#include "check.h"
#include "common/base/random.h"

/* z from z ^ (z >> shift). */
static uint64_t unshift(uint64_t x, int shift)
{
    uint64_t z = x;
    for (int known = shift; known < 64; known += shift)
        z = x ^ (z >> shift);
    return z;
}

/* 1 / a modulo 2^64, for an odd a, by Newton's iteration, which doubles the bits that are right. */
static uint64_t reciprocal(uint64_t a)
{
    uint64_t x = a;
    for (int bits = 3; bits < 64; bits *= 2)
        x *= 2 - a * x;
    return x;
}

/* random_normal and others divide by u^2 + v^2 of two numbers from [-1, 1).  Of the 2^11 states
 * whose next number gives u = 0, none goes on with v = 0. */
static void check_pairs(void)
{
    check_group("two numbers are never both one half");
    double least = 1;
    for (uint64_t low = 0; low < 2048; low++) {
        uint64_t z = unshift((UINT64_C(1) << 63) + low, 31) * reciprocal(0x94d049bb133111ebu);
        z = unshift(z, 27) * reciprocal(0xbf58476d1ce4e5b9u);
        struct random g = {unshift(z, 30) - 0x9e3779b97f4a7c15u};
        CHECK_NEAR(random_uniform(&g), 0.5, 0, "the number after state %d", (int)low);
        least = fmin(least, fabs(2 * random_uniform(&g) - 1));
    }
    CHECK(least > 1e-4, "%g", least);
}

static void check_random(void)
{
    /* The first numbers of SplitMix64 from 0 and from 1234567, as published with the generator. */
    check_group("the generator");
    struct random g = {1234567};
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u,
                                     16408922859458223821u};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(random_next(&g) == known[i], "number %zu", i);
    random_skip(&g, -5);
    random_skip(&g, 2);
    CHECK(random_next(&g) == known[2], "two skipped");
    CHECK(random_seeded(7, 0).state == 7 && random_seeded(7, 1).state != random_seeded(7, 2).state
              && random_seeded(7, 1).state != random_seeded(8, 1).state,
          "uses of one seed differ");
    g.state = known[4];
    int64_t order[100], seen[100] = {0};
    for (int i = 0; i < 100; i++)
        order[i] = i;
    random_shuffle(&g, order, 100);
    for (int i = 0; i < 100; i++)
        seen[order[i]]++;
    for (int i = 0; i < 100; i++)
        CHECK_INT(seen[i], 1, "%d stands once in a shuffled row", i);
    int counts[5] = {0};
    for (int i = 0; i < 50000; i++)
        counts[random_below(&g, 5)]++;
    for (int i = 0; i < 5; i++)
        CHECK(counts[i] > 9700 && counts[i] < 10300, "%d of 50000 draws are %d", counts[i],
              i); /* 3 standard deviations are 268 */

    /* Of 200000 numbers from a normal distribution: the first four moments and two tails, each
     * within 4 standard deviations. */
    check_group("normal numbers");
    enum { N = 200000 };
    double moment[5] = {0}, beyond[2] = {0};
    for (int i = 0; i < N; i++) {
        double x = random_normal(&g);
        for (int k = 1; k <= 4; k++)
            moment[k] += pow(x, k) / N;
        beyond[0] += (fabs(x) > 1.0) / (double)N;
        beyond[1] += (x > 2.5) / (double)N;
    }
    static const double want[] = {1, 0, 1, 0, 3}, variance[] = {0, 1, 2, 15, 96};
    for (int k = 1; k <= 4; k++)
        CHECK(fabs(moment[k] - want[k]) < 4 * sqrt(variance[k] / N), "moment %d is %g", k,
              moment[k]);
    CHECK(fabs(beyond[0] - 0.317311) < 4 * sqrt(0.317311 * 0.682689 / N), "%g are beyond 1",
          beyond[0]);
    CHECK(fabs(beyond[1] - 0.0062097) < 4 * sqrt(0.0062097 / N), "%g are above 2.5", beyond[1]);
    g = (struct random){1234567};
    static const double first[] = {-0x1.ebc4cf27faaa1p-2, 0x1.ae3779d73ac06p-3,
                                   0x1.e25ce2e69f00bp-1, 0x1.460c0dcdeb86ep-1};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        double x = random_normal(&g);
        CHECK(x == first[i], "number %zu: %.17g, on every machine %.17g", i, x, first[i]);
    }
}

int main(void)
{
    check_random();
    check_pairs();
    return check_finish();
}
