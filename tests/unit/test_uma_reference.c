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
#include "learners/uma/uma.h"
#include "uma_plain.h"
#include "uma_sets.h"

#include <string.h>

enum { ITERATIONS = 25 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double TOLERANCE = 1e-9;
static const double UNDECIDED = 1e-12; /* some thousand roundings */

/* What happened in all the runs: they should not all have been of one kind. */
static struct {
    int64_t runs, stops[3], rejections, earlier;
} seen;

/* ---- comparison ---- */

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
    const struct uma_data given = data_given(data);
    struct uma_plain first = {.criterion = NULL}, got;
    for (int i = 0; i < COUNT(ways); i++) {
        struct error err = {.line = 0};
        options.table_bytes = ways[i].table_bytes;
        options.threads = ways[i].threads;
        int status = uma_fast(&given, &options, i == 0 ? &first : &got, &err);
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
    const struct uma_data given = data_given(data);
    int status = uma_plain(&given, options, &plain, &err);
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
    const struct uma_data given = data_given(&data);
    CHECK_INT(uma_plain(&given, &options, &plain, NULL), 0, "the plain loop");
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
