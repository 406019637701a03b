/* Sums by folds and the solutions of ridge regression beside normal equations with an inverse. */
#include "check.h"
#include "learners/features/ridge_folds.h"
#include "ridge_plain.h"

/* What an example is to be told of its classes: 1 for its label; or, where targets are real,
 * numbers of either sign with a 0 among them. */
static void put_target(struct random *g, int64_t K, int64_t label, bool real, double *target)
{
    for (int64_t k = 0; k < K; k++)
        if (real)
            target[k] = k == label ? 0 : random_normal(g);
        else
            target[k] = k == label;
}

/* Examples in folds at random, the first of more than a block, the others of less; a quarter of
 * them have no weight. */
static struct table *folds_make(bool real)
{
    static struct table t = {.n = FOLDS_DEFAULT * RIDGE_BLOCK + 1, .dims = 67, .classes = 3};
    struct random g = random_seeded(4, 1);
    for (int64_t i = 0; i < t.n; i++) {
        t.fold[i] = random_below(&g, 8) * random_below(&g, 8) / 14 % FOLDS_DEFAULT;
        t.weight[i] = i % 4 == 0 ? 0 : random_uniform(&g);
        const int64_t label = random_below(&g, t.classes);
        for (int64_t j = 0; j < t.dims; j++)
            t.phi[i * t.dims + j] = random_normal(&g) + (label == j);
        put_target(&g, t.classes, label, real, t.target + i * t.classes);
    }
    return &t;
}

static void table_features(const void *context, int64_t i, double *phi)
{
    const struct table *t = context;
    memcpy(phi, t->phi + i * t->dims, (size_t)t->dims * sizeof *phi);
}

/* It adds to its target, so that one that is not 0 before is noticed. */
static double table_label(const void *context, int64_t i, double *target)
{
    const struct table *t = context;
    for (int64_t k = 0; k < t->classes; k++)
        target[k] += t->target[i * t->classes + k];
    return t->weight[i];
}

/* The sums of the table's examples; or of their right side alone. */
static bool folds_sum(struct ridge_folds *r, const struct table *t, bool keep_gram)
{
    struct error err = {0};
    const struct ridge_source source = {t, table_features, table_label};
    ridge_deal(r, t->fold, t->n, FOLDS_DEFAULT);
    const bool ready = ridge_sum(r, &source, keep_gram, &err) == 0;
    CHECK(ready, "%s", err.message);
    return ready;
}

static bool folds_ready(const struct table *t, int threads, struct ridge_folds *r)
{
    struct error err = {0};
    const bool ready = ridge_start(r, t->n, t->dims, t->classes, threads, &err) == 0;
    CHECK(ready, "%s", err.message);
    return ready && folds_sum(r, t, false);
}

static void check_fold_sums(const struct ridge_folds *r, const struct table *t, int64_t fold)
{
    static double gram[WIDTH * WIDTH], right[WIDTH * CLASSES];
    plain_sums(t, 1U << fold, gram, right);
    for (int64_t j = 0; j < t->dims; j++)
        check_numbers(r->gram[fold] + j * t->dims, gram + j * t->dims, j + 1, 1e-12, "G");
    check_numbers(r->right[fold], right, t->dims * t->classes, 1e-12, "R");
}

static void check_solution(struct ridge_folds *r, const struct table *t, int64_t left_out,
                           unsigned folds, double ridge)
{
    static double w[WIDTH * CLASSES];
    struct error err = {0};
    plain_solve(t, folds, ridge, w);
    CHECK_INT(ridge_solve_definite(r, left_out, ridge, ridge, &err), 0, "%s", err.message);
    check_numbers(r->w, w, t->dims * t->classes, 1e-10, "W");
}

static void test_folds(bool real)
{
    struct table *t = folds_make(real);
    struct ridge_folds r;
    check_group("ridge regression without a fold%s", real ? ", real targets" : "");
    if (folds_ready(t, 1, &r)) {
        for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
            check_fold_sums(&r, t, fold);
        for (double ridge = 1e-3; ridge < 1e3; ridge *= 30) {
            for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
                check_solution(&r, t, fold, 7U & ~(1U << fold), ridge);
            check_solution(&r, t, FOLDS_ALL, 7, ridge);
        }
    }
    ridge_free(&r);
}

/* Fewer examples, summed anew: folds of one example and of none. */
static void test_few(void)
{
    struct table *t = folds_make(true);
    struct ridge_folds r;
    const int64_t n = t->n;
    check_group("few examples, after many");
    if (folds_ready(t, 2, &r)) {
        for (t->n = 4; t->n >= 0; t->n--) {
            folds_sum(&r, t, false);
            for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
                check_fold_sums(&r, t, fold);
            check_solution(&r, t, 0, 6, 0.5);
            check_solution(&r, t, FOLDS_ALL, 7, 0.5);
        }
    }
    ridge_free(&r);
    t->n = n;
}

