/* Kernel ridge regression, its folds and the likelihood of its decisions beside plain loops: normal
 * equations with an inverse, a grid of accuracies, and the weights of the labels one by one. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/dense.h"
#include "learners/features/map_choice.h"
#include "learners/features/ridge_folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/kernel_ridge.h"
#include "learners/forward/suspicion.h"

#include <string.h>

enum { MOST = 1700, WIDTH = 70, CLASSES = 5 }; /* examples, features, classes */

/* Features of some examples, and what ridge regression is told of each. */
struct table {
    int64_t n, dims, classes;
    double phi[MOST * WIDTH], weight[MOST];
    int32_t y[MOST];
    int64_t fold[MOST];
};

/* G and R of the folds that are in a set of bits. */
static void plain_sums(const struct table *t, unsigned folds, double *gram, double *right)
{
    const int64_t D = t->dims, K = t->classes;
    memset(gram, 0, (size_t)(D * D) * sizeof *gram);
    memset(right, 0, (size_t)(D * K) * sizeof *right);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = 0; (folds >> t->fold[i] & 1) && j < D; j++) {
            const double *phi = t->phi + i * D;
            right[j * K + t->y[i]] += t->weight[i] * phi[j];
            for (int64_t l = 0; l < D; l++)
                gram[j * D + l] += t->weight[i] * phi[j] * phi[l];
        }
}

/* (G + r I)^-1 R.  w: out, D x K. */
static void plain_solve(const struct table *t, unsigned folds, double ridge, double *w)
{
    static double gram[WIDTH * WIDTH], inverse[WIDTH * WIDTH], right[WIDTH * CLASSES];
    const int64_t D = t->dims, K = t->classes;
    double rcond = 0;
    plain_sums(t, folds, gram, right);
    for (int64_t j = 0; j < D; j++)
        gram[j * D + j] += ridge;
    CHECK(dense_invert(D, gram, inverse, &rcond, 1, NULL) == 0 && rcond > 0, "an inverse");
    memset(w, 0, (size_t)(D * K) * sizeof *w);
    for (int64_t j = 0; j < D; j++)
        for (int64_t l = 0; l < D; l++)
            for (int64_t k = 0; k < K; k++)
                w[j * K + k] += inverse[j * D + l] * right[l * K + k];
}

/* ---- folds ---- */

/* Fold 0 has two full blocks and a part of one, fold 1 has exactly one, and fold 2 has few examples
 * without a weight among them. */
static struct table *folds_make(void)
{
    static struct table t = {.n = 2 * RIDGE_BLOCK + 76 + RIDGE_BLOCK + 5, .dims = 67, .classes = 3};
    struct random g = random_seeded(4, 1);
    for (int64_t i = 0; i < t.n; i++) {
        t.fold[i] = i < 5 ? 2 : i < 5 + RIDGE_BLOCK ? 1 : 0;
        t.weight[i] = i % 4 == 0 ? 0 : random_uniform(&g);
        t.y[i] = (int32_t)random_below(&g, t.classes);
        for (int64_t j = 0; j < t.dims; j++)
            t.phi[i * t.dims + j] = random_normal(&g) + (t.y[i] == j);
    }
    return &t;
}

static void add_fold(struct ridge_folds *r, const struct table *t, int64_t fold)
{
    struct error err = {0};
    ridge_open(r, fold);
    for (int64_t i = 0; i < t->n; i++) {
        if (t->fold[i] != fold)
            continue;
        double *phi = ridge_next(r, t->y[i], t->weight[i], &err);
        CHECK(phi != NULL, "%s", err.message);
        if (phi)
            memcpy(phi, t->phi + i * t->dims, (size_t)t->dims * sizeof *phi);
    }
    CHECK(ridge_close(r, &err) == 0, "%s", err.message);
}

static bool folds_ready(const struct table *t, int threads, struct ridge_folds *r)
{
    struct error err = {0};
    const bool ready = ridge_start(r, t->dims, t->classes, threads, &err) == 0;
    CHECK(ready, "%s", err.message);
    for (int64_t fold = 0; ready && fold < RIDGE_FOLDS; fold++)
        add_fold(r, t, fold);
    return ready;
}

static void check_numbers(const double *got, const double *want, int64_t n, double tolerance,
                          const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK_NEAR(got[i], want[i], tolerance, "%s %d", what, (int)i);
}

static void check_fold_sums(const struct ridge_folds *r, const struct table *t, int64_t fold)
{
    static double gram[WIDTH * WIDTH], right[WIDTH * CLASSES];
    plain_sums(t, 1U << fold, gram, right);
    check_numbers(r->gram[fold], gram, t->dims * t->dims, 1e-12, "G");
    check_numbers(r->right[fold], right, t->dims * t->classes, 1e-12, "R");
}

