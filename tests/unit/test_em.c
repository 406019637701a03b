/* EM for a confusion matrix, and how far the matrix can be trusted: each formula of em.h and
 * reliability.h on a few examples, by plain loops or by hand. */
#include "check.h"
#include "common/base/random.h"
#include "common/linear/weights.h"
#include "learners/noise/em.h"
#include "learners/noise/reliability.h"
#include "learners/noise/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_prior(void)
{
    check_group("the prior");
    double none[4] = {0}, some[9] = {6, 0, 1, 1, 0, 1, 0, 0, 1}; /* 7 of 10 are right */
    static const double want[9] = {6.7, 0.15, 1.15, 1.15, 0.7, 1.15, 0.15, 0.15, 1.7};
    em_add_prior(none, 2, 10);
    CHECK_NEAR(none[0], 10, 0, "nothing counted: all is right");
    CHECK_NEAR(none[1], 0, 0, "nothing counted: nothing is wrong");
    em_add_prior(some, 3, 1);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(some[i], want[i], 1e-15, "entry %d", i);
}

enum { MOST_CLASSES = 7 };

static int descending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

/* The diagonal of a column: the mean of itself and the largest rivals, as long as the next one
 * exceeds it. */
static double find_lead(const double *c, int classes, int k)
{
    double rival[MOST_CLASSES], sum = c[k * classes + k];
    int count = 1, rivals = 0;
    for (int l = 0; l < classes; l++)
        if (l != k)
            rival[rivals++] = c[l * classes + k];
    qsort(rival, (size_t)rivals, sizeof *rival, descending);
    while (count <= rivals && rival[count - 1] > sum / count) {
        sum += rival[count - 1];
        count++;
    }
    return sum / count;
}

/* A step on all examples or on those of the other folds, in one part or several; without fold 0
 * diagonals are to lead. */
static void test_step(void)
{
    enum { N = 5, K = 2, PARTS = 3 };
    static const int32_t y[N] = {0, 1, 1, 0, 1};
    static const int64_t fold[N] = {0, 1, 2, 1, 0};
    static const double before[K * K] = {0.75, 0.5, 0.25, 0.5};
    double p[N * K] = {0.5, 0.5, 0.25, 0.75, 0.875, 0.125, 0.125, 0.875, 0.5, 0.5};
    double c[K * K], counts[PARTS * (K * K + 1)];
    check_group("a step of EM");
    for (int64_t left_out = FOLDS_ALL; left_out < 3; left_out++) {
        double want[K * K] = {0}, likelihood = 0;
        for (int i = 0; i < N; i++) {
            if (fold[i] == left_out)
                continue;
            const double *row = before + y[i] * K;
            const double q = row[0] * p[i * K] + row[1] * p[i * K + 1];
            for (int k = 0; k < K; k++)
                want[y[i] * K + k] += row[k] * p[i * K + k] / q;
            likelihood += log(q) / N;
        }
        em_normalise(want, K);
        for (int k = 0; k < K && left_out == 0; k++) {
            want[k * K + k] = find_lead(want, K, k);
            want[(1 - k) * K + k] = 1 - want[k * K + k];
        }
        for (int64_t parts = 1; parts <= PARTS; parts++) {
            const struct em em = {.n = N,
                                  .total = N,
                                  .K = K,
                                  .y = y,
                                  .fold = fold,
                                  .threads = 1,
                                  .p = p,
                                  .parts = parts,
                                  .leads = left_out == 0,
                                  .counts = counts};
            memcpy(c, before, sizeof c);
            double got;
            em_step(&em, c, left_out, &got);
            CHECK_NEAR(got, likelihood, 1e-14, "likelihood without fold %d", (int)left_out);
            for (int cell = 0; cell < K * K; cell++)
                CHECK_NEAR(c[cell], want[cell], 1e-14, "entry %d without fold %d", cell,
                           (int)left_out);
        }
    }
}

