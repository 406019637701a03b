/* Noise rates from right-or-wrong answers, by margin and by a network, on rounds whose rates are
 * known. */
#include "check.h"
#include "common/base/random.h"
#include "learners/bandit/noise_rate.h"

#include <string.h>

enum { MOST = 64 };

/* Rounds of K classes that can be told apart: each has two features of its own.  The label shown is
 * the true one, or with probability `explored` any. */
static void draw_rounds(struct problem *rounds, uint64_t seed, int64_t n, int64_t K,
                        const double rho[2], double explored, double scale, bool bias)
{
    struct random g = random_seeded(seed, 2021);
    *rounds = (struct problem){.log = true};
    for (int64_t i = 0; i < n; i++) {
        int32_t index[MOST];
        double value[MOST];
        int64_t size = 0, label = random_below(&g, K);
        for (int32_t j = 0; j < 2 * K; j++) {
            double u = random_uniform(&g);
            if (j % K != label && u > 0.2)
                continue;
            index[size] = j + 1;
            value[size++] = scale * (j % K == label ? 0.5 + u : u);
        }
        if (bias) {
            index[size] = 0;
            value[size++] = scale;
        }
        int64_t shown = random_uniform(&g) < explored ? random_below(&g, K) : label;
        double u = random_uniform(&g);
        struct feedback feedback = {shown == label ? u >= rho[1] : u < rho[0], 1};
        struct example x = {
            .label = shown, .size = size, .index = index, .value = value, .feedback = feedback};
        CHECK(problem_append_example(rounds, &x, NULL) == 0, "memory");
    }
}

/* Of rounds about which nothing is known.  An error leaves rho. */
static int estimate(enum noise_rate_estimator which, struct problem *rounds, int64_t K,
                    const struct noise_rate_network *network, int64_t seed, int threads,
                    double rho[2], struct error *err)
{
    struct noise_rates rates = {.rho = {rho[0], rho[1]}};
    int status = noise_rate_estimate(which, rounds, K, network, seed, threads, &rates, err);
    memcpy(rho, rates.rho, sizeof rates.rho);
    return status;
}

static const struct noise_rate_network NETWORK = {
    .layers = 2, .hidden = {64, 64}, .dropout = 0.2, .epochs = 15};
static const double TRUE_RATES[] = {0.2, 0.3};

/* Over 20 seeds of rounds and network, 3 and 5 classes, the largest errors of rho0 and rho1 were
 * 0.049 and 0.024 by eq. (6), 0.083 and 0.029 in the authors' way; rho0 nearly always came out too
 * high. */
static void check_rates(void)
{
    static const double bound[2][2] = {{0.07, 0.05}, {0.13, 0.05}};
    for (int64_t K = 3; K <= 5; K += 2) {
        for (int authors = 0; authors < 2; authors++) {
            check_group("noise rates by a network, %lld classes, %s", (long long)K,
                        authors ? "the authors' way" : "eq. (6)");
            enum noise_rate_estimator which = authors ? NOISE_RATE_MLP_AUTHORS : NOISE_RATE_MLP;
            struct problem rounds;
            double rho[2] = {0};
            struct error err = {0};
            draw_rounds(&rounds, 1, 20000, K, TRUE_RATES, 0.3, 1, false);
            CHECK(estimate(which, &rounds, K, &NETWORK, 1, 1, rho, &err) == 0, "%s", err.message);
            for (int i = 0; i < 2; i++)
                CHECK(fabs(rho[i] - TRUE_RATES[i]) < bound[authors][i], "rho%d is %g, estimated %g",
                      i, TRUE_RATES[i], rho[i]);
            problem_free(&rounds);
        }
    }
}

static const struct noise_rate_network SMALL = {
    .layers = 1, .hidden = {16}, .dropout = 0.2, .epochs = 6};

/* Rates that stay are brought into their range: none below 0, and a sum of 0.9 at most, their ratio
 * kept.  rounds: with one label. */