static void check_solution(struct ridge_folds *r, const struct table *t, int64_t left_out,
                           unsigned folds, double ridge)
{
    static double w[WIDTH * CLASSES];
    struct error err = {0};
    plain_solve(t, folds, ridge, w);
    CHECK_INT(ridge_solve(r, left_out, ridge, &err), 0, "%s", err.message);
    check_numbers(r->w, w, t->dims * t->classes, 1e-10, "W");
}

static void test_folds(void)
{
    struct table *t = folds_make();
    struct ridge_folds r;
    check_group("ridge regression without a fold");
    if (folds_ready(t, 1, &r)) {
        for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++)
            check_fold_sums(&r, t, fold);
        for (double ridge = 1e-3; ridge < 1e3; ridge *= 30) {
            for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++)
                check_solution(&r, t, fold, 7U & ~(1U << fold), ridge);
            check_solution(&r, t, RIDGE_ALL, 7, ridge);
        }
    }
    ridge_free(&r);
}

/* Fold 0 and fold 1 change their examples, and then fold 1 has none. */
static void check_opened_again(struct ridge_folds *r, struct table *t)
{
    struct error err = {0};
    for (int64_t i = 0; i < t->n; i++)
        t->fold[i] = t->fold[i] == 1 ? 0 : t->fold[i] == 0 ? 1 : 2;
    add_fold(r, t, 0);
    add_fold(r, t, 1);
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++)
        check_fold_sums(r, t, fold);
    check_solution(r, t, 0, 6, 0.5);
    ridge_open(r, 1);
    CHECK(ridge_close(r, &err) == 0, "%s", err.message);
    check_solution(r, t, 0, 4, 0.5);
}

/* Folds come in any order, and one that is opened again starts anew. */
static void test_order(void)
{
    static const int64_t order[] = {2, 0, 1};
    struct table *t = folds_make();
    struct ridge_folds r;
    struct error err = {0};
    unsigned closed = 0;
    check_group("folds in any order, and again");
    const bool ready = ridge_start(&r, t->dims, t->classes, 2, &err) == 0;
    CHECK(ready, "%s", err.message);
    for (int turn = 0; ready && turn < RIDGE_FOLDS; turn++) {
        add_fold(&r, t, order[turn]);
        closed |= 1U << order[turn];
        check_solution(&r, t, RIDGE_ALL, closed, 0.5);
    }
    if (ready)
        check_opened_again(&r, t);
    ridge_free(&r);
}

static void test_folds_threads(void)
{
    static const int threads[] = {2, 5};
    const struct table *t = folds_make();
    const size_t square = (size_t)(t->dims * t->dims) * sizeof(double),
                 tall = (size_t)(t->dims * t->classes) * sizeof(double);
    struct ridge_folds one, more;
    check_group("folds on several threads");
    bool ready = folds_ready(t, 1, &one);
    for (int run = 0; ready && run < 2; run++) {
        ready = folds_ready(t, threads[run], &more);
        for (int64_t fold = 0; ready && fold < RIDGE_FOLDS; fold++) {
            CHECK(memcmp(one.gram[fold], more.gram[fold], square) == 0, "G %d", (int)fold);
            CHECK(memcmp(one.right[fold], more.right[fold], tall) == 0, "R %d", (int)fold);
        }
        for (int64_t fold = RIDGE_ALL; ready && fold < RIDGE_FOLDS; fold++) {
            CHECK_INT(ridge_solve(&one, fold, 0.1, NULL), 0, "a solution");
            CHECK_INT(ridge_solve(&more, fold, 0.1, NULL), 0, "a solution");
            CHECK(memcmp(one.w, more.w, tall) == 0, "W without %d", (int)fold);
        }
        ridge_free(&more);
    }
    ridge_free(&one);
}

/* Equal features of so large a weight that a ridge is lost beside them. */
static void test_indefinite(void)
{
    static struct table t = {.n = 2, .dims = 2, .classes = 2, .fold = {0, 1}, .y = {0, 1}};
    struct ridge_folds r;
    check_group("a ridge that is too small");
    for (int cell = 0; cell < 4; cell++)
        t.phi[cell] = 1;
    t.weight[0] = 0x1p70;
    t.weight[1] = 1;
    if (folds_ready(&t, 1, &r)) {
        CHECK_INT(ridge_solve(&r, RIDGE_ALL, 1, NULL), DENSE_INDEFINITE, "all");
        CHECK_INT(ridge_solve(&r, 1, 1, NULL), DENSE_INDEFINITE, "the large weight alone");
        check_solution(&r, &t, 0, 2, 1);
    }
    ridge_free(&r);
}

