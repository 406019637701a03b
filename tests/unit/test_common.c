/* Tables of weights, labels, folds, the generator, the exponential and the logarithm, options'
 * ranges. */
#include "check.h"
#include "common/base/elementary.h"
#include "common/base/error.h"
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/data/folds.h"
#include "common/data/labels.h"
#include "common/linear/cross_validation.h"
#include "common/linear/weights.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Scores against the plain loop, bit for bit: each is a sum in the order of the entries. */
static void check_table(struct random *g, int64_t columns, int64_t stride)
{
    check_group("scores, %lld columns, stride %lld", (long long)columns, (long long)stride);
    struct weights w = weights_make(columns, 0);
    w.stride = stride;
    CHECK(weights_grow(&w, 50, NULL) == 0, "50 features");
    for (int64_t j = 0; j <= 50; j++)
        for (int64_t k = 0; k < columns; k++)
            w.w[j * w.stride + k] = random_uniform(g) - 0.5;
    CHECK((uintptr_t)w.w % 64 == 0, "rows start at cache lines");
    enum { BEHIND = 64 };
    int32_t index[22];
    double value[22], step[160], *scores = calloc((size_t)w.stride + BEHIND, sizeof *scores);
    int64_t n = 0;
    for (int64_t k = 0; k < w.stride + BEHIND; k++)
        scores[k] = 7;
    for (int32_t j = 2; j < 60; j += 3) { /* some beyond the table */
        index[n] = j;
        value[n++] = random_uniform(g) * 3;
    }
    index[n] = 0;
    value[n++] = 1;
    index[n] = 1; /* behind the example */
    value[n] = 9;
    struct example x = {.line = 1, .size = n, .index = index, .value = value};
    weights_scores(&w, &x, scores);
    for (int64_t k = 0; k < columns; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            if (index[i] <= 50)
                sum += value[i] * w.w[index[i] * w.stride + k];
        CHECK(memcmp(&sum, &scores[k], sizeof sum) == 0, "column %lld: %.17g, plainly %.17g",
              (long long)k, scores[k], sum);
    }
    for (int64_t k = w.stride; k < w.stride + BEHIND; k++)
        CHECK(scores[k] == 7, "number %lld behind the scores", (long long)(k - w.stride));

    /* An update: w += value step for the entries' rows, and for no other. */
    double *before = calloc((size_t)(51 * w.stride), sizeof *before);
    for (int64_t i = 0; i < 51 * w.stride; i++)
        before[i] = w.w[i];
    for (int64_t k = 0; k < w.stride; k++)
        step[k] = k < columns ? random_uniform(g) - 0.5 : 0;
    for (int64_t i = 0; i < n; i++)
        if (index[i] > 50)
            index[i] = 3;
    weights_add(&w, &x, step);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < w.stride; k++)
            before[index[i] * w.stride + k] += step[k] * value[i];
    CHECK(memcmp(before, w.w, (size_t)(51 * w.stride) * sizeof *before) == 0, "an update");
    free(before);
    free(scores);
    weights_free(&w);
}

static void check_scores(void)
{
    struct random g = {5};
    for (int64_t columns = 1; columns <= 140; columns += columns < 70 ? 1 : 13) {
        check_table(&g, columns, weights_make(columns, 0).stride);
        check_table(&g, columns, weights_narrow(columns));
    }
    check_group("a table that grows keeps its cells");
    struct weights w = weights_make(3, 1.5);
    double held[5000]; /* the second cell of each row */
    for (int64_t d = 0, last = 0; d < 5000; last = d + 1, d += 1 + d / 3) {
        CHECK(weights_grow(&w, d, NULL) == 0 && w.rows == d + 1, "%lld features", (long long)d);
        for (int64_t j = last; j <= d; j++)
            held[j] = 1.5;
        for (int64_t j = 0; j <= d; j++)
            CHECK(w.w[j * w.stride] == 1.5 && w.w[j * w.stride + 1] == held[j], "row %lld of %lld",
                  (long long)j, (long long)d);
        w.w[d * w.stride + 1] = held[d] = (double)d;
    }
    weights_free(&w);
    CHECK(!w.block && w.rows == 0 && w.columns == 3 && w.stride == 4 && w.initial == 1.5,
          "freed, it is empty");
    CHECK(weights_grow(&w, 2, NULL) == 0 && w.rows == 3 && w.w[11] == 1.5, "and may be used again");
    CHECK(weights_grow(&w, 1, NULL) == 0 && w.rows == 3, "a table does not shrink");
    struct error err = {0};
    CHECK(weights_grow(&w, INT64_MAX / 32 - 64, &err) == -1
              && strcmp(err.message, "a table of 288230376151711680 rows is too large") == 0,
          "too many rows: %s", err.message);
    weights_free(&w);
    w = weights_make(1, 0);
    for (int64_t d = 0, last = 0; d < 5000; last = d + 1, d += 1 + d / 3) { /* new cells are 0 */
        CHECK(weights_grow(&w, d, NULL) == 0 && w.rows == d + 1, "%lld features", (long long)d);
        for (int64_t j = last; j <= d; j++)
            held[j] = 0;
        for (int64_t j = 0; j <= d; j++)
            CHECK(w.w[j] == held[j], "row %lld of %lld", (long long)j, (long long)d);
        w.w[d] = held[d] = (double)d + 1;
    }
    weights_free(&w);
}

