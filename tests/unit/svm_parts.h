/* Parts of the texts of svm_texts.h, and softmax regression held out by their folds, by plain code.
 */
#ifndef TESTS_UNIT_SVM_PARTS_H
#define TESTS_UNIT_SVM_PARTS_H

#include "learners/forward/forward_minimum.h"
#include "svm_texts.h"

/* All texts, or those outside a fold, and folds of them. */
struct part {
    const struct texts *t;
    int64_t n, example[N], fold[N];
    int32_t y[N];
    double own[N];
};

static inline void assign_folds(const struct texts *t, const int32_t *y, int64_t n, int64_t *fold)
{
    const int64_t seed = options_of(t, true, 1).fit.seed;
    const struct fold_examples all = {.n = n, .classes = t->K, .y = y};
    CHECK(folds_assign(&all, FOLDS_DEFAULT, seed, fold, NULL) == 0, "folds");
}

/* left_out: a fold of all texts, the others of which are divided anew; or -1. */
static inline void part_make(const struct texts *t, int64_t left_out, struct part *part)
{
    int64_t fold[N];
    assign_folds(t, t->y, N, fold);
    part->t = t;
    part->n = 0;
    for (int64_t i = 0; i < N; i++) {
        if (fold[i] == left_out)
            continue;
        part->example[part->n] = i;
        part->y[part->n] = t->y[i];
        part->own[part->n++] = t->weight[i];
    }
    assign_folds(t, part->y, part->n, part->fold);
}

/* score: out, one number for each column of w. */
static inline void plain_scores(const struct weights *w, const struct problem *problem, int64_t i,
                                double *score)
{
    const struct example x = problem_example(problem, i);
    for (int64_t k = 0; k < w->columns; k++) {
        score[k] = 0;
        for (int64_t e = 0; e < x.size; e++)
            if (x.index[e] < w->rows) /* words that no example of the other folds has */
                score[k] += w->w[x.index[e] * w->stride + k] * x.value[e];
    }
}

/* p of a fold by softmax regression of the others, as the estimate says. */
static inline void regress_fold(const struct part *part, int64_t fold,
                                const struct forward_metric *metric, double *p)
{
    const struct texts *t = part->t;
    struct forward_options options = forward_usual(LAMBDA, t->c);
    struct forward_minimum minimum = {.weight = t->own,
                                      .epsilon = FORWARD_EPSILON,
                                      .evaluations = 200,
                                      .metric = metric,
                                      .threads = 1};
    struct weights w = {0};
    struct error err = {0};
    int64_t subset[N], count = 0;
    options.steps = STEPS;
    for (int64_t at = 0; at < part->n; at++)
        if (part->fold[at] != fold)
            subset[count++] = part->example[at];
    struct forward *learner = forward_new(&options, &t->labels, &err);
    CHECK(learner
              && forward_minimise(learner, &t->problem, t->y, subset, count, &minimum, &err) == 0
              && forward_weights(learner, &w, &err) == 0,
          "%s", err.message);
    for (int64_t at = 0; at < part->n; at++) {
        double score[CLASSES + 1] = {0}; /* before a column for two classes, that of the first */
        if (part->fold[at] != fold)
            continue;
        plain_scores(&w, &t->problem, part->example[at], score + (t->K == 2));
        softmax(t->K, score, TEMPERATURE, p + at * t->K);
    }
    weights_free(&w);
    forward_free(learner);
}

/* p: out, held out by the folds of the part. */
static inline void part_regress(const struct part *part, double *p)
{
    struct forward_metric metric;
    struct error err = {0};
    CHECK(forward_metric_make(&part->t->problem, part->t->own, &metric, 1, &err) == 0, "%s",
          err.message);
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
        regress_fold(part, fold, &metric, p);
    forward_metric_free(&metric);
}

#endif
