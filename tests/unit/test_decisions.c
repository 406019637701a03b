/* The likelihood of decisions beside a grid of accuracies, the lead of one classifier over another,
 * and both from scores. */
#include "check.h"
#include "learners/noise/decisions.h"
#include "ridge_plain.h"

/* P(y | h) at the accuracy a. */
static double plain_probability(int64_t K, const double *c, double a, int64_t y, int64_t h)
{
    double others = 0;
    for (int64_t q = 0; q < K; q++)
        if (q != h)
            others += c[y * K + q];
    return a * c[y * K + h] + (1 - a) * others / (double)(K - 1);
}

static double plain_mean(const double *count, int64_t K, const double *c, double a)
{
    double sum = 0, total = 0;
    for (int64_t y = 0; y < K; y++)
        for (int64_t h = 0; h < K; h++)
            if (count[y * K + h] > 0) {
                sum += count[y * K + h] * log(plain_probability(K, c, a, y, h));
                total += count[y * K + h];
            }
    return sum / total;
}

/* The best of 0, 1 / 10000 .. 1, and of a finer grid around it. */
static double plain_likelihood(const double *count, int64_t K, const double *c)
{
    enum { STEPS = 10000 };
    double best = -INFINITY, at = 0;
    for (int step = 0; step <= STEPS; step++) {
        const double a = (double)step / STEPS, mean = plain_mean(count, K, c, a);
        if (mean > best) {
            best = mean;
            at = a;
        }
    }
    for (int step = -1000; step <= 1000; step++) {
        const double a = fmin(fmax(at + step / 1e3 / STEPS, 0), 1);
        best = fmax(best, plain_mean(count, K, c, a));
    }
    return best;
}

static void check_decisions(const double *count, int64_t K, const double *c, const char *what)
{
    const double got = decisions_likelihood(count, K, c), want = plain_likelihood(count, K, c);
    CHECK(isfinite(want), "%s: %g", what, want);
    CHECK(got >= want - 1e-9, "%s: %.9g is less than at another a, %.9g", what, got, want);
    CHECK_NEAR(got, want, 1e-6, "%s", what);
}

static void test_decisions(int64_t K)
{
    double count[CLASSES * CLASSES], c[CLASSES * CLASSES];
    struct random g = random_seeded(6, (uint64_t)K);
    check_group("decisions among %d classes", (int)K);
    for (int draw = 0; draw < 6; draw++) {
        random_matrix(&g, K, c);
        for (int64_t cell = 0; cell < K * K; cell++)
            count[cell] = 20 * random_uniform(&g) + (cell % (K + 1) == 0 ? 15 * draw : 0);
        check_decisions(count, K, c, "any counts");
        const double likelihood = decisions_likelihood(count, K, c);
        for (int64_t cell = 0; cell < K * K; cell++)
            count[cell] *= 1e6;
        CHECK_NEAR(decisions_likelihood(count, K, c), likelihood, 1e-9, "a mean");
    }
    for (int64_t cell = 0; cell < K * K; cell++)
        count[cell] = cell % (K + 1) == 0 ? 10 : 0;
    check_decisions(count, K, c, "as labelled");
    for (int64_t cell = 0; cell < K * K; cell++)
        count[cell] = cell % (K + 1) == 0 ? 0 : 10;
    check_decisions(count, K, c, "never as labelled");
}

/* Without noise the likeliest accuracy is the share of decisions that are as labelled, and an error
 * counts alike in every class. */
static void test_decisions_identity(void)
{
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, even[] = {0.3, 0.3, 0.7, 0.7};
    static const double all[] = {30, 0, 0, 0, 50, 0, 0, 0, 2}, none[] = {0, 4, 4, 5, 0, 4, 3, 1, 0};
    static const double common[] = {50, 9, 6, 3, 27, 2, 0, 0, 3};
    static const double rare[] = {65, 0, 0, 0, 15, 0, 9, 11, 0}, two[] = {60, 5, 15, 20};
    const double four_of_five = 0.8 * log(0.8) + 0.2 * log(0.1);
    check_group("decisions without noise, and with nothing else");
    CHECK_NEAR(decisions_likelihood(all, 3, identity), 0, 1e-6, "all right");
    CHECK_NEAR(decisions_likelihood(common, 3, identity), four_of_five, 1e-6, "four of five");
    CHECK_NEAR(decisions_likelihood(rare, 3, identity), four_of_five, 1e-6, "not in a rare class");
    CHECK_NEAR(decisions_likelihood(none, 3, identity), log(0.5), 1e-6, "none right");
    CHECK_NEAR(decisions_likelihood(two, 2, even), 0.65 * log(0.3) + 0.35 * log(0.7), 1e-9,
               "the same noise in both classes");
}