/* Other targets of the same examples. */
static void test_targets(void)
{
    struct table *t = folds_make(false);
    struct ridge_folds r;
    check_group("other targets");
    if (folds_ready(t, 2, &r)) {
        for (int64_t cell = 0; cell < t->n * t->classes; cell++)
            t->target[cell] = cell % 3 == 0 ? 0 : 2 * t->target[cell] - 0.5;
        folds_sum(&r, t, true);
        for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
            check_fold_sums(&r, t, fold);
        check_solution(&r, t, 1, 5, 0.5);
    }
    ridge_free(&r);
}

/* Folds of another deal than that of the sums, the last one empty. */
static void test_another_deal(void)
{
    static double w[WIDTH * CLASSES];
    static int64_t tenth[MOST];
    const struct table *t = folds_make(true);
    const struct ridge_source source = {t, table_features, table_label};
    struct ridge_folds r;
    struct error err = {0};
    check_group("ridge regression without a fold of another deal");
    if (folds_ready(t, 2, &r)) {
        for (int64_t i = 0; i < t->n; i++)
            tenth[i] = i * 7 % 13 % (FOLDS_FINE - 1);
        ridge_deal(&r, tenth, t->n, FOLDS_FINE);
        for (int64_t fold = 0; fold < FOLDS_FINE; fold++) {
            plain_solve_without(t, tenth, fold, 0.5, w);
            CHECK_INT(ridge_solve_without(&r, fold, &source, 0.5, 1, &err), 0, "%s", err.message);
            check_numbers(r.w, w, t->dims * t->classes, 1e-10, "W");
        }
    }
    ridge_free(&r);
}

/* What ridge_score hands out: each example's own scores, and how often. */
struct handed {
    const struct table *t;
    const double *w;
    int64_t columns, fold, times[MOST];
};

static void hand_scores(void *context, int64_t i, double *scores)
{
    struct handed *h = context;
    double want[2 * CLASSES] = {0};
    h->times[i]++;
    CHECK_INT(h->t->fold[i], h->fold, "the fold of %d", (int)i);
    for (int64_t j = 0; j < h->t->dims; j++)
        for (int64_t k = 0; k < h->columns; k++)
            want[k] += h->w[j * h->columns + k] * h->t->phi[i * h->t->dims + j];
    check_numbers(scores, want, h->columns, 1e-12, "scores");
    memset(scores, 0x40, (size_t)h->columns * sizeof *scores); /* they may be destroyed */
}

/* With more columns than classes. */
static void test_scores(void)
{
    struct table *t = folds_make(false);
    const struct ridge_source source = {t, table_features, table_label};
    static double w[WIDTH * 2 * CLASSES];
    struct handed handed = {.t = t, .w = w, .columns = 2 * CLASSES - 1};
    struct ridge_folds r;
    struct error err = {0};
    struct random g = random_seeded(5, 1);
    check_group("scores of a fold");
    for (int64_t cell = 0; cell < t->dims * handed.columns; cell++)
        w[cell] = random_normal(&g);
    if (folds_ready(t, 2, &r))
        for (; handed.fold < FOLDS_DEFAULT; handed.fold++)
            CHECK_INT(ridge_score(&r, handed.fold, &source, w, handed.columns, hand_scores, &handed,
                                  &err),
                      0, "%s", err.message);
    for (int64_t i = 0; i < t->n; i++)
        CHECK_INT(handed.times[i], 1, "example %d", (int)i);
    ridge_free(&r);
}

static void test_folds_threads(void)
{
    static const int threads[] = {2, 5};
    const struct table *t = folds_make(true);
    const size_t tall = (size_t)(t->dims * t->classes) * sizeof(double);
    struct ridge_folds one, more;
    check_group("folds on several threads");
    bool ready = folds_ready(t, 1, &one);
    for (int run = 0; ready && run < 2; run++) {
        ready = folds_ready(t, threads[run], &more);
        for (int64_t fold = 0; ready && fold < FOLDS_DEFAULT; fold++) {
            for (int64_t j = 0; j < t->dims; j++)
                CHECK(memcmp(one.gram[fold] + j * t->dims, more.gram[fold] + j * t->dims,
                             (size_t)(j + 1) * sizeof(double))
                          == 0,
                      "G %d, row %d", (int)fold, (int)j);
            CHECK(memcmp(one.right[fold], more.right[fold], tall) == 0, "R %d", (int)fold);
        }
        for (int64_t fold = FOLDS_ALL; ready && fold < FOLDS_DEFAULT; fold++) {
            CHECK_INT(ridge_solve_definite(&one, fold, 0.1, 0.1, NULL), 0, "a solution");
            CHECK_INT(ridge_solve_definite(&more, fold, 0.1, 0.1, NULL), 0, "a solution");
            CHECK(memcmp(one.w, more.w, tall) == 0, "W without %d", (int)fold);
        }
        ridge_free(&more);
    }
    ridge_free(&one);
}

