/* The cases in tests/golden/musvm (the README there says what a case holds), for the programs that
 * compare with them. */
#ifndef TESTS_UNIT_MUSVM_GOLDEN_H
#define TESTS_UNIT_MUSVM_GOLDEN_H

#include "check.h"
#include "common/data/problem_file.h"
#include "learners/musvm/musvm.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum {
    GOLDEN_NAME = 64,
    GOLDEN_PATH = 512,
    GOLDEN_CLASSES = 4,
    GOLDEN_FEATURES = 8,
    GOLDEN_SAMPLES = 32
};

typedef double golden_table[GOLDEN_SAMPLES][GOLDEN_CLASSES];

struct golden {
    char train[GOLDEN_NAME], universum[GOLDEN_NAME], test[GOLDEN_NAME];
    int64_t K, d, n, m, tests;
    struct kernel kernel;
    struct musvm_options options;
    double dual, condition;
    golden_table f_train, f_universum, f_test, hop_universum;
    double w[GOLDEN_CLASSES][GOLDEN_FEATURES];
    double hop_train[GOLDEN_SAMPLES], s2[GOLDEN_SAMPLES], rhs[GOLDEN_SAMPLES];
    int64_t predicted[GOLDEN_SAMPLES], frequency[GOLDEN_CLASSES], kind_train[GOLDEN_SAMPLES],
        kind_universum[GOLDEN_SAMPLES];
    int64_t wrong_theorem[GOLDEN_SAMPLES], wrong_retrained[GOLDEN_SAMPLES], errors_local,
        errors_local_alpha;
    int64_t f_train_read, f_universum_read, f_test_read, w_read, hop_read,
        single; /* lines of each kind; single: of the others */

    struct problem samples, test_data; /* training samples and the universum behind them */
    int32_t y[GOLDEN_SAMPLES];
};

static inline bool golden_numbers(FILE *file, int64_t count, double *out)
{
    bool good = true;
    for (int64_t i = 0; good && i < count; i++)
        good = fscanf(file, "%lf", &out[i]) == 1;
    return good;
}

static inline bool golden_integers(FILE *file, int64_t count, int64_t *out)
{
    bool good = true;
    for (int64_t i = 0; good && i < count; i++)
        good = fscanf(file, "%" SCNd64, &out[i]) == 1;
    return good;
}

static inline bool golden_word(FILE *file, char out[GOLDEN_NAME])
{
    return fscanf(file, "%63s", out) == 1;
}

static inline bool golden_option(FILE *file, struct golden *golden)
{
    char name[GOLDEN_NAME];
    double value;
    if (!golden_word(file, name) || !golden_numbers(file, 1, &value))
        return false;
    if (strcmp(name, "C") == 0)
        golden->options.C = value;
    else if (strcmp(name, "C_star") == 0)
        golden->options.C_star = value;
    else if (strcmp(name, "delta") == 0)
        golden->options.delta = value;
    else
        return false;
    return true;
}

static inline bool golden_kernel(FILE *file, struct golden *golden)
{
    char name[GOLDEN_NAME];
    if (!golden_word(file, name) || !golden_numbers(file, 1, &golden->kernel.gamma))
        return false;
    golden->kernel.type = strcmp(name, "rbf") == 0 ? KERNEL_RBF : KERNEL_LINEAR;
    return golden->kernel.type == KERNEL_RBF || strcmp(name, "linear") == 0;
}

/* The next row of a table of the given number of rows. */
static inline bool golden_row(FILE *file, int64_t rows, int64_t columns, int64_t *read,
                              double *table, int64_t stride)
{
    bool good = *read < rows && golden_numbers(file, columns, table + *read * stride);
    ++*read;
    return good;
}