/* What rows are laid out in, and the small helpers. */
static void check_weights(void)
{
    check_group("tables of weights");
    static const int64_t shape[][3] = {{1, 1, 1}, {2, 2, 2},   {3, 4, 4},    {4, 4, 4},   {5, 8, 8},
                                       {8, 8, 8}, {9, 16, 12}, {16, 16, 16}, {17, 24, 20}};
    for (size_t t = 0; t < sizeof shape / sizeof *shape; t++) {
        int64_t columns = shape[t][0];
        const struct weights w = weights_make(columns, 0);
        CHECK_INT(w.stride, shape[t][1], "stride of %lld columns", (long long)columns);
        CHECK_INT(weights_narrow(columns), shape[t][2], "%lld columns, narrow", (long long)columns);
        CHECK_INT((int64_t)weights_bytes(columns, 9), 80 * w.stride, "bytes of ten rows");
    }
    CHECK(weights_columns(1) == 1 && weights_columns(2) == 1 && weights_columns(3) == 3,
          "two classes share a column");
    static const double scores[] = {-2, 3, 3, -1};
    CHECK(weights_best(scores, 4) == 1 && weights_best(scores, 1) == 0, "the first of the best");
    struct weights two = weights_make(2, 0), one;
    CHECK(weights_grow(&two, 3, NULL) == 0, "memory");
    for (int64_t i = 0; i < 8; i++)
        two.w[i] = (double)(i * i);
    CHECK(weights_difference(&two, &one, NULL) == 0 && one.rows == 4 && one.stride == 1,
          "the second less the first");
    for (int64_t j = 0; j < 4; j++)
        CHECK_INT((int64_t)one.w[j], 4 * j + 1, "row %lld", (long long)j);
    weights_free(&two);
    weights_free(&one);
}

static void check_labels(void)
{
    check_group("labels");
    struct labels l = {0};
    CHECK(labels_parse("5,-3--1,7", &l, NULL) == 0 && l.count == 5 && l.value[0] == -3
              && l.value[4] == 7,
          "5,-3--1,7");
    CHECK_INT(labels_find(&l, -2), 1, "position of -2");
    CHECK_INT(labels_find(&l, 6), -1, "position of 6");
    CHECK_INT(labels_find(&l, INT64_MIN), -1, "position of no label");
    labels_free(&l);
    static const char *const bad[] = {"",    ",",   "1,",  "1,,2",       "1-",         "a",
                                      "1,1", "3-1", "1 2", "1-99999999", "2147483648", "1,2x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err;
        CHECK(labels_parse(bad[i], &l, &err) == 1 && l.value == NULL, "\"%s\" is refused", bad[i]);
    }
    CHECK(labels_parse("-2147483648,2147483647", &l, NULL) == 0 && l.count == 2
              && l.value[0] == INT32_MIN && l.value[1] == INT32_MAX,
          "the ends");
    struct labels copy = {0};
    CHECK(labels_copy(&l, &copy, NULL) == 0 && labels_equal(&l, &copy), "a copy");
    copy.value[1]--;
    CHECK(!labels_equal(&l, &copy), "another last label");
    copy.count--;
    CHECK(!labels_equal(&l, &copy) && !labels_equal(&copy, &l), "another count");
    labels_free(&copy);
    CHECK(labels_copy(&copy, &copy, NULL) == 0 && copy.count == 0 && labels_equal(&copy, &copy),
          "a copy of none");
    labels_free(&copy);
    labels_free(&l);
    CHECK(labels_parse("4-4", &l, NULL) == 0 && l.count == 1 && l.value[0] == 4, "4-4");
    struct error err;
    CHECK(labels_require(&l, 4, "f", 2, &err) == 0, "4 is there");
    CHECK(labels_require(&l, 5, "f", 2, &err) == -1 && err.line == 2 && err.column == 1
              && strcmp(err.message, "label 5 is not among the 1 classes") == 0,
          "%s", err.message);
    CHECK(labels_require_several(&l, &err) == -1 && strstr(err.message, "only one class, 4:"), "%s",
          err.message);
    CHECK(labels_add(&l, 3, NULL) == 0 && labels_require_several(&l, &err) == 0, "two are several");
    labels_free(&l);
    CHECK(labels_require_several(&l, &err) == -1 && strcmp(err.message, "no class") == 0, "%s",
          err.message);
    CHECK(labels_parse("1-10000001", &l, &err) == 1, "more than ten million labels");
    CHECK(labels_parse("9,7,8,5,3,4,7,9", &l, &err) == 1
              && strstr(err.message, "label 7 is named twice"),
          "%s", err.message);
}

