/* The linear pool of two classifiers' probabilities (learners/noise/pool.h): is its share the one
 * that makes the labels likeliest, as a search of all shares finds? */
#include "check.h"
#include "common/base/random.h"
#include "learners/noise/pool.h"

#include <math.h>
#include <string.h>

enum { N = 400, K = 3 };

static const double noisy[K * K] = {.8, .1, .1, .1, .8, .2, .1, .1, .7};

/* Which of the two knows the class of an example, and how well. */
enum who { FIRST, SECOND, EITHER };

static void make(enum who who, int32_t *y, double *p, double *q, double *weight)
{
    struct random g = random_seeded(2, 1);
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        const bool first = who == FIRST || (who == EITHER && i % 3 > 0);
        y[i] = (int32_t)(random_uniform(&g) < 0.2 ? random_below(&g, K) : class);
        weight[i] = first ? 1 : 5;
        for (int64_t k = 0; k < K; k++) {
            const double knows = k == class ? 0.8 : 0.1, guesses = k == y[i] ? 0.2 : 0.4;
            p[i * K + k] = first ? knows : guesses;
            q[i * K + k] = first ? guesses : knows;
        }
    }
}

static double likelihood(const struct label_noise *noise, const double *p, const double *q,
                         double t)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double one = 0;
        for (int64_t k = 0; k < K; k++)
            one += noise->c[noise->y[i] * K + k] * (t * p[i * K + k] + (1 - t) * q[i * K + k]);
        sum += (noise->weight ? noise->weight[i] : 1) * log(one);
    }
    return sum;
}

static void test_pool(enum who who, bool weighted, double low, double high)
{
    int32_t y[N];
    double p[N * K], q[N * K], weight[N], pooled[N * K], best = 0, t = -1;
    struct error err = {0};
    const struct label_noise noise = {
        .n = N, .classes = K, .y = y, .weight = weighted ? weight : NULL, .c = noisy};
    check_group("who knows: %d%s", (int)who, weighted ? ", weights" : "");
    make(who, y, p, q, weight);
    memcpy(pooled, p, sizeof p);
    CHECK(pool_probabilities(&noise, pooled, q, &t, &err) == 0, "%s", err.message);
    CHECK(t >= low && t <= high, "a share of %g", t);
    for (int step = 1; step <= 1000; step++)
        if (likelihood(&noise, p, q, step / 1e3) > likelihood(&noise, p, q, best))
            best = step / 1e3;
    CHECK_NEAR(t, best, 1e-3, "the likeliest");
    for (int cell = 0; cell < N * K; cell++)
        CHECK_NEAR(pooled[cell], t * p[cell] + (1 - t) * q[cell], 1e-15, "cell %d", cell);
}

/* An example that one of the two takes for impossible, and one that both do. */
static void test_impossible(void)
{
    static const double identity[4] = {1, 0, 0, 1};
    static const int32_t y[3] = {0, 0, 1};
    static const double q[6] = {.5, .5, 0, 1, .5, .5};
    double p[6] = {0, 1, 0, 1, 0, 1}, t;
    struct error err = {0};
    const struct label_noise noise = {.n = 3, .classes = 2, .y = y, .c = identity};
    check_group("impossible labels");
    CHECK(pool_probabilities(&noise, p, q, &t, &err) == 0, "%s", err.message);
    CHECK_NEAR(t, 0, 1e-8, "a label that p takes for impossible"); /* log (1 - t) + log (1 + t) */
    CHECK(isfinite(p[0]) && p[2] == 0 && p[3] == 1, "and one that both do");
}

int main(void)
{
    test_pool(FIRST, false, 1, 1);
    test_pool(SECOND, false, 0, 0);
    test_pool(EITHER, false, .5, .99);
    test_pool(EITHER, true, .01, .5);
    test_impossible();
    return check_finish();
}
