/* Trials of kernels: the examples that are drawn, and the losses of every one of them beside normal
 * equations with an inverse. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/dense.h"
#include "learners/features/kernel_trial.h"
#include "learners/features/map_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Examples of more than a block in each fold, drawn from more than twice as many. */
enum { N = FOLDS_DEFAULT * 512 + 2, ALL = 2 * N + 1, D = 30, K = 3, FEATURES = 2, SEED = 5 };

struct data {
    struct problem problem;
    int32_t y[ALL];
    double weight[ALL];
    int64_t fold[ALL];
};

/* Points whose class is that of a stripe, some of them wrong. */
static struct data *data_make(void)
{
    static struct data t = {.problem = {.keeps_lengths = true}};
    struct random g = random_seeded(22, 1);
    struct error err = {0};
    check_group("the data");
    for (int i = 0; i < ALL; i++) {
        const int32_t index[] = {1, 2};
        const double value[] = {random_uniform(&g), 3 * random_uniform(&g)};
        const struct example x = {.index = index, .value = value, .size = FEATURES, .length = 2};
        t.y[i] = random_uniform(&g) < 0.2 ? (int32_t)random_below(&g, K)
                                          : (int32_t)(6 * value[0]) % K;
        t.weight[i] = 0.5 + 2 * random_uniform(&g);
        t.fold[i] = random_below(&g, FOLDS_DEFAULT);
        CHECK(problem_append_example(&t.problem, &x, &err) == 0, "memory");
    }
    return &t;
}

/* The losses of a fold by the others, from the definition. */
static void plain_losses(const struct trial *t, const struct feature_metric *metric, size_t g,
                         int64_t fold, double ridge, struct trial_losses *losses)
{
    static double phi[N * D], a[D * D], inverse[D * D];
    double right[D][K] = {{0}}, w[D][K] = {{0}}, rcond;
    struct feature_map map, usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, SEED);
    struct error err = {0};
    if (metric)
        CHECK(feature_map_look(&usual, metric, &err) == 0, "memory");
    CHECK(feature_map_fit(&usual, &t->problem, &err) == 0, "the unit of gamma");
    const struct map_kernel kernel = {ldexp(usual.gamma / 4, (int)g), metric};
    feature_map_free(&usual);
    CHECK(map_of_kernel(&t->problem, D, kernel, SEED, 1, &map, &err) == 0, "a map");
    CHECK(feature_map_rows(&map, &t->problem, phi, &err) == 0, "its features");
    feature_map_free(&map);
    for (int cell = 0; cell < D * D; cell++)
        a[cell] = cell % (D + 1) == 0 ? ridge * N : 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; t->fold[i] != fold && j < D; j++) {
            right[j][t->y[i]] += t->weight[i] * phi[i * D + j];
            for (int l = 0; l < D; l++)
                a[j * D + l] += t->weight[i] * phi[i * D + j] * phi[i * D + l];
        }
    CHECK(dense_invert(D, a, inverse, &rcond, 1, &err) == 0, "memory");
    for (int j = 0; j < D; j++)
        for (int l = 0; l < D; l++)
            for (int k = 0; k < K; k++)
                w[j][k] += inverse[j * D + l] * right[l][k];
    for (int64_t i = 0; i < N; i++) {
        if (t->fold[i] != fold)
            continue;
        double f[K] = {0};
        int best = 0;
        losses->error[i] = 0;
        for (int k = 0; k < K; k++) {
            for (int j = 0; j < D; j++)
                f[k] += w[j][k] * phi[i * D + j];
            best = f[k] > f[best] ? k : best;
            losses->error[i] += t->weight[i] * (f[k] - (t->y[i] == k)) * (f[k] - (t->y[i] == k));
        }
        losses->wrong[i] = best == t->y[i] ? 0 : t->weight[i];
    }
}

