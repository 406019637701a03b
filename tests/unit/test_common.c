/* Tables of weights, labels, folds, the generator, the exponential and the logarithm, options' ranges. */
#include "../../common/elementary.h"
#include "../../common/folds.h"
#include "../../common/labels.h"
#include "../../common/memory.h"
#include "../../common/order.h"
#include "../../common/parallel.h"
#include "../../common/random.h"
#include "../../common/weights.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Scores against the plain loop, bit for bit: each is a sum in the order of the entries. */
static void check_scores(void)
{
    struct random g = {5};
    for (int64_t columns = 1; columns <= 140; columns += columns < 70 ? 1 : 13) {
        check_group("scores, %lld columns", (long long)columns);
        struct weights w = weights_make(columns, 0);
        CHECK(weights_grow(&w, 50, NULL) == 0, "50 features");
        for (int64_t j = 0; j <= 50; j++)
            for (int64_t k = 0; k < columns; k++)
                w.w[j * w.stride + k] = random_uniform(&g) - 0.5;
        CHECK((uintptr_t)w.w % 64 == 0, "rows start at cache lines");
        enum { BEHIND = 64 };
        int32_t index[21];
        double value[21], step[160], *scores = calloc((size_t)w.stride + BEHIND, sizeof *scores);
        int64_t n = 0;
        for (int64_t k = 0; k < w.stride + BEHIND; k++)
            scores[k] = 7;
        for (int32_t j = 2; j < 60; j += 3) { /* some beyond the table */
            index[n] = j;
            value[n++] = random_uniform(&g) * 3;
        }
        index[n] = 0;
        value[n++] = 1;
        struct example x = {.line = 1, .size = n, .index = index, .value = value};
        weights_scores(&w, &x, scores);
        for (int64_t k = 0; k < columns; k++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                if (index[i] <= 50)
                    sum += value[i] * w.w[index[i] * w.stride + k];
            CHECK(memcmp(&sum, &scores[k], sizeof sum) == 0, "column %lld: %.17g, plainly %.17g", (long long)k, scores[k], sum);
        }
        for (int64_t k = w.stride; k < w.stride + BEHIND; k++)
            CHECK(scores[k] == 7, "number %lld behind the scores is touched", (long long)(k - w.stride));

        /* An update: w += value step for the entries' rows, and for no other. */
        double *before = calloc((size_t)(51 * w.stride), sizeof *before);
        for (int64_t i = 0; i < 51 * w.stride; i++)
            before[i] = w.w[i];
        for (int64_t k = 0; k < w.stride; k++)
            step[k] = k < columns ? random_uniform(&g) - 0.5 : 0;
        for (int64_t i = 0; i < n; i++)
            if (index[i] > 50)
                index[i] = 0, value[i] = 0;
        x.value = value;
        weights_add(&w, &x, step);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < w.stride; k++)
                before[index[i] * w.stride + k] += step[k] * value[i];
        CHECK(memcmp(before, w.w, (size_t)(51 * w.stride) * sizeof *before) == 0, "an update");
        free(before);
        free(scores);
        weights_free(&w);
    }
    check_group("a table that grows keeps its cells");
    struct weights w = weights_make(3, 1.5);
    for (int64_t d = 0; d < 5000; d += 1 + d / 3) {
        CHECK(weights_grow(&w, d, NULL) == 0, "%lld features", (long long)d);
        w.w[d * w.stride + 1] = (double)d;
        for (int64_t j = 0; j <= d; j++)
            CHECK(w.w[j * w.stride] == 1.5 && (w.w[j * w.stride + 1] == 1.5 || w.w[j * w.stride + 1] == (double)j), "row %lld of %lld",
                  (long long)j, (long long)d);
    }
    weights_free(&w);
    CHECK(!w.block && w.rows == 0 && w.columns == 3 && w.stride == 4 && w.initial == 1.5, "freed, it is empty");
    CHECK(weights_grow(&w, 2, NULL) == 0 && w.rows == 3 && w.w[11] == 1.5, "and may be used again");
    CHECK(weights_grow(&w, 1, NULL) == 0 && w.rows == 3, "a table does not shrink");
    struct error err = {0};
    CHECK(weights_grow(&w, INT64_MAX / 32 - 64, &err) == -1 && strstr(err.message, " rows is too large"), "too many rows: %s",
          err.message);
    weights_free(&w);
    w = weights_make(1, 0);
    for (int64_t d = 0; d < 5000; d += 1 + d / 3) { /* new cells are zero, old ones stay */
        CHECK(weights_grow(&w, d, NULL) == 0 && w.rows == d + 1, "%lld features", (long long)d);
        for (int64_t j = 0; j < d; j++)
            CHECK(w.w[j] == 0 || w.w[j] == (double)j + 1, "row %lld of %lld", (long long)j, (long long)d);
        CHECK(w.w[d] == 0, "the last row is new");
        w.w[d] = (double)d + 1;
    }
    weights_free(&w);
}