/* Of columns that are led by their diagonal none makes the counts likelier. */
static void test_lead(int classes)
{
    struct random g = random_seeded(5, 1);
    check_group("the likeliest columns that are led by their diagonal, %d classes", classes);
    for (int turn = 0; turn < 200; turn++) {
        double counts[MOST_CLASSES * MOST_CLASSES] = {0}, c[MOST_CLASSES * MOST_CLASSES];
        for (int cell = 0; cell < classes * classes; cell++)
            counts[cell] = turn % 2 ? ceil(5 * random_uniform(&g)) : pow(random_uniform(&g), 3);
        em_normalise(counts, classes);
        memcpy(c, counts, sizeof c);
        const bool changes = em_let_lead(c, classes);
        CHECK(changes == (memcmp(c, counts, sizeof c) != 0), "turn %d: are there changes?", turn);
        for (int k = 0; k < classes; k++) {
            const double lead = find_lead(counts, classes, k);
            double likelihood = 0, other = 0, sum = 0, column[MOST_CLASSES];
            CHECK_NEAR(c[k * classes + k], lead, 1e-15, "turn %d, diagonal %d", turn, k);
            for (int l = 0; l < classes; l++) {
                const int cell = l * classes + k;
                CHECK_NEAR(c[cell], l == k ? lead : fmin(counts[cell], lead), 1e-15,
                           "turn %d, entry %d", turn, cell);
                column[l] = random_uniform(&g); /* another column, near or far */
                sum += column[l] = turn % 3 ? c[cell] * (1 + column[l] / 10) : column[l];
            }
            for (int l = 0; l < classes; l++) /* led by its diagonal */
                if (column[l] > column[k]) {
                    const double swap = column[l];
                    column[l] = column[k];
                    column[k] = swap;
                }
            for (int l = 0; l < classes; l++) {
                likelihood += counts[l * classes + k] * log(c[l * classes + k]);
                other += counts[l * classes + k] * log(column[l] / sum);
            }
            CHECK(likelihood >= other - 1e-12, "turn %d, column %d: %g and %g", turn, k, likelihood,
                  other);
        }
    }
}

/* The noise of class k is not identifiable when a rival comes within two standard errors, both of
 * them moving: the rival has its share of the rate. */
static void test_rivals(void)
{
    check_group("classes with a rival");
    /* Columns: .8 and a rival of .15; .4 and .4; .3 and .6; all of one label. */
    static const double c[] = {0.8,  0.2, 0.6, 0, 0.15, 0.4, 0.05, 0,
                               0.03, 0.4, 0.3, 0, 0.02, 0,   0.05, 1};
    static const struct {
        int64_t k;
        double rival, standard_error; /* from which on the class is in doubt */
    } of[] = {{0, 0.15, 0.65 / (2 * (1 + 0.15 / 0.2))}, {3, 0, 0.5}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const int64_t k = of[i].k;
        CHECK_NEAR(reliability_rival(c, 4, k), of[i].rival, 0, "rival of %d", (int)k);
        CHECK(!reliability_is_rivalled(c, 4, k, of[i].standard_error * 0.999), "%d, below", (int)k);
        CHECK(reliability_is_rivalled(c, 4, k, of[i].standard_error * 1.001), "%d, above", (int)k);
    }
    CHECK(reliability_is_rivalled(c, 4, 1, 1e-9) && !reliability_is_rivalled(c, 4, 1, -1e-9),
          "a tie");
    CHECK(reliability_is_rivalled(c, 4, 2, 0), "another label leads");
}

enum { N = 6, K = 3 };

