/* What the estimate of the confusion matrix (learners/estimate/confusion_estimate.h) is worth on
 * data that were drawn from the model itself: better with more examples, good with a known matrix,
 * warned of where classes cannot be told apart; the same by any number of threads. */
#include "check.h"
#include "common/base/memory.h"
#include "forward_drawn.h"
#include "learners/estimate/confusion_estimate.h"
#include "left_out.h"
#include "rings.h"

enum { FEW = 400 };

static bool make_estimate(const struct drawn *drawn, const double *c,
                          struct estimate_options options, struct estimate *e)
{
    struct error err = {0};
    struct progress progress = {0};
    const struct labelled data = {
        .problem = &drawn->problem, .y = drawn->y, .labels = &drawn->labels};
    options.fit.progress = &progress;
    *e = (struct estimate){0};
    bool found = estimate_noise(&data, c, &options, e, &err) == 0;
    CHECK(found, "an estimate: %s", err.message);
    check_progress(&progress);
    return found;
}

static bool find_estimate(const struct drawn *drawn, const double *c, double lambda, int threads,
                          struct estimate *e)
{
    const struct estimate_options options = {
        .fit = {.lambda = lambda, .seed = 1, .threads = threads}};
    return make_estimate(drawn, c, options, e);
}

/* Half the sum of |difference| in a column, mean over columns. */
static double matrix_distance(int classes, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < classes * classes; i++)
        sum += fabs(a[i] - b[i]);
    return sum / 2 / classes;
}

/* The matrix is found the better the more examples there are, and is good in itself; noise rates
 * lie within their standard errors about as often as they should, with two classes less often, as a
 * standard error takes the other column for known. */
static void test_consistency(int classes, const double *c)
{
    static const int n[] = {1000, 4000, 16000}, seeds[] = {6, 6, 1};
    double error[3] = {0};
    int within[3] = {0}, rates = 0;
    check_group("more examples, a better matrix, %d classes", classes);
    for (int size = 0; size < 3; size++) {
        for (uint64_t seed = 1; seed <= (uint64_t)seeds[size]; seed++) {
            struct drawn drawn;
            struct estimate e;
            drawn_make(seed, n[size], classes, 1.5, c, &drawn);
            if (find_estimate(&drawn, NULL, 1e-5, 1, &e)) {
                if (seed == 1)
                    check_estimate(&drawn, &e);
                error[size] += matrix_distance(classes, e.matrix.c, c) / seeds[size];
                for (int q = 0; size < 2 && q < classes; q++) {
                    double off = fabs(e.matrix.c[q * classes + q] - c[q * classes + q])
                                 / e.matrix.standard_error[q];
                    rates++;
                    for (int wide = 0; wide < 3; wide++)
                        within[wide] += off <= wide + 1;
                    CHECK(!e.matrix.doubtful[q], "class %d is told apart", q);
                }
            }
            estimate_free(&e);
            drawn_free(&drawn);
        }
    }
    CHECK(error[2] < error[0] / 2, "error %g with 1000, %g with 16000", error[0], error[2]);
    CHECK(error[1] < error[0] && error[2] < error[1], "errors %g, %g, %g", error[0], error[1],
          error[2]);
    CHECK(error[0] < 0.1 && error[2] < 0.02, "errors %g, %g, %g", error[0], error[1], error[2]);
    CHECK(within[0] > 0.4 * rates && within[0] < 0.95 * rates,
          "within one standard error: %d of %d", within[0], rates);
    CHECK(within[1] > 0.7 * rates && within[2] > 0.8 * rates,
          "within two: %d, within three: %d of %d", within[1], within[2], rates);
}

/* Two of four classes have another one's label about as often as their own.  In seed 3 the climbs
 * from the confident joint and from even noise both miss the matrix. */
static void test_hard(void)
{
    static const double chain[] = {0.5, 0.35, 0,   0.02, 0.1, 0.5,  0,   0.48,
                                   0.4, 0.13, 0.5, 0,    0,   0.02, 0.5, 0.5};
    check_group("labels as often another class's as their own");
    for (uint64_t seed = 2; seed <= 4; seed++) {
        struct drawn drawn;
        struct estimate e;
        drawn_make(seed, 6000, 4, 4, chain, &drawn);
        if (find_estimate(&drawn, NULL, -1, 1, &e)) {
            double error = matrix_distance(4, e.matrix.c, chain);
            CHECK(error < 0.1, "seed %d: error %g", (int)seed, error);
            CHECK(e.matrix.doubtful[2] || e.matrix.doubtful[3],
                  "the classes 2 and 3 are told apart by nothing");
            CHECK((seed == 3) == (e.matrix.disagreement > 0.1),
                  "the starting points disagree about %g", e.matrix.disagreement);
        }
        estimate_free(&e);
        drawn_free(&drawn);
    }
}

