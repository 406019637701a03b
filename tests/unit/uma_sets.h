/* Random data on which UMA meets its plain loop: by number of classes, density, confusion matrix
 * and what is odd about them.  An error is a failed check. */
#ifndef TESTS_UNIT_UMA_SETS_H
#define TESTS_UNIT_UMA_SETS_H

#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "dense_plain.h"
#include "uma_plain.h"

#include <string.h>

enum { CLASSES = 7 }; /* at most */

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

/* A matrix with columns that sum to 1. */
static inline void fill_confusion(enum matrix kind, int64_t K, struct random *g, double *C)
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
static inline double norm_1(int64_t K, const double *a)
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
static inline void make_confusion(enum matrix kind, int64_t K, struct random *g, double *C,
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
        CHECK(invert_plain(K, copy, inverse), "the confusion matrix has an inverse");
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
static inline void data_make(struct data *data, const struct setup *setup)
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

/* The same as the learner takes it. */
static inline struct uma_data data_given(const struct data *data)
{
    return (struct uma_data){.problem = &data->problem,
                             .y = data->y,
                             .subset = data->subset,
                             .n = data->n,
                             .K = data->K,
                             .inverse = data->inverse};
}

static inline void data_free(struct data *data)
{
    problem_free(&data->problem);
    memory_free(data->y);
    memory_free(data->subset);
}

#endif