static void check_clip(enum noise_rate_estimator which, struct problem *rounds, int64_t K)
{
    static const double rho[][2][2] = {{{1.2, 0.6}, {0.6, 0.3}},
                                       {{0.5, 0.625}, {0.4, 0.5}},
                                       {{0.5, 0.375}, {0.5, 0.375}},
                                       {{-0.5, 1}, {0, 0.9}},
                                       {{1.8, -1}, {0.9, 0}}};
    for (size_t r = 0; r < sizeof rho / sizeof *rho; r++) {
        double got[2] = {rho[r][0][0], rho[r][0][1]};
        estimate(which, rounds, K, &SMALL, 3, 1, got, NULL);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(got[i], rho[r][1][i], 1e-15, "rho%d of %g and %g", i, rho[r][0][0],
                       rho[r][0][1]);
    }
}

static void check_rates_stay(void)
{
    enum { N = 3000, K = 18 /* more labels than are looked at in one go */ };
    static const char *const name[] = {"eq. (6)", "the authors'"};
    for (int authors = 0; authors < 2; authors++) {
        enum noise_rate_estimator which = authors ? NOISE_RATE_MLP_AUTHORS : NOISE_RATE_MLP;
        struct problem rounds, longer;
        double rho[2] = {0}, again[2] = {0};
        struct error err = {0};
        check_group("noise rates, %s: what must not matter", name[authors]);
        draw_rounds(&rounds, 7, N, K, TRUE_RATES, 0.8, 1, true);
        draw_rounds(&longer, 7, N, K, TRUE_RATES, 0.8, 64, true);
        CHECK(estimate(which, &rounds, K, &SMALL, 3, 1, rho, &err) == 0, "%s", err.message);
        CHECK(rho[0] > 0 && rho[0] < 1 && rho[1] > 0 && rho[1] < 1, "%g and %g", rho[0], rho[1]);
        CHECK(estimate(which, &longer, K, &SMALL, 3, 1, again, NULL) == 0
                  && memcmp(rho, again, sizeof rho) == 0,
              "the length of the examples");
        for (int threads = 2; threads <= 4; threads++)
            CHECK(estimate(which, &rounds, K, &SMALL, 3, threads, again, NULL) == 0
                      && memcmp(rho, again, sizeof rho) == 0,
                  "%d threads", threads);
        CHECK(estimate(which, &rounds, K, &SMALL, 4, 1, again, NULL) == 0
                  && memcmp(rho, again, sizeof rho) != 0,
              "the seed does");
        problem_free(&longer);

        check_group("noise rates, %s: what cannot be estimated", name[authors]);
        memcpy(again, rho, sizeof rho);
        struct noise_rate_network none = SMALL;
        none.layers = 0;
        CHECK(estimate(which, &rounds, K, &none, 3, 1, rho, &err) == -1 && err.message[0],
              "no layer");
        CHECK(estimate(which, &rounds, 1, &SMALL, 3, 1, rho, &err) == -1, "one class");
        CHECK(estimate(which, &rounds, INT32_MAX, &SMALL, 3, 1, rho, &err) == -1,
              "a label would be beyond the largest index");
        for (int64_t i = 0; i < N; i++)
            rounds.label[i] = 5;
        if (!authors)
            CHECK(estimate(which, &rounds, K, &SMALL, 3, 1, rho, &err) == 0, "one label shown: %s",
                  err.message);
        CHECK(memcmp(rho, again, sizeof rho) == 0, "the rates stay");
        if (!authors)
            check_clip(which, &rounds, K);
        problem_free(&rounds);
    }

    /* Classes 4 .. 5 are in no round: what the network would say of them is chance. */
    check_group("noise rates, eq. (6): labels that were never shown");
    struct problem rounds;
    double rho[2] = {0};
    struct error err = {0};
    draw_rounds(&rounds, 2, 10000, 3, TRUE_RATES, 0.8, 1, false);
    CHECK(estimate(NOISE_RATE_MLP, &rounds, 6, &NETWORK, 1, 1, rho, &err) == 0, "%s", err.message);
    for (int i = 0; i < 2; i++)
        CHECK(fabs(rho[i] - TRUE_RATES[i]) < 0.07, "rho%d is %g, estimated %g", i, TRUE_RATES[i],
              rho[i]);
    problem_free(&rounds);
}

/* ---- margin ---- */

/* Over 20 seeds the largest errors in these settings were 0.039 for two classes, where few rounds
 * show another label than the best, and 0.022 for more. */
