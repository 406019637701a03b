/* Scores of labels: the formulas of suspicion.h by plain loops, and the order by the definition of
 * isotonic regression. */
#include "check.h"
#include "common/linear/weights.h"
#include "learners/noise/calibration.h"
#include "learners/noise/suspicion.h"

#include <math.h>

enum { N = 7, K = 3 };

static const double c[K * K] = {0.8, 0.1, 0.2, 0.15, 0.9, 0.1, 0.05, 0, 0.7};
static const int32_t y[N] = {0, 1, 2, 0, 1, 2, 2};
static const double p[N * K] = {0.7, 0.2, 0.1, 0.3, 0.3, 0.4, 0.05, 0.9, 0.05, 0,  1,
                                0,   1,   0,   0,   0.2, 0.2, 0.6,  0.3, 0.1,  0.6};

static double posterior(int i, int k)
{
    double q = 0;
    for (int l = 0; l < K; l++)
        q += c[y[i] * K + l] * p[i * K + l];
    return c[y[i] * K + k] * p[i * K + k] / q;
}

static double margin(int i, int k)
{
    double rival = 0;
    for (int l = 0; l < K; l++)
        rival = l != k && p[i * K + l] > rival ? p[i * K + l] : rival;
    return p[i * K + k] - rival;
}

/* As the library has it. */
static double computed(void)
{
    struct calibration calibration = {0};
    for (int i = 0; i < N; i++)
        calibration_add(&calibration, c, K, p + i * K, weights_best(p + i * K, K), y[i], 1);
    return calibration_unexplained(&calibration);
}

/* 1 - 1/s, s the mean over the bins of (labels that are the predicted class - q)^2 / (q (1 - q)),
 * not below 0.1. */
static double unexplained(void)
{
    double square = 0;
    int bins = 0;
    for (int bin = 0; bin < 15; bin++) {
        double difference = 0, variance = 0;
        for (int i = 0; i < N; i++) {
            int best = 0;
            double q = 0;
            for (int k = 0; k < K; k++)
                best = p[i * K + k] > p[i * K + best] ? k : best;
            for (int k = 0; k < K; k++)
                q += c[best * K + k] * p[i * K + k];
            if (q >= bin / 15. && q < (bin + 1) / 15.) {
                difference += (best == y[i]) - q;
                variance += q * (1 - q);
            }
        }
        if (variance > 0) {
            square += difference * difference / variance;
            bins++;
        }
    }
    square /= bins;
    return square > 1 / 0.9 ? 1 - 1 / square : 0.1;
}

static void test_scores(void)
{
    double explained = 0, disagreement = 0, r[K];
    check_group("scores of labels");
    for (int i = 0; i < N; i++) {
        explained += 1 - posterior(i, y[i]);
        disagreement += 1 - p[i * K + y[i]];
    }
    const double a = unexplained() * (1 - explained / disagreement) / 2;
    const struct suspicion_weights w = suspicion_weigh(c, K, p, y, N, computed(), true);
    CHECK_NEAR(w.margin, a, 1e-15, "weight of the margin");
    const struct suspicion_weights own = suspicion_weigh(c, K, p, y, N, computed(), false);
    for (int i = 0; i < N; i++) {
        double all[K];
        int best = 0, other = -1;
        for (int k = 0; k < K; k++) {
            all[k] = pow(posterior(i, k), 1 - a) * pow((1 + margin(i, k)) / 2, a);
            best = all[k] > all[best] ? k : best;
            if (k != y[i] && (other < 0 || all[k] > all[other]))
                other = k;
        }
        const struct suspicion s = suspicion_of(i, c, K, p + i * K, p + i * K, y[i], &w, r);
        CHECK_NEAR(s.score, all[y[i]], 1e-14, "score %d", i);
        CHECK_INT(s.suggested, best, "the likeliest class of %d", i);
        CHECK_INT(s.other, other, "the likeliest other class of %d", i);
        CHECK_INT(s.i, i, "its number");
        const double right = posterior(i, y[i]), half = (1 + margin(i, y[i])) / 2;
        if (right > 0 && right < 1 && half > 0) {
            CHECK_NEAR(s.rank, log(right * half) / 2 + 0.1 * log(right / (1 - right)), 1e-12,
                       "rank of %d", i);
            const double rank = suspicion_of(i, c, K, p + i * K, p + i * K, y[i], &own, r).rank;
            CHECK_NEAR(rank, log(all[y[i]]), 1e-12, "rank of %d by an own estimate", i);
        }
    }
}