static void test_folds_bytes(void)
{
    check_group("bytes of the folds");
    for (double dims = 100; dims < 1e4; dims *= 3) {
        const double K = 10,
                     most = 4 * dims * dims + (4 * dims + RIDGE_BLOCK) * K + 2 * RIDGE_BLOCK * dims
                            + RIDGE_BLOCK,
                     bytes = ridge_bytes((int64_t)dims, (int64_t)K);
        CHECK(bytes >= 8 * (most - RIDGE_BLOCK) && bytes < 16 * most, "%g for %g numbers", bytes,
              most);
    }
}

/* ---- decisions ---- */

/* P(y | h) at the accuracy a.  Where h is the only class there is no other to be the true one, and
 * the decision is right whatever a: so the probabilities of all labels still sum to 1. */
static double plain_probability(int64_t K, const double *c, const double *share, double a,
                                int64_t y, int64_t h)
{
    double others = 0;
    for (int64_t q = 0; q < K; q++)
        if (q != h)
            others += share[q] * c[y * K + q];
    return share[h] < 1 ? a * c[y * K + h] + (1 - a) * others / (1 - share[h]) : c[y * K + h];
}

static double plain_mean(const double *count, int64_t K, const double *c, const double *share,
                         double a)
{
    double sum = 0, total = 0;
    for (int64_t y = 0; y < K; y++)
        for (int64_t h = 0; h < K; h++)
            if (count[y * K + h] > 0) {
                sum += count[y * K + h] * log(plain_probability(K, c, share, a, y, h));
                total += count[y * K + h];
            }
    return sum / total;
}

/* The best of 0, 1 / 10000 .. 1, and of a finer grid around it. */
static double plain_likelihood(const double *count, int64_t K, const double *c, const double *share)
{
    enum { STEPS = 10000 };
    double best = -INFINITY, at = 0;
    for (int step = 0; step <= STEPS; step++) {
        const double a = (double)step / STEPS, mean = plain_mean(count, K, c, share, a);
        if (mean > best) {
            best = mean;
            at = a;
        }
    }
    for (int step = -1000; step <= 1000; step++) {
        const double a = fmin(fmax(at + step / 1e3 / STEPS, 0), 1);
        best = fmax(best, plain_mean(count, K, c, share, a));
    }
    return best;
}

static void check_decisions(const double *count, int64_t K, const double *c, const double *share,
                            const char *what)
{
    const double got = decisions_likelihood(count, K, c, share),
                 want = plain_likelihood(count, K, c, share);
    CHECK(isfinite(want), "%s: %g", what, want);
    CHECK(got >= want - 1e-6, "%s: %.9g is less than at another a, %.9g", what, got, want);
    CHECK_NEAR(got, want, 1e-6, "%s", what);
}

/* Shares, and a matrix whose columns sum to 1. */
static void random_noise(struct random *g, int64_t K, double *c, double *share)
{
    double all = 0;
    for (int64_t q = 0; q < K; q++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++)
            sum += c[k * K + q] = random_uniform(g) + (k == q ? 2 : 0);
        for (int64_t k = 0; k < K; k++)
            c[k * K + q] /= sum;
        all += share[q] = 0.1 + random_uniform(g);
    }
    for (int64_t q = 0; q < K; q++)
        share[q] /= all;
}

static void test_decisions(int64_t K)
{
    double count[CLASSES * CLASSES], c[CLASSES * CLASSES], share[CLASSES];
    struct random g = random_seeded(6, (uint64_t)K);
    check_group("decisions among %d classes", (int)K);
    for (int draw = 0; draw < 6; draw++) {
        random_noise(&g, K, c, share);
        for (int64_t cell = 0; cell < K * K; cell++)
            count[cell] = 20 * random_uniform(&g) + (cell % (K + 1) == 0 ? 15 * draw : 0);
        check_decisions(count, K, c, share, "any counts");
        const double likelihood = decisions_likelihood(count, K, c, share);
        for (int64_t cell = 0; cell < K * K; cell++)
            count[cell] *= 1e6;
        CHECK_NEAR(decisions_likelihood(count, K, c, share), likelihood, 1e-9, "a mean");
    }
    for (int64_t cell = 0; cell < K * K; cell++)
        count[cell] = cell % (K + 1) == 0 ? 10 : 0;
    check_decisions(count, K, c, share, "as labelled");
    for (int64_t cell = 0; cell < K * K; cell++)
        count[cell] = cell % (K + 1) == 0 ? 0 : 10;
    check_decisions(count, K, c, share, "never as labelled");
}