/* Of drawn data with a known matrix: the probabilities are those of the true classes. */
static void test_known(int classes, const double *c)
{
    check_group("a known matrix, %d classes", classes);
    struct drawn drawn;
    struct estimate e;
    drawn_make(11, 6000, classes, 1.5, c, &drawn);
    if (find_estimate(&drawn, c, -1, 2, &e)) {
        check_estimate(&drawn, &e);
        CHECK(memcmp(e.matrix.c, c, (size_t)(classes * classes) * sizeof *c) == 0,
              "the matrix is kept");
        /* In ten parts by p of each class: as many are of it as p says. */
        for (int q = 0; q < classes; q++) {
            double expected[10] = {0}, found[10] = {0}, count[10] = {0};
            for (int64_t i = 0; i < e.n; i++) {
                double p = e.p[i * classes + q];
                int part = p < 1 ? (int)(10 * p) : 9;
                expected[part] += p;
                found[part] += drawn.truth[i] == q;
                count[part]++;
            }
            for (int part = 0; part < 10; part++)
                CHECK(fabs(found[part] - expected[part])
                          < 4 * sqrt(count[part]) * 0.5 + 0.04 * count[part],
                      "class %d, part %d: %g of %g, expected %g", q, part, found[part], count[part],
                      expected[part]);
        }
    }
    estimate_free(&e);
    drawn_free(&drawn);
}

/* Scores of the examples of each of ten folds by a fit to the others; at their best temperature,
 * probabilities.  problem: what e's classifier is of.  Free with memory_free. */
static double *plain_fine(const struct drawn *drawn, const struct problem *problem,
                          const struct estimate *e)
{
    static int64_t fold[FEW];
    static double s[FEW * CLASSES];
    const int64_t n = e->n, K = e->classes;
    struct forward_metric metric;
    const struct labelled data = {.problem = problem, .y = drawn->y, .labels = &drawn->labels};
    const struct cross_scores_task task = {
        .data = &data, .estimate = e, .metric = &metric, .threads = 1};
    const struct fold_examples all = fold_examples_of(&data);
    struct error err = {0};
    double temperature;
    CHECK(folds_assign(&all, FOLDS_FINE, 1, fold, &err) == 0
              && forward_metric_make(problem, NULL, &metric, 1, &err) == 0,
          "%s", err.message);
    for (int64_t left_out = 0; left_out < FOLDS_FINE; left_out++)
        score_left_out(&task, fold, left_out, s);
    forward_metric_free(&metric);
    return em_calibrate(n, K, drawn->y, NULL, 1, e->matrix.c, s, &temperature, &err);
}

/* Fine folds: other probabilities than those of the three, with all else as it was. */
static void test_fine(int classes, const double *c)
{
    struct drawn drawn;
    struct estimate three_folds, fine;
    struct estimate_options options = {.fit = {.lambda = -1, .seed = 1, .threads = 2}};
    check_group("fine folds, %d classes", classes);
    drawn_make(13, FEW, classes, 1.5, c, &drawn);
    const bool made = make_estimate(&drawn, NULL, options, &three_folds);
    options.fine = true;
    if (make_estimate(&drawn, NULL, options, &fine) && made) {
        const size_t cells = (size_t)(classes * classes);
        double *want = plain_fine(&drawn, &drawn.problem, &fine), off = 0;
        CHECK(memcmp(fine.matrix.c, three_folds.matrix.c, cells * sizeof *fine.matrix.c) == 0,
              "the same matrix");
        CHECK(fine.classifier.lambda == three_folds.classifier.lambda
                  && fine.likelihood == three_folds.likelihood
                  && fine.classifier.temperature == three_folds.classifier.temperature,
              "the same classifier");
        for (int64_t cell = 0; want && cell < fine.n * classes; cell++) {
            CHECK_NEAR(fine.p[cell], want[cell], 1e-9, "p %d", (int)cell);
            off = fmax(off, fabs(three_folds.p[cell] - want[cell]));
        }
        CHECK(want && off > 0.03, "three folds differ by %g", off);
        memory_free(want);
    }
    estimate_free(&three_folds);
    estimate_free(&fine);
    drawn_free(&drawn);
}

/* Rings, whose matrix is found with random features.  By -t linear fine probabilities are of these
 * features, too: those of the points as they are would know nothing of the classes.  With a map
 * they are of its features, as those of any classifier are. */
