/* UMA against numbers from elsewhere: every case in tests/golden/uma (the README there says what a
 * case holds), by the plain loop and by the library.
 *
 * The smallest margin of a decision is 1e-8 in these cases, so the pairs have to be the same, and
 * the numbers near to TOLERANCE, which is some way above what 15 printed digits leave.  One case
 * (uniform steps) has classes with equal weights, and its ties are exact. */
#include "check.h"
#include "common/data/problem_file.h"
#include "dense_plain.h"
#include "uma_plain.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, PATH = 512, UPDATES = 256, CLASSES = 8, FEATURES = 16, EXAMPLES = 256 };

static const double TOLERANCE = 1e-12;

typedef int learner(const struct uma_data *, const struct uma_options *, struct uma_plain *,
                    struct error *);

struct golden {
    char data[NAME], confusion[NAME], stop[NAME];
    int64_t K, n, d, updates;
    struct uma_options options;
    struct uma_update update[UPDATES];
    double criterion[UPDATES], w[CLASSES][FEATURES], proportion[CLASSES], error;
    int64_t predicted[EXAMPLES];
};

/* The position of a name in a list of the enum's order, or -1. */
static int64_t position(const char *name, int64_t count, const char *const *names)
{
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    return -1;
}

static bool read_number(FILE *file, double *out)
{
    return fscanf(file, "%lf", out) == 1;
}

static bool read_integer(FILE *file, int64_t *out)
{
    return fscanf(file, "%" SCNd64, out) == 1;
}

static bool read_word(FILE *file, char out[NAME])
{
    return fscanf(file, "%63s", out) == 1;
}

static bool read_option(FILE *file, struct uma_options *options)
{
    static const char *const strategies[] = {"error", "confusion", "random"},
                             *const steps[] = {"perceptron", "uniform", "worst"},
                             *const checks[] = {"skip", "none", "paper"};
    char name[NAME], value[NAME];
    if (!read_word(file, name) || !read_word(file, value))
        return false;
    double number = strtod(value, NULL);
    if (strcmp(name, "strategy") == 0)
        return (options->strategy = position(value, 3, strategies)) >= 0;
    if (strcmp(name, "step") == 0)
        return (options->step = position(value, 3, steps)) >= 0;
    if (strcmp(name, "check") == 0)
        return (options->check = position(value, 3, checks)) >= 0;
    if (strcmp(name, "alpha") == 0)
        options->alpha = number;
    else if (strcmp(name, "alpha_relative") == 0)
        options->alpha_relative = number != 0;
    else if (strcmp(name, "iterations") == 0)
        options->iterations = (int64_t)number;
    else if (strcmp(name, "sigmas") == 0)
        options->sigmas = number;
    else if (strcmp(name, "seed") == 0)
        options->seed = (int64_t)number;
    else
        return false;
    return true;
}

/* One line of a case, its first word read; the sizes stand before what needs them. */
static bool read_item(FILE *file, const char *key, struct golden *golden, int64_t *updates,
                      int64_t *rows)
{
    bool good = true;
    if (strcmp(key, "data") == 0)
        return read_word(file, golden->data);
    if (strcmp(key, "confusion") == 0)
        return read_word(file, golden->confusion);
    if (strcmp(key, "stop") == 0)
        return read_word(file, golden->stop);
    if (strcmp(key, "classes") == 0)
        return read_integer(file, &golden->K) && golden->K <= CLASSES;
    if (strcmp(key, "examples") == 0)
        return read_integer(file, &golden->n) && golden->n <= EXAMPLES;
    if (strcmp(key, "features") == 0)
        return read_integer(file, &golden->d) && golden->d <= FEATURES;
    if (strcmp(key, "updates") == 0)
        return read_integer(file, &golden->updates) && golden->updates <= UPDATES;
    if (strcmp(key, "error") == 0)
        return read_number(file, &golden->error);
    if (strcmp(key, "option") == 0)
        return read_option(file, &golden->options);
    if (strcmp(key, "update") == 0 && *updates < golden->updates) {
        struct uma_update *u = &golden->update[*updates];
        good = read_integer(file, &u->p) && read_integer(file, &u->q) && read_number(file, &u->norm)
               && read_number(file, &golden->criterion[*updates])
               && read_integer(file, &u->rejected);
        ++*updates;
        return good;
    }
    if (strcmp(key, "w") == 0 && *rows < golden->K) {
        for (int64_t j = 0; j < golden->d; j++)
            good = good && read_number(file, &golden->w[*rows][j]);
        ++*rows;
        return good;
    }
    if (strcmp(key, "predicted") == 0) {
        for (int64_t i = 0; i < golden->n; i++)
            good = good && read_integer(file, &golden->predicted[i]);
        return good;
    }
    if (strcmp(key, "proportion") == 0) {
        for (int64_t k = 0; k < golden->K; k++)
            good = good && read_number(file, &golden->proportion[k]);
        return good;
    }
    return false;
}

static bool read_golden(const char *path, struct golden *golden)
{
    char key[NAME];
    int64_t updates = 0, rows = 0;
    bool good = true;
    FILE *file = fopen(path, "r");
    *golden = (struct golden){.options = {.iterate = UMA_LAST, .table_bytes = 1e9, .threads = 2}};
    while (file && good && read_word(file, key)) {
        good = read_item(file, key, golden, &updates, &rows);
        CHECK(good, "%s: %s", path, key);
    }
    good = good && file && updates == golden->updates && rows == golden->K && rows > 0;
    CHECK(good, "%s: can be read and is whole", path);
    if (file)
        fclose(file);
    return good;
}

