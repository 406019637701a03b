/* Samples, a learner of the library beside the reference of online_plain.h, and the comparison of
 * the two: what the tests test_online_*.c share.  An error is a failed check. */
#ifndef TESTS_UNIT_ONLINE_CASES_H
#define TESTS_UNIT_ONLINE_CASES_H

#include "check.h"
#include "common/base/random.h"
#include "learners/online/online.h"
#include "online_plain.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 150 };

/* ---- data ---- */

struct sample {
    int32_t index[D];
    double value[D];
    int size;
    int y;
};

/* Random sparse examples of a linear teacher with a sixth of the labels replaced.
 *
 * The first ones have a feature each to themselves and no bias: all scores are exactly 0 there,
 * whatever was learned before.  Later ones have two nonzero features or more, and few values are
 * integers; that keeps scores from being equal, and margins from being 1, but for rounding, where
 * either side may be right.  Some examples have no entry at all, some entries are 0.  With a bias
 * each of the later ones that is not empty has one, of a value of its own, as after scaling to unit
 * length: a constant gives equal scores to classes that have moved equally often. */
static inline void samples_make(struct sample *samples, int classes, bool bias, uint64_t number)
{
    struct random g = random_seeded(2009, number);
    double teacher[CLASSES][D];
    for (int k = 0; k < classes; k++) {
        for (int j = 0; j < D; j++)
            teacher[k][j] = 2 * random_uniform(&g) - 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        struct sample *sample = &samples[i];
        double density = i % 10 == 9 ? 1 : 0.35;
        bool empty = random_below(&g, 12) == 0;
        int nonzero;
        do {
            sample->size = nonzero = 0;
            for (int j = 1; j <= FEATURES && !empty; j++) {
                if (i < FEATURES ? j != FEATURES - i : random_uniform(&g) >= density)
                    continue;
                int64_t kind = random_below(&g, 8);
                double value = 4 * random_uniform(&g) - 2;
                if (kind == 0 && i >= FEATURES)
                    value = (double)(2 * random_below(&g, 2) - 1);
                if (kind == 1 && i >= FEATURES)
                    value = 0;
                nonzero += value != 0;
                sample->index[sample->size] = j;
                sample->value[sample->size++] = value;
            }
        } while (!empty && i >= FEATURES && nonzero < 2);
        if (sample->size > 0 && bias && i >= FEATURES) {
            sample->index[sample->size] = 0;
            sample->value[sample->size++] = 0.3 + random_uniform(&g);
        }
        double best = -HUGE_VAL;
        for (int k = 0; k < classes; k++) {
            double score = 0;
            for (int e = 0; e < sample->size; e++)
                score += teacher[k][sample->index[e]] * sample->value[e];
            if (score > best) {
                best = score;
                sample->y = k;
            }
        }
        if (empty || i < FEATURES || random_below(&g, 6) == 0)
            sample->y = (int)random_below(&g, classes);
    }
}

static inline void sample_dense(const struct sample *sample, double *x)
{
    for (int j = 0; j < D; j++)
        x[j] = 0;
    for (int e = 0; e < sample->size; e++)
        x[sample->index[e]] = sample->value[e];
}

/* ---- the library beside it ---- */

/* A learner for classes with odd labels -4, -1, 2, ...; an error is a failed check and NULL. */
static inline struct online *learner_new(const struct online_options *options, int classes)
{
    struct error err = {.line = 0};
    struct labels labels = {.count = 0};
    struct online *learner = NULL;
    int failed = 0;
    for (int k = 0; k < classes; k++)
        failed |= labels_add(&labels, 3 * k - 4, &err);
    if (!failed)
        learner = online_new(options, &labels, &err);
    CHECK(learner != NULL, "a learner: %s", err.message);
    labels_free(&labels);
    return learner;
}

static inline bool learner_learn_weighted(struct online *learner, const struct sample *sample,
                                          int i, double weight)
{
    struct error err = {.line = 0};
    struct example x = {.label = 3 * sample->y - 4,
                        .line = i + 1,
                        .size = sample->size,
                        .index = sample->index,
                        .value = sample->value};
    int status = online_learn(learner, &x, sample->y, weight, &err);
    CHECK_INT(status, 0, "round %d: %s", i + 1, err.message);
    return status == 0;
}