/* One line of a case, its first word read; the sizes stand before what needs them. */
static inline bool golden_item(FILE *file, const char *key, struct golden *g)
{
    int64_t samples[3];
    if (strcmp(key, "universum") == 0)
        return golden_word(file, g->universum);
    if (strcmp(key, "f_train") == 0)
        return golden_row(file, g->n, g->K, &g->f_train_read, g->f_train[0], GOLDEN_CLASSES);
    if (strcmp(key, "f_universum") == 0)
        return golden_row(file, g->m, g->K, &g->f_universum_read, g->f_universum[0],
                          GOLDEN_CLASSES);
    if (strcmp(key, "f_test") == 0)
        return golden_row(file, g->tests, g->K, &g->f_test_read, g->f_test[0], GOLDEN_CLASSES);
    if (strcmp(key, "hop_universum") == 0)
        return golden_row(file, g->m, g->K, &g->hop_read, g->hop_universum[0], GOLDEN_CLASSES);
    if (strcmp(key, "w") == 0)
        return golden_row(file, g->K, g->d, &g->w_read, g->w[0], GOLDEN_FEATURES);
    g->single++;
    if (strcmp(key, "frequency") == 0)
        return golden_integers(file, g->K, g->frequency);
    if (strcmp(key, "kind_universum") == 0)
        return golden_integers(file, g->m, g->kind_universum);
    if (strcmp(key, "train") == 0)
        return golden_word(file, g->train);
    if (strcmp(key, "test") == 0)
        return golden_word(file, g->test);
    if (strcmp(key, "classes") == 0)
        return golden_integers(file, 1, &g->K) && g->K <= GOLDEN_CLASSES;
    if (strcmp(key, "features") == 0)
        return golden_integers(file, 1, &g->d) && g->d <= GOLDEN_FEATURES;
    if (strcmp(key, "samples") == 0) {
        bool good = golden_integers(file, 3, samples);
        g->n = samples[0];
        g->m = samples[1];
        g->tests = samples[2];
        return good && g->n + g->m <= GOLDEN_SAMPLES && g->tests <= GOLDEN_SAMPLES;
    }
    if (strcmp(key, "kernel") == 0)
        return golden_kernel(file, g);
    if (strcmp(key, "option") == 0)
        return golden_option(file, g);
    if (strcmp(key, "dual") == 0)
        return golden_numbers(file, 1, &g->dual);
    if (strcmp(key, "predicted") == 0)
        return golden_integers(file, g->tests, g->predicted);
    if (strcmp(key, "hop_train") == 0)
        return golden_numbers(file, g->n, g->hop_train);
    if (strcmp(key, "kind_train") == 0)
        return golden_integers(file, g->n, g->kind_train);
    if (strcmp(key, "condition") == 0)
        return golden_numbers(file, 1, &g->condition);
    if (strcmp(key, "s2") == 0)
        return golden_numbers(file, g->n, g->s2);
    if (strcmp(key, "rhs") == 0)
        return golden_numbers(file, g->n, g->rhs);
    if (strcmp(key, "wrong_theorem") == 0)
        return golden_integers(file, g->n, g->wrong_theorem);
    if (strcmp(key, "errors_local") == 0)
        return golden_integers(file, 1, &g->errors_local);
    if (strcmp(key, "errors_local_alpha") == 0)
        return golden_integers(file, 1, &g->errors_local_alpha);
    if (strcmp(key, "wrong_retrained") == 0)
        return golden_integers(file, g->n, g->wrong_retrained);
    return false;
}

/* Append a file's examples: `count` of them. */
static inline bool golden_append(const char *folder, const char *name, int64_t count,
                                 const struct golden *golden, struct problem *problem)
{
    const struct example_format format = {.bias = -1};
    struct problem part = {.n = 0};
    struct error err = {.line = 0};
    char path[GOLDEN_PATH + GOLDEN_NAME];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int status = problem_read(path, &format, 1, 0, &part, &err);
    if (status == 0)
        status = problem_append(problem, &part, &err);
    CHECK_INT(status, 0, "%s: %s", path, err.message);
    bool good = status == 0 && part.n == count && part.d <= golden->d;
    CHECK(good, "%s: %d examples, %d features", path, (int)part.n, (int)part.d);
    problem_free(&part);
    return good;
}

static inline void golden_free(struct golden *golden)
{
    problem_free(&golden->samples);
    problem_free(&golden->test_data);
}

/* Read a case and its data; false after a failed check.  golden_free in both cases. */
static inline bool golden_read(const char *folder, const char *path, struct golden *g)
{
    enum { SINGLE = 20, SINGLE_UNIVERSUM = 2 };
    char key[GOLDEN_NAME];
    bool good = true;
    FILE *file = fopen(path, "r");
    *g = (struct golden){.options = {.eps = 1e-9, .shrinking = true, .seed = 1}};
    while (file && good && golden_word(file, key)) {
        good = golden_item(file, key, g);
        CHECK(good, "%s: %s", path, key);
    }
    good = good && file && g->single == SINGLE + (g->m > 0) * SINGLE_UNIVERSUM
           && g->f_train_read == g->n && g->f_universum_read == g->m && g->f_test_read == g->tests
           && g->hop_read == g->m && g->w_read == (g->kernel.type == KERNEL_LINEAR ? g->K : 0)
           && (g->m > 0) == (g->universum[0] != 0);
    CHECK(good, "%s: can be read and is whole", path);
    if (file)
        fclose(file);
    good = good && golden_append(folder, g->train, g->n, g, &g->samples);
    good = good && (g->m == 0 || golden_append(folder, g->universum, g->m, g, &g->samples));
    good = good && golden_append(folder, g->test, g->tests, g, &g->test_data);
    for (int64_t i = 0; good && i < g->n; i++) {
        g->y[i] = (int32_t)g->samples.label[i] - 1;
        good = g->y[i] >= 0 && g->y[i] < g->K;
        CHECK(good, "%s: label of example %d", g->train, (int)i);
    }
    return good;
}

/* Call run for each case, in a group of its own. */
static inline void golden_each(void (*run)(const struct golden *golden))
{
    const char *top = getenv("top"); /* set by tests/run */
    char folder[GOLDEN_PATH], pattern[GOLDEN_PATH + 8];
    glob_t found;
    snprintf(folder, sizeof folder, "%s/tests/golden/musvm", top ? top : ".");
    snprintf(pattern, sizeof pattern, "%s/*.case", folder);
    if (glob(pattern, 0, NULL, &found) != 0) {
        check_group("golden cases");
        CHECK(false, "%s: cases", folder);
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct golden golden;
        check_group("%s", strrchr(found.gl_pathv[i], '/') + 1);
        if (golden_read(folder, found.gl_pathv[i], &golden))
            run(&golden);
        golden_free(&golden);
    }
    globfree(&found);
}

#endif