/* Labels in any order, some several times, against a table of what was added. */
static void check_adding_labels(void)
{
    enum { RANGE = 700 };
    struct random g = {12};
    check_group("labels in any order");
    for (int count = 0; count <= RANGE; count += 1 + count / 5) {
        bool there[RANGE] = {false};
        struct labels l = {0}, copy = {0};
        for (int part = 0; part < 2; part++) { /* what is settled is added to */
            for (int i = 0; i < count; i++) {
                int32_t label = (int32_t)random_below(&g, RANGE);
                there[label] = true;
                CHECK(labels_add(&l, label - RANGE / 2, NULL) == 0, "memory");
                CHECK(labels_contain(&l, label - RANGE / 2), "%d is there at once",
                      label - RANGE / 2);
            }
            for (int32_t label = 0; label < RANGE; label++)
                CHECK(labels_contain(&l, label - RANGE / 2) == there[label], "%d before", label);
            labels_settle(&l);
            int64_t k = 0;
            for (int32_t label = 0; label < RANGE; label++)
                CHECK(labels_find(&l, label - RANGE / 2) == (there[label] ? k++ : -1), "%d", label);
            CHECK_INT(l.count, k, "labels in all");
        }
        CHECK(labels_from(l.value, l.count, &copy, NULL) == 0 && labels_equal(&l, &copy), "a copy");
        labels_free(&copy);
        labels_free(&l);
    }
}

/* Seconds of processor time that N labels take, each `step` behind the one before. */
static double time_of_labels(int32_t step)
{
    enum { N = 400000 };
    struct labels l = {0};
    clock_t start = clock();
    for (int32_t i = 0; i < N; i++)
        CHECK(labels_add(&l, i * step, NULL) == 0, "memory");
    labels_settle(&l);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(l.count == N && l.value[0] == (step < 0 ? (N - 1) * step : 0), "%d labels", N);
    labels_free(&l);
    return seconds;
}

/* Moving half of them for each, they took 6 seconds; the bound is far from both. */
static void check_time_of_labels(void)
{
    check_group("labels that descend");
    double up = time_of_labels(1), down = time_of_labels(-1);
    CHECK(down <= 10 * up + 0.7, "%.3g s, ascending %.3g s", down, up);
}

static void check_folds(void)
{
    enum { N = 1003, K = 5, FOLDS = 7 };
    static int32_t y[N];
    static int64_t fold[N], again[N];
    struct random g = {9};
    int64_t of_class[K] = {0}, in_fold[FOLDS] = {0}, both[K][FOLDS] = {{0}};
    check_group("stratified folds");
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)(random_uniform(&g) * random_uniform(&g) * K);
        of_class[y[i]]++;
    }
    CHECK(folds_assign(y, N, K, FOLDS, 1, fold, NULL) == 0
              && folds_assign(y, N, K, FOLDS, 1, again, NULL) == 0,
          "assigned");
    CHECK(memcmp(fold, again, sizeof fold) == 0, "the same seed, the same folds");
    for (int i = 0; i < N; i++) {
        in_fold[fold[i]]++;
        both[y[i]][fold[i]]++;
    }
    for (int f = 0; f < FOLDS; f++) {
        CHECK(in_fold[f] == N / FOLDS || in_fold[f] == N / FOLDS + 1, "size of fold %d: %lld", f,
              (long long)in_fold[f]);
        for (int k = 0; k < K; k++)
            CHECK(both[k][f] >= of_class[k] / FOLDS && both[k][f] <= of_class[k] / FOLDS + 1,
                  "class %d in fold %d", k, f);
    }
    CHECK(folds_assign(y, N, K, FOLDS, 2, again, NULL) == 0
              && memcmp(fold, again, sizeof fold) != 0,
          "another seed, other folds");
    struct error err = {0};
    CHECK(folds_assign(y, 3, K, 4, 1, fold, &err) == -1
              && strcmp(err.message, "4 folds need at least as many examples; there are 3") == 0,
          "too many: %s", err.message);
    CHECK(folds_assign(y, 3, K, 1, 1, fold, &err) == -1
              && strcmp(err.message, "1 folds need at least as many examples; there are 3") == 0,
          "too few: %s", err.message);
    CHECK(folds_assign(y, 3, K, 3, 1, fold, NULL) == 0, "just as many as there are");
    CHECK(folds_assign(y, 3, K, 2, 1, fold, NULL) == 0, "as few as there may be");
}