/* Without noise the likeliest accuracy is the share of decisions that are as labelled. */
static void test_decisions_identity(void)
{
    static const double identity[] = {1, 0, 0, 1}, share[] = {0.5, 0.5},
                        even[] = {0.3, 0.3, 0.7, 0.7};
    static const double all[] = {30, 0, 0, 50}, some[] = {60, 5, 15, 20}, none[] = {0, 8, 9, 0};
    check_group("decisions without noise, and with nothing else");
    CHECK_NEAR(decisions_likelihood(all, 2, identity, share), 0, 1e-6, "all right");
    CHECK_NEAR(decisions_likelihood(some, 2, identity, share), 0.8 * log(0.8) + 0.2 * log(0.2),
               1e-6, "four of five");
    CHECK_NEAR(decisions_likelihood(none, 2, identity, share), 0, 1e-6, "none right");
    CHECK_NEAR(decisions_likelihood(some, 2, even, share), 0.65 * log(0.3) + 0.35 * log(0.7), 1e-9,
               "the same noise in both classes");
}

/* One class has all of the share: decisions for it are right, and those for others are not. */
static void test_decisions_one_class(void)
{
    static const double c[] = {0.8, 0.1, 0.3, 0.1, 0.7, 0.1, 0.1, 0.2, 0.6};
    static const double only[] = {50, 0, 0, 30, 0, 0, 20, 0, 0};
    static const double more[] = {50, 10, 8, 6, 9, 1, 4, 2, 7};
    static const double share[] = {1, 0, 0};
    check_group("decisions with a class of share 1");
    check_decisions(only, 3, c, share, "that class alone");
    check_decisions(more, 3, c, share, "others too");
}

/* A label that no class can have costs the same wherever it is, and leaves the others alone. */
static void test_decisions_impossible(void)
{
    static const double c[] = {0.8, 0.3, 0, 0.2, 0.7, 0, 0, 0, 0}, share[] = {0.6, 0.4, 0};
    double count[] = {70, 10, 0, 15, 40, 0, 0, 0, 0};
    check_group("decisions and impossible labels");
    const double possible = decisions_likelihood(count, 3, c, share), total = 135;
    double tiny[2];
    for (int times = 0; times < 2; times++) {
        const double odd = times ? 40 : 2;
        count[6 + times] = odd;
        const double got = decisions_likelihood(count, 3, c, share);
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
    CHECK_NEAR(decisions_likelihood(count, 3, c, share), tiny[0], 1e-5, "that label alone");
}

/* ---- the classifier ---- */

/* Noisy labels of points in the plane and what is known of them. */
struct task {
    struct problem problem;
    int32_t y[MOST];
    double weight[MOST], c[CLASSES * CLASSES], share[CLASSES], p[MOST * CLASSES];
    struct kernel_ridge_basis basis;
};

static void softmax(int64_t K, const double *score, double temperature, double *p)
{
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < K; k++)
        most = fmax(most, temperature * score[k]);
    for (int64_t k = 0; k < K; k++)
        sum += p[k] = exp(temperature * score[k] - most);
    for (int64_t k = 0; k < K; k++)
        p[k] /= sum;
}

static int64_t largest(int64_t K, const double *a)
{
    int64_t best = 0;
    for (int64_t k = 1; k < K; k++)
        best = a[k] > a[best] ? k : best;
    return best;
}

/* Add a point of a true class, which lie around corners of a polygon. */
static void task_add(struct task *t, struct random *g, int64_t class)
{
    const int64_t i = t->problem.n, K = t->basis.classes;
    const int32_t index[] = {1, 2};
    double value[2], score[CLASSES], cumulated = 0;
    for (int axis = 0; axis < 2; axis++)
        value[axis] = 0.9 * random_normal(g);
    value[0] += 1.5 * cos(6.28 * (double)class / (double)K);
    value[1] += 1.5 * sin(6.28 * (double)class / (double)K);
    for (int64_t k = 0; k < K; k++) {
        const double u = value[0] - 1.5 * cos(6.28 * (double)k / (double)K),
                     v = value[1] - 1.5 * sin(6.28 * (double)k / (double)K);
        score[k] = -0.5 * (u * u + v * v) + 0.5 * random_normal(g);
    }
    softmax(K, score, 1, t->p + i * K);
    const double u = random_uniform(g);
    t->y[i] = 0;
    while (t->y[i] < K - 1 && (cumulated += t->c[t->y[i] * K + class]) < u)
        t->y[i]++;
    t->weight[i] = i % 5 == 0 ? 0 : 2 * random_uniform(g);
    const struct example x = {.index = index, .value = value, .size = 2, .label = t->y[i]};
    CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
}

