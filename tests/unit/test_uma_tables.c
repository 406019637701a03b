/* What is behind UMA's decisions (learners/uma/uma_tables.h) by plain loops: the sets A_p with
 * their counts, the norms of z_pq, and the bounds of their rounding, of which nothing but the time
 * depends, so that no result tells whether they are right.  Then the sizes that are refused,
 * cross-validation, and memory. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/copies.h"
#include "common/data/folds.h"
#include "learners/uma/uma.h"
#include "learners/uma/uma_rank.h"
#include "learners/uma/uma_tables.h"

#include <float.h>
#include <string.h>

enum { N = 40, FEATURES = 9, MOST_CLASSES = 9, STEPS = 60 };

struct data {
    struct problem problem;
    int32_t y[N];
    double inverse[MOST_CLASSES * MOST_CLASSES];
    int64_t subset[N];
};

/* Random examples, some empty; some entries of C^-1 are 0. */
static void make_data(struct data *data, uint64_t seed, int64_t K)
{
    struct random g = random_seeded(2025, seed);
    data->problem = (struct problem){0};
    for (int64_t i = 0; i < N; i++) {
        int32_t index[FEATURES];
        double value[FEATURES];
        struct example x = {.line = i + 1, .index = index, .value = value};
        for (int32_t j = 1; j <= FEATURES && i % 10 != 3; j++)
            if (random_uniform(&g) < 0.4) {
                index[x.size] = j;
                value[x.size++] = 2 * random_uniform(&g) - 1;
            }
        CHECK(problem_append_example(&data->problem, &x, NULL) == 0, "memory");
        data->y[i] = (int32_t)random_below(&g, K);
        data->subset[i] = N - 1 - i;
    }
    data->problem.d = FEATURES;
    for (int64_t cell = 0; cell < K * K; cell++)
        data->inverse[cell] = random_below(&g, 5) ? 2 * random_uniform(&g) - 0.5 : 0;
}

/* ---- the tables ---- */

/* What the library should keep, in the same cells. */
struct plain {
    int64_t since[MOST_CLASSES], entries[MOST_CLASSES];
    double norm2[MOST_CLASSES][MOST_CLASSES], slack[MOST_CLASSES][MOST_CLASSES],
        error[MOST_CLASSES][MOST_CLASSES];
};

static double coefficient(const struct uma_tables *t, int64_t q, int64_t i)
{
    return t->data.inverse[q * t->K + uma_data_observed(&t->data, i)] / (double)t->n;
}

/* z: out.  Returns the sum of the lengths that are added, the rounding of which is of that size. */
static double sum_plainly(const struct uma_tables *t, const int32_t *member, int64_t p, int64_t q,
                          double z[FEATURES + 1])
{
    double reach = 0;
    memset(z, 0, (FEATURES + 1) * sizeof *z);
    for (int64_t i = 0; i < t->n; i++) {
        struct example x = problem_example(t->data.problem, uma_data_place(&t->data, i));
        for (int64_t e = 0; e < x.size && member[i] == p; e++)
            z[x.index[e]] += coefficient(t, q, i) * x.value[e];
        reach += member[i] == p ? fabs(coefficient(t, q, i)) * sqrt(example_squared_norm(&x)) : 0;
    }
    return reach;
}

static double norm2_of(const double z[FEATURES + 1])
{
    double sum = 0;
    for (int j = 0; j <= FEATURES; j++)
        sum += z[j] * z[j];
    return sum;
}

/* The bounds of a column that is built from its examples. */
static void build_plainly(const struct uma_tables *t, const int32_t *member, int64_t p, int64_t q,
                          struct plain *plain)
{
    double z[FEATURES + 1], size = 0, reach = sum_plainly(t, member, p, q, z);
    for (int64_t i = 0; i < t->n; i++)
        size += member[i] == p;
    double error = DBL_EPSILON * (size + 1) * reach, norm2 = norm2_of(z);
    plain->norm2[p][q] = norm2;
    plain->error[p][q] = error;
    plain->slack[p][q] = 2 * sqrt(norm2) * error + error * error
                         + DBL_EPSILON * (double)t->D * norm2;
}

