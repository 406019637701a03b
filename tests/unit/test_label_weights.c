/* The weights of noisy labels (learners/noise/label_weights.h) beside plain loops: of many
 * labels, doubtful ones, few, and some that cannot be right. */
#include "check.h"
#include "label_noise_plain.h"
#include "learners/noise/label_weights.h"

enum { N = 300 };

/* Class 0 has many labels, class 1 doubtful ones, class 2 few, and class 3 none that is right. */
static void test_label_weights(bool weighted, double unexplained)
{
    enum { K = 4 };
    static const double c[K * K] = {.7, .1, .1, .3, .1, .7, .2, .3, .1, .1, .6, .4, .1, .1, .1, 0};
    static const double share[K] = {.3, .3, .3, .1};
    double p[N * K], v[N], want[N], weight[N];
    int32_t y[N];
    struct error err = {0};
    struct random g = random_seeded(4, 1);
    struct label_noise noise = {N, K, y, weighted ? weight : NULL, c, share, unexplained};
    check_group("weights of labels, %sunexplained %g", weighted ? "own weights, " : "",
                unexplained);
    for (int i = 0; i < N; i++) {
        double score[K];
        y[i] = i < 200 ? 0 : i < 260 ? 1 : i < 270 ? 2 : 3;
        weight[i] = i % 7 == 0 ? 0 : 2 * random_uniform(&g);
        for (int k = 0; k < K; k++)
            score[k] = 2 * random_normal(&g) - (k == y[i] && k == 1 ? 5 : 0);
        softmax(K, score, 1, p + i * K);
    }
    const struct plain_lifts lifts = plain_weights(&noise, p, want);
    CHECK(lifts.lifted > 40 && lifts.capped > 0 && lifts.capped < 10, "%d lifted, %d capped",
          lifts.lifted, lifts.capped);
    CHECK(label_weights(&noise, p, v, &err) == 0, "%s", err.message);
    check_numbers(v, want, N, 1e-12, "weight of label");
    for (int i = 270; i < N; i++)
        CHECK_NEAR(v[i], 0, 0, "a label that cannot be right, %d", i);
    const double unit = label_weights_unit(noise.weight, N);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(unit * (weighted ? weight[i] : 1), own_weight(noise.weight, N, i), 1e-12,
                   "weight of example %d", i);
}

int main(void)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        test_label_weights(weighted, 0.4);
        test_label_weights(weighted, 0); /* counts as 0.1 */
    }
    return check_finish();
}