static struct task *task_make(int64_t n, int64_t K, int64_t dims, uint64_t seed)
{
    static struct task t;
    struct random g = random_seeded(seed, 2);
    memset(&t, 0, sizeof t);
    random_noise(&g, K, t.c, t.share);
    t.basis = (struct kernel_ridge_basis){.problem = &t.problem,
                                          .y = t.y,
                                          .classes = K,
                                          .c = t.c,
                                          .share = t.share,
                                          .p = t.p,
                                          .unexplained = 0.4,
                                          .gamma = 0.8,
                                          .dims = dims,
                                          .seed = 3,
                                          .rounds = 1,
                                          .threads = 1};
    for (int64_t i = 0; i < n; i++)
        task_add(&t, &g, random_below(&g, K));
    return &t;
}

/* Over the mean of all. */
static double own_weight(const struct task *t, int64_t i)
{
    double total = 0;
    if (!t->basis.weight)
        return 1;
    for (int64_t j = 0; j < t->problem.n; j++)
        total += t->basis.weight[j];
    return t->basis.weight[i] * ((double)t->problem.n / total);
}

/* v times the examples' own weights. */
static void plain_weights(const struct task *t, double *weight)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    const struct suspicion_weights how = suspicion_weigh(t->c, K, t->p, t->y, n,
                                                         t->basis.unexplained, false);
    double sum[CLASSES] = {0}, total = 0, workspace[CLASSES];
    for (int64_t i = 0; i < n; i++) {
        const double *p = t->p + i * K;
        weight[i] = own_weight(t, i)
                    * suspicion_of(i, t->c, K, p, p, t->y[i], &how, workspace).score;
        sum[t->y[i]] += weight[i];
        total += own_weight(t, i);
    }
    for (int64_t i = 0; i < n; i++) {
        const double tenth = t->share[t->y[i]] * total / 10;
        if (sum[t->y[i]] < tenth)
            weight[i] = fmin(weight[i] * tenth / sum[t->y[i]], own_weight(t, i));
    }
}

/* The features and weights of the examples of a task. */
static struct table *table_make(const struct task *t)
{
    static struct table table;
    const struct kernel_ridge_basis *b = &t->basis;
    struct feature_map map;
    struct error err = {0};
    table.n = t->problem.n;
    table.dims = b->dims;
    table.classes = b->classes;
    CHECK(map_of_gamma(&t->problem, b->dims, b->gamma, b->seed, 1, &map, &err) == 0
              && feature_map_rows(&map, &t->problem, table.phi, &err) == 0,
          "features: %s", err.message);
    feature_map_free(&map);
    plain_weights(t, table.weight);
    for (int64_t i = 0; i < table.n; i++) {
        table.y[i] = t->y[i];
        table.fold[i] = i % RIDGE_FOLDS;
    }
    return &table;
}

/* score[k] = w_k' phi. */
static void plain_scores(const struct table *table, const double *w, int64_t i, double *score)
{
    for (int64_t k = 0; k < table->classes; k++) {
        score[k] = 0;
        for (int64_t j = 0; j < table->dims; j++)
            score[k] += w[j * table->classes + k] * table->phi[i * table->dims + j];
    }
}

/* W' phi of each example by the solution from the other folds.  score: out, n x K. */
static void plain_held_out(const struct table *table, double ridge, double *score)
{
    static double w[RIDGE_FOLDS][WIDTH * CLASSES];
    for (int fold = 0; fold < RIDGE_FOLDS; fold++)
        plain_solve(table, 7U & ~(1U << fold), ridge, w[fold]);
    for (int64_t i = 0; i < table->n; i++)
        plain_scores(table, w[table->fold[i]], i, score + i * table->classes);
}

/* Of the decisions by the largest of n x K numbers. */
static double likelihood_of(const struct task *t, const double *score)
{
    const int64_t K = t->basis.classes;
    double count[CLASSES * CLASSES] = {0};
    for (int64_t i = 0; i < t->problem.n; i++)
        count[t->y[i] * K + largest(K, score + i * K)] += own_weight(t, i);
    return decisions_likelihood(count, K, t->c, t->share);
}

/* What the choice of the ridge comes to. */
struct choice {
    double ridge, likelihood;
    bool greedy; /* a smaller ridge, behind one that is no better, would have a larger likelihood */
    double score[MOST * CLASSES];
};

