/* SplitMix64: the state counts by an odd constant and each number is a hash of it.  Chosen because
 * the state is one word, any number of steps can be skipped at once, and it needs integers only. */
#include "common/base/random.h"

#include "common/base/elementary.h"
#include "common/base/number.h"

#include <assert.h>
#include <math.h>

static const uint64_t STEP = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio, odd */

void random_skip(struct random *g, int64_t n)
{
    g->state += (uint64_t)n * STEP;
}

uint64_t random_next(struct random *g)
{
    uint64_t z = g->state += STEP;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct random random_seeded(uint64_t seed, uint64_t s)
{
    /* Stream 0 is plain SplitMix64(seed); the others start at a hash of (seed, s), almost surely
     * far away on the same cycle. */
    struct random g = {seed};
    if (s) {
        struct random h = {s};
        g.state = random_next(&g) ^ random_next(&h);
    }
    return g;
}

double random_uniform(struct random *g)
{
    return (double)(random_next(g) >> 11) * 0x1p-53;
}

double random_normal(struct random *g)
{
    for (;;) {
        double u = 2 * random_uniform(g) - 1, v = 2 * random_uniform(g) - 1, square = u * u + v * v;
        if (square < 1) /* and above 0: u and v are never both 0 */
            return u * sqrt(-2 * elementary_log(square) / square);
    }
}

int64_t random_below(struct random *g, int64_t n)
{
    assert(n >= 1 && n < NUMBER_LARGEST_INT);
    return (int64_t)(random_uniform(g) * (double)n);
}

bool random_takes(struct random *g, int64_t left, int64_t wanted)
{
    return random_below(g, left) < wanted;
}

void random_sample(struct random *g, int64_t n, int64_t count, int64_t *chosen)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if (random_takes(g, n - i, count - found))
            chosen[found++] = i;
}

void random_shuffle(struct random *g, int64_t *a, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = random_below(g, i + 1);
        int64_t t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