/* What an example gives the information, from all slopes, but those that are too small to count. */
static void inform(const double *c, const double *p, int32_t y, double information[K][K])
{
    double q = 0, g[K];
    for (int k = 0; k < K; k++)
        q += c[y * K + k] * p[k];
    for (int k = 0; k < K; k++) {
        const double rate = 1 - c[k * K + k];
        g[k] = p[k] / q * (y == k ? -1 : rate > 0 ? c[y * K + k] / rate : 0);
    }
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++)
            if (fabs(g[a]) > 1e-3 && fabs(g[b]) > 1e-3)
                information[a][b] += g[a] * g[b];
}

static void check_standard_errors(const char *name, const struct em *em, const double *c)
{
    static const double share[K] = {0.5, 0.3, 0.2};
    const double prior = fmin(em->prior, em->total);
    double information[K][K] = {{0}}, standard_error[K], common = 0;
    for (int i = 0; i < em->n; i++)
        inform(c, em->p + i * K, em->y[i], information);
    for (int cell = 0; cell < K * K; cell++)
        common += information[cell / K][cell % K];
    for (int k = 0; k < K; k++) {
        const double least = 1 / (share[k] * em->total + prior + 2);
        const double rate = fmin(fmax(1 - c[k * K + k], least), 1 - least);
        /* The prior tells no more than all examples do of one rate; and than each of the other
         * classes telling as much as this one, or 10 examples whose rate is 1/2. */
        const double alike = fmax((K - 1) * information[k][k], 10 / .25);
        information[k][k] += fmin(prior / (rate * (1 - rate)), fmin(common, alike));
    }
    CHECK_INT(reliability_standard_errors(em, c, share, standard_error, NULL), 0, "%s", name);
    for (int k = 0; k < K; k++) { /* by Cramer's rule */
        const int a = (k + 1) % K, b = (k + 2) % K;
        const double *of = information[k];
        const double minor = information[a][a] * information[b][b]
                             - information[a][b] * information[b][a];
        const double determinant =
            of[k] * minor
            - of[a] * (information[a][k] * information[b][b] - information[a][b] * of[b])
            + of[b] * (information[a][k] * information[b][a] - information[a][a] * of[b]);
        CHECK_NEAR(standard_error[k], fmin(sqrt(minor / determinant), 1), 1e-12, "%s, class %d",
                   name, k);
    }
}

static void test_standard_errors(void)
{
    static const int32_t y[N] = {0, 1, 2, 1, 0, 2};
    static const double mild[K * K] = {0.7, 0.2, 0.1, 0.2, 0.5, 0.3, 0.1, 0.3, 0.6},
                                 extreme[K * K] = {0.8, 0, 0.25, 0.1, 1, 0.75, 0.1, 0, 0};
    double p[N * K] = {0.5, 0.3,  0.2,  0.25, 0.5,      0.25, 0.4, 0.1,   0.5,
                       0.1, 0.15, 0.75, 0.9,  0.099996, 4e-6, 0.2, 0.799, 0.001};
    struct em em = {.n = N, .total = N, .K = K, .y = y, .p = p, .threads = 1, .prior = 10};
    check_group("standard errors");
    check_standard_errors("a prior of 10, more than there are examples", &em, mild);
    check_standard_errors("rates of 0 and 1", &em, extreme);
    em.prior = 2;
    check_standard_errors("a prior of 2", &em, mild);
    em.prior = 0.2;
    check_standard_errors("next to no prior", &em, mild);

    em.n = 0;
    double standard_error[K];
    static const double share[K] = {1, 0, 0};
    em.total = 0;
    for (em.prior = 0; em.prior < 2; em.prior++) { /* a prior without examples comes from nowhere */
        CHECK_INT(reliability_standard_errors(&em, mild, share, standard_error, NULL), 0,
                  "nothing at all");
        for (int k = 0; k < K; k++)
            CHECK_NEAR(standard_error[k], 1, 0, "nothing is known of class %d", k);
    }
}

/* ---- weights ---- */

enum { FEW = 7, ALL = 14 }; /* examples, and each as often as its weight says */