/* Those of one to which the examples come and go, one after the other; member: before, and then
 * after. */
static void move_plainly(const struct uma_tables *t, int32_t *member, const int32_t *target,
                         int64_t p, int64_t q, struct plain *plain)
{
    for (int64_t i = 0; i < t->n; i++) {
        struct example x = problem_example(t->data.problem, uma_data_place(&t->data, i));
        double z[FEATURES + 1], c = coefficient(t, q, i),
                                own = fabs(c) * sqrt(example_squared_norm(&x)), norm;
        if (member[i] == target[i] || (member[i] != p && target[i] != p))
            continue;
        sum_plainly(t, member, p, q, z);
        norm = sqrt(norm2_of(z));
        member[i] = target[i];
        sum_plainly(t, member, p, q, z);
        plain->slack[p][q] += 2 * own * plain->error[p][q]
                              + DBL_EPSILON
                                    * (((double)x.size + 4) * own * (norm + own) + norm * norm);
        plain->error[p][q] += DBL_EPSILON * (norm + own);
        plain->norm2[p][q] = norm2_of(z);
    }
}

static void follow_plainly(const struct uma_tables *t, const int32_t *before, const int32_t *target,
                           struct plain *plain)
{
    for (int64_t p = 0; p < t->K; p++) {
        int64_t moved = 0;
        bool changed = false;
        for (int64_t i = 0; i < t->n; i++) {
            bool was = before[i] == p, is = target[i] == p;
            moved += was != is ? uma_data_entries(&t->data, i) : 0;
            plain->entries[p] += (is - was) * uma_data_entries(&t->data, i);
            changed |= was != is;
        }
        if (!changed)
            continue;
        plain->since[p] += moved;
        bool build = 3 * moved > 2 * (plain->entries[p] + t->D)
                     || plain->since[p] > 10 * (plain->entries[p] + t->D);
        if (t->hold && build)
            plain->since[p] = 0;
        else if (!t->hold)
            plain->since[p] -= moved;
        for (int64_t q = 0; q < t->K; q++) {
            int32_t member[N];
            memcpy(member, before, sizeof member);
            if (build || !t->hold)
                build_plainly(t, target, p, q, plain);
            else
                move_plainly(t, member, target, p, q, plain);
        }
    }
}

/* Near to each other as bounds go: what they are made of is rounded, too. */
static void check_bound(const char *what, double got, double want, int step, int64_t p, int64_t q)
{
    CHECK(fabs(got - want) <= 1e-6 * want + 1e-30, "step %d, %s of %d, %d: %.9g instead of %.9g",
          step, what, (int)p, (int)q, got, want);
}

