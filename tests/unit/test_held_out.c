/* What held-out labels say of probabilities: against a plain loop, and known answers. */
#include "common/base/random.h"
#include "learners/noise/calibration.h"
#include "learners/noise/held_out.h"
#include "tests/unit/check.h"
#include "tests/unit/dense_plain.h"

#include <math.h>

enum { N = 500, MOST = 5 };

/* The same from the definitions, class by class and bin by bin. */
static struct held_out plain_judge(const struct held_out_scores *of)
{
    const int K = (int)of->K;
    const int32_t *y = of->y;
    const double *scores = of->scores, *c = of->c;
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += of->weight[i];
    static double p[N][MOST], q[N][MOST];
    struct held_out out = {0};
    double by_posterior = 1, by_inverse = 1, copy[MOST * MOST], inverse[MOST * MOST];
    memcpy(copy, c, (size_t)(K * K) * sizeof *c);
    CHECK(invert_plain(K, copy, inverse), "the matrix has an inverse");
    for (int i = 0; i < N; i++) {
        const double share = of->weight[i] / sum;
        double total = 0;
        for (int k = 0; k < K; k++) {
            const double s = K > 2 ? scores[i * K + k] : k * scores[i];
            total += p[i][k] = exp(of->temperature * s);
        }
        int best = 0;
        for (int k = 0; k < K; k++) {
            p[i][k] /= total;
            best = p[i][k] > p[i][best] ? k : best;
        }
        for (int k = 0; k < K; k++) {
            q[i][k] = 0;
            for (int t = 0; t < K; t++)
                q[i][k] += c[k * K + t] * p[i][t];
        }
        out.agreed += (best == y[i]) / (double)N;
        out.log_loss -= share * log(q[i][y[i]]);
        by_posterior -= share * c[y[i] * K + best] * p[i][best] / q[i][y[i]];
        by_inverse -= share * inverse[best * K + y[i]];
    }
    out.true_error = fmax(by_posterior, fmin(by_inverse, 1));
    for (int bin = 0; bin < 15; bin++) {
        double off = 0;
        for (int i = 0; i < N; i++) {
            int top = 0;
            for (int k = 0; k < K; k++)
                top = p[i][k] > p[i][top] ? k : top;
            if (q[i][top] >= bin / 15. && (q[i][top] < (bin + 1) / 15. || bin == 14))
                off += of->weight[i] / sum * ((top == y[i]) - q[i][top]);
        }
        out.calibration += fabs(off);
    }
    return out;
}

static void test_plain(int K, double temperature)
{
    check_group("a plain loop, %d classes, temperature %g", K, temperature);
    struct random g = random_seeded(4, (uint64_t)K);
    const int columns = K > 2 ? K : 1;
    double scores[N * MOST], c[MOST * MOST], weight[N];
    int32_t y[N];
    const struct held_out_scores of = {N, K, scores, y, weight, c, temperature};
    for (int i = 0; i < N * columns; i++)
        scores[i] = 3 * random_normal(&g);
    for (int i = 0; i < N; i++)
        y[i] = (int32_t)random_below(&g, (uint32_t)K);
    for (int i = 0; i < N; i++)
        weight[i] = 3 * random_uniform(&g);
    for (int q = 0; q < K; q++) {
        double total = 0;
        for (int k = 0; k < K; k++)
            total += c[k * K + q] = random_uniform(&g) + 2 * (k == q);
        for (int k = 0; k < K; k++)
            c[k * K + q] /= total;
    }
    struct error err = {0};
    struct held_out got = {0};
    const struct held_out want = plain_judge(&of);
    CHECK_INT(held_out_judge(&of, 1, &got, &err), 0, "memory");
    CHECK_NEAR(got.agreed, want.agreed, 1e-12, "labels agreed with");
    CHECK_NEAR(got.true_error, want.true_error, 1e-12, "true error");
    CHECK_NEAR(got.log_loss, want.log_loss, 1e-12, "log-loss");
    CHECK_NEAR(got.calibration, want.calibration, 1e-12, "calibration error");
}

/* Sure decisions for two classes; of the labels one in four is the other. */
static void decide_surely(double *scores, int32_t *y)
{
    for (int i = 0; i < N; i++) {
        scores[i] = i % 2 ? 40 : -40;
        y[i] = (int32_t)(i / 2 % 4 ? i % 2 : 1 - i % 2);
    }
}

/* Two classes, all examples alike.  judged: out.  Returns the status. */
static int judge(const double *scores, const int32_t *y, const double *c, struct held_out *judged)
{
    const struct held_out_scores of = {
        .n = N, .K = 2, .scores = scores, .y = y, .c = c, .temperature = 1};
    struct error err = {0};
    return held_out_judge(&of, 1, judged, &err);
}