static void test_fine_features(enum estimate_map map)
{
    struct drawn drawn = {.labels = labels_make(3)};
    struct estimate fine;
    const struct estimate_options options = {.map = map,
                                             .map_dims = map == ESTIMATE_RBF ? 40 : 0,
                                             .features = 50,
                                             .fine = true,
                                             .fit = {.lambda = 1e-4, .seed = 1, .threads = 2}};
    check_group("fine folds with random features, %s", estimate_map_words[map]);
    drawn.y = calloc(FEW, sizeof *drawn.y);
    make_rings(4, 3, 0.3, 0, FEW, &drawn.problem, drawn.y);
    if (make_estimate(&drawn, NULL, options, &fine)) {
        CHECK(fine.matrix.gamma > 0 && !fine.input.map == (map == ESTIMATE_LINEAR),
              "random features, gamma %g", fine.matrix.gamma);
        if (fine.input.map) {
            double *want = plain_fine(&drawn, &fine.input.mapped, &fine);
            for (int cell = 0; want && cell < FEW * 3; cell++)
                CHECK_NEAR(fine.p[cell], want[cell], 1e-9, "p %d", cell);
            memory_free(want);
        } else {
            int right = 0;
            for (int i = 0; i < FEW; i++)
                right += weights_best(fine.p + i * 3, 3) == drawn.y[i];
            CHECK(right > FEW * 0.6, "labels as p says: %d of %d", right, FEW);
        }
    }
    estimate_free(&fine);
    drawn_free(&drawn);
}

static void test_posterior(void)
{
    check_group("the posterior");
    struct random g = random_seeded(6, 1);
    for (int classes = 2; classes <= CLASSES; classes++) {
        double c[CLASSES * CLASSES], p[CLASSES], r[CLASSES], total = 0;
        matrix_make(&g, classes, 0.6, c);
        for (int q = 0; q < classes; q++)
            total += p[q] = random_uniform(&g);
        for (int q = 0; q < classes; q++)
            p[q] /= total;
        for (int32_t y = 0; y < classes; y++) {
            double sum = 0;
            for (int q = 0; q < classes; q++)
                sum += c[y * classes + q] * p[q];
            em_posterior(c, classes, p, y, r);
            for (int q = 0; q < classes; q++)
                CHECK_NEAR(r[q], c[y * classes + q] * p[q] / sum, 1e-14,
                           "%d classes, label %d, class %d", classes, (int)y, q);
        }
    }
}

static void test_threads(void)
{
    check_group("threads");
    struct drawn drawn;
    struct estimate one, more;
    drawn_make(12, 700, 3, 1.5, three, &drawn);
    if (find_estimate(&drawn, NULL, -1, 1, &one)) {
        for (int threads = 2; threads <= 5; threads += 3) {
            if (find_estimate(&drawn, NULL, -1, threads, &more)) {
                CHECK(memcmp(one.p, more.p, (size_t)(one.n * 3) * sizeof *one.p) == 0
                          && memcmp(one.matrix.c, more.matrix.c, sizeof three) == 0,
                      "%d threads: other numbers", threads);
                CHECK(one.classifier.lambda == more.classifier.lambda
                          && one.classifier.temperature == more.classifier.temperature
                          && one.likelihood == more.likelihood,
                      "%d threads: other choices", threads);
                CHECK(memcmp(one.matrix.standard_error, more.matrix.standard_error,
                             3 * sizeof *one.matrix.standard_error)
                          == 0,
                      "%d threads: other standard errors", threads);
            }
            estimate_free(&more);
        }
    }
    estimate_free(&one);
    drawn_free(&drawn);
}

/* The estimate of its memory follows what is asked for, features and classes, and not the threads:
 * it decides what is learnt from. */
static void test_bytes(void)
{
    check_group("bytes of an estimate");
    const struct problem problem = {.n = 1000, .d = 50, .nnz = 20000};
    struct estimate_options options = {.fit = {.threads = 1}};
    const double least = estimate_noise_bytes(&options, &problem, 3, false),
                 classes = estimate_noise_bytes(&options, &problem, 4, false);
    CHECK(least > 8 * 3 * 1000 && isfinite(least), "%g bytes", least);
    CHECK(classes > least, "more for more classes");
    options.fit.threads = 16;
    CHECK_NEAR(estimate_noise_bytes(&options, &problem, 3, false), least, 0, "on more threads");
    options.fit.threads = 1;
    options.features = 1;
    const double one = estimate_noise_bytes(&options, &problem, 3, false);
    CHECK(one > least, "more for a feature");
    options.features = 300;
    CHECK(estimate_noise_bytes(&options, &problem, 3, false) > one + 2 * 8 * 299 * 1000,
          "more for more features");
}

int main(void)
{
    test_bytes();
    test_posterior();
    test_threads();
    test_hard();
    test_known(2, two);
    test_known(3, three);
    test_fine(2, two);
    test_fine(3, three);
    test_fine_features(ESTIMATE_LINEAR);
    test_fine_features(ESTIMATE_RBF);
    test_consistency(2, two);
    test_consistency(3, three);
    return check_finish();
}