static void compare_tables(const struct uma_tables *t, const struct plain *plain, int step)
{
    for (int64_t p = 0; p < t->K; p++) {
        int64_t at = t->start[p], counts[MOST_CLASSES] = {0};
        double squares[MOST_CLASSES] = {0};
        for (int64_t i = 0; i < t->n; i++) {
            struct example x = problem_example(t->data.problem, uma_data_place(&t->data, i));
            if (t->member[i] != p)
                continue;
            CHECK_INT(t->order[at++], i, "step %d: an example of %d", step, (int)p);
            counts[uma_data_observed(&t->data, i)]++;
            squares[uma_data_observed(&t->data, i)] += example_squared_norm(&x);
        }
        CHECK_INT(at, t->start[p + 1], "step %d: end of %d", step, (int)p);
        CHECK_INT(t->size[p], t->start[p + 1] - t->start[p], "step %d: size of %d", step, (int)p);
        CHECK_INT(t->entries[p], plain->entries[p], "step %d: entries of %d", step, (int)p);
        CHECK_INT(t->since[p], plain->since[p], "step %d: entries of %d that have moved", step,
                  (int)p);
        for (int64_t k = 0; k < t->K; k++) {
            CHECK_INT(t->count[p * t->K + k], counts[k], "step %d: examples of %d observed as %d",
                      step, (int)p, (int)k);
            CHECK_NEAR(t->square_sum[p * t->K + k], squares[k], 1e-14,
                       "step %d: squares of %d observed as %d", step, (int)p, (int)k);
        }
        for (int64_t q = 0; q < t->K; q++) {
            double sigma2 = 0;
            bool alive = false;
            for (int64_t k = 0; k < t->K; k++) {
                double c = t->data.inverse[q * t->K + k] / (double)t->n;
                sigma2 += c * c * squares[k];
                alive |= counts[k] > 0 && fabs(c) > 0;
            }
            CHECK_NEAR(t->sigma2[p * t->stride + q], sigma2, 1e-15, "step %d: sigma2 of %d, %d",
                       step, (int)p, (int)q);
            CHECK(uma_tables_has_terms(t, p, q) == alive, "step %d: is %d, %d alive?", step, (int)p,
                  (int)q);
            CHECK_NEAR(t->norm2[p * t->stride + q], plain->norm2[p][q], 1e-14,
                       "step %d: norm of %d, %d", step, (int)p, (int)q);
            check_bound("slack", t->slack[p * t->stride + q], plain->slack[p][q], step, p, q);
            check_bound("error", t->error[p * t->stride + q], plain->error[p][q], step, p, q);
        }
    }
}

/* z anew: the norm is exact then, and moves go on from it. */
static void check_sum(struct uma_tables *t, struct plain *plain, int64_t p, int64_t q, int step)
{
    double z[FEATURES + 1], want[FEATURES + 1], reach = sum_plainly(t, t->member, p, q, want),
                                                norm2 = norm2_of(want);
    double error = DBL_EPSILON * (double)(t->size[p] + 1) * reach, got = uma_tables_sum(t, p, q, z);
    CHECK_NEAR(got, norm2, 1e-15, "step %d: the sum of %d, %d", step, (int)p, (int)q);
    CHECK(t->norm2[p * t->stride + q] >= got && t->norm2[p * t->stride + q] <= got,
          "step %d: norm of %d, %d", step, (int)p, (int)q);
    for (int j = 0; j <= FEATURES; j++)
        CHECK_NEAR(z[j], want[j], 1e-15, "step %d: z of %d, %d, feature %d", step, (int)p, (int)q,
                   j);
    CHECK(uma_tables_slack(t, p, q) <= 0, "step %d: %d, %d is exact", step, (int)p, (int)q);
    plain->slack[p][q] = 2 * sqrt(norm2) * error + error * error
                         + DBL_EPSILON * (double)t->D * norm2;
    plain->error[p][q] = fmax(plain->error[p][q], error);
}

/* Examples move at random, now few and now many. */
static void check_tables(uint64_t seed, int64_t K, bool hold, bool subset, int threads)
{
    struct data data;
    struct uma_tables t;
    struct plain plain = {.since = {0}};
    struct random g = random_seeded(2026, seed);
    make_data(&data, seed, K);
    const struct uma_data given = {.problem = &data.problem,
                                   .y = data.y,
                                   .subset = subset ? data.subset : NULL,
                                   .n = N - 5 * subset,
                                   .K = K,
                                   .inverse = data.inverse};
    CHECK(uma_tables_make(&t, &given, hold, threads, NULL) == 0, "memory");
    for (int step = 0; step < STEPS; step++) {
        int32_t before[N];
        double some = step % 3 == 0 ? 0.5 : step % 7 == 0 ? 0 : 0.06;
        memcpy(before, t.member, (size_t)t.n * sizeof *before);
        t.moved_count = 0;
        for (int64_t i = 0; i < t.n; i++) {
            t.target[i] = random_uniform(&g) < some ? (int32_t)random_below(&g, K + 1) - 1
                                                    : t.member[i];
            if (t.target[i] != t.member[i])
                t.moved[t.moved_count++] = i;
        }
        follow_plainly(&t, before, t.target, &plain);
        uma_tables_move(&t);
        CHECK(memcmp(t.member, t.target, (size_t)t.n * sizeof *t.member) == 0, "step %d: members",
              step);
        compare_tables(&t, &plain, step);
        for (int64_t p = 0; p < K; p++) {
            bool changed = false;
            for (int64_t i = 0; i < t.n; i++)
                changed |= before[i] != t.member[i] && (before[i] == p || t.member[i] == p);
            CHECK(!changed || !t.exact[p * t.stride], "step %d: %d has changed", step, (int)p);
        }
        if (step % 4 == 1)
            check_sum(&t, &plain, random_below(&g, K), step % 8 == 1 ? 0 : random_below(&g, K),
                      step);
    }
    uma_tables_free(&t);
    problem_free(&data.problem);
}