/* Labels of which each class has one of another name in four, through the matrix that says so: the
 * classifier is sure, right, and calibrated.  Through the identity it is not. */
static void test_known(void)
{
    check_group("a right matrix, and a wrong one");
    const double right[] = {0.75, 0.25, 0.25, 0.75}, wrong[] = {1, 0, 0, 1};
    double scores[N];
    int32_t y[N];
    decide_surely(scores, y);
    struct held_out got = {0};
    /* 500 examples are 62 rounds of 8 with 2 wrong labels each, and 2 wrong and 2 right ones. */
    CHECK_INT(judge(scores, y, right, &got), 0, "memory");
    CHECK_NEAR(got.agreed, 374. / N, 1e-12, "labels agreed with");
    CHECK_NEAR(got.true_error, (126. / N - .25) / .5, 1e-12, "true error");
    CHECK_NEAR(got.log_loss, -(374 * log(0.75) + 126 * log(0.25)) / N, 1e-12, "log-loss");
    CHECK_NEAR(got.calibration, 1. / N, 1e-12, "calibration error");
    CHECK_INT(judge(scores, y, wrong, &got), 0, "memory");
    CHECK_NEAR(got.agreed, 374. / N, 1e-12, "labels agreed with");
    CHECK_NEAR(got.true_error, 126. / N, 1e-12, "true error");
    CHECK_NEAR(got.calibration, 126. / N, 1e-12, "calibration error");
}

/* A label in four is not what a sure classifier decides.  Where e of the labels of either class are
 * wrong, an error of d makes d + e - 2 d e of the labels differ: so d = (1/4 - e) / (1 - 2 e),
 * about. The posteriors do not see it; nor does a matrix that is nearly singular. */
static void test_too_sure(void)
{
    check_group("a classifier that is too sure");
    const double eighth[] = {.875, .125, .125, .875}, nearly[] = {.502, .498, .498, .502};
    double scores[N];
    int32_t y[N];
    decide_surely(scores, y);
    struct held_out got = {0};
    CHECK_INT(judge(scores, y, eighth, &got), 0, "memory");
    CHECK_NEAR(got.true_error, (126. / N - .125) / .75, 1e-12, "by the inverse");
    CHECK_INT(judge(scores, y, nearly, &got), 0, "memory");
    CHECK_NEAR(got.true_error, 0, 1e-12, "by the posteriors");
}

/* n examples whose label is the predicted class with probability 3/4, of which `right` are. */
static struct calibration of(int n, int right)
{
    const double c[] = {0.75, 0.25, 0.25, 0.75}, p[] = {1, 0};
    struct calibration calibration = {0};
    for (int i = 0; i < n; i++)
        calibration_add(&calibration, c, 2, p, 0, i >= right, 1);
    return calibration;
}

/* A deviation of 400 labels at 3/4 is 0.0217 of them, of which chance takes sqrt(2 / pi). */
static void test_excess(void)
{
    const double chance = sqrt(2 / acos(-1)) * sqrt(0.75 * 0.25 / 400);
    check_group("what chance does not explain");
    struct calibration calibration = of(400, 300);
    CHECK_NEAR(calibration_error(&calibration), 0, 1e-12, "as often as predicted");
    CHECK_NEAR(calibration_excess(&calibration), 0, 0, "as often as predicted");
    calibration = of(400, 314); /* 1.6 deviations */
    CHECK_NEAR(calibration_error(&calibration), 14. / 400, 1e-12, "not significant");
    CHECK_NEAR(calibration_excess(&calibration), 0, 0, "not significant");
    calibration = of(400, 260); /* 4.6 deviations */
    CHECK_NEAR(calibration_excess(&calibration), 0.1 - chance, 1e-12, "less often");
    calibration = of(400, 340);
    CHECK_NEAR(calibration_excess(&calibration), 0.1 - chance, 1e-12, "more often");
    calibration = of(100, 75);
    const double c[] = {1, 0, 0, 1}, p[] = {0.5, 0.5};
    calibration_add(&calibration, c, 2, p, 0, 0, 5);
    CHECK_NEAR(calibration_error(&calibration), 2.5 / 105, 1e-12, "an example of weight 5");
    CHECK_NEAR(calibration_unexplained(&calibration), 0, 0, "whose deviation is 2.5");
    calibration = of(400, 260);
    CHECK_NEAR(calibration_unexplained(&calibration), 1 - 75. / 1600, 1e-12, "unexplained");
    calibration = of(40000, 30360); /* 4.2 deviations, but .009 of the labels */
    CHECK_NEAR(calibration_excess(&calibration), 0, 0, "significant, but small");
}

int main(void)
{
    for (int K = 2; K <= MOST; K++) {
        test_plain(K, 1);
        test_plain(K, 0.3);
    }
    test_known();
    test_too_sure();
    test_excess();
    return check_finish();
}