static struct choice *plain_choice(const struct task *t, const struct table *table)
{
    static const double ridges[] = {1, 0.1, 0.01, 0.001};
    static struct choice choice;
    static double score[MOST * CLASSES];
    bool grows = true;
    choice.likelihood = -INFINITY;
    choice.greedy = false;
    for (int s = 0; s < 4; s++) {
        plain_held_out(table, ridges[s], score);
        const double likelihood = likelihood_of(t, score);
        grows = grows && likelihood > choice.likelihood;
        choice.greedy |= !grows && likelihood > choice.likelihood;
        if (grows) {
            choice.ridge = ridges[s];
            choice.likelihood = likelihood;
            memcpy(choice.score, score, sizeof score);
        }
    }
    return &choice;
}

static void check_mapped(const struct problem *mapped, const struct table *table)
{
    CHECK_INT(mapped->n, table->n, "examples");
    CHECK_INT(mapped->d, table->dims, "features");
    for (int64_t i = 0; i < table->n; i++) {
        const struct example x = problem_example(mapped, i);
        CHECK_INT(x.size, table->dims, "the size of example %d", (int)i);
        for (int64_t j = 0; j < table->dims; j++)
            CHECK(x.index[j] == j + 1 && x.value[j] == table->phi[i * table->dims + j],
                  "feature %d of example %d", (int)j, (int)i);
    }
}

static void check_probabilities(const struct kernel_ridge *got, const struct choice *want,
                                const struct table *table)
{
    const int64_t K = table->classes;
    CHECK(got->temperature > 0 && isfinite(got->temperature), "a temperature: %g",
          got->temperature);
    for (int64_t i = 0; i < table->n; i++) {
        double p[CLASSES];
        softmax(K, want->score + i * K, got->temperature, p);
        for (int64_t k = 0; k < K; k++)
            CHECK_NEAR(got->p[i * K + k], p[k], 1e-8, "p of class %d, example %d", (int)k, (int)i);
    }
}

/* The weights of a model: one column for two classes, their difference. */
static void check_model(const struct weights *w, const double *want, const struct table *table)
{
    const int64_t K = table->classes, columns = K == 2 ? 1 : K;
    CHECK_INT(w->columns, columns, "columns");
    CHECK_INT(w->rows, table->dims + 1, "rows");
    for (int64_t k = 0; k < columns; k++)
        CHECK(w->w[k] == 0, "no bias of class %d", (int)k);
    for (int64_t j = 0; j < table->dims; j++)
        for (int64_t k = 0; k < columns; k++) {
            const double *row = want + j * K, one = K == 2 ? row[1] - row[0] : row[k];
            CHECK_NEAR(w->w[(j + 1) * w->stride + k], one, 1e-8, "weight %d of class %d",
                       (int)j + 1, (int)k);
        }
}

/* Learn from some examples, in whatever order; their folds in the table become 0, and those of the
 * others 1. */
static void check_fit(const struct task *t, const struct kernel_ridge *ridge, struct table *table,
                      const int64_t *subset, int64_t n)
{
    static double want[WIDTH * CLASSES];
    struct weights w = {.w = NULL};
    struct error err = {0};
    for (int64_t i = 0; i < table->n; i++)
        table->fold[i] = 1;
    for (int64_t i = 0; i < n; i++)
        table->fold[subset[i]] = 0;
    plain_solve(table, 1, ridge->ridge, want);
    const int code = kernel_ridge_fit(ridge, &ridge->mapped, t->y, table->classes, subset, n, &w,
                                      &err);
    CHECK_INT(code, 0, "%s", err.message);
    if (code == 0)
        check_model(&w, want, table);
    weights_free(&w);
}

static void check_fits(const struct task *t, const struct kernel_ridge *ridge, struct table *table)
{
    int64_t subset[MOST], n = 0;
    for (int64_t i = table->n - 1; i >= 0; i -= 1 + i % 2)
        subset[n++] = i;
    check_fit(t, ridge, table, subset, n);
    for (int64_t i = 0; i < table->n; i++)
        subset[i] = i;
    check_fit(t, ridge, table, subset, table->n / 2);
    check_fit(t, ridge, table, subset, table->n);
}

/* W of the ridge that is chosen, from all the examples. */
static void check_all(const struct kernel_ridge *ridge, struct table *table)
{
    static double want[WIDTH * CLASSES];
    for (int64_t i = 0; i < table->n; i++)
        table->fold[i] = 0;
    plain_solve(table, 1, ridge->ridge, want);
    check_model(&ridge->all, want, table);
}

