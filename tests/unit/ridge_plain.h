/* Ridge regression by normal equations with an inverse, decisions, softmax, and a matrix at random:
 * what the tests of ridge_folds, decisions, kernel_ridge and svm_estimate share. */
#ifndef TESTS_UNIT_RIDGE_PLAIN_H
#define TESTS_UNIT_RIDGE_PLAIN_H

#include "check.h"
#include "common/base/random.h"
#include "common/linalg/dense.h"

#include <string.h>

enum { MOST = 1700, WIDTH = 70, CLASSES = 5 }; /* examples, features, classes */

/* Of equals the first. */
static inline int64_t largest(int64_t K, const double *a)
{
    int64_t best = 0;
    for (int64_t k = 1; k < K; k++)
        best = a[k] > a[best] ? k : best;
    return best;
}

static inline void softmax(int64_t K, const double *score, double temperature, double *p)
{
    const double most = score[largest(K, score)];
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += p[k] = exp(temperature * (score[k] - most));
    for (int64_t k = 0; k < K; k++)
        p[k] /= sum;
}

/* Features of some examples, and what ridge regression is told of each. */
struct table {
    int64_t n, dims, classes;
    double phi[MOST * WIDTH], weight[MOST], target[MOST * CLASSES];
    int64_t fold[MOST];
};

enum { STEP = 256 }; /* examples whose products are summed as floats (dense_add_gram) */

/* Add v a a', of floats; the lower triangle counts. */
static inline void plain_add_floats(int64_t n, const double *a, double v, float *sum)
{
    for (int64_t j = 0; j < n; j++) {
        const float weighted = (float)(v * (double)(float)a[j]);
        for (int64_t l = 0; l <= j; l++) {
            sum[j * n + l] += weighted * (float)a[l];
            sum[l * n + j] = sum[j * n + l];
        }
    }
}

/* G of a fold, added to gram. */
static inline void plain_add_gram(const struct table *t, int64_t fold, double *gram)
{
    static float sum[WIDTH * WIDTH];
    const int64_t D = t->dims;
    int64_t count = 0;
    for (int64_t i = 0; i <= t->n; i++) {
        if (i < t->n && t->fold[i] != fold)
            continue;
        if (i == t->n || (count > 0 && count % STEP == 0))
            for (int64_t cell = 0; cell < D * D; cell++) {
                gram[cell] += (double)sum[cell];
                sum[cell] = 0;
            }
        if (i < t->n)
            plain_add_floats(D, t->phi + i * D, t->weight[i], sum);
        count++;
    }
}

/* G and R of the folds that are in a set of bits. */
static inline void plain_sums(const struct table *t, unsigned folds, double *gram, double *right)
{
    const int64_t D = t->dims, K = t->classes;
    memset(gram, 0, (size_t)(D * D) * sizeof *gram);
    memset(right, 0, (size_t)(D * K) * sizeof *right);
    for (int64_t fold = 0; fold < 3; fold++)
        if (folds >> fold & 1)
            plain_add_gram(t, fold, gram);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = 0; (folds >> t->fold[i] & 1) && j < D; j++)
            for (int64_t k = 0; k < K; k++)
                right[j * K + k] += t->phi[i * D + j] * (t->weight[i] * t->target[i * K + k]);
}

/* (G + r I)^-1 R.  gram: G, destroyed; w: out, D x K. */
static inline void plain_solve_sums(const struct table *t, double *gram, const double *right,
                                    double ridge, double *w)
{
    static double inverse[WIDTH * WIDTH];
    const int64_t D = t->dims, K = t->classes;
    double rcond = 0;
    for (int64_t j = 0; j < D; j++)
        gram[j * D + j] += ridge;
    CHECK(dense_invert(D, gram, inverse, &rcond, 1, NULL) == 0 && rcond > 0, "an inverse");
    memset(w, 0, (size_t)(D * K) * sizeof *w);
    for (int64_t j = 0; j < D; j++)
        for (int64_t l = 0; l < D; l++)
            for (int64_t k = 0; k < K; k++)
                w[j * K + k] += inverse[j * D + l] * right[l * K + k];
}

/* The same of folds that are in a set of bits. */
static inline void plain_solve(const struct table *t, unsigned folds, double ridge, double *w)
{
    static double gram[WIDTH * WIDTH], right[WIDTH * CLASSES];
    plain_sums(t, folds, gram, right);
    plain_solve_sums(t, gram, right, ridge, w);
}

/* The same of all three, less what one of other folds adds.  other: n: fold of each example. */
static inline void plain_solve_without(const struct table *t, const int64_t *other, int64_t fold,
                                       double ridge, double *w)
{
    static struct table part;
    static double gram[WIDTH * WIDTH], right[WIDTH * CLASSES], own_gram[WIDTH * WIDTH],
        own_right[WIDTH * CLASSES];
    part = *t;
    for (int64_t i = 0; i < t->n; i++)
        part.fold[i] = other[i] == fold ? 0 : 1;
    plain_sums(t, 7, gram, right);
    plain_sums(&part, 1, own_gram, own_right);
    for (int64_t cell = 0; cell < t->dims * t->dims; cell++)
        gram[cell] -= own_gram[cell];
    for (int64_t cell = 0; cell < t->dims * t->classes; cell++)
        right[cell] -= own_right[cell];
    plain_solve_sums(t, gram, right, ridge, w);
}

static inline void check_numbers(const double *got, const double *want, int64_t n, double tolerance,
                                 const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK_NEAR(got[i], want[i], tolerance, "%s %d", what, (int)i);
}

/* A matrix whose columns sum to 1, led by their diagonal. */
static inline void random_matrix(struct random *g, int64_t K, double *c)
{
    for (int64_t q = 0; q < K; q++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++)
            sum += c[k * K + q] = random_uniform(g) + (k == q ? 2 : 0);
        for (int64_t k = 0; k < K; k++)
            c[k * K + q] /= sum;
    }
}

#endif
