/* UMA beside its plain loop, on random data: the same pairs in the same order, the same weights to
 * TOLERANCE of the largest.
 *
 * Every setup (classes, density, what is odd about the data, the confusion matrix) meets every
 * strategy, step, check, kind of alpha and iterate.  A decision between numbers that differ by
 * rounding only could go either way; the plain loop measures how close it came to that, and the
 * seeds are such that it did not.  Exact ties are another matter, and part of the data: equal
 * columns of C^-1, duplicated and empty examples, classes that nothing has moved.  Without the
 * tables and with any number of threads the library must give the same bytes. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "uma_plain.h"

#include <string.h>

enum { CLASSES = 7, ITERATIONS = 25 };

static const double UNDECIDED = 1e-12; /* some thousand roundings */

enum matrix {
    IDENTITY,
    MILD,  /* noise of a third */
    HARSH, /* noise of two thirds: large entries of both signs in the inverse */
    EQUAL, /* noise that is the same for all: the inverse has two distinct numbers, and pairs tie */
    ILL    /* columns so near to each other that 1/rcond is 1e5 */
};

struct setup {
    const char *name;
    int64_t K, n;
    int32_t d;
    double density;
    bool bias, duplicates, empty, subset;
    int64_t absent; /* classes that no example is observed in */
    double stretch; /* the examples of the last true class lie in features of their own and are so
                       many times longer; 0: no */
    enum matrix matrix;
    uint64_t seed;
};

static const struct setup setups[] = {
    {.name = "2 classes", .K = 2, .n = 50, .d = 6, .density = 1, .matrix = MILD, .seed = 1},
    {.name = "2 classes, sparse, bias",
     .K = 2,
     .n = 60,
     .d = 20,
     .density = 0.2,
     .bias = true,
     .empty = true,
     .matrix = HARSH,
     .seed = 9},
    {.name = "2 classes, ill-conditioned",
     .K = 2,
     .n = 50,
     .d = 6,
     .density = 0.6,
     .matrix = ILL,
     .seed = 3},
    {.name = "2 classes, one absent",
     .K = 2,
     .n = 40,
     .d = 5,
     .density = 1,
     .absent = 1,
     .matrix = MILD,
     .seed = 4},
    {.name = "3 classes", .K = 3, .n = 60, .d = 8, .density = 1, .matrix = MILD, .seed = 5},
    {.name = "3 classes, no noise",
     .K = 3,
     .n = 60,
     .d = 8,
     .density = 0.7,
     .bias = true,
     .matrix = IDENTITY,
     .seed = 6},
    {.name = "3 classes, duplicates",
     .K = 3,
     .n = 80,
     .d = 10,
     .density = 0.4,
     .duplicates = true,
     .empty = true,
     .matrix = HARSH,
     .seed = 7},
    {.name = "3 classes, equal noise",
     .K = 3,
     .n = 40,
     .d = 10,
     .density = 0.5,
     .bias = true,
     .duplicates = true,
     .matrix = EQUAL,
     .seed = 8},
    {.name = "3 classes, ill-conditioned",
     .K = 3,
     .n = 80,
     .d = 12,
     .density = 0.5,
     .bias = true,
     .matrix = ILL,
     .seed = 9},
    {.name = "3 classes, one absent, subset",
     .K = 3,
     .n = 70,
     .d = 8,
     .density = 0.8,
     .subset = true,
     .absent = 1,
     .matrix = MILD,
     .seed = 10},
    {.name = "7 classes", .K = 7, .n = 120, .d = 10, .density = 1, .matrix = MILD, .seed = 11},
    {.name = "7 classes, sparse, empty examples",
     .K = 7,
     .n = 150,
     .d = 60,
     .density = 0.08,
     .empty = true,
     .matrix = MILD,
     .seed = 12},
    {.name = "7 classes, dense, bias, duplicates, subset",
     .K = 7,
     .n = 120,
     .d = 12,
     .density = 1,
     .bias = true,
     .duplicates = true,
     .subset = true,
     .matrix = HARSH,
     .seed = 13},
    {.name = "7 classes, equal noise",
     .K = 7,
     .n = 30,
     .d = 12,
     .density = 0.3,
     .duplicates = true,
     .empty = true,
     .matrix = EQUAL,
     .seed = 15},
    {.name = "7 classes, three absent",
     .K = 7,
     .n = 90,
     .d = 15,
     .density = 0.4,
     .absent = 3,
     .bias = true,
     .matrix = HARSH,
     .seed = 15},
    {.name = "7 classes, ill-conditioned",
     .K = 7,
     .n = 150,
     .d = 15,
     .density = 0.5,
     .empty = true,
     .duplicates = true,
     .matrix = ILL,
     .seed = 16},
    {.name = "7 classes, 3 examples",
     .K = 7,
     .n = 3,
     .d = 4,
     .density = 1,
     .matrix = MILD,
     .seed = 17},
    {.name = "3 classes, one of them long",
     .K = 3,
     .n = 200,
     .d = 8,
     .density = 1,
     .stretch = 1e12,
     .matrix = MILD,
     .seed = 21},
    {.name = "3 classes, 1 example",
     .K = 3,
     .n = 1,
     .d = 3,
     .density = 1,
     .bias = true,
     .matrix = MILD,
     .seed = 18},
};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* enough for several threads to have a share */
static const struct setup large = {.name = "7 classes, 5000 examples",
                                   .K = 7,
                                   .n = 5000,
                                   .d = 400,
                                   .density = 0.05,
                                   .bias = true,
                                   .duplicates = true,
                                   .empty = true,
                                   .subset = true,
                                   .matrix = HARSH,
                                   .seed = 19};