/* What rows are laid out in, and the small helpers. */
static void check_weights(void)
{
    check_group("tables of weights");
    static const int64_t shape[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 4, 4}, {4, 4, 4}, {5, 8, 8}, {8, 8, 8}, {9, 16, 12}, {16, 16, 16}, {17, 24, 20}};
    for (size_t t = 0; t < sizeof shape / sizeof *shape; t++) {
        int64_t columns = shape[t][0];
        CHECK_INT(weights_make(columns, 0).stride, shape[t][1], "stride of %lld columns", (long long)columns);
        CHECK_INT(weights_narrow(columns), shape[t][2], "%lld columns without a cache line of their own", (long long)columns);
        CHECK_INT((int64_t)weights_bytes(columns, 9), 80 * shape[t][1], "bytes of %lld columns", (long long)columns);
    }
    CHECK(weights_columns(1) == 1 && weights_columns(2) == 1 && weights_columns(3) == 3, "two classes share a column");
    static const double scores[] = {-2, 3, 3, -1};
    CHECK(weights_best(scores, 4) == 1 && weights_best(scores, 1) == 0 && weights_best(scores + 2, 2) == 0, "the first of the best");
    struct weights two = weights_make(2, 0), one;
    CHECK(weights_grow(&two, 3, NULL) == 0, "memory");
    for (int64_t i = 0; i < 8; i++)
        two.w[i] = (double)(i * i);
    CHECK(weights_difference(&two, &one, NULL) == 0 && one.rows == 4 && one.stride == 1, "the second less the first");
    for (int64_t j = 0; j < 4; j++)
        CHECK_INT((int64_t)one.w[j], 4 * j + 1, "row %lld", (long long)j);
    weights_free(&two);
    weights_free(&one);
}

static void check_labels(void)
{
    check_group("labels");
    struct labels l = {0};
    CHECK(labels_parse("5,-3--1,7", &l, NULL) == 0 && l.count == 5 && l.value[0] == -3 && l.value[4] == 7, "5,-3--1,7");
    CHECK_INT(labels_find(&l, -2), 1, "position of -2");
    CHECK_INT(labels_find(&l, 6), -1, "position of 6");
    CHECK_INT(labels_find(&l, INT64_MIN), -1, "position of no label");
    labels_free(&l);
    static const char *const bad[] = {"", ",", "1,", "1,,2", "1-", "a", "1,1", "3-1", "1 2", "1-99999999", "2147483648", "1,2x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err;
        CHECK(labels_parse(bad[i], &l, &err) == 1 && l.value == NULL, "\"%s\" is refused", bad[i]);
    }
    struct error err;
    CHECK(labels_parse("9,7,8,5,3,4,7,9", &l, &err) == 1 && strstr(err.message, "label 7 is named twice"), "%s", err.message);
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
                CHECK(labels_contain(&l, label - RANGE / 2), "%d is there at once", label - RANGE / 2);
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
    CHECK(folds_assign(y, N, K, FOLDS, 1, fold, NULL) == 0 && folds_assign(y, N, K, FOLDS, 1, again, NULL) == 0, "assigned");
    CHECK(memcmp(fold, again, sizeof fold) == 0, "the same seed, the same folds");
    for (int i = 0; i < N; i++) {
        in_fold[fold[i]]++;
        both[y[i]][fold[i]]++;
    }
    for (int f = 0; f < FOLDS; f++) {
        CHECK(in_fold[f] == N / FOLDS || in_fold[f] == N / FOLDS + 1, "size of fold %d: %lld", f, (long long)in_fold[f]);
        for (int k = 0; k < K; k++)
            CHECK(both[k][f] >= of_class[k] / FOLDS && both[k][f] <= of_class[k] / FOLDS + 1, "class %d in fold %d", k, f);
    }
    CHECK(folds_assign(y, N, K, FOLDS, 2, again, NULL) == 0 && memcmp(fold, again, sizeof fold) != 0, "another seed, other folds");
    CHECK(folds_assign(y, 3, K, 4, 1, fold, NULL) != 0 && folds_assign(y, 3, K, 1, 1, fold, NULL) != 0, "too many, too few");
}

static void add_one(void *context, int64_t i)
{
    ((int *)context)[i]++;
}

