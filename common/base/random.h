/* The random number generator: SplitMix64 (Steele, Lea and Flood 2014).  The same numbers on every
 * machine. */
#ifndef COMMON_BASE_RANDOM_H
#define COMMON_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* A generator for stream s of a seed.  Each use of a seed (a pass, a fold, a tool) should have a
 * stream of its own.  These share one: 0, label-noise, kpca-train and UMA's random pairs; 1, 2 ..,
 * passes, sweeps of MU-SVMs, Fourier features, bandit rounds and the halves of the margin
 * estimator; 2^60, synth's noise and landmarks; and a pass after 0xf01c or RANDOM_SAMPLE - 1 rounds
 * has that of folds or of samples.  It does no harm: passes only order the examples. */
struct random random_seeded(uint64_t seed, uint64_t s);

/* 64 random bits. */
uint64_t random_next(struct random *g);

/* Continue as if `n` numbers had been drawn.  O(1). */
void random_skip(struct random *g, int64_t n);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_uniform(struct random *g);

/* Normal with mean 0 and standard deviation 1: Marsaglia and Bray's polar method (1964), one number
 * of each pair. */
double random_normal(struct random *g);

/* An index in 0 .. n-1, floor(uniform * n); n >= 1, n < 2^53. */
int64_t random_below(struct random *g, int64_t n);

/* Selection sampling (Knuth, algorithm S): is the next of `left` items taken, if `wanted` of them
 * are still needed?  To be asked for each item in turn. */
bool random_takes(struct random *g, int64_t left, int64_t wanted);

/* Such a sample of 0 .. n-1.  chosen: out, count of them, ascending. */
void random_sample(struct random *g, int64_t n, int64_t count, int64_t *chosen);

/* The stream for samples of examples: another one than a fit's.  A sample of a sample draws by the
 * same numbers; its places are as even as those of other samples (simulated). */
enum { RANDOM_SAMPLE = 0x5a3b1e };

/* Shuffle a[0 .. n) (Fisher and Yates). */
void random_shuffle(struct random *g, int64_t *a, int64_t n);

/* The streams of tools that make data: noise must not be drawn from the numbers that made its
 * matrix, nor data from those of a learner's passes. */
#define RANDOM_NOISE (UINT64_C(1) << 60)
#define RANDOM_TOY (UINT64_C(2) << 60)    /* the classes; the points of part n: n + 1 more */
#define RANDOM_SYNSEP (UINT64_C(3) << 60) /* part n: n more */
#define RANDOM_UNIVERSUM (UINT64_C(4) << 60)
#define RANDOM_GAUSS (UINT64_C(5) << 60) /* the means; the examples of part n: n + 1 more */

#endif