enum { CV_EXAMPLES = 12, CV_FOLDS = 4 };

struct cv {
    int64_t fold[CV_EXAMPLES];
    bool fails[CV_FOLDS];
};

/* Learn that a positive feature means class 1; or fail, with the number of the fold left out. */
static int cv_fit(const void *context, const int64_t *subset, int64_t n, struct weights *w,
                  struct error *err)
{
    const struct cv *cv = context;
    bool used[CV_FOLDS] = {false};
    int64_t left_out = 0;
    for (int64_t i = 0; i < n; i++)
        used[cv->fold[subset[i]]] = true;
    while (left_out < CV_FOLDS - 1 && used[left_out])
        left_out++;
    if (used[left_out] || n != CV_EXAMPLES - CV_EXAMPLES / CV_FOLDS)
        return error_set(err, "%d examples in a fit", (int)n);
    if (cv->fails[left_out])
        return error_set(err, "fold %d", (int)left_out);
    *w = weights_make(1, 0);
    if (weights_grow(w, 1, err) != 0)
        return -1;
    w->w[w->stride] = 1;
    return 0;
}

static void check_cross_validation(void)
{
    check_group("cross-validation");
    static const int32_t index[] = {1};
    struct problem p = {.n = 0};
    struct cv cv = {.fails = {false}};
    struct error err = {0};
    int32_t y[CV_EXAMPLES];
    for (int32_t i = 0; i < CV_EXAMPLES; i++) {
        const double value = i % 2 == 0 ? -1 : 1;
        const struct example x = {.size = 1, .index = index, .value = &value};
        y[i] = i % 2 != (i == 5); /* one of them is wrong */
        CHECK(problem_append_example(&p, &x, &err) == 0, "%s", err.message);
    }
    CHECK(folds_assign(y, CV_EXAMPLES, 2, CV_FOLDS, 3, cv.fold, &err) == 0, "%s", err.message);
    for (int failing = 0; failing < 1 << CV_FOLDS; failing++) {
        int64_t correct = 0;
        int first = -1;
        char want[16] = "";
        for (int f = CV_FOLDS - 1; f >= 0; f--) {
            cv.fails[f] = failing >> f & 1;
            if (cv.fails[f])
                first = f;
        }
        if (first >= 0)
            snprintf(want, sizeof want, "fold %d", first);
        for (int threads = 1; threads <= 3; threads++) {
            err = (struct error){0};
            CHECK_INT(
                validate_linear(&p, y, 2, CV_FOLDS, 3, threads, cv_fit, &cv, &correct, NULL, &err),
                first >= 0 ? -1 : 0, "folds %x fail", (unsigned)failing);
            CHECK(strcmp(err.message, want) == 0, "%s instead of %s", err.message, want);
            CHECK(first >= 0 || correct == CV_EXAMPLES - 1, "%d are right", (int)correct);
        }
    }
    problem_free(&p);
}

static void add_one(void *context, int64_t i)
{
    ((int *)context)[i]++;
}

/* z from z ^ (z >> shift). */
static uint64_t unshift(uint64_t x, int shift)
{
    uint64_t z = x;
    for (int known = shift; known < 64; known += shift)
        z = x ^ (z >> shift);
    return z;
}

/* 1 / a modulo 2^64, for an odd a, by Newton's iteration, which doubles the bits that are right. */
static uint64_t reciprocal(uint64_t a)
{
    uint64_t x = a;
    for (int bits = 3; bits < 64; bits *= 2)
        x *= 2 - a * x;
    return x;
}

/* random_normal and others divide by u^2 + v^2 of two numbers from [-1, 1).  Of the 2^11 states
 * whose next number gives u = 0, none goes on with v = 0. */
static void check_pairs(void)
{
    check_group("two numbers are never both one half");
    double least = 1;
    for (uint64_t low = 0; low < 2048; low++) {
        uint64_t z = unshift((UINT64_C(1) << 63) + low, 31) * reciprocal(0x94d049bb133111ebu);
        z = unshift(z, 27) * reciprocal(0xbf58476d1ce4e5b9u);
        struct random g = {unshift(z, 30) - 0x9e3779b97f4a7c15u};
        CHECK_NEAR(random_uniform(&g), 0.5, 0, "the number after state %d", (int)low);
        least = fmin(least, fabs(2 * random_uniform(&g) - 1));
    }
    CHECK(least > 1e-4, "%g", least);
}