/* A label that no class can have costs the same wherever it is, and leaves the others alone. */
static void test_decisions_impossible(void)
{
    static const double c[] = {0.8, 0.3, 0, 0.2, 0.7, 0, 0, 0, 0};
    double count[] = {70, 10, 0, 15, 40, 0, 0, 0, 0};
    check_group("decisions and impossible labels");
    check_decisions(count, 3, c, "beside a label that no class can have");
    const double possible = decisions_likelihood(count, 3, c), total = 135;
    double tiny[2];
    for (int times = 0; times < 2; times++) {
        const double odd = times ? 40 : 2;
        count[6 + times] = odd;
        const double got = decisions_likelihood(count, 3, c);
        CHECK(isfinite(got), "finite: %g", got);
        tiny[times] = ((total + odd) * got - total * possible) / odd;
        count[6 + times] = 0;
    }
    CHECK(tiny[0] < log(1e-9) && tiny[0] > log(5e-324), "the logarithm of a tiny number: %g",
          tiny[0]);
    CHECK_NEAR(tiny[1], tiny[0], 1e-5, "of the same");
    for (int cell = 0; cell < 6; cell++)
        count[cell] = 0;
    count[6] = 1;
    CHECK_NEAR(decisions_likelihood(count, 3, c), tiny[0], 1e-5, "that label alone");
}

/* The difference of two classifiers' log P(y | h), example by example. */
static void test_lead(int64_t K)
{
    enum { N = 400, FINE = 20000 };
    double c[CLASSES * CLASSES], workspace[3 * CLASSES * CLASSES], weight[N];
    double count[2][CLASSES * CLASSES] = {{0}}, at[2] = {0}, sum = 0, squares = 0;
    int32_t y[N], decision[2][N];
    struct random g = random_seeded(8, (uint64_t)K);
    check_group("one classifier beside another, %d classes", (int)K);
    random_matrix(&g, K, c);
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)random_below(&g, K);
        weight[i] = 0.5 + random_uniform(&g);
        for (int which = 0; which < 2; which++) {
            const bool as_labelled = random_uniform(&g) < (which ? 0.6 : 0.5);
            decision[which][i] = as_labelled ? y[i] : (int32_t)random_below(&g, K);
            count[which][y[i] * K + decision[which][i]] += weight[i];
        }
    }
    for (int which = 0; which < 2; which++)
        for (int step = 0; step <= FINE; step++)
            if (plain_mean(count[which], K, c, (double)step / FINE)
                > plain_mean(count[which], K, c, at[which]))
                at[which] = (double)step / FINE;
    for (int i = 0; i < N; i++) {
        const double first = plain_probability(K, c, at[0], y[i], decision[0][i]),
                     second = plain_probability(K, c, at[1], y[i], decision[1][i]),
                     difference = weight[i] * (log(second) - log(first));
        sum += difference;
        squares += difference * difference;
    }
    struct decisions both = {N, K, y, decision[0], decision[1], weight};
    CHECK_NEAR(decisions_lead(&both, c, workspace), sum / sqrt(squares), 1e-3, "weighted");
    for (int i = 0; i < N; i++)
        weight[i] *= 8;
    CHECK_NEAR(decisions_lead(&both, c, workspace), sum / sqrt(squares), 1e-3, "in eighths");
    both.weight = NULL;
    const double lead = decisions_lead(&both, c, workspace);
    for (int i = 0; i < N; i++)
        weight[i] = 1;
    both.weight = weight;
    CHECK_NEAR(decisions_lead(&both, c, workspace), lead, 1e-9, "no weights are weights of 1");
    CHECK(fabs(lead) > 0.1, "a lead of %g is worth comparing", lead);
    both.weight = NULL;
    both.first = decision[1];
    both.second = decision[0];
    CHECK_NEAR(decisions_lead(&both, c, workspace), -lead, 1e-9, "the other way round");
    both.second = decision[1];
    CHECK_NEAR(decisions_lead(&both, c, workspace), 0, 0, "the same decisions");
}

