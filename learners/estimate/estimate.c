/* Beginning and end of an estimate, and what all who make one ask of it. */
#include "learners/estimate/estimate.h"

#include "common/base/memory.h"
#include "common/data/paired.h"
#include "learners/noise/decisions.h"
#include "learners/noise/em.h"

#include <assert.h>
#include <string.h>

int estimate_allocate(int64_t n, int64_t K, const double *c, struct estimate *e, struct error *err)
{
    *e = (struct estimate){.n = n, .classes = K};
    if (!(e->c = memory_new(K * K, sizeof *e->c, err))
        || !(e->joint = memory_new(K * K, sizeof *e->joint, err))
        || !(e->share = memory_new(K, sizeof *e->share, err))
        || !(e->standard_error = memory_new(K, sizeof *e->standard_error, err))
        || !(e->doubtful = memory_new(K, sizeof *e->doubtful, err)))
        return -1;
    if (c)
        memcpy(e->c, c, (size_t)(K * K) * sizeof *c);
    return 0;
}

void estimate_drop_map(struct estimate *e)
{
    if (e->map)
        feature_map_free(e->map);
    memory_free(e->map);
    e->map = NULL;
    problem_free(&e->mapped);
}

void estimate_replace(struct estimate *e, struct estimate *better)
{
    const struct estimate was = *e;
    *e = *better;
    *better = was;
    better->map = e->map;
    better->mapped = e->mapped;
    better->lengthed = e->lengthed;
    e->map = was.map;
    e->mapped = was.mapped;
    e->lengthed = was.lengthed;
    e->by_chance = e->by_chance && was.by_chance;
}

struct weights *estimate_weights(struct estimate *e)
{
    if (e->classifier == ESTIMATE_RIDGE)
        return &e->ridge.mean;
    return e->classifier == ESTIMATE_SVM ? &e->svm.w : NULL;
}

double estimate_bias(const struct estimate *e)
{
    assert(e->lengthed.n > 0);
    const struct example x = problem_example(&e->lengthed, 0);
    return x.value[x.size - 1];
}

const struct problem *estimate_examples(const struct estimate *e, const struct problem *problem)
{
    if (e->map)
        return &e->mapped;
    return e->lengthed.n > 0 ? &e->lengthed : problem;
}

void estimate_set_form(const struct estimate *e, struct data_form *form)
{
    if (e->map) {
        form->map = &e->map->base;
        form->final = true; /* training does not go on from features of a map */
        form->unit_length &= !e->at_length;
    } else if (e->lengthed.n > 0) {
        form->unit_length = false;
        form->bias = estimate_bias(e);
    }
}

void estimate_free(struct estimate *e)
{
    memory_free(e->c);
    memory_free(e->p);
    memory_free(e->share);
    memory_free(e->standard_error);
    memory_free(e->doubtful);
    memory_free(e->joint);
    problem_free(&e->lengthed);
    estimate_drop_map(e);
    kernel_ridge_free(&e->ridge);
    weights_free(&e->svm.w);
    *e = (struct estimate){0};
}

bool estimate_is_doubtful(const struct estimate *e)
{
    bool doubtful = e->by_chance || e->led || e->thin || e->misfit > 0
                    || e->disagreement >= ESTIMATE_DISAGREEMENT;
    for (int64_t k = 0; k < e->classes; k++)
        doubtful |= e->doubtful[k];
    return doubtful;
}

/* By how many standard errors the labels are likelier by the second. */
static double estimate_likelihood_lead(const struct estimate *first, const struct estimate *second,
                                       const int32_t *y, const double *weight)
{
    const int64_t n = first->n, K = first->classes;
    struct paired lead = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = y[i] * K;
        const double gain = em_log(em_observed(second->c + row, K, second->p + i * K))
                            - em_log(em_observed(first->c + row, K, first->p + i * K));
        paired_add(&lead, weight ? weight[i] * gain : gain);
    }
    return paired_errors(&lead);
}

bool estimate_is_likelier(const struct estimate *first, const struct estimate *second,
                          const int32_t *y, const double *weight)
{
    return estimate_likelihood_lead(first, second, y, weight) > CROSSFIT_ERRORS;
}

int estimate_compare(const struct estimate *first, const struct estimate *second, const int32_t *y,
                     const double *weight, bool *prefers, struct error *err)
{
    const struct decisions_scores scores = {.n = first->n,
                                            .K = first->classes,
                                            .y = y,
                                            .first = first->p,
                                            .second = second->p,
                                            .weight = weight};
    struct decisions_result decisions;
    if (decisions_compare(&scores, first->c, &decisions, err) != 0)
        return -1;
    *prefers = crossfit_prefers(estimate_likelihood_lead(first, second, y, weight), decisions.lead);
    return 0;
}

bool estimate_tries_others(const struct estimate_options *options)
{
    return options->fit.lambda < 0 && options->fit.steps < 0;
}

void estimate_tell_phase(const struct estimate_options *options, const char *phase)
{
    if (options->fit.progress)
        progress_phase(options->fit.progress, phase);
}