/* Those of all folds by the best ridge. */
static struct trial_result plain_judge(const struct trial *t, const struct trial_metrics *metrics,
                                       size_t g, struct trial_losses *best)
{
    struct trial_losses losses;
    struct trial_result result = {.g = g, .error = INFINITY};
    CHECK(trial_losses_make(N, &losses, NULL) == 0, "memory");
    for (double ridge = 1e-2; ridge > 5e-7; ridge /= 10) {
        double error = 0;
        for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
            plain_losses(t, metrics->of[fold], g, fold, ridge, &losses);
        for (int i = 0; i < N; i++)
            error += losses.error[i];
        if (error < result.error) {
            result.ridge = ridge;
            result.error = error;
            trial_losses_swap(best, &losses);
        }
    }
    trial_losses_free(&losses);
    return result;
}

static struct trial_examples data_examples(const struct data *from)
{
    return (struct trial_examples){&from->problem, from->y, from->weight, from->fold, K};
}

static bool trial_ready(struct trial *t, const struct data *from, int threads)
{
    const struct trial_examples examples = data_examples(from);
    struct error err = {0};
    *t = (struct trial){.seed = SEED, .threads = threads};
    const bool ready = trial_start(t, N, D, K, &err) == 0
                       && trial_draw(t, &examples, N, false, &err) == 0;
    CHECK(ready, "%s", err.message);
    return ready;
}

/* Which of the data is this, from a given one on?  Values are all different. */
static int64_t data_find(const struct data *from, int64_t i, double value)
{
    while (
        i < ALL
        && (from->problem.value[FEATURES * i] < value || from->problem.value[FEATURES * i] > value))
        i++;
    return i;
}

/* N of a longer file in its order, with their labels, folds and weights; another seed draws
 * others. */
static void test_draw(const struct data *from)
{
    struct trial_examples examples = data_examples(from);
    struct trial t;
    struct error err = {0};
    double total = 0, first = 0;
    int64_t of[N], i = -1;
    check_group("the examples that are drawn");
    if (trial_ready(&t, from, 1)) {
        CHECK_INT(t.problem.n, N, "how many");
        for (int64_t to = 0; to < N && i < ALL; to++) {
            of[to] = i = data_find(from, i + 1, t.problem.value[FEATURES * to]);
            total += i < ALL ? from->weight[i] : 0;
        }
        CHECK(i < ALL, "all of them are in the file, in its order");
        for (int64_t to = 0; to < N && i < ALL; to++) {
            CHECK_INT(t.y[to], from->y[of[to]], "class of %d", (int)to);
            CHECK_INT(t.fold[to], from->fold[of[to]], "fold of %d", (int)to);
            CHECK_NEAR(t.weight[to], from->weight[of[to]] * N / total, 1e-12, "weight of %d",
                       (int)to);
        }
        CHECK(i < ALL && of[N / 2] > ALL / 3 && of[N / 2] < 2 * ALL / 3, "from all of the file");
        examples.weight = NULL;
        CHECK(trial_draw(&t, &examples, 10, false, &err) == 0, "memory");
        first = t.problem.value[0];
        CHECK(trial_draw(&t, &examples, 10, true, &err) == 0, "memory");
        CHECK(t.problem.n == 10 && t.weight[0] == 1 && t.weight[9] == 1, "ten of weight 1");
        CHECK_NEAR(t.problem.value[0], 2 * first, 0, "at the length it had");
        t.seed++;
        CHECK(trial_draw(&t, &examples, 10, true, &err) == 0, "memory");
        CHECK(data_find(from, 0, t.problem.value[0] / 2) != data_find(from, 0, first),
              "others by another seed");
    }
    trial_free(&t);
}

/* Scales may be the same for all folds, for some of them, or for none.  Returns the best ridge. */
static double test_judge(const struct data *from, const struct trial_metrics *metrics, size_t g)
{
    struct trial t;
    struct trial_losses want = {0}, *got = NULL;
    struct trial_result result = {0};
    struct error err = {0};
    CHECK(trial_losses_make(N, &want, &err) == 0, "memory");
    for (int threads = 1; threads <= 2; threads++) {
        if (trial_ready(&t, from, threads)) {
            const struct trial_result plain = plain_judge(&t, metrics, g, &want);
            CHECK_INT(trial_judge(&t, metrics, g, &result, &got, &err), 0, "%s", err.message);
            CHECK(result.g == g, "its gamma");
            CHECK_NEAR(result.ridge, plain.ridge, 1e-9 * plain.ridge, "the best ridge");
            CHECK_NEAR(result.error, plain.error, 1e-5 * plain.error, "the error");
            for (int i = 0; got && i < N; i++) {
                CHECK_NEAR(got->error[i], want.error[i], 1e-4, "error of %d", i);
                CHECK_NEAR(got->wrong[i], want.wrong[i], 0, "decision of %d", i);
            }
        }
        trial_free(&t);
    }
    trial_losses_free(&want);
    return result.ridge;
}