/* Everything that is summed over the examples of em. */
struct sums {
    double share[K], standard_error[K], joint[K * K], even[K * K], anchors[K * K], c[K * K];
    double likelihood, step, left_out, best, temperature;
};

static void sum_up(struct em *em, const double *s, const double *c, struct sums *out)
{
    em->prior = 2;
    out->likelihood = em_probabilities(em, s, c, 0.7);
    em_shares(em, c, out->share);
    CHECK_INT(reliability_standard_errors(em, c, out->share, out->standard_error, NULL), 0,
              "memory");
    CHECK_INT(start_confident_joint(em, out->joint, NULL), 0, "memory");
    start_even_noise(em, out->even);
    CHECK_INT(start_anchors(em, out->anchors, NULL), 0, "memory");
    memcpy(out->c, c, sizeof out->c);
    em_step(em, out->c, 1, &out->left_out);
    em_step(em, out->c, FOLDS_ALL, &out->step);
    out->best = em_temperature(em, s, c, 3, NULL, &out->temperature);
}

/* An example of weight c is c examples; but what all weights are multiplied by makes no difference,
 * and they sum to what Kish's formula says. */
static void test_weights(void)
{
    static const int32_t y[FEW] = {0, 1, 2, 1, 0, 2, 2};
    static const int64_t fold[FEW] = {0, 1, 2, 0, 1, 2, 0};
    static const double weight[FEW] = {1, 3, 2, 1, 4, 1, 2},
                        c[K * K] = {0.7, 0.2, 0.1, 0.2, 0.5, 0.3, 0.1, 0.3, 0.6};
    double few[FEW * K], all[ALL * K], scaled[FEW];
    int32_t y_all[ALL];
    int64_t fold_all[ALL], n = 0;
    struct em em, repeated;
    struct sums one, other;
    check_group("weights");
    for (int i = 0; i < FEW; i++)
        for (int k = 0; k < K; k++)
            few[i * K + k] = k == i % K ? 0 : -0.3 * (k + 1) - 0.1 * i;
    for (int i = 0; i < FEW; i++)
        for (int copy = 0; copy < (int)weight[i]; copy++, n++) {
            memcpy(all + n * K, few + i * K, K * sizeof *few);
            y_all[n] = y[i];
            fold_all[n] = fold[i];
        }
    CHECK_INT(n, ALL, "examples in all");
    CHECK(em_start(&em, FEW, K, y, fold, 1, NULL) == 0
              && em_start(&repeated, ALL, K, y_all, fold_all, 1, NULL) == 0,
          "memory");
    em_weigh(&em, weight);
    CHECK_NEAR(em.total, 14. * 14 / 36, 1e-14, "as many as would tell as much");
    double total = 0;
    for (int i = 0; i < FEW; i++)
        total += em_weight(&em, i);
    CHECK_NEAR(total, em.total, 1e-14, "the sum of what they count");
    em.unit = 1;
    em.total = ALL;
    sum_up(&em, few, c, &one);
    sum_up(&repeated, all, c, &other);
    for (size_t i = 0; i < sizeof one / sizeof(double); i++)
        CHECK_NEAR(((const double *)&one)[i], ((const double *)&other)[i], 1e-12, "sum %d", (int)i);

    em_weigh(&em, weight);
    sum_up(&em, few, c, &one);
    for (int i = 0; i < FEW; i++)
        scaled[i] = 1e-90 * weight[i];
    em_weigh(&em, scaled);
    sum_up(&em, few, c, &other);
    for (size_t i = 0; i < sizeof one / sizeof(double); i++)
        CHECK_NEAR(((const double *)&one)[i], ((const double *)&other)[i], 1e-12,
                   "sum %d, all weights scaled", (int)i);
    em_weigh(&em, NULL);
    CHECK(em.total == FEW && em_weight(&em, 0) == 1, "weights taken back");
    em_free(&em);
    em_free(&repeated);
}

/* ---- temperature ---- */

enum { MANY = 3000 };