static void test_tables(void)
{
    for (int64_t K = 2; K <= MOST_CLASSES; K += K == 2 ? 1 : 3) {
        check_group("tables by plain loops, %d classes", (int)K);
        check_tables((uint64_t)K, K, true, false, 1);
        check_tables((uint64_t)K + 100, K, true, true, 2);
        check_tables((uint64_t)K + 200, K, false, true, 1);
        check_tables((uint64_t)K + 300, K, false, false, 3);
    }
}

/* ---- what is eligible ---- */

/* A norm of 1, known within 1/4, and what it must exceed. */
static void check_eligible(double least, bool exact, bool want)
{
    double norm2[4] = {9, 1, 9, 9}, slack[4] = {9, 0.25, 9, 9},
           sigma2[4] = {9, least / 4 / (1 + UMA_TIE), 9, 9};
    bool summed[4] = {false, exact, false, false};
    struct uma_tables t = {
        .K = 2, .stride = 2, .norm2 = norm2, .slack = slack, .sigma2 = sigma2, .exact = summed};
    const struct uma_options options = {.sigmas = 2};
    const struct uma_rank r = {.t = &t, .options = &options};
    CHECK(uma_rank_eligible(&r, 0, 1) == want, "beyond %g%s", least, exact ? ", exact" : "");
}

static void test_eligible(void)
{
    check_group("eligible beyond doubt");
    check_eligible(0.5, false, true);
    check_eligible(0.7, false, true);
    check_eligible(0.8, false, false);
    check_eligible(0.8, true, true);
    check_eligible(0.95, true, true);
    check_eligible(1.05, true, false);
}

/* ---- sizes ---- */

static const struct uma_options plainest = {
    .strategy = UMA_ERROR, .step = UMA_UNIFORM, .iterations = 5, .threads = 1, .table_bytes = 1e9};

/* Two examples of one value each. */
static void check_size(double first, double second, double factor, const char *reason)
{
    const double value[2] = {first, second}, inverse[4] = {1, 0, 0, -factor};
    static const int32_t y[2] = {0, 1}, index[1] = {1};
    struct problem problem = {0};
    struct uma_result result;
    struct error err = {.line = 0};
    for (int i = 0; i < 2; i++)
        CHECK(problem_append_example(
                  &problem, &(struct example){.size = 1, .index = index, .value = &value[i]}, NULL)
                  == 0,
              "memory");
    const struct uma_data data = {.problem = &problem, .y = y, .n = 2, .K = 2, .inverse = inverse};
    CHECK_INT(uma_train(&data, &plainest, NULL, &result, &err), reason ? -1 : 0, "%g and %g", first,
              second);
    CHECK(strcmp(err.message, reason ? reason : "") == 0, "%g and %g: %s", first, second,
          err.message);
    uma_result_free(&result);
    problem_free(&problem);
}