/* Several ridges at once, one of them too small, as one after the other. */
static void test_solve_each(void)
{
    static const double ridges[RIDGE_EACH] = {1e-3, 0.1, 1, 0x1p-1000, 10};
    static double system[RIDGE_EACH * WIDTH * WIDTH], w[RIDGE_EACH * WIDTH * CLASSES];
    static const int threads[] = {1, 2, 7};
    struct table *t = folds_make(true);
    const int64_t cells = t->dims * t->classes;
    struct ridge_folds r;
    struct error err = {0};
    check_group("several ridges at once");
    for (int64_t i = 0; i < t->n; i++) /* two features alike: no ridge of 2^-1000 will do */
        t->phi[i * t->dims + 1] = t->phi[i * t->dims];
    for (size_t run = 0; run < sizeof threads / sizeof *threads; run++) {
        bool ready = folds_ready(t, threads[run], &r);
        for (int64_t fold = FOLDS_ALL; ready && fold < FOLDS_DEFAULT; fold++) {
            const int status = ridge_solve_each(&r, fold, ridges, RIDGE_EACH, 10, system, w, &err);
            CHECK_INT(status, 0, "%s", err.message);
            for (int i = 0; i < RIDGE_EACH; i++) {
                CHECK_INT(ridge_solve_definite(&r, fold, ridges[i], 10, NULL), 0, "alone");
                CHECK(memcmp(r.w, w + i * cells, (size_t)cells * sizeof *w) == 0,
                      "ridge %g without %d", ridges[i], (int)fold);
            }
        }
        if (ready) {
            CHECK_INT(ridge_solve_each(&r, 0, ridges + 3, 1, 0x1p-999, system, w, &err), -1,
                      "none for the fourth");
            CHECK(strstr(err.message, "too much alike") != NULL, "its reason: %s", err.message);
        }
        ridge_free(&r);
    }
}

/* Equal features of so large a weight that a ridge is lost beside them. */
static void test_indefinite(void)
{
    static struct table t = {
        .n = 2, .dims = 2, .classes = 2, .fold = {0, 1}, .target = {1, 0, 0, 1}};
    struct ridge_folds r;
    struct error err = {0};
    check_group("a ridge that is too small");
    for (int cell = 0; cell < 4; cell++)
        t.phi[cell] = 1;
    t.weight[0] = 0x1p70;
    t.weight[1] = 1;
    if (folds_ready(&t, 1, &r)) {
        CHECK_INT(ridge_solve_definite(&r, 1, 1, 1, &err), -1, "the large weight alone");
        check_solution(&r, &t, 0, 2, 1);
        CHECK_INT(ridge_solve_definite(&r, FOLDS_ALL, 1, 1e5, &err), -1, "no ridge up to 1e5");
        CHECK(strstr(err.message, "too much alike") != NULL, "its reason: %s", err.message);
        CHECK_INT(ridge_solve_definite(&r, FOLDS_ALL, 1, 1e30, NULL), 0, "a larger one");
        CHECK(r.w[0] > 0.1 && r.w[0] < 0.9, "the weight of either feature: %g", r.w[0]);
    }
    ridge_free(&r);
}

static void test_folds_bytes(void)
{
    check_group("bytes of the folds");
    for (double dims = 100; dims < 1e4; dims *= 3) {
        const double K = 10, n = 20 * dims,
                     most = 4 * dims * dims + (4 * dims + 2 * RIDGE_BLOCK) * K
                            + 1.5 * RIDGE_BLOCK * dims + n,
                     bytes = ridge_bytes((int64_t)n, (int64_t)dims, (int64_t)K);
        CHECK(bytes >= 8 * most && bytes < 16 * most, "%g for %g numbers", bytes, most);
        CHECK(ridge_bytes((int64_t)n + 1000000, (int64_t)dims, (int64_t)K) - bytes >= 8e6,
              "more examples");
        CHECK(ridge_bytes((int64_t)n, (int64_t)dims, (int64_t)K + 1000) - bytes
                  >= 8000 * (4 * dims + 2 * RIDGE_BLOCK),
              "more classes");
    }
}

int main(void)
{
    test_folds(false);
    test_folds(true);
    test_few();
    test_targets();
    test_another_deal();
    test_scores();
    test_folds_threads();
    test_solve_each();
    test_indefinite();
    test_folds_bytes();
    return check_finish();
}