/* Everything beside the plain loops.  Returns the choice among ridges. */
static const struct choice *check_task(const struct task *t)
{
    struct kernel_ridge got;
    struct error err = {0};
    struct feature_map map;
    struct table *table = table_make(t);
    const struct choice *want = plain_choice(t, table);
    const int code = kernel_ridge_choose(&t->basis, &got, &err);
    CHECK_INT(code, 0, "%s", err.message);
    if (code == 0) {
        check_numbers(got.weight, table->weight, table->n, 1e-12, "weight");
        check_mapped(&got.mapped, table);
        CHECK(map_of_gamma(&t->problem, t->basis.dims, t->basis.gamma, t->basis.seed, 1, &map, NULL)
                      == 0
                  && feature_map_equal(got.map, &map),
              "the map");
        feature_map_free(&map);
        CHECK_NEAR(got.ridge, want->ridge, 1e-12, "the ridge");
        CHECK_NEAR(got.likelihood, want->likelihood, 1e-9, "its likelihood");
        CHECK_NEAR(got.softmax_likelihood, likelihood_of(t, t->p), 1e-9, "that of softmax");
        check_probabilities(&got, want, table);
        check_all(&got, table);
        check_fits(t, &got, table);
    }
    kernel_ridge_free(&got);
    return want;
}

static void test_kernel_ridge(int64_t n, int64_t K, int64_t dims, bool weighted)
{
    check_group("%d examples, %d classes, %d landmarks%s", (int)n, (int)K, (int)dims,
                weighted ? ", own weights" : "");
    struct task *t = task_make(n, K, dims, 1);
    t->basis.weight = weighted ? t->weight : NULL;
    check_task(t);
    problem_free(&t->problem);
}

/* Of tasks that differ by chance, and in how smooth the kernel is, some must take each ridge, and
 * some one that the next does not exceed though another would. */
static void test_choices(void)
{
    static const double gammas[] = {0.1, 0.01, 0.001};
    int taken[4] = {0}, greedy = 0;
    check_group("which ridge");
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct task *t = task_make(75, 3, 25, seed);
        t->basis.gamma = gammas[seed % 3];
        const struct choice *choice = check_task(t);
        taken[lround(-log10(choice->ridge))]++;
        greedy += choice->greedy;
        problem_free(&t->problem);
    }
    for (int s = 0; s < 4; s++)
        CHECK(taken[s] > 0, "a ridge of 1e-%d is taken", s);
    CHECK(greedy > 0, "one is taken that is not the best");
}

/* A class that p hardly believes in, so that its weights are to be scaled up, and one that has few
 * examples for its share, one of which would count more than 1. */
static void test_floor(bool weighted)
{
    static double weight[MOST];
    check_group("a tenth of a class%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 5);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double odd = 1e-4 * (double)(i + 1);
        double *p = t->p + 3 * i;
        t->y[i] = i == 31 || i == 52 ? 2 : (int32_t)(i % 2);
        p[1] = odd;
        p[2] = i == 31 ? 0.95 : odd;
        p[0] = 1 - p[1] - p[2];
    }
    t->share[0] = 0.2;
    t->share[1] = 0.3;
    t->share[2] = 0.5;
    plain_weights(t, weight);
    double sum = 0;
    for (int64_t i = 0; i < t->problem.n; i++)
        sum += t->y[i] == 1 ? weight[i] : 0;
    CHECK(weighted || check_near(sum, 0.03 * (double)t->problem.n, 1e-12),
          "class 1 is scaled to its tenth: %g", sum);
    CHECK(weight[31] == own_weight(t, 31) && weight[52] < own_weight(t, 52),
          "one example of class 2 counts fully: %g, %g", weight[31], weight[52]);
    check_task(t);
    problem_free(&t->problem);
}

/* ---- threads, errors ---- */

static void check_same(const struct task *t, const struct kernel_ridge *a,
                       const struct kernel_ridge *b)
{
    const size_t n = (size_t)t->problem.n, K = (size_t)t->basis.classes, size = sizeof(double);
    CHECK(a->ridge == b->ridge && a->temperature == b->temperature, "ridge and temperature");
    CHECK(a->likelihood == b->likelihood && a->softmax_likelihood == b->softmax_likelihood,
          "likelihoods");
    CHECK(memcmp(a->weight, b->weight, n * size) == 0, "weights");
    CHECK(memcmp(a->p, b->p, n * K * size) == 0, "probabilities");
    CHECK_INT(a->mapped.nnz, b->mapped.nnz, "entries");
    CHECK(memcmp(a->mapped.value, b->mapped.value, (size_t)a->mapped.nnz * size) == 0, "features");
    CHECK(feature_map_equal(a->map, b->map), "maps");
}