static inline bool learner_learn(struct online *learner, const struct sample *sample, int i)
{
    return learner_learn_weighted(learner, sample, i, 1);
}

/* The prediction weights as a dense table; features that the learner has not met have weight 0. */
static inline bool learner_weights(const struct online *learner, int columns, double w[CLASSES][D])
{
    struct error err = {.line = 0};
    struct weights table;
    int status = online_weights(learner, &table, &err);
    CHECK_INT(status, 0, "the weights: %s", err.message);
    if (status != 0)
        return false;
    CHECK_INT(table.columns, columns, "columns of the weights");
    CHECK(table.rows <= D, "%d rows of weights", (int)table.rows);
    for (int k = 0; k < columns; k++) {
        for (int j = 0; j < D; j++)
            w[k][j] = j < table.rows && k < table.columns ? table.w[j * table.stride + k] : 0;
    }
    weights_free(&table);
    return true;
}

static inline void learner_compare(const char *name, const struct online *learner,
                                   const struct reference *ref)
{
    double w[CLASSES][D];
    struct round_counts counts = online_counts(learner);
    CHECK_INT(counts.rounds, ref->rounds, "%s: rounds", name);
    CHECK_INT(counts.mistakes, ref->mistakes, "%s: mistakes in %d rounds", name, (int)ref->rounds);
    CHECK_INT(counts.updates, ref->updates, "%s: updates in %d rounds", name, (int)ref->rounds);
    if (!learner_weights(learner, ref->blocks, w))
        return;
    for (int k = 0; k < ref->blocks; k++) {
        for (int j = 0; j < D; j++)
            CHECK_NEAR(w[k][j], reference_weight(ref, k, j), TOLERANCE,
                       "%s: weight of feature %d, column %d, after %d rounds", name, j, k,
                       (int)ref->rounds);
    }
}

/* Learn one set of samples and compare on the way; number is that of the set, odd ones have a
 * bias.  weighted: the weights are 1/16, 1/4, 1, 4 in turn. */
static inline void run_case(const struct online_options *options, int classes, bool weighted,
                            uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference ref;
    char name[160];
    double x[D];
    bool bias = number % 2 == 1;
    snprintf(name, sizeof name,
             "%d classes, k %d, r %g, C %g, phi %g, a %g, lambda %g, mean %d, bias %d, set %d",
             classes, (int)options->k, options->r, options->C, options->phi, options->a,
             options->lambda, options->average, bias, (int)number);
    struct online *learner = learner_new(options, classes);
    if (!learner)
        return;
    samples_make(samples, classes, bias, number);
    reference_init(&ref, options, classes, classes == 2 ? 1 : classes);
    learner_compare(name, learner, &ref);
    for (int i = 0; i < ROUNDS; i++) {
        const double weight = weighted ? ldexp(1, 2 * (i % 4) - 4) : 1;
        if (!learner_learn_weighted(learner, &samples[i], i, weight))
            break;
        sample_dense(&samples[i], x);
        reference_learn_weighted(&ref, x, samples[i].y, weight);
        if (i < 4 || i % 25 == 24)
            learner_compare(name, learner, &ref);
    }
    CHECK(ref.closest > 1e-11,
          "%s: samples that leave no decision to rounding (%g): try another seed", name,
          ref.closest);
    /* all this says little about a learner that had nothing, or always the same, to do */
    CHECK(ref.updates > ROUNDS / 20 && ref.updates < ROUNDS, "%s: %d updates", name,
          (int)ref.updates);
    CHECK(ref.mistakes > ROUNDS / 20 && ref.mistakes < ROUNDS, "%s: %d mistakes", name,
          (int)ref.mistakes);
    online_free(learner);
}

/* ---- the cases ---- */

static const int class_counts[] = {2, 3, 5, 9, 20};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Valid numbers for all that a rule does not look at. */
static inline struct online_options default_options(int64_t rule, int64_t form)
{
    return (struct online_options){.rule = rule,
                                   .form = form,
                                   .r = 1,
                                   .C = 1,
                                   .phi = 1,
                                   .a = 1,
                                   .eta = 0.5,
                                   .lambda = 0.01,
                                   .delta = 1,
                                   .k = 1};
}

#endif
