/* Data drawn from the model that forward assumes, and what must hold of every estimate on them:
 * what the tests of the estimate share.  An error is a failed check. */
#ifndef TESTS_UNIT_FORWARD_DRAWN_H
#define TESTS_UNIT_FORWARD_DRAWN_H

#include "forward_samples.h"
#include "learners/estimate/confusion_estimate.h"

#include <stdlib.h>

struct drawn {
    struct problem problem;
    int32_t *y, *truth;
    struct labels labels;
};

/* x normal with a bias, the true class by softmax of W x, the label by c.  What the learner sees is
 * a third of x, of length 1 or so. */
static inline void drawn_make(uint64_t seed, int n, int classes, double scale, const double *c,
                              struct drawn *drawn)
{
    struct random weights = random_seeded(9, (uint64_t)classes), g = random_seeded(seed, 7);
    double w[D][CLASSES];
    for (int j = 0; j < D; j++)
        for (int k = 0; k < classes; k++)
            w[j][k] = scale * random_normal(&weights) * (j > 0);
    if (classes == 2)
        for (int j = 0; j < D; j++)
            w[j][0] = w[j][1] - w[j][0];
    *drawn = (struct drawn){.labels = labels_make(classes)};
    drawn->y = calloc((size_t)n, sizeof *drawn->y);
    drawn->truth = calloc((size_t)n, sizeof *drawn->truth);
    for (int i = 0; i < n; i++) {
        double x[D], p[CLASSES], u;
        int32_t index[D];
        for (int j = 1; j < D; j++) {
            index[j - 1] = j;
            x[j] = random_normal(&g);
        }
        index[D - 1] = 0;
        x[0] = 1;
        find_probabilities(classes, w, x, p);
        int q = 0, k = 0;
        for (u = random_uniform(&g); q < classes - 1 && u >= p[q]; q++)
            u -= p[q];
        for (u = random_uniform(&g); k < classes - 1 && u >= c[k * classes + q]; k++)
            u -= c[k * classes + q];
        drawn->truth[i] = q;
        drawn->y[i] = k;
        double value[D];
        for (int j = 0; j < D; j++)
            value[j] = x[(j + 1) % D] / 3;
        struct example example = {
            .label = k, .line = i + 1, .size = D, .index = index, .value = value};
        CHECK(problem_append_example(&drawn->problem, &example, NULL) == 0, "memory");
    }
}

static inline void drawn_free(struct drawn *drawn)
{
    problem_free(&drawn->problem);
    labels_free(&drawn->labels);
    free(drawn->y);
    free(drawn->truth);
}

/* What must hold of every estimate. */
static inline void check_estimate(const struct drawn *drawn, const struct estimate *e)
{
    const int64_t n = e->n, K = e->classes;
    double likelihood = 0, shares = 0;
    CHECK_INT(n, drawn->problem.n, "examples");
    CHECK_INT(K, drawn->labels.count, "classes");
    for (int64_t i = 0; i < n; i++) {
        double total = 0, q = 0;
        for (int64_t k = 0; k < K; k++) {
            CHECK(e->p[i * K + k] >= 0, "p of example %d", (int)i);
            total += e->p[i * K + k];
            q += e->matrix.c[drawn->y[i] * K + k] * e->p[i * K + k];
        }
        CHECK_NEAR(total, 1, 1e-12, "the probabilities of example %d", (int)i);
        likelihood += log(q);
    }
    CHECK_NEAR(e->likelihood, likelihood / (double)n, 1e-10, "likelihood");
    for (int64_t q = 0; q < K; q++) {
        double total = 0;
        for (int64_t k = 0; k < K; k++) {
            CHECK(e->matrix.c[k * K + q] >= 0, "an entry of column %d", (int)q);
            total += e->matrix.c[k * K + q];
        }
        CHECK_NEAR(total, 1, 1e-12, "column %d", (int)q);
        shares += e->share[q];
        CHECK(e->matrix.standard_error[q] > 0 && isfinite(e->matrix.standard_error[q]),
              "standard error %g", e->matrix.standard_error[q]);
    }
    CHECK_NEAR(shares, 1, 1e-9, "the shares");
    CHECK(e->classifier.temperature > 0 && e->classifier.lambda >= 0 && e->matrix.gamma == 0,
          "temperature %g, lambda %g, gamma %g", e->classifier.temperature, e->classifier.lambda,
          e->matrix.gamma);
}

/* Confusion matrices of three classes and of two. */
static const double three[] = {0.75, 0.1, 0.2, 0.2, 0.85, 0.05, 0.05, 0.05, 0.75},
                    two[] = {0.8, 0.3, 0.2, 0.7};

/* As many fits as were announced at most, or fewer. */
static inline void check_progress(const struct progress *progress)
{
    CHECK(progress->steps > 0 && progress->steps <= progress->most, "%lld fits of at most %lld",
          (long long)progress->steps, (long long)progress->most);
}

#endif
