/* Labels and what a classifier says of their examples, as close as by chance or closer: the
 * agreement beside that of all orders of the labels, and each of the two measures alone. */
#include "check.h"
#include "common/base/random.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"

#include <math.h>
#include <string.h>

/* ---- agreement ---- */

enum { FEW = 7, CLASSES = 3 };

/* How many decisions agree with their labels, over all orders of these: count, sum and sum of
 * squares.  only: of this class; CLASSES: of any. */
struct orders {
    int only;
    double count, sum, squares;
};

static double count_agreements(const int *y, const int *h, int only)
{
    double agree = 0;
    for (int i = 0; i < FEW; i++)
        agree += y[i] == h[i] && (only == CLASSES || y[i] == only);
    return agree;
}

static void add_orders(int *y, const int *h, int fixed, struct orders *orders)
{
    if (fixed == FEW) {
        const double agree = count_agreements(y, h, orders->only);
        orders->count++;
        orders->sum += agree;
        orders->squares += agree * agree;
    }
    for (int other = fixed; other < FEW; other++) {
        const int label = y[fixed];
        y[fixed] = y[other];
        y[other] = label;
        add_orders(y, h, fixed + 1, orders);
        y[other] = y[fixed];
        y[fixed] = label;
    }
}

/* Seven labels and decisions; the first two of each are both of the first two classes, in another
 * order.  count: out. */
static void draw_few(struct random *g, int *y, int *h, double *count)
{
    memset(count, 0, CLASSES * CLASSES * sizeof *count);
    for (int i = 0; i < FEW; i++) {
        y[i] = i < 2 ? i : (int)random_below(g, CLASSES);
        h[i] = i < 2 ? 1 - i : (int)random_below(g, CLASSES);
        count[y[i] * CLASSES + h[i]]++;
    }
}

/* By how much more decisions agree than in the mean of all orders, and the variance of these, but
 * for n in place of n - 1. */
static double find_excess(int *y, const int *h, int only, double *variance)
{
    struct orders orders = {.only = only};
    add_orders(y, h, 0, &orders);
    CHECK_NEAR(orders.count, 5040, 0, "orders");
    const double mean = orders.sum / orders.count;
    *variance = (orders.squares / orders.count - mean * mean) * (FEW - 1) / FEW;
    return count_agreements(y, h, only) - mean;
}

/* The standard error of Fleiss et al. is that of all orders. */
static void test_orders(void)
{
    struct random g = random_seeded(4, 1);
    check_group("agreement, and all orders of the labels");
    for (int turn = 0; turn < 10; turn++) {
        int y[FEW], h[FEW];
        double count[CLASSES * CLASSES], variance;
        draw_few(&g, y, h, count);
        const double excess = find_excess(y, h, CLASSES, &variance);
        CHECK_NEAR(chance_agreement(count, CLASSES), excess / sqrt(variance), 1e-9, "turn %d",
                   turn);
    }
}

/* Of some classes the excesses are added, and the variances of all orders. */
static void test_some_classes(void)
{
    struct random g = random_seeded(5, 1);
    check_group("agreement of some classes, and all orders of the labels");
    for (int mask = 0; mask < 1 << CLASSES; mask++) {
        int y[FEW], h[FEW];
        bool which[CLASSES];
        double count[CLASSES * CLASSES], excess = 0, sum = 0;
        draw_few(&g, y, h, count);
        for (int k = 0; k < CLASSES; k++) {
            double variance;
            const double of_class = find_excess(y, h, k, &variance);
            which[k] = mask >> k & 1;
            excess += which[k] ? of_class : 0;
            sum += which[k] ? variance : 0;
        }
        CHECK_NEAR(chance_agreement_of(count, CLASSES, which), mask ? excess / sqrt(sum) : 0, 1e-9,
                   "classes %d", mask);
    }
}

static void test_one_class(void)
{
    const double decided[CLASSES * CLASSES] = {0, 3, 0, 0, 1. / 3, 0, 0, 1e5, 0},
                                   labelled[CLASSES * CLASSES] = {0, 0, 0, 0, 0, 0, 4, 1. / 3, 0.1};
    check_group("agreement where there is only one class");
    CHECK_NEAR(chance_agreement(decided, CLASSES), 0, 1e-6, "one decision");
    CHECK_NEAR(chance_agreement(labelled, CLASSES), 0, 1e-6, "one label");
}

/* ---- both measures ---- */

enum { N = 300, K = 2 };

/* What probabilities say. */
enum saying { NOTHING, DECISIONS, PROBABILITIES };

/* Two classes with labels that are right.  Of NOTHING p is drawn at random.  DECISIONS agree with
 * two labels of three, far too surely for a likelihood; by PROBABILITIES the second class, a fifth
 * of all, is likelier where it is, though never likelier than the first. */
