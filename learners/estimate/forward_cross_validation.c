/* Each fold is predicted by what the others have taught; all searches have the metric of the whole
 * data, which is made once.  The predictions are then judged through the matrix. */
#include "learners/estimate/forward_cross_validation.h"

#include "common/base/memory.h"
#include "common/data/copies.h"
#include "common/linear/cross_validation.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/forward/forward_metric.h"
#include "learners/forward/forward_minimum.h"

struct forward_fold {
    const struct forward_validation *validation;
    const struct problem *problem;
    const int32_t *y;
    struct forward_metric metric; /* of all searches */
};

/* Minimise the loss on a subset of the examples. */
static int forward_fold_minimise(const struct forward_fold *f, struct forward *learner,
                                 const int64_t *subset, int64_t n, struct error *err)
{
    struct forward_minimum minimum = {.weight = f->validation->passes.weight,
                                      .metric = &f->metric,
                                      .epsilon = FORWARD_EPSILON,
                                      .evaluations = FORWARD_EVALUATIONS,
                                      .threads = 1};
    return forward_minimise(learner, f->problem, f->y, subset, n, &minimum, err);
}

/* Weights learnt from all folds but one: for cross_validate_linear. */
static int forward_fold_fit(const void *context, const int64_t *subset, int64_t n,
                            struct weights *w, struct error *err)
{
    const struct forward_fold *f = context;
    const struct forward_validation *v = f->validation;
    int status;
    if (v->estimate->classifier.kind != ESTIMATE_SOFTMAX) {
        const struct labelled given = {
            .problem = v->given, .y = f->y, .labels = v->labels, .first = v->first};
        return estimate_classifier_of(v->estimate, &given, v->asked, subset, n, w, err);
    }
    struct forward *learner = forward_new(v->options, v->labels, err);
    if (!learner)
        return -1;
    const struct round_learner rounds = forward_learner(learner);
    if (v->minimum)
        status = forward_fold_minimise(f, learner, subset, n, err);
    else
        status = passes_over_problem(&rounds, f->problem, f->y, subset, n, &v->passes, err);
    if (status == 0)
        status = forward_weights(learner, w, err);
    forward_free(learner);
    return status;
}

/* The scores of all examples.  0 or -1. */
static int forward_fold_scores(const struct problem *problem, const int32_t *y,
                               const struct forward_validation *v, struct forward_validated *found,
                               struct error *err)
{
    struct forward_fold f = {.validation = v, .problem = problem, .y = y};
    const int64_t *first;
    int64_t *copies;
    const bool softmax = v->estimate->classifier.kind == ESTIMATE_SOFTMAX;
    if (v->minimum && softmax
        && forward_metric_make(problem, v->passes.weight, &f.metric, v->threads, err) != 0)
        return -1;
    int status = copies_unless_groups(v->first, v->given, y, &copies, &first, err);
    const struct cross_validation validation = {
        .problem = problem,
        .examples = {.n = problem->n, .classes = v->labels->count, .y = y, .first = first},
        .folds = v->folds,
        .seed = v->seed,
        .threads = softmax ? v->threads : 1,
        .fit = forward_fold_fit,
        .context = &f,
        .scores = found->scores};
    if (status == 0)
        status = cross_validate_linear(&validation, &found->correct, err);
    memory_free(copies);
    forward_metric_free(&f.metric);
    return status;
}

int forward_cross_validate(const struct problem *problem, const int32_t *y,
                           const struct forward_validation *v, struct forward_validated *found,
                           struct error *err)
{
    const int64_t n = problem->n, K = v->labels->count;
    *found = (struct forward_validated){0};
    found->scores = memory_new(n * weights_columns(K), sizeof *found->scores, err);
    if (!found->scores || forward_fold_scores(problem, y, v, found, err) != 0)
        return -1;
    const struct held_out_scores scores = {.n = n,
                                           .K = K,
                                           .scores = found->scores,
                                           .y = y,
                                           .weight = v->passes.weight,
                                           .c = v->options->confusion,
                                           .temperature = v->options->temperature};
    return held_out_judge(&scores, v->threads, &found->judged, err);
}