static bool read_inverse(const char *folder, const struct golden *golden, double *inverse)
{
    char path[PATH];
    double C[CLASSES * CLASSES];
    snprintf(path, sizeof path, "%s/%s", folder, golden->confusion);
    FILE *file = fopen(path, "r");
    bool good = file != NULL;
    for (int64_t i = 0; good && i < golden->K * golden->K; i++)
        good = read_number(file, &C[i]);
    good = good && invert_plain(golden->K, C, inverse);
    CHECK(good, "%s: a matrix with an inverse", path);
    if (file)
        fclose(file);
    return good;
}

static int64_t predict(const struct golden *golden, const double *w, const struct example *x)
{
    int64_t best = 0;
    double highest = -HUGE_VAL;
    for (int64_t k = 0; k < golden->K; k++) {
        double score = 0;
        for (int64_t e = 0; e < x->size; e++)
            score += x->value[e] * w[k * (golden->d + 1) + x->index[e]];
        if (score > highest) {
            highest = score;
            best = k;
        }
    }
    return best;
}

static void compare(const char *name, const struct golden *golden, const struct problem *problem,
                    const struct uma_plain *got)
{
    static const char *const stops[] = {"tol", "no_violation", "max_iter"};
    const struct uma_result *result = &got->result;
    CHECK(strcmp(stops[result->stop], golden->stop) == 0, "%s: stop %s", name, stops[result->stop]);
    CHECK_INT(result->iterations, golden->updates, "%s: updates", name);
    CHECK_INT(result->chosen, golden->updates, "%s: the last iterate", name);
    for (int64_t t = 0; t < golden->updates && t < result->iterations; t++) {
        const struct uma_update *update = &got->updates[t], *want = &golden->update[t];
        CHECK_INT(update->iteration, t + 1, "%s: number of an update", name);
        CHECK_INT(update->p + 1, want->p, "%s, update %d: p", name, (int)t + 1);
        CHECK_INT(update->q + 1, want->q, "%s, update %d: q", name, (int)t + 1);
        CHECK_INT(update->rejected, want->rejected, "%s, update %d: rejected", name, (int)t + 1);
        CHECK_NEAR(update->norm, want->norm, TOLERANCE, "%s, update %d: norm", name, (int)t + 1);
        CHECK_NEAR(got->criterion[t], golden->criterion[t], TOLERANCE, "%s, update %d: criterion",
                   name, (int)t + 1);
    }
    for (int64_t k = 0; k < golden->K; k++) {
        CHECK_NEAR(result->proportion[k], golden->proportion[k], TOLERANCE,
                   "%s: proportion of class %d", name, (int)k + 1);
        CHECK(result->w[k * (golden->d + 1)] == 0, "%s: a bias of class %d from data without", name,
              (int)k + 1);
        for (int64_t j = 0; j < golden->d; j++)
            CHECK_NEAR(result->w[k * (golden->d + 1) + j + 1], golden->w[k][j], TOLERANCE,
                       "%s: weight %d of class %d", name, (int)j + 1, (int)k + 1);
    }
    for (int64_t i = 0; i < golden->n; i++) {
        struct example x = problem_example(problem, i);
        CHECK_INT(predict(golden, result->w, &x) + 1, golden->predicted[i],
                  "%s: prediction for example %d", name, (int)i + 1);
    }
    CHECK_NEAR(result->error, golden->error, TOLERANCE, "%s: error", name);
    CHECK_NEAR(result->last_error, golden->error, TOLERANCE, "%s: error of the last", name);
    if (result->iterations > 0)
        CHECK_NEAR(got->updates[result->iterations - 1].error, golden->error, TOLERANCE,
                   "%s: error after the last update", name);
}

static void run_case(const char *folder, const char *path)
{
    static const struct {
        const char *name;
        learner *learn;
    } learners[] = {
        {"plain", uma_plain},
        {"library", uma_fast},
    };
    static const struct example_format format = {.bias = -1};
    struct golden golden;
    struct problem problem = {.n = 0};
    struct error err = {.line = 0};
    double inverse[CLASSES * CLASSES];
    int32_t y[EXAMPLES];
    char data[PATH];
    if (!read_golden(path, &golden) || !read_inverse(folder, &golden, inverse))
        return;
    snprintf(data, sizeof data, "%s/%s", folder, golden.data);
    int status = problem_read(data, &format, 1, 0, &problem, &err);
    CHECK_INT(status, 0, "%s: %s", data, err.message);
    CHECK(problem.n == golden.n && problem.d == golden.d, "%s: %d examples, %d features", data,
          (int)problem.n, (int)problem.d);
    if (problem.n == golden.n && problem.d == golden.d) {
        for (int64_t i = 0; i < problem.n; i++)
            y[i] = (int32_t)problem.label[i] - 1;
        const struct uma_data given = {
            .problem = &problem, .y = y, .n = golden.n, .K = golden.K, .inverse = inverse};
        for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
            struct uma_plain got;
            status = learners[i].learn(&given, &golden.options, &got, &err);
            CHECK_INT(status, 0, "%s: %s", learners[i].name, err.message);
            if (status != 0)
                continue;
            compare(learners[i].name, &golden, &problem, &got);
            uma_plain_free(&got);
        }
    }
    problem_free(&problem);
}

int main(void)
{
    const char *top = getenv("top"); /* set by tests/run */
    char folder[PATH], pattern[PATH + 8];
    glob_t found;
    snprintf(folder, sizeof folder, "%s/tests/golden/uma", top ? top : ".");
    snprintf(pattern, sizeof pattern, "%s/*.case", folder);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            check_group("%s", strrchr(found.gl_pathv[i], '/') + 1);
            run_case(folder, found.gl_pathv[i]);
        }
        globfree(&found);
    }
    return check_finish();
}