static void make_said(enum saying saying, struct random *g, int32_t *y, double *p)
{
    for (int64_t i = 0; i < N; i++) {
        y[i] = random_uniform(g) < 0.2;
        double second = random_uniform(g);
        if (saying == DECISIONS)
            second = (random_uniform(g) < 2. / 3) == (y[i] == 1) ? 1 - 1e-6 : 1e-6;
        if (saying == PROBABILITIES)
            second = 0.1 + 0.15 * second + 0.2 * y[i];
        p[i * K] = 1 - second;
        p[i * K + 1] = second;
    }
}

/* EM of the labels y, with folds in turn.  fold: out. */
static bool start(int64_t n, int64_t classes, const int32_t *y, int64_t *fold, struct em *em)
{
    struct error err = {0};
    for (int64_t i = 0; i < n; i++)
        fold[i] = i / 3 % FOLDS_DEFAULT;
    const bool ready = em_start(em, n, classes, y, fold, 1, &err) == 0;
    CHECK(ready, "%s", err.message);
    em->prior = EM_FIRST_PRIOR;
    return ready;
}

/* By the matrix c, and by those of the folds. */
static void check_chance(const struct em *em, const double *c, bool want, const char *what)
{
    for (int known = 0; known < 2; known++) {
        struct error err = {0};
        bool got = !want;
        CHECK(chance_test(em, known ? c : NULL, &got, &err) == 0, "%s", err.message);
        CHECK(got == want, "is chance enough? Known: %d.%s", known, what);
    }
}

static void test_said(enum saying saying, bool enough, const char *what)
{
    static const double c[K * K] = {1, 0, 0, 1};
    int32_t y[N];
    int64_t fold[N];
    double p[N * K], weight[N];
    struct random g = random_seeded(6, (uint64_t)saying);
    check_group("%s", what);
    make_said(saying, &g, y, p);
    for (int weighted = 0; weighted < 2; weighted++) {
        struct em em;
        const bool ready = start(N, K, y, fold, &em);
        for (int64_t i = 0; i < N; i++)
            weight[i] = 0.01 * (double)(1 + i % 3);
        if (ready) {
            em_weigh(&em, weighted ? weight : NULL);
            memcpy(em.p, p, sizeof p);
            check_chance(&em, c, enough, weighted ? " Weights." : "");
        }
        em_free(&em);
    }
}

/* One example that agrees is none that chance would not make agree, though it has most of the
 * weight. */
static void test_weight(void)
{
    static const double c[K * K] = {0.6, 0.4, 0.4, 0.6};
    int32_t y[N];
    int64_t fold[N];
    double weight[N];
    struct em em;
    check_group("one example that weighs more than all others");
    for (int64_t i = 0; i < N; i++) {
        y[i] = (int32_t)(i % 2);
        weight[i] = i == 0 ? 1e6 : 1;
    }
    if (start(N, K, y, fold, &em)) {
        em_weigh(&em, weight);
        for (int64_t i = 0; i < N; i++) {
            em.p[i * K] = i % 4 == 0 || i % 4 == 3 ? 0.9 : 0.1;
            em.p[i * K + 1] = 1 - em.p[i * K];
        }
        check_chance(&em, c, true, "");
    }
    em_free(&em);
}

/* Of many classes a matrix fits labels that have nothing to do with p, of which the other folds do
 * not tell: 36 sets of labels, of which one in twenty may pass. */
static void test_many_classes(void)
{
    enum { CLASSES_OF_MANY = 12, SETS = 36 };
    int32_t y[N];
    int64_t fold[N];
    int passed = 0;
    struct random g = random_seeded(8, 1);
    check_group("a matrix of many classes, and labels at random");
    for (int set = 0; set < SETS; set++) {
        struct em em;
        struct error err = {0};
        bool by_chance = true;
        for (int64_t i = 0; i < N; i++)
            y[i] = (int32_t)random_below(&g, CLASSES_OF_MANY);
        if (start(N, CLASSES_OF_MANY, y, fold, &em)) {
            for (int64_t i = 0; i < N; i++) {
                const uint32_t likely = (uint32_t)random_below(&g, CLASSES_OF_MANY);
                for (uint32_t k = 0; k < CLASSES_OF_MANY; k++)
                    em.p[i * CLASSES_OF_MANY + k] = k == likely ? 0.45 : 0.05;
            }
            CHECK(chance_test(&em, NULL, &by_chance, &err) == 0, "%s", err.message);
        }
        passed += !by_chance;
        em_free(&em);
    }
    CHECK(passed <= 4, "%d of %d sets pass for more than chance", passed, SETS);
}

int main(void)
{
    test_orders();
    test_some_classes();
    test_one_class();
    test_said(NOTHING, true, "probabilities at random");
    test_said(DECISIONS, false, "decisions that agree, by probabilities that are too sure");
    test_said(PROBABILITIES, false, "probabilities that tell, though the decision is always one");
    test_weight();
    test_many_classes();
    return check_finish();
}