static void check_random(void)
{
    /* The first numbers of SplitMix64 from 0 and from 1234567, as published with the generator. */
    check_group("the generator");
    struct random g = {1234567};
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u,
                                     16408922859458223821u};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(random_next(&g) == known[i], "number %zu", i);
    random_skip(&g, -5);
    random_skip(&g, 2);
    CHECK(random_next(&g) == known[2], "two skipped");
    CHECK(random_seeded(7, 0).state == 7 && random_seeded(7, 1).state != random_seeded(7, 2).state
              && random_seeded(7, 1).state != random_seeded(8, 1).state,
          "uses of one seed differ");
    g.state = known[4];
    int64_t order[100], seen[100] = {0};
    for (int i = 0; i < 100; i++)
        order[i] = i;
    random_shuffle(&g, order, 100);
    for (int i = 0; i < 100; i++)
        seen[order[i]]++;
    for (int i = 0; i < 100; i++)
        CHECK_INT(seen[i], 1, "%d stands once in a shuffled row", i);
    int counts[5] = {0};
    for (int i = 0; i < 50000; i++)
        counts[random_below(&g, 5)]++;
    for (int i = 0; i < 5; i++)
        CHECK(counts[i] > 9700 && counts[i] < 10300, "%d of 50000 draws are %d", counts[i],
              i); /* 3 standard deviations are 268 */

    /* Of 200000 numbers from a normal distribution: the first four moments and two tails, each
     * within 4 standard deviations. */
    check_group("normal numbers");
    enum { N = 200000 };
    double moment[5] = {0}, beyond[2] = {0};
    for (int i = 0; i < N; i++) {
        double x = random_normal(&g);
        for (int k = 1; k <= 4; k++)
            moment[k] += pow(x, k) / N;
        beyond[0] += (fabs(x) > 1.0) / (double)N;
        beyond[1] += (x > 2.5) / (double)N;
    }
    static const double want[] = {1, 0, 1, 0, 3}, variance[] = {0, 1, 2, 15, 96};
    for (int k = 1; k <= 4; k++)
        CHECK(fabs(moment[k] - want[k]) < 4 * sqrt(variance[k] / N), "moment %d is %g", k,
              moment[k]);
    CHECK(fabs(beyond[0] - 0.317311) < 4 * sqrt(0.317311 * 0.682689 / N), "%g are beyond 1",
          beyond[0]);
    CHECK(fabs(beyond[1] - 0.0062097) < 4 * sqrt(0.0062097 / N), "%g are above 2.5", beyond[1]);
    g = (struct random){1234567};
    static const double first[] = {-0x1.ebc4cf27faaa1p-2, 0x1.ae3779d73ac06p-3,
                                   0x1.e25ce2e69f00bp-1, 0x1.460c0dcdeb86ep-1};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        double x = random_normal(&g);
        CHECK(x == first[i], "number %zu: %.17g, on every machine %.17g", i, x, first[i]);
    }

    check_group("a parallel loop does each item once");
    int done[1000] = {0};
    parallel_for(7, 1000, add_one, done);
    for (int i = 0; i < 1000; i++)
        CHECK_INT(done[i], 1, "item %d", i);
}

/* FNV-1a, of a double by its bits. */
static uint64_t hash_number(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int b = 0; b < 64; b += 8)
        hash = (hash ^ (bits >> b & 255)) * 0x100000001b3u;
    return hash;
}

/* Their last places, which nothing else here looks at: the same bits on every machine. */
static void check_last_places(void)
{
    check_group("the last places of elementary functions");
    uint64_t hash[4] = {0};
    for (int i = -7100; i <= 7100; i++) {
        const double x = i * 0.1, size = fabs(x) + 0.003;
        hash[0] = hash_number(hash[0], elementary_exp(x));
        hash[1] = hash_number(hash[1], elementary_log(size));
        hash[2] = hash_number(hash[2], elementary_cos(x));
        hash[3] = hash_number(hash[3], elementary_tanh(x / 30));
    }
    static const uint64_t known[] = {0x35596731d19eb8b9u, 0x3cdc41a9c7ccc35eu, 0xb7ab6f95cf0e5d99u,
                                     0xb03113c00eded9e4u};
    static const char *const name[] = {"exp", "log", "cos", "tanh"};
    for (int f = 0; f < 4; f++)
        CHECK(hash[f] == known[f], "%s: %#llx", name[f], (unsigned long long)hash[f]);
}

