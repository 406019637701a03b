/* Kernel ridge regression beside plain loops: normal equations with an inverse, and the weights of
 * the labels one by one. */
#include "check.h"
#include "learners/features/map_choice.h"
#include "learners/features/ridge_folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/kernel_ridge.h"
#include "learners/forward/suspicion.h"
#include "ridge_plain.h"

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