/* The margin counts for half of what C and chance leave unexplained; where chance could have made
 * all of it, for a tenth as much, and where labels and probabilities agree, for nothing. */
static void test_weights(void)
{
    const struct suspicion_sums half = {.explained = 2, .disagreement = 4},
                                all = {.explained = 4, .disagreement = 4}, none = {0};
    check_group("the weight of the margin");
    CHECK_NEAR(suspicion_settle(&half, 1, false).margin, 0.25, 1e-15, "nothing is chance");
    CHECK_NEAR(suspicion_settle(&half, 0.5, false).margin, 0.125, 1e-15, "half is chance");
    CHECK_NEAR(suspicion_settle(&half, 0, false).margin, 0.025, 1e-15, "all may be chance");
    CHECK_NEAR(suspicion_settle(&all, 1, false).margin, 0, 0, "C explains all");
    CHECK_NEAR(suspicion_settle(&none, 1, false).margin, 0, 0, "nothing disagrees");
}

/* Scores of all classes beside the definition, and that of the label beside the score that a
 * suspicion has.  a: the weight of the margin. */
static void check_class_scores(double a, bool given)
{
    const struct suspicion_weights w = {.margin = a, .p_given = given};
    for (int i = 0; i < N; i++) {
        double score[K], r[K];
        for (int k = 0; k < K; k++)
            score[k] = -1;
        suspicion_scores(c, K, p + i * K, y[i], &w, score);
        for (int k = 0; k < K; k++)
            CHECK_NEAR(score[k], pow(posterior(i, k), 1 - a) * pow((1 + margin(i, k)) / 2, a),
                       1e-14, "score of class %d, example %d, a = %g", k, i, a);
        CHECK(y[i] != 2 || score[1] == 0, "C rules class 1 out of example %d: %g", i, score[1]);
        const double of = suspicion_of(i, c, K, p + i * K, p + i * K, y[i], &w, r).score;
        CHECK_NEAR(score[y[i]], of, 1e-15, "score of the label of %d, a = %g", i, a);
    }
}

/* The weights are the caller's; whose the probabilities are has no part in a score. */
static void test_class_scores(void)
{
    check_group("scores of all classes");
    check_class_scores(0, false);
    check_class_scores(0.05, true);
    check_class_scores(0.3, false);
    check_class_scores(0.5, true);
}

/* The margin may be that of other probabilities than those that C goes with. */
static void test_plain(void)
{
    static const double plain[K] = {0.25, 0.25, 0.5};
    const struct suspicion_weights half = {.margin = 0.5, .p_given = false};
    double r[K];
    check_group("the margin of given probabilities");
    CHECK_NEAR(suspicion_of(0, c, K, p, plain, y[0], &half, r).score, sqrt(posterior(0, 0) * 0.375),
               1e-14, "score");
}

static void test_order(void)
{
    enum { M = 7 };
    static const double score[M] = {0.1, 0.5, 0.2, 0.3, 0.7, 0.6, 0.9};
    struct suspicion list[M];
    struct error err = {0};
    check_group("smoothed scores");
    for (int s = 0; s < M; s++) /* the last has the smallest rank */
        list[s] = (struct suspicion){
            .score = score[M - 1 - s], .rank = M - s, .i = s, .suggested = 1, .other = 2};
    CHECK_INT(suspicion_sort(list, M, &err), 0, "sorted");
    for (int s = 0; s < M; s++) {
        double want = 0;
        for (int from = 0; from <= s; from++) {
            double least = 1, sum = 0;
            for (int to = from; to < M; to++) {
                sum += score[to];
                if (to >= s && sum / (to - from + 1) < least)
                    least = sum / (to - from + 1);
            }
            want = least > want ? least : want;
        }
        want = (M * want + (s + 0.5) / M) / (M + 1);
        CHECK_INT(list[s].i, M - 1 - s, "place %d", s);
        CHECK_NEAR(list[s].score, want, 1e-15, "score at %d", s);
        CHECK_INT(list[s].suggested, want < 0.5 ? 2 : 1, "suggested at %d", s);
    }
}

/* A label as likely right as wrong is left as it is. */
static void test_even(void)
{
    struct suspicion one = {.score = 0.5, .suggested = 1, .other = 2};
    struct error err = {0};
    check_group("a score of one half");
    CHECK_INT(suspicion_sort(&one, 1, &err), 0, "sorted");
    CHECK_NEAR(one.score, 0.5, 0, "the score");
    CHECK_INT(one.suggested, 1, "suggested");
}

int main(void)
{
    test_scores();
    test_weights();
    test_class_scores();
    test_plain();
    test_order();
    test_even();
    return check_finish();
}