/* How many units in the last place a number is away from the one that is wanted. */
static double ulps(double got, double want)
{
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static void check_elementary(void)
{
    /* libm's own are within 1 unit or less. */
    check_group("the exponential");
    for (double x = -708; x <= 709; x += 0.00937)
        CHECK(ulps(elementary_exp(x), exp(x)) <= 2, "exp %.17g: %.17g, libm %.17g", x,
              elementary_exp(x), exp(x));
    for (double x = 1e-300; x < 1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_exp(sign * x), exp(sign * x)) <= 2, "exp %.17g: %.17g", sign * x,
                  elementary_exp(sign * x));
    CHECK(elementary_exp(0) == 1 && elementary_exp(-0.0) == 1, "exp 0");
    CHECK(elementary_exp(-708) > 0 && elementary_exp(-708.01) == 0 && elementary_exp(-1e9) == 0
              && elementary_exp(-INFINITY) == 0,
          "0 below -708");
    CHECK(elementary_exp(709.5) == elementary_exp(709)
              && elementary_exp(INFINITY) == elementary_exp(709),
          "clamped above");
    CHECK(isnan(elementary_exp(NAN)) && isnan(elementary_exp(-NAN)), "not a number");

    check_group("the logarithm");
    for (int e = -1021; e <= 1023; e += 4)
        for (double m = 1; m < 2; m += 0.00731)
            CHECK(ulps(elementary_log(ldexp(m, e)), log(ldexp(m, e))) <= 2,
                  "log %.17g: %.17g, libm %.17g", ldexp(m, e), elementary_log(ldexp(m, e)),
                  log(ldexp(m, e)));
    for (double x = 0.5; x < 2; x += 0.0000313)
        CHECK(ulps(elementary_log(x), log(x)) <= 2, "log %.17g: %.17g, libm %.17g", x,
              elementary_log(x), log(x));
    for (double x = 1e-15; x < 0.1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_log(1 + sign * x), log(1 + sign * x)) <= 2, "log (1 + %.17g)",
                  sign * x);
    CHECK(elementary_log(1) == 0, "log 1");
    CHECK(ulps(elementary_log(0x1p-1022), log(0x1p-1022)) <= 2
              && ulps(elementary_log(1.7976931348623157e308), log(1.7976931348623157e308)) <= 2,
          "the ends");

    check_group("the cosine");
    for (double x = 0; x < 100; x += 0.00317)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15,
                  "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x),
                  cos(sign * x));
    for (double x = 100; x <= 1e6; x += 7.77)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15,
                  "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x),
                  cos(sign * x));
    for (int quarter = -4000; quarter <= 4000;
         quarter++) { /* where it is least exact next to its size, and where the pieces meet */
        double x = quarter * 0.78539816339744831;
        CHECK(fabs(elementary_cos(x) - cos(x)) <= 1e-15, "cos %d pi / 4: %.17g, libm %.17g",
              quarter, elementary_cos(x), cos(x));
    }
    CHECK(elementary_cos(0) == 1 && elementary_cos(-0.0) == 1 && elementary_cos(1e-300) == 1,
          "cos 0");
    for (double x = 1e6; x < 1e308; x *= 1.9)
        CHECK(fabs(elementary_cos(x)) <= 1 && fabs(elementary_cos(-x)) <= 1, "cos %.17g: %.17g", x,
              elementary_cos(x));

    /* libm's own is within 2 units. */
    check_group("the hyperbolic tangent");
    for (double x = 0; x < 23; x += 0.0000917)
        CHECK(ulps(elementary_tanh(x), tanh(x)) <= 4, "tanh %.17g: %.17g, libm %.17g", x,
              elementary_tanh(x), tanh(x));
    for (double x = 5e-324; x < 1; x *= 1.7)
        CHECK(ulps(elementary_tanh(x), tanh(x)) <= 4, "tanh %.17g: %.17g, libm %.17g", x,
              elementary_tanh(x), tanh(x));
    for (double x = 1e-310; x < 1e300; x *= 1.9)
        CHECK(elementary_tanh(-x) == -elementary_tanh(x), "tanh %.17g is odd", x);
    CHECK(elementary_tanh(5e-324) == 5e-324 && elementary_tanh(1e-300) == 1e-300, "tiny numbers");
    CHECK(elementary_tanh(0) == 0 && !signbit(elementary_tanh(0)) && signbit(elementary_tanh(-0.0)),
          "tanh 0");
    CHECK(elementary_tanh(22) == 1 && elementary_tanh(-1e308) == -1
              && elementary_tanh(INFINITY) == 1 && elementary_tanh(-INFINITY) == -1,
          "1 in size");
    CHECK(isnan(elementary_tanh(NAN)) && isnan(elementary_tanh(-NAN)), "not a number");
    /* A last place that another tanh may round otherwise. */
    static const double at[] = {0.1, 0.3, 0.7, 1.1, 2.3, 5.9};
    static const double tangent[] = {0x1.983d7795f413bp-4, 0x1.2a4dda7d914f9p-2,
                                     0x1.356fb17af2e91p-1, 0x1.99db01fde2405p-1,
                                     0x1.f5cf31e1c8103p-1, 0x1.fffe0861a4eefp-1};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        CHECK(elementary_tanh(at[i]) == tangent[i], "tanh %g: %a, on every machine %a", at[i],
              elementary_tanh(at[i]), tangent[i]);
}