static void test_threads(void)
{
    struct kernel_ridge ridge[2];
    struct error err = {0};
    bool ready = true;
    check_group("the same on three threads");
    struct task *t = task_make(1650, 4, 60, 2);
    t->basis.weight = t->weight;
    for (int run = 0; run < 2; run++) {
        t->basis.threads = 1 + 2 * run;
        ready = kernel_ridge_choose(&t->basis, &ridge[run], &err) == 0 && ready;
    }
    CHECK(ready, "%s", err.message);
    if (ready) {
        const struct weights *one = &ridge[0].all, *three = &ridge[1].all;
        check_same(t, &ridge[0], &ridge[1]);
        CHECK(one->rows == three->rows && one->stride == three->stride
                  && memcmp(one->w, three->w, (size_t)(one->rows * one->stride) * sizeof(double))
                         == 0,
              "the model");
    }
    for (int run = 0; run < 2; run++)
        kernel_ridge_free(&ridge[run]);
    problem_free(&t->problem);
}

/* The second of two rounds is a first one by the probabilities of the first. */
static void test_rounds(bool weighted)
{
    struct kernel_ridge one, after, both;
    struct error err = {0};
    check_group("two rounds%s", weighted ? ", own weights" : "");
    struct task *t = task_make(400, 3, 40, 11);
    t->basis.weight = weighted ? t->weight : NULL;
    CHECK_INT(kernel_ridge_choose(&t->basis, &one, &err), 0, "%s", err.message);
    struct kernel_ridge_basis next = t->basis;
    next.p = one.p;
    CHECK_INT(kernel_ridge_choose(&next, &after, &err), 0, "%s", err.message);
    t->basis.rounds = 2;
    CHECK_INT(kernel_ridge_choose(&t->basis, &both, &err), 0, "%s", err.message);
    CHECK(memcmp(one.weight, both.weight, 400 * sizeof(double)) != 0, "the rounds differ");
    CHECK(both.softmax_likelihood == one.softmax_likelihood, "that of the softmax stays");
    both.softmax_likelihood = after.softmax_likelihood;
    check_same(t, &after, &both);
    kernel_ridge_free(&one);
    kernel_ridge_free(&after);
    kernel_ridge_free(&both);
    problem_free(&t->problem);
}

/* What all weights are multiplied by makes no difference, not even where a ridge would be lost
 * beside them: with as many landmarks as examples the folds leave the system singular but for it.
 */
static void test_scale(void)
{
    static double weight[MOST];
    struct kernel_ridge plain, scaled;
    struct error err = {0};
    check_group("large weights");
    struct task *t = task_make(64, 3, 64, 4);
    for (int64_t i = 0; i < t->problem.n; i++)
        weight[i] = 0x1p100;
    CHECK_INT(kernel_ridge_choose(&t->basis, &plain, &err), 0, "%s", err.message);
    t->basis.weight = weight;
    CHECK_INT(kernel_ridge_choose(&t->basis, &scaled, &err), 0, "%s", err.message);
    check_same(t, &plain, &scaled);
    kernel_ridge_free(&plain);
    kernel_ridge_free(&scaled);
    problem_free(&t->problem);
}

static void test_too_large(void)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("values that are too large");
    struct task *t = task_make(60, 3, 20, 4);
    for (int64_t e = 0; e < t->problem.nnz; e++)
        t->problem.value[e] *= 1e200;
    CHECK_INT(kernel_ridge_choose(&t->basis, &ridge, &err), -1, "an error");
    CHECK(err.message[0] != '\0', "a reason");
    kernel_ridge_free(&ridge);
    problem_free(&t->problem);
}

static void test_bytes(void)
{
    check_group("bytes of the classifier");
    for (double n = 1000; n < 1e6; n *= 10) {
        const double dims = 300, K = 5,
                     held = 8 * n * (1 + K + dims) + ridge_bytes((int64_t)dims, (int64_t)K),
                     bytes = kernel_ridge_bytes((int64_t)n, 20, (int64_t)dims, (int64_t)K);
        CHECK(bytes >= held && bytes < 4 * held, "%g where %g are held", bytes, held);
    }
}

int main(void)
{
    test_folds();
    test_order();
    test_folds_threads();
    test_indefinite();
    test_folds_bytes();
    test_decisions(2);
    test_decisions(3);
    test_decisions(CLASSES);
    test_decisions_identity();
    test_decisions_one_class();
    test_decisions_impossible();
    test_kernel_ridge(90, 3, 30, false);
    test_kernel_ridge(90, 3, 30, true);
    test_kernel_ridge(80, 2, 25, false);
    test_kernel_ridge(80, 2, 25, true);
    test_kernel_ridge(120, CLASSES, 40, true);
    test_kernel_ridge(1650, 4, 20, false);
    test_choices();
    test_floor(false);
    test_floor(true);
    test_threads();
    test_rounds(false);
    test_rounds(true);
    test_scale();
    test_too_large();
    test_bytes();
    return check_finish();
}