static void test_sizes(void)
{
    static const char
        small[] = "the values are too small to be squared and summed (-l 1 scales each example)",
        large[] = "the values are too large to be squared and summed (-l 1 scales each example)";
    check_group("values that are too large or too small");
    check_size(1, 1e-130, 1, NULL);
    check_size(1, nextafter(-1e-130, 0), 1, small);
    check_size(-1e-131, 1, 1, small);
    check_size(0, 1, 1, NULL);
    check_size(0.99e140, 0, 1, NULL);
    check_size(1e140, 0, 1, large);
    check_size(0.49e140, 0.5e140, 1, NULL);
    check_size(0.51e140, -0.5e140, 1, large);
    check_size(0.2e140, 0.2e140, 2, NULL);
    check_size(0.3e140, 0.3e140, 2, large);
}

/* ---- cross-validation ---- */

/* Of four examples the second becomes a copy of the first.  first: out, as of copies_find. */
static void make_copies(struct data *data, int64_t first[N])
{
    struct problem with = {0};
    for (int64_t i = 0; i < N; i++) {
        first[i] = i % 4 == 1 ? i - 1 : i;
        struct example x = problem_example(&data->problem, first[i]);
        CHECK(problem_append_example(&with, &x, NULL) == 0, "memory");
        data->y[i] = data->y[first[i]];
        if (x.size == 0)
            first[i] = i;
    }
    with.d = FEATURES;
    problem_free(&data->problem);
    data->problem = with;
}

static void check_cross_validation(bool copies)
{
    enum { K = 3, FOLDS = 4 };
    struct data data;
    int64_t first[N], fold[N], votes[K * K] = {0}, want = 0;
    double want_score[N * K], score[N * K] = {0};
    make_data(&data, 77, K);
    if (copies)
        make_copies(&data, first);
    for (int64_t cell = 0; cell < K * K; cell++)
        data.inverse[cell] = cell % (K + 1) ? -0.125 : 1.25;
    const struct uma_data given = {
        .problem = &data.problem, .y = data.y, .n = N, .K = K, .inverse = data.inverse};
    const struct fold_examples all = {
        .n = N, .classes = K, .y = data.y, .first = copies ? first : NULL};
    CHECK(folds_assign(&all, FOLDS, plainest.seed, fold, NULL) == 0, "folds");
    for (int64_t f = 0; f < FOLDS; f++) {
        int64_t known[N], held[N], count = 0, out = 0;
        struct uma_result result;
        for (int64_t i = 0; i < N; i++)
            *(fold[i] == f ? &held[out++] : &known[count++]) = i;
        struct uma_data learnt = given;
        learnt.subset = known;
        learnt.n = count;
        CHECK(uma_train(&learnt, &plainest, NULL, &result, NULL) == 0, "memory");
        for (int64_t i = 0; i < out; i++) {
            struct example x = problem_example(&data.problem, held[i]);
            double *s = want_score + held[i] * K;
            int64_t top = 0;
            for (int64_t k = 0; k < K; k++) {
                s[k] = 0;
                for (int64_t e = 0; e < x.size; e++)
                    s[k] += result.w[k * (FEATURES + 1) + x.index[e]] * x.value[e];
                if (s[k] > s[top])
                    top = k;
            }
            votes[top * K + data.y[held[i]]]++;
            want += top == data.y[held[i]];
        }
        uma_result_free(&result);
    }
    for (int way = 0; way < 2; way++) {
        struct uma_validation found = {.agreed = -1, .scores = way == 0 ? NULL : score};
        CHECK(uma_cross_validate(&given, &plainest, FOLDS, &found, NULL) == 0, "memory");
        CHECK_INT(found.agreed, want, "examples that get the label observed");
        double right = 0;
        for (int64_t cell = 0; cell < K * K; cell++)
            right += (double)votes[cell] * data.inverse[cell];
        CHECK_NEAR(found.error, 1 - right / N, 1e-14, "estimated error");
    }
    for (int64_t cell = 0; cell < N * K; cell++)
        CHECK_NEAR(score[cell], want_score[cell], 1e-12, "score of example %d for class %d",
                   (int)(cell / K), (int)(cell % K));
    for (int64_t folds = 1; folds <= N + 1; folds += N) {
        struct error err = {.line = 0};
        struct uma_validation found = {.scores = NULL};
        CHECK(uma_cross_validate(&given, &plainest, folds, &found, &err) == -1 && err.message[0],
              "%d folds of %d examples: %s", (int)folds, N, err.message);
    }
    problem_free(&data.problem);
}

