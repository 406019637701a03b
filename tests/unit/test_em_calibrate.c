/* The likeliest temperature of any scores (em_calibrate of learners/noise/em.h) beside a grid of
 * temperatures. */
#include "check.h"
#include "common/base/memory.h"
#include "label_noise_plain.h"
#include "learners/noise/em.h"

enum { N = 300 };

/* scale: of the scores. */
static void test_calibrate(int64_t K, bool weighted, double scale)
{
    static double score[N * CLASSES], level[N * CLASSES];
    double c[CLASSES * CLASSES], weight[N], p[CLASSES], temperature = NAN;
    int32_t y[N];
    struct random g = random_seeded(15, (uint64_t)K);
    struct error err = {0};
    const struct label_noise noise = {N, K, y, weighted ? weight : NULL, c, NULL, 0};
    check_group("the temperature of scores, %d classes%s, scores of about %g", (int)K,
                weighted ? ", weights" : "", scale);
    random_matrix(&g, K, c);
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        y[i] = draw_label(&g, K, c, class);
        weight[i] = 0.1 + 3 * random_uniform(&g);
        for (int64_t k = 0; k < K; k++)
            score[i * K + k] = scale * (7 + (k == class) + 0.5 * random_normal(&g));
    }
    memcpy(level, score, sizeof score);
    double *got = em_calibrate(N, K, y, noise.weight, 1, c, level, &temperature, &err);
    CHECK(got != NULL, "%s", err.message);
    const double exponent = plain_exponent(&noise, score);
    CHECK(fabs(log2(temperature) - exponent) < 0.08, "exponents %g and %g", log2(temperature),
          exponent);
    CHECK(plain_likelihood(&noise, score, temperature)
              > plain_likelihood(&noise, score, exp2(exponent)) - 1e-4,
          "the likelihood");
    for (int i = 0; got && i < N; i++) {
        softmax(K, score + i * K, temperature, p);
        check_numbers(got + i * K, p, K, 1e-9, "probability");
        CHECK_NEAR(level[i * K + largest(K, score + i * K)], 0, 0, "the largest of %d", i);
    }
    memory_free(got);
}

int main(void)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        test_calibrate(2, weighted, 1);
        test_calibrate(CLASSES, weighted, 0.2);
        test_calibrate(CLASSES, weighted, 6);
    }
    return check_finish();
}