/* Some scores are equal, of which the first decides. */
static void test_compare(int64_t K, bool weighted)
{
    enum { N = 300 };
    static double score[2][N * CLASSES];
    double c[CLASSES * CLASSES], count[2][CLASSES * CLASSES] = {{0}}, weight[N];
    double workspace[3 * CLASSES * CLASSES];
    int32_t y[N], decision[2][N];
    struct random g = random_seeded(16, (uint64_t)K);
    struct decisions_result got = {0};
    struct error err = {0};
    check_group("decisions by scores, %d classes%s", (int)K, weighted ? ", weights" : "");
    random_matrix(&g, K, c);
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)random_below(&g, K);
        weight[i] = 0.1 + 3 * random_uniform(&g);
        for (int which = 0; which < 2; which++) {
            double *s = score[which] + i * K;
            for (int64_t k = 0; k < K; k++)
                s[k] = floor(3 * random_uniform(&g)) - 2 + (which + 1) * (k == y[i]);
            decision[which][i] = (int32_t)largest(K, s);
            count[which][y[i] * K + decision[which][i]] += weighted ? weight[i] : 1;
        }
    }
    const double *own = weighted ? weight : NULL;
    const struct decisions_scores scores = {N, K, y, score[0], score[1], own};
    const struct decisions both = {N, K, y, decision[0], decision[1], own};
    CHECK(decisions_compare(&scores, c, &got, &err) == 0, "%s", err.message);
    CHECK_NEAR(got.first, decisions_likelihood(count[0], K, c), 1e-12, "the first one's");
    CHECK_NEAR(got.second, decisions_likelihood(count[1], K, c), 1e-12, "the second one's");
    CHECK_NEAR(got.lead, decisions_lead(&both, c, workspace), 1e-12, "the lead");
    CHECK(got.lead > 0.5 && got.second > got.first, "the second one is better, %g", got.lead);
}

/* Two groups, each with a matrix for either classifier, are two comparisons. */
static void test_groups(void)
{
    enum { N = 200, K = 3 };
    double c[2][2][K * K], score[2][2][N * K], first = 0, second = 0;
    int32_t y[2][N];
    struct random g = random_seeded(17, 2);
    struct decisions_tally tally = {0};
    struct error err = {0};
    check_group("groups, and matrices of their own");
    for (int group = 0; group < 2; group++) {
        const int n = group ? N : N / 2;
        const struct decisions_scores scores = {n,   K, y[group], score[group][0], score[group][1],
                                                NULL};
        for (int i = 0; i < n; i++)
            y[group][i] = (int32_t)random_below(&g, K);
        for (int which = 0; which < 2; which++) {
            struct decisions_scores alone = scores;
            struct decisions_result want = {0};
            random_matrix(&g, K, c[group][which]);
            for (int cell = 0; cell < n * K; cell++)
                score[group][which][cell] = random_uniform(&g)
                                            + (cell % K == y[group][cell / K]) * 0.2 * (1 + which);
            alone.first = alone.second = score[group][which];
            CHECK(decisions_compare(&alone, c[group][which], &want, &err) == 0, "%s", err.message);
            *(which ? &second : &first) += n * want.first / (N + N / 2);
        }
        CHECK(decisions_add(&scores, c[group][0], c[group][1], &tally, &err) == 0, "%s",
              err.message);
    }
    const struct decisions_result got = decisions_result(&tally);
    CHECK_NEAR(got.first, first, 1e-12, "the first one's");
    CHECK_NEAR(got.second, second, 1e-12, "the second one's");
    CHECK_NEAR(tally.lead.sum, (N + N / 2) * (second - first), 1e-9, "the sum of the leads");
    CHECK(fabs(got.lead) > 0.1, "a lead of %g is worth comparing", got.lead);
}

int main(void)
{
    test_groups();
    for (int weighted = 0; weighted < 2; weighted++) {
        test_compare(2, weighted);
        test_compare(CLASSES, weighted);
    }
    test_lead(2);
    test_lead(CLASSES);
    test_decisions(2);
    test_decisions(3);
    test_decisions(CLASSES);
    test_decisions_identity();
    test_decisions_impossible();
    return check_finish();
}