static void check_random(void)
{
    /* The first numbers of SplitMix64 from 0 and from 1234567, as published with the generator. */
    check_group("the generator");
    struct random g = {1234567};
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(random_next(&g) == known[i], "number %zu", i);
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
        CHECK(counts[i] > 9700 && counts[i] < 10300, "%d of 50000 draws are %d", counts[i], i); /* 3 standard deviations are 268 */

    /* Of 200000 numbers from a normal distribution: the first four moments and two tails, each within 4 standard deviations. */
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
        CHECK(fabs(moment[k] - want[k]) < 4 * sqrt(variance[k] / N), "moment %d is %g", k, moment[k]);
    CHECK(fabs(beyond[0] - 0.317311) < 4 * sqrt(0.317311 * 0.682689 / N), "%g are beyond 1", beyond[0]);
    CHECK(fabs(beyond[1] - 0.0062097) < 4 * sqrt(0.0062097 / N), "%g are above 2.5", beyond[1]);
    g = (struct random){1234567};
    static const double first[] = {-0x1.ebc4cf27faaa1p-2, 0x1.ae3779d73ac06p-3, 0x1.e25ce2e69f00bp-1, 0x1.460c0dcdeb86ep-1};
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
        CHECK(ulps(elementary_exp(x), exp(x)) <= 2, "exp %.17g: %.17g, libm %.17g", x, elementary_exp(x), exp(x));
    for (double x = 1e-300; x < 1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_exp(sign * x), exp(sign * x)) <= 2, "exp %.17g: %.17g", sign * x, elementary_exp(sign * x));
    CHECK(elementary_exp(0) == 1 && elementary_exp(-0.0) == 1, "exp 0");
    CHECK(elementary_exp(-708) > 0 && elementary_exp(-708.01) == 0 && elementary_exp(-1e9) == 0 && elementary_exp(-INFINITY) == 0, "0 below -708");
    CHECK(elementary_exp(709.5) == elementary_exp(709) && elementary_exp(INFINITY) == elementary_exp(709), "clamped above");
    CHECK(isnan(elementary_exp(NAN)) && isnan(elementary_exp(-NAN)), "not a number");

    check_group("the logarithm");
    for (int e = -1021; e <= 1023; e += 4)
        for (double m = 1; m < 2; m += 0.00731)
            CHECK(ulps(elementary_log(ldexp(m, e)), log(ldexp(m, e))) <= 2, "log %.17g: %.17g, libm %.17g", ldexp(m, e), elementary_log(ldexp(m, e)),
                  log(ldexp(m, e)));
    for (double x = 0.5; x < 2; x += 0.0000313)
        CHECK(ulps(elementary_log(x), log(x)) <= 2, "log %.17g: %.17g, libm %.17g", x, elementary_log(x), log(x));
    for (double x = 1e-15; x < 0.1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_log(1 + sign * x), log(1 + sign * x)) <= 2, "log (1 + %.17g)", sign * x);
    CHECK(elementary_log(1) == 0, "log 1");
    CHECK(ulps(elementary_log(0x1p-1022), log(0x1p-1022)) <= 2 && ulps(elementary_log(1.7976931348623157e308), log(1.7976931348623157e308)) <= 2, "the ends");

    check_group("the cosine");
    for (double x = 0; x < 100; x += 0.00317)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15, "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x), cos(sign * x));
    for (double x = 100; x <= 1e6; x += 7.77)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15, "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x), cos(sign * x));
    for (int quarter = -4000; quarter <= 4000; quarter++) { /* where it is least exact next to its size, and where the pieces meet */
        double x = quarter * 0.78539816339744831;
        CHECK(fabs(elementary_cos(x) - cos(x)) <= 1e-15, "cos %d pi / 4: %.17g, libm %.17g", quarter, elementary_cos(x), cos(x));
    }
    CHECK(elementary_cos(0) == 1 && elementary_cos(-0.0) == 1 && elementary_cos(1e-300) == 1, "cos 0");
    for (double x = 1e6; x < 1e308; x *= 1.9)
        CHECK(fabs(elementary_cos(x)) <= 1 && fabs(elementary_cos(-x)) <= 1, "cos %.17g: %.17g", x, elementary_cos(x));

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
    CHECK(elementary_tanh(22) == 1 && elementary_tanh(-1e308) == -1 &&
              elementary_tanh(INFINITY) == 1 && elementary_tanh(-INFINITY) == -1, "1 in size");
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
    CHECK(memory_new(INT64_MAX, 16, &err) == NULL && err.message[0], "a product that overflows is refused");
    CHECK(memory_new(-1, 1, &err) == NULL, "a negative count is refused");
    CHECK(memory_check(1e30, "all of it", &err) != 0, "more than there is");
    CHECK(memory_check(1000, "little", &err) == 0, "a little");
    char text[32];
    CHECK(strcmp(memory_text(1234567, text), "1.2 MB") == 0, "1234567 bytes are %s", text);
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

int main(void)
{
    check_order();
    check_scores();
    check_weights();
    check_labels();
    check_adding_labels();
    check_time_of_labels();
    check_folds();
    check_random();
    check_elementary();
    check_memory();
    return check_finish();
}