/* Where the classes have nothing to do with the features, the largest ridge is the best. */
static void test_no_signal(struct data *from)
{
    const struct trial_metrics none = {{NULL}};
    struct random g = random_seeded(23, 1);
    check_group("losses where there is nothing to learn");
    for (int i = 0; i < ALL; i++)
        from->y[i] = (int32_t)random_below(&g, K);
    CHECK_NEAR(test_judge(from, &none, 5), 1e-2, 1e-12, "the largest ridge");
}

static void test_lead(void)
{
    const double first[] = {1, 3, 2}, second[] = {0, 3, 4};
    check_group("the lead of losses");
    CHECK_NEAR(trial_lead(first, second, 3), -1 / sqrt(5), 1e-15, "1 and -2");
    CHECK_NEAR(trial_lead(second, first, 3), 1 / sqrt(5), 1e-15, "the other way");
    CHECK_NEAR(trial_lead(first, first, 3), 0, 0, "no difference");
}

/* What a trial takes grows with each of its parts. */
static void test_trial_bytes(const struct data *from)
{
    const double least = trial_bytes(&from->problem, D, K, 1);
    check_group("bytes of a trial");
    CHECK(least > (double)ALL * (4 * D + 16 * TRIAL_RIDGES), "features and losses: %g", least);
    struct problem more = from->problem;
    more.n += 1000000; /* of which nothing but the number is looked at */
    const double examples = problem_bytes((double)more.n, (double)more.nnz, false)
                            - problem_bytes(ALL, (double)more.nnz, false);
    CHECK(trial_bytes(&more, D, K, 1) - least - examples
              >= 1e6 * (4 * D + 16 * TRIAL_RIDGES + 20 + 8)
                     - 1e4, /* entries are fewer on average */
          "classes, weights, folds and their order");
    CHECK(trial_bytes(&from->problem, D, 100 * K, 1) - least
              > 99 * K * 8.0 * TRIAL_RIDGES * (D + 512),
          "regressions and scores of more classes");
    CHECK(trial_bytes(&from->problem, 1000, K, 1) - least > 8e6 * (3 + 1 + TRIAL_RIDGES),
          "sums of folds and systems of more features");
    CHECK(trial_bytes(&from->problem, D, K, 9) - least >= 8 * 2 * 256 * 8.0 * D,
          "mapping on more threads");
}

int main(void)
{
    static double one[] = {1, 1}, two[] = {2, 0.5}, three[] = {1, 0}, triangle[] = {1, 2, 0.5};
    static int32_t index[] = {1, 2};
    static const struct feature_metric ones = {.d = 2, .scale = one}, wide = {.d = 2, .scale = two},
                                       flat = {.d = 2, .scale = three},
                                       turned = {2, NULL, index, triangle};
    const struct trial_metrics none = {{NULL}}, same = {{&wide, &wide, &wide, &wide}},
                               some = {{&wide, &flat, &wide, &wide}},
                               each = {{&ones, &wide, &flat, &wide}},
                               turning = {{&turned, &wide, &turned, &wide}};
    struct data *from = data_make();
    test_draw(from);
    check_group("losses of features as they are");
    test_judge(from, &none, 3);
    check_group("losses of scaled features");
    test_judge(from, &same, 4);
    check_group("losses where a fold has other scales");
    test_judge(from, &some, 2);
    check_group("losses where each fold has its own");
    test_judge(from, &each, 5);
    check_group("losses by a metric");
    test_judge(from, &turning, 3);
    test_lead();
    test_trial_bytes(from);
    test_no_signal(from);
    problem_free(&from->problem);
    return check_finish();
}