/* Of 2 reach + 1 exponents, a stride apart, around `near`: that of the likeliest temperature. */
static double likeliest_of(struct em *em, const double *s, const double *c, double near, int reach,
                           double stride)
{
    double best = -INFINITY, exponent = 0;
    for (int i = -reach; i <= reach; i++) {
        const double tried = near + i * stride,
                     likelihood = em_probabilities(em, s, c, exp2(tried));
        if (likelihood > best) {
            best = likelihood;
            exponent = tried;
        }
    }
    return exponent;
}

/* The exponent of the likeliest temperature within two of `near`, to a thousandth. */
static double likeliest_exponent(struct em *em, const double *s, const double *c, double near)
{
    return likeliest_of(em, s, c, likeliest_of(em, s, c, near, 100, 0.02), 30, 0.001);
}

/* Labels drawn at a known temperature through c, from scores that differ by up to three and, those
 * of the likeliest class from the others, by a gap more. */
static void draw_labels(double exponent, double gap, const double *c, double *s, int32_t *y)
{
    struct random g = random_seeded(9, 0);
    for (int i = 0; i < MANY; i++) {
        double p[K], all = 0, u = random_uniform(&g);
        for (int k = 0; k < K; k++)
            s[i * K + k] = -3 * random_uniform(&g);
        em_level_scores(K, s + i * K);
        for (int k = 0; k < K; k++)
            all += p[k] = exp(exp2(exponent) * (s[i * K + k] -= s[i * K + k] < 0 ? gap : 0));
        y[i] = -1;
        do {
            y[i]++;
            for (int k = 0; k < K; k++)
                u -= c[y[i] * K + k] * p[k] / all;
        } while (u > 0 && y[i] + 1 < K);
    }
}

static void test_temperature(void)
{
    static const double c[K * K] = {0.7, 0.2, 0.1, 0.2, 0.5, 0.3, 0.1, 0.3, 0.6};
    static double s[MANY * K];
    static int32_t y[MANY];
    struct em em;
    check_group("temperature");
    CHECK_INT(em_start(&em, MANY, K, y, NULL, 1, NULL), 0, "memory");
    for (double exponent = -0.7; exponent < 2.5; exponent += 0.31) {
        double temperature, moved[K * K];
        draw_labels(exponent, 0, c, s, y);
        const double likelihood = em_temperature(&em, s, c, 0, moved, &temperature),
                     wanted = likeliest_exponent(&em, s, c, exponent);
        CHECK_NEAR(log2(temperature), wanted, 0.01, "labels at 2^%g", exponent);
        CHECK_NEAR(likelihood, em_probabilities(&em, s, c, temperature), 0, "its likelihood");
        CHECK(memcmp(c, moved, sizeof moved) == 0, "no step, no other matrix");
    }
    for (int i = 0; i < MANY; i++) /* the likeliest class, always: the higher the better */
        y[i] = (int32_t)weights_best(s + i * K, K);
    static const double right[K * K] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  mild[K * K] = {0.98, 0.01, 0.01, 0.01, 0.98,
                                                 0.01, 0.01, 0.01, 0.98};
    double temperature;
    em_temperature(&em, s, right, 0, NULL, &temperature);
    CHECK_NEAR(temperature, 32, 1e-12, "the highest");
    /* Scores so far apart that probabilities at temperatures above 8 or so are 0 or 1. */
    draw_labels(1, 1.5, mild, s, y);
    em_temperature(&em, s, mild, 0, NULL, &temperature);
    CHECK_NEAR(log2(temperature), likeliest_exponent(&em, s, mild, 1), 0.05, "below a level part");
    em_free(&em);
}

int main(void)
{
    test_temperature();
    test_weights();
    test_prior();
    test_lead(2);
    test_lead(MOST_CLASSES);
    test_step();
    test_rivals();
    test_standard_errors();
    return check_finish();
}