struct data {
    int64_t K, n; /* n: of the subset */
    struct problem problem;
    int32_t *y;
    int64_t *subset; /* NULL: all */
    double inverse[CLASSES * CLASSES];
    bool stretched; /* sums of lengths say nothing of what rounding may decide */
};

/* What happened in all the runs: they should not all have been of one kind. */
static struct {
    int64_t runs, stops[3], rejections, earlier;
} seen;

/* ---- data ---- */

/* A matrix with columns that sum to 1. */
static void fill_confusion(enum matrix kind, int64_t K, struct random *g, double *C)
{
    double keep = kind == IDENTITY ? 1 : kind == MILD ? 2.0 / 3 : 1.0 / 3;
    for (int64_t q = 0; q < K; q++) {
        double sum = 0, share[CLASSES];
        for (int64_t p = 0; p < K; p++) {
            share[p] = p == q ? 0 : 0.2 + random_uniform(g);
            sum += share[p];
        }
        for (int64_t p = 0; p < K; p++)
            C[p * K + q] = p == q ? keep : (1 - keep) * share[p] / sum;
    }
}

/* Largest sum of absolute values in a column. */
static double norm_1(int64_t K, const double *a)
{
    double largest = 0;
    for (int64_t q = 0; q < K; q++) {
        double sum = 0;
        for (int64_t p = 0; p < K; p++)
            sum += fabs(a[p * K + q]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* C, which is what the labels are drawn from, and its inverse. */
static void make_confusion(enum matrix kind, int64_t K, struct random *g, double *C,
                           double *inverse)
{
    double copy[CLASSES * CLASSES];
    if (kind == EQUAL) {
        double e = 0.37, off = -e / ((double)K * (1 - e));
        for (int64_t i = 0; i < K * K; i++) {
            C[i] = e / (double)K + (i % (K + 1) == 0 ? 1 - e : 0);
            inverse[i] = i % (K + 1) == 0 ? 1 / (1 - e) + off : off;
        }
        return;
    }
    fill_confusion(kind, K, g, C);
    /* all columns are drawn to the first one, in steps, until 1/rcond is what it should be */
    double condition = 0;
    for (bool more = true; more;) {
        memcpy(copy, C, sizeof copy);
        CHECK(uma_plain_invert(K, copy, inverse), "the confusion matrix has an inverse");
        condition = norm_1(K, C) * norm_1(K, inverse);
        more = kind == ILL && condition < 1e5;
        for (int64_t i = 0; more && i < K * K; i++) {
            if (i % K != 0)
                C[i] = 0.8 * C[i] + 0.2 * C[i - i % K];
        }
    }
    if (kind == ILL)
        CHECK(condition < 2e5, "1/rcond %g", condition);
}

/* Examples of a linear teacher, their labels drawn anew from C.  Some values are 0, and some
 * examples have no entry. */
static void data_make(struct data *data, const struct setup *setup)
{
    struct random g = random_seeded(2015, setup->seed);
    int64_t K = setup->K, width = (int64_t)setup->d + 1;
    struct problem *problem = &data->problem;
    double C[CLASSES * CLASSES];
    *data = (struct data){.K = K, .n = setup->n, .stretched = setup->stretch > 0};
    make_confusion(setup->matrix, K, &g, C, data->inverse);
    double *teacher = memory_new(K * width, sizeof *teacher, NULL);
    data->y = memory_new(setup->n, sizeof *data->y, NULL);
    if (!teacher || !data->y || problem_reserve(problem, setup->n, setup->n * width, NULL) != 0) {
        CHECK(false, "memory");
        memory_free(teacher);
        return;
    }
    for (int64_t j = 0; j < K * width; j++)
        teacher[j] = 2 * random_uniform(&g) - 1;
    problem->d = setup->d;
    for (int64_t i = 0; i < setup->n; i++) {
        double score[CLASSES] = {0}, u = random_uniform(&g);
        int64_t true_class = 0, observed = 0,
                copied = setup->duplicates && i > 0 && random_below(&g, 4) == 0
                             ? random_below(&g, i)
                             : -1;
        bool empty = setup->empty && random_below(&g, 10) == 0;
        if (copied >= 0) {
            for (int64_t e = problem->row_start[copied]; e < problem->row_start[copied + 1]; e++) {
                problem->index[problem->nnz] = problem->index[e];
                problem->value[problem->nnz++] = problem->value[e];
            }
        }
        for (int32_t j = 1; copied < 0 && !empty && j <= setup->d + (setup->bias ? 1 : 0); j++) {
            bool bias = j > setup->d;
            if (!bias && random_uniform(&g) >= setup->density)
                continue;
            problem->index[problem->nnz] = bias ? 0 : j;
            problem->value[problem->nnz++] = bias ? 0.7
                                             : random_below(&g, 20) == 0
                                                 ? 0
                                                 : 2 * random_uniform(&g) - 1;
        }
        problem->row_start[i + 1] = problem->nnz;
        for (int64_t k = 0; k < K; k++) {
            for (int64_t e = problem->row_start[i]; e < problem->nnz; e++)
                score[k] += teacher[k * width + problem->index[e]] * problem->value[e];
            if (score[k] > score[true_class])
                true_class = k;
        }
        for (int64_t e = problem->row_start[i];
             setup->stretch > 0 && copied < 0 && e < problem->nnz; e++) {
            bool last = true_class == K - 1;
            problem->value[e] *= (problem->index[e] > setup->d / 2) == last
                                     ? last ? setup->stretch : 1
                                     : 0;
        }
        while (observed < K - 1 && u >= C[observed * K + true_class])
            u -= C[observed++ * K + true_class];
        data->y[i] = (int32_t)(observed % (K - setup->absent));
        problem->label[i] = data->y[i];
        problem->line[i] = i + 1;
        problem->n = i + 1;
    }
    memory_free(teacher);
    if (setup->subset) {
        data->subset = memory_new(setup->n, sizeof *data->subset, NULL);
        CHECK(data->subset != NULL, "memory");
        for (int64_t i = 0; data->subset && i < setup->n; i++)
            data->subset[i] = i;
        if (data->subset) {
            random_shuffle(&g, data->subset, setup->n);
            data->n = setup->n * 3 / 4;
        }
    }
}

static void data_free(struct data *data)
{
    problem_free(&data->problem);
    memory_free(data->y);
    memory_free(data->subset);
}

/* ---- comparison ---- */

static const double TOLERANCE = 1e-9;

static double largest_weight(const struct data *data, const double *w)
{
    double largest = 0;
    for (int64_t j = 0; j < data->K * (data->problem.d + 1); j++)
        largest = fmax(largest, fabs(w[j]));
    return largest;
}

static void compare(const char *name, const struct data *data, const struct uma_plain *got,
                    const struct uma_plain *want)
{
    const struct uma_result *a = &got->result, *b = &want->result;
    CHECK_INT(a->stop, b->stop, "%s: stop", name);
    CHECK_INT(a->iterations, b->iterations, "%s: updates", name);
    CHECK_INT(a->chosen, b->chosen, "%s: updates behind the weights", name);
    for (int64_t t = 0; t < a->iterations && t < b->iterations; t++) {
        const struct uma_update *u = &got->updates[t], *v = &want->updates[t];
        CHECK_INT(u->iteration, t + 1, "%s: number of update %d", name, (int)t + 1);
        CHECK(u->p == v->p && u->q == v->q, "%s, update %d: pair %d %d instead of %d %d", name,
              (int)t + 1, (int)u->p, (int)u->q, (int)v->p, (int)v->q);
        CHECK_INT(u->rejected, v->rejected, "%s, update %d: rejected", name, (int)t + 1);
        CHECK_NEAR(u->norm, v->norm, TOLERANCE, "%s, update %d: norm", name, (int)t + 1);
        CHECK_NEAR(u->error, v->error, TOLERANCE, "%s, update %d: error", name, (int)t + 1);
    }
    double unit = fmax(largest_weight(data, b->w), 1e-300);
    int64_t width = (int64_t)data->problem.d + 1;
    for (int64_t j = 0; j < data->K * width; j++)
        CHECK(fabs(a->w[j] - b->w[j]) <= TOLERANCE * unit,
              "%s: weight %d of class %d, %.17g instead of %.17g", name, (int)(j % width),
              (int)(j / width), a->w[j], b->w[j]);
    for (int64_t k = 0; k < data->K; k++)
        CHECK_NEAR(a->proportion[k], b->proportion[k], TOLERANCE, "%s: proportion of class %d",
                   name, (int)k);
    CHECK_NEAR(a->error, b->error, TOLERANCE, "%s: error", name);
    CHECK_NEAR(a->last_error, b->last_error, TOLERANCE, "%s: error of the last", name);
}

static bool same_bytes(const struct data *data, const struct uma_plain *a,
                       const struct uma_plain *b)
{
    const struct uma_result *r = &a->result, *s = &b->result;
    size_t weights = (size_t)(data->K * (data->problem.d + 1)) * sizeof *r->w;
    return r->iterations == s->iterations && r->chosen == s->chosen && r->stop == s->stop
           && memcmp(&r->error, &s->error, sizeof r->error) == 0
           && memcmp(&r->last_error, &s->last_error, sizeof r->error) == 0
           && memcmp(r->w, s->w, weights) == 0
           && memcmp(r->proportion, s->proportion, (size_t)data->K * sizeof *r->proportion) == 0
           && (r->iterations == 0
               || memcmp(a->updates, b->updates, (size_t)r->iterations * sizeof *a->updates) == 0);
}

static void run_library(const char *name, const struct data *data, struct uma_options options,
                        const struct uma_plain *want)
{
    static const struct {
        double table_bytes;
        int threads;
    } ways[] = {{1e9, 1}, {1e9, 2}, {1e9, 3}, {0, 1}, {0, 3}};
    struct uma_plain first = {.criterion = NULL}, got;
    for (int i = 0; i < COUNT(ways); i++) {
        struct error err = {.line = 0};
        options.table_bytes = ways[i].table_bytes;
        options.threads = ways[i].threads;
        int status = uma_fast(&data->problem, data->y, data->subset, data->n, data->K,
                              data->inverse, &options, i == 0 ? &first : &got, &err);
        CHECK_INT(status, 0, "%s: %s", name, err.message);
        if (status != 0)
            break;
        if (i == 0) {
            compare(name, data, &first, want);
        } else {
            CHECK(same_bytes(data, &got, &first),
                  "%s: the same bytes with %g bytes of tables, %d threads", name,
                  ways[i].table_bytes, ways[i].threads);
            uma_plain_free(&got);
        }
    }
    uma_plain_free(&first);
}

static void run_case(const struct data *data, const struct uma_options *options)
{
    struct uma_plain plain;
    struct error err = {.line = 0};
    char name[160];
    snprintf(name, sizeof name, "strategy %d, step %d, check %d, iterate %d, alpha %g%s, sigmas %g",
             (int)options->strategy, (int)options->step, (int)options->check, (int)options->iterate,
             options->alpha, options->alpha_relative ? " relative" : "", options->sigmas);
    int status = uma_plain(&data->problem, data->y, data->subset, data->n, data->K, data->inverse,
                           options, &plain, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status != 0)
        return;
    CHECK(data->stretched || plain.closest > UNDECIDED,
          "%s: data that leave no decision to rounding (%g): try another seed", name,
          plain.closest);
    seen.runs++;
    seen.stops[plain.result.stop]++;
    seen.earlier += plain.result.chosen < plain.result.iterations;
    for (int64_t t = 0; t < plain.result.iterations; t++)
        seen.rejections += plain.updates[t].rejected;
    run_library(name, data, *options, &plain);
    uma_plain_free(&plain);
}

/* ---- the cases ---- */

static const struct {
    double alpha;
    bool relative;
} alphas[] = {{0, false}, {0.02, false}, {0.01, true}};
static const double sigmas[] = {0, 0.5, 2, 0};

static void test_setup(const struct setup *setup)
{
    struct data data;
    int64_t count = 0;
    check_group("%s", setup->name);
    data_make(&data, setup);
    struct uma_options options = {.iterations = ITERATIONS, .seed = (int64_t)setup->seed};
    for (options.strategy = UMA_ERROR; options.strategy <= UMA_RANDOM; options.strategy++) {
        for (options.step = UMA_PERCEPTRON; options.step <= UMA_WORST; options.step++) {
            for (options.check = UMA_SKIP; options.check <= UMA_PAPER; options.check++) {
                for (int i = 0; i < COUNT(alphas); i++) {
                    options.alpha = alphas[i].alpha;
                    options.alpha_relative = alphas[i].relative;
                    options.sigmas = sigmas[count++ % COUNT(sigmas)];
                    for (options.iterate = UMA_BEST; options.iterate <= UMA_AVERAGE;
                         options.iterate++)
                        run_case(&data, &options);
                }
            }
        }
    }
    for (options.iterations = 0; options.iterations <= 1; options.iterations++) {
        for (options.iterate = UMA_BEST; options.iterate <= UMA_AVERAGE; options.iterate++)
            run_case(&data, &options);
    }
    data_free(&data);
}

static void test_large(void)
{
    static const struct uma_options choices[] = {
        {.strategy = UMA_ERROR,
         .step = UMA_PERCEPTRON,
         .check = UMA_SKIP,
         .iterate = UMA_BEST,
         .sigmas = 2},
        {.strategy = UMA_CONFUSION,
         .step = UMA_UNIFORM,
         .check = UMA_SKIP,
         .iterate = UMA_AVERAGE,
         .alpha = 0.001,
         .alpha_relative = true},
        {.strategy = UMA_RANDOM,
         .step = UMA_WORST,
         .check = UMA_NONE,
         .iterate = UMA_LAST,
         .alpha = 0.001},
    };
    struct data data;
    check_group("%s", large.name);
    data_make(&data, &large);
    for (int i = 0; i < COUNT(choices); i++) {
        struct uma_options options = choices[i];
        options.iterations = ITERATIONS;
        run_case(&data, &options);
    }
    data_free(&data);
}

/* One feature, two examples that differ in the label only, no noise, no check: the classes own both
 * in turn, and W comes back to 0 after every second update.  All numbers are exact.  An alpha
 * counts as 0 there again; otherwise nothing would be eligible. */
static void test_back_to_zero(void)
{
    int64_t label[] = {0, 1}, line[] = {1, 2}, row_start[] = {0, 1, 2};
    int32_t index[] = {1, 1}, y[] = {0, 1};
    double value[] = {1, 1};
    struct data data = {.K = 2, .n = 2, .y = y, .inverse = {1, 0, 0, 1}};
    data.problem = (struct problem){.n = 2,
                                    .nnz = 2,
                                    .d = 1,
                                    .label = label,
                                    .line = line,
                                    .row_start = row_start,
                                    .index = index,
                                    .value = value};
    struct uma_options options = {
        .check = UMA_NONE, .iterate = UMA_LAST, .alpha = 0.01, .iterations = 7};
    struct uma_plain plain;
    check_group("W comes back to 0");
    CHECK_INT(uma_plain(&data.problem, y, NULL, 2, 2, data.inverse, &options, &plain, NULL), 0,
              "the plain loop");
    CHECK_INT(plain.result.iterations, 7, "updates");
    CHECK_INT(plain.result.stop, UMA_MAX_ITER, "stop");
    CHECK(plain.result.w[1] == -0.5 && plain.result.w[3] == 0.5, "weights %g and %g",
          plain.result.w[1], plain.result.w[3]);
    uma_plain_free(&plain);
    for (options.iterations = 5; options.iterations <= 6; options.iterations++) {
        for (options.iterate = UMA_BEST; options.iterate <= UMA_AVERAGE; options.iterate++)
            run_case(&data, &options);
    }
}

int main(void)
{
    for (int i = 0; i < COUNT(setups); i++)
        test_setup(&setups[i]);
    test_large();
    test_back_to_zero();
    check_group("all that can happen did");
    for (int i = 0; i < COUNT(seen.stops); i++)
        CHECK(seen.stops[i] > 100, "%d of %d runs have stop %d", (int)seen.stops[i], (int)seen.runs,
              i);
    CHECK(seen.rejections > 1000, "%d pairs rejected", (int)seen.rejections);
    CHECK(seen.earlier > 100, "%d runs with a best iterate before the last", (int)seen.earlier);
    return check_finish();
}