static void check_margin(void)
{
    static const double rho[][2] = {{0, 0},     {0.15, 0.15}, {0.25, 0.25},
                                    {0.2, 0.4}, {0.4, 0.2},   {0.4, 0.4}};
    for (int64_t K = 2; K <= 8; K += 3) {
        for (size_t r = 0; r < sizeof rho / sizeof *rho; r++) {
            struct problem rounds;
            double found[2] = {0}, again[2] = {0};
            struct error err = {0};
            check_group("noise rates by margin, %d classes, %g and %g", (int)K, rho[r][0],
                        rho[r][1]);
            draw_rounds(&rounds, 100 + r, 20000, K, rho[r], 0.3, 8, r % 2);
            CHECK(estimate(NOISE_RATE_MARGIN, &rounds, K, NULL, 1, 1, found, &err) == 0, "%s",
                  err.message);
            for (int i = 0; i < 2; i++)
                CHECK(fabs(found[i] - rho[r][i]) < (K == 2 ? 0.05 : 0.03),
                      "rho%d is %g, estimated %g", i, rho[r][i], found[i]);
            if (r == sizeof rho / sizeof *rho - 1)
                CHECK(estimate(NOISE_RATE_MARGIN, &rounds, K, NULL, 1, 4, again, &err) == 0
                          && memcmp(again, found, sizeof found) == 0,
                      "threads");
            problem_free(&rounds);
        }
    }
}

/* What was counted before counts half, and a rate that nothing tells of stays. */
static void check_memory(void)
{
    enum { K = 3 };
    static const double none[2] = {0, 0}, flipped[2] = {0.3, 0.3};
    struct noise_rates rates = {.rho = {0, 0}};
    struct problem clean, noisy, greedy;
    check_group("noise rates by margin: what was counted before");
    draw_rounds(&clean, 1, 4000, K, none, 0.5, 1, false);
    draw_rounds(&noisy, 2, 4000, K, flipped, 0.5, 1, false);
    draw_rounds(&greedy, 3, 4000, K, none, 0, 1, false);
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &noisy, K, NULL, 1, 1, &rates, NULL) == 0,
          "noisy");
    struct noise_rates first = rates;
    for (int i = 0; i < 2; i++)
        CHECK(fabs(rates.rho[i] - 0.3) < 0.08, "rho%d is 0.3, estimated %g", i, rates.rho[i]);
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &clean, K, NULL, 1, 1, &rates, NULL) == 0,
          "clean");
    for (int same = 0; same <= 1; same++) {
        double lies = first.count[same][1 - same] / 2, all = lies + first.count[same][same] / 2;
        CHECK(rates.count[same][1 - same] - lies < 0.02 * all, "%g lies counted, half of %g before",
              rates.count[same][1 - same], 2 * lies);
        CHECK(rates.rho[same] > 0.05 && rates.rho[same] < 0.15,
              "rho%d is %g after a third of the answers were 0.3", same, rates.rho[same]);
    }
    struct noise_rates kept = {.rho = {0.125, 0.125}};
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &greedy, K, NULL, 1, 1, &kept, NULL) == 0,
          "nothing explored");
    CHECK(kept.count[0][0] + kept.count[0][1] > 0 || kept.rho[0] == 0.125, "rho0 is %g",
          kept.rho[0]);
    /* Whatever has been counted, be it one answer: from then on NSM learns with the rates that were
     * estimated. */
    for (int cell = 0; cell < 4; cell++) {
        struct noise_rates low = {.rho = {0.1, 0.1}}, high = {.rho = {0.4, 0.4}};
        low.count[cell / 2][cell % 2] = high.count[cell / 2][cell % 2] = 1;
        CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &noisy, K, NULL, 1, 1, &low, NULL) == 0,
              "low");
        CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &noisy, K, NULL, 1, 1, &high, NULL) == 0,
              "high");
        CHECK(memcmp(low.count, high.count, sizeof low.count) != 0,
              "an answer of kind %d makes no rates known", cell);
    }
    problem_free(&clean);
    problem_free(&noisy);
    problem_free(&greedy);
}

int main(void)
{
    check_rates();
    check_rates_stay();
    check_margin();
    check_memory();
    return check_finish();
}