static void test_cross_validation(void)
{
    check_group("cross-validation by plain loops");
    check_cross_validation(false);
    check_cross_validation(true);
}

/* ---- memory ---- */

/* The arrays of the structs, one by one; those of K numbers are left out. */
static void test_bytes(void)
{
    enum { n = 1000, d = 50, D = d + 1, THREADS = 3 };
    static const struct uma_tables t;
    static const struct uma_rank r;
    check_group("bytes");
    for (int64_t K = 3; K <= 12; K += 9) {
        const double pairs = (double)(K * K), stride = K == 3 ? 4 : 16, cells = (double)K * stride,
                     table = D * stride * sizeof(double);
        CHECK_INT(weights_make(K, 0).stride, (int64_t)stride, "stride of %d classes", (int)K);
        const double examples = n
                                * (sizeof *t.square + sizeof *t.member + sizeof *t.target
                                   + sizeof *t.order + sizeof *t.moved + 2 * sizeof *t.list);
        const double of_pairs = cells
                                    * (sizeof *t.coefficient + sizeof *t.norm2 + sizeof *t.sigma2
                                       + sizeof *t.slack + sizeof *t.error + sizeof *t.exact
                                       + sizeof *t.score)
                                + pairs * (sizeof *t.square_sum + sizeof *t.count + sizeof *t.own);
        const double rest = uma_tables_bytes(n, d, K, true, THREADS);
        CHECK_NEAR(uma_tables_bytes_held(d, K), (double)K * table, 0, "tables of %d classes",
                   (int)K);
        /* Counts of pairs are padded in the sum, but not in memory. */
        CHECK(rest >= examples + of_pairs && rest < examples + 1.5 * of_pairs,
              "what goes with tables of %d classes: %g, not %g", (int)K, rest, examples + of_pairs);
        CHECK_NEAR(uma_tables_bytes(n, d, K, false, THREADS),
                   rest + THREADS * D * 8 * sizeof(double), 0, "without tables, %d classes",
                   (int)K);
        const double rank = pairs
                                * (sizeof *r.low + sizeof *r.high + sizeof *r.heap
                                   + sizeof *r.contender)
                            + D * sizeof *r.z;
        CHECK_NEAR(uma_rank_bytes(d, K), rank, 0, "ranks of %d classes", (int)K);
        /* Scores; place, prediction and winner of each example; votes, the own and all; z. */
        const double scores = n
                              * ((double)K * sizeof(double) + sizeof(int64_t)
                                 + 2 * sizeof(int32_t)),
                     step = 2 * pairs * sizeof(int64_t) + D * sizeof(double),
                     iterate = (double)K * D * sizeof(double);
        struct uma_options options = {
            .iterate = UMA_LAST, .threads = 2, .table_bytes = (double)K * table};
        CHECK(uma_holds_tables(&options, d, K), "as many bytes as the tables take");
        CHECK_NEAR(uma_bytes(&options, n, d, K, false),
                   rest + (double)K * table + rank + scores + step + iterate, 1e-15,
                   "the last iterate, %d classes", (int)K);
        options.table_bytes = nextafter(options.table_bytes, 0);
        CHECK(!uma_holds_tables(&options, d, K), "less");
        options.iterate = UMA_BEST;
        CHECK_NEAR(uma_bytes(&options, n, d, K, false),
                   rest + 2 * D * 8 * sizeof(double) + rank + scores + step + 2 * iterate, 1e-15,
                   "the best iterate, %d classes", (int)K);
        CHECK_NEAR(uma_validation_bytes(n, K), (3 * n + pairs) * sizeof(int64_t) + copies_bytes(n),
                   0, "validation, %d classes", (int)K);
    }
}

int main(void)
{
    test_tables();
    test_eligible();
    test_sizes();
    test_cross_validation();
    test_bytes();
    return check_finish();
}