static void check_memory(void)
{
    check_group("memory");
    struct error err = {0};
    CHECK(memory_new(INT64_MAX, 16, &err) == NULL && err.message[0],
          "a product that overflows is refused");
    CHECK(memory_new(-1, 1, &err) == NULL, "a negative count is refused");
    CHECK(memory_check(1e30, "all of it", &err) != 0, "more than there is");
    CHECK(strstr(err.message, "not enough memory for all of it: 1000000000000 EB (1")
              == err.message,
          "%s", err.message);
    CHECK(memory_check(1000, "little", &err) == 0 && memory_check(16e6, "some", &err) == 0,
          "a little");
    char text[32];
    static const struct {
        double bytes;
        const char *text;
    } sizes[] = {{0, "0 bytes"},      {7, "7 bytes"},     {999, "999 bytes"}, {1000, "1.0 KB"},
                 {1234567, "1.2 MB"}, {99940, "99.9 KB"}, {100000, "100 KB"}, {1e9, "1.0 GB"},
                 {2e12, "2.0 TB"},    {3e15, "3.0 PB"},   {4e18, "4.0 EB"},   {999e18, "999 EB"},
                 {1e21, "1000 EB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(strcmp(memory_text(sizes[i].bytes, text), sizes[i].text) == 0, "%g bytes are %s",
              sizes[i].bytes, text);

    /* An array that grows: to 16 elements at least, to twice its size, or to what is asked for. */
    static const int64_t growth[][2] = {{0, 16},    {1, 16},    {16, 16},    {17, 32},
                                        {32, 32},   {33, 64},   {127, 128},  {128, 128},
                                        {300, 300}, {599, 600}, {1201, 1201}};
    int64_t capacity = 0;
    char *array = NULL;
    for (size_t i = 0; i < sizeof growth / sizeof *growth; i++) {
        array = memory_reserve(array, &capacity, growth[i][0], 1, NULL);
        CHECK(array != NULL, "memory");
        CHECK_INT(capacity, growth[i][1], "capacity for %lld", (long long)growth[i][0]);
    }
    CHECK(memory_reserve(array, &capacity, INT64_MAX, 8, &err) == NULL && capacity == 1201,
          "what fails changes nothing");
    memory_free(array);
    CHECK(memory_new(INT64_MAX / 16 + 1, 16, &err) == NULL && strstr(err.message, " of 16 bytes"),
          "one too many: %s", err.message);
    CHECK(memory_resize(NULL, INT64_MAX / 16 + 1, 16, &err) == NULL, "one too many");
    char *some = memory_new(100, 3, &err), sum = 0;
    for (int i = 0; some && i < 300; i++)
        sum |= some[i];
    CHECK(some && sum == 0, "a new block is zero");
    memory_free(some);
    void *zero = memory_new(0, 8, &err);
    CHECK(zero != NULL, "a block of no bytes");
    memory_free(zero);
}

static void check_order(void)
{
    check_group("an order for qsort");
    CHECK_INT(order_by(1, 2, 5, 4), -1, "the smaller value");
    CHECK_INT(order_by(2, 1, 4, 5), 1, "the larger value");
    CHECK_INT(order_by(-INFINITY, INFINITY, 5, 4), -1, "infinite values");
    CHECK_INT(order_by(0, -0.0, 4, 5), -1, "equal values, the smaller place");
    CHECK_INT(order_by(1, 1, 5, 4), 1, "equal values, the larger place");
    CHECK_INT(order_by(1, 1, 5, 5), 0, "the same element");
    CHECK_INT(order_by(NAN, 1, 4, 5), -1, "not a number, the smaller place");
    CHECK_INT(order_by(1, NAN, 5, 4), 1, "not a number, the larger place");
}

static void check_errors(void)
{
    check_group("messages");
    struct error err = {0}, task = {0}, kept = {.line = 9};
    CHECK(error_take(&task, &kept) == 0 && kept.line == 9, "no message, no error");
    CHECK(error_at(&task, "f", 3, 4, "%d", 5) == -1 && error_take(&task, NULL) == -1,
          "nobody asks");
    CHECK(error_take(&task, &err) == -1 && strcmp(err.file, "f") == 0 && err.line == 3
              && err.column == 4 && strcmp(err.message, "5") == 0,
          "taken, %s:%lld", err.file, (long long)err.line);
    CHECK(error_set(&err, "%s", "x") == -1 && !err.file[0] && err.line == 0 && err.column == 0
              && strcmp(err.message, "x") == 0,
          "no place");
    error_name(NULL, "f");
    error_name(&err, NULL);
    CHECK(!err.file[0], "no file to name");
    error_name(&err, "f");
    error_name(&err, "g");
    CHECK(strcmp(err.file, "f") == 0, "the first file is named, not %s", err.file);
    CHECK(error_set(NULL, "nobody asks") == -1, "nobody asks");
    static const struct {
        const char *file, *text;
        int64_t line, column;
    } forms[] = {{NULL, "p: m\n", 0, 0},
                 {"f", "p: f: m\n", 0, 0},
                 {"f", "p: f:1: m\n", 1, 0},
                 {"f", "p: f:1:1: m\n", 1, 1},
                 {"f", "p: f:23:45: m\n", 23, 45}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[64] = "";
        FILE *out = fmemopen(line, sizeof line, "w");
        error_at(&err, forms[i].file, forms[i].line, forms[i].column, "m");
        CHECK(out != NULL, "a stream");
        if (out) {
            error_print(out, "p", &err);
            fclose(out);
        }
        CHECK(strcmp(line, forms[i].text) == 0, "%s", line);
    }
    /* 40 bytes of a token are shown, and those that are no plain text by their numbers. */
    char quoted[ERROR_QUOTE];
    static const char all[] = "0123456789012345678901234567890123456789x";
    CHECK(strcmp(error_quote(all, 40, quoted), "0123456789012345678901234567890123456789") == 0,
          "%s", quoted);
    CHECK(strcmp(error_quote(all, 41, quoted), "0123456789012345678901234567890123456789...") == 0,
          "%s", quoted);
    CHECK(strcmp(error_quote(all, 1, quoted), "0") == 0, "%s", quoted);
    CHECK(strcmp(error_quote(all, 0, quoted), "") == 0, "%s", quoted);
    CHECK(strcmp(error_quote("\x1f \x7e\x7f\xff\x80", 6, quoted), "\\x1f ~\\x7f\\xff\\x80") == 0,
          "%s", quoted);
    char wide[50];
    memset(wide, 0x80, sizeof wide);
    CHECK_INT((int64_t)strlen(error_quote(wide, sizeof wide, quoted)), 40 * 4 + 3, "the longest");
}

static void record_thread(void *context, int64_t i)
{
    ((pthread_t *)context)[i] = pthread_self();
}

/* A loop within a body. */
static void add_row(void *context, int64_t i)
{
    parallel_for(3, 50, add_one, (int *)context + 50 * i);
}

/* Many short loops; *wrong items are not done once. */
static void *run_loops(void *wrong)
{
    for (int round = 0; round < 200; round++) {
        int done[8] = {0};
        parallel_for(2, 8, add_one, done);
        for (int i = 0; i < 8; i++)
            *(int *)wrong += done[i] != 1;
    }
    return NULL;
}

static void check_threads(void)
{
    check_group("threads");
    int table[20 * 50] = {0};
    parallel_for(4, 20, add_row, table);
    for (int i = 0; i < 20 * 50; i++)
        CHECK_INT(table[i], 1, "item %d of loops in a loop", i);
    pthread_t other;
    int wrong[2] = {0};
    CHECK_INT(parallel_thread_start(&other, run_loops, &wrong[1]), 0, "a second caller");
    run_loops(&wrong[0]);
    pthread_join(other, NULL);
    CHECK_INT(wrong[0] + wrong[1], 0, "items of two callers' loops");
    CHECK_INT(parallel_parts(0, 4), 0, "no items");
    CHECK_INT(parallel_parts(1, 4), 1, "one item");
    CHECK_INT(parallel_parts(8, 4), 2, "two full parts");
    CHECK_INT(parallel_parts(9, 4), 3, "two full parts and an item");
    pthread_t ran[4];
    parallel_for(1, 4, record_thread, ran);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_equal(ran[i], pthread_self()), "one thread is the caller's, item %d", i);
    parallel_for(4, 1, record_thread, ran);
    CHECK(pthread_equal(ran[0], pthread_self()), "one item is the caller's");
    int done[300] = {0};
    parallel_for(1000, 300, add_one, done);
    for (int i = 0; i < 300; i++)
        CHECK_INT(done[i], 1, "item %d on more threads than there may be", i);
    parallel_for(3, 0, add_one, NULL);
    CHECK(parallel_processors() >= 1 && parallel_processors() <= 256, "%d processors",
          parallel_processors());
}

int main(void)
{
    check_order();
    check_scores();
    check_weights();
    check_labels();
    check_adding_labels();
    check_time_of_labels();
    check_folds();
    check_cross_validation();
    check_random();
    check_pairs();
    check_elementary();
    check_last_places();
    check_memory();
    check_errors();
    check_threads();
    return check_finish();
}
