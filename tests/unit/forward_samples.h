/* Random examples with labels and a confusion matrix, a learner of forward that takes them one by
 * one, and softmax by a plain loop: what the tests of its rounds, its model and the estimate of the
 * matrix share.  An error is a failed check. */
#ifndef TESTS_UNIT_FORWARD_SAMPLES_H
#define TESTS_UNIT_FORWARD_SAMPLES_H

#include "check.h"
#include "common/base/random.h"
#include "learners/forward/forward.h"

#include <string.h>

enum { FEATURES = 8, D = FEATURES + 1, CLASSES = 7, ROUNDS = 150 }; /* feature 0 is the bias */

struct sample {
    int32_t index[D];
    double value[D];
    double x[D]; /* the same, dense */
    int size, y;
};

/* A feature in two, the last in ten; the bias behind the others in half of the samples. */
static inline struct sample sample_make(struct random *g, int classes)
{
    struct sample sample = {.size = 0};
    for (int j = 1; j <= D; j++) {
        int feature = j < D ? j : 0;
        if (random_uniform(g) < (j == FEATURES ? 0.1 : 0.5)) {
            sample.index[sample.size] = feature;
            sample.value[sample.size] = sample.x[feature] = random_normal(g);
            sample.size++;
        }
    }
    sample.y = (int)random_below(g, classes);
    return sample;
}

static inline struct example sample_example(const struct sample *sample)
{
    return (struct example){.label = sample->y,
                            .line = 1,
                            .size = sample->size,
                            .index = sample->index,
                            .value = sample->value};
}

/* Columns that sum to 1, right with probability `right`, the rest by chance. */
static inline void matrix_make(struct random *g, int classes, double right, double *c)
{
    for (int q = 0; q < classes; q++) {
        double total = 0;
        for (int k = 0; k < classes; k++)
            total += c[k * classes + q] = k == q ? 0 : 0.05 + random_uniform(g);
        for (int k = 0; k < classes; k++)
            c[k * classes + q] = k == q ? right : c[k * classes + q] * (1 - right) / total;
    }
}

static inline struct labels labels_make(int64_t classes)
{
    struct labels labels = {0};
    for (int32_t k = 0; k < classes; k++)
        labels_add(&labels, k, NULL);
    return labels;
}

static inline struct forward *learner_make(const struct forward_options *options, int classes)
{
    struct error err = {0};
    struct labels labels = labels_make(classes);
    struct forward *f = forward_new(options, &labels, &err);
    CHECK(f && forward_grow(f, FEATURES, &err) == 0, "a learner: %s", err.message);
    labels_free(&labels);
    return f;
}

static inline bool learner_round(struct forward *f, const struct sample *sample)
{
    struct error err = {0};
    struct example x = sample_example(sample);
    bool learnt = forward_learn(f, &x, sample->y, 1, &err) == 0;
    CHECK(learnt, "a round: %s", err.message);
    return learnt;
}

/* w: out, zero where the learner has no row yet. */
static inline void learner_weights(const struct forward *f, double w[D][CLASSES])
{
    struct error err = {0};
    struct weights weights = {0};
    memset(w, 0, D * sizeof *w);
    CHECK(forward_weights(f, &weights, &err) == 0, "weights: %s", err.message);
    for (int64_t j = 0; j < weights.rows && j < D; j++)
        for (int64_t k = 0; k < weights.columns && k < CLASSES; k++)
            w[j][k] = weights.w[j * weights.stride + k];
    weights_free(&weights);
}

/* p: out, of the classes. */
static inline void find_probabilities(int classes, double w[D][CLASSES], const double *x, double *p)
{
    double total = 0;
    for (int k = 0; k < classes; k++) {
        double score = 0;
        for (int j = 0; j < D; j++)
            score += x[j] * (classes > 2 ? w[j][k] : k == 1 ? w[j][0] : 0);
        total += p[k] = exp(score);
    }
    for (int k = 0; k < classes; k++)
        p[k] /= total;
}

#endif
