/* Beginning and end of an estimate, and what all who make one ask of it. */
#include "learners/estimate/estimate.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/data/paired.h"
#include "learners/noise/decisions.h"
#include "learners/noise/em.h"

#include <assert.h>
#include <string.h>

int estimate_allocate(int64_t n, int64_t K, const double *c, struct estimate *e, struct error *err)
{
    *e = (struct estimate){.n = n, .classes = K};
    struct estimate_matrix *m = &e->matrix;
    if (!(m->c = memory_new(K * K, sizeof *m->c, err))
        || !(m->joint = memory_new(K * K, sizeof *m->joint, err))
        || !(e->share = memory_new(K, sizeof *e->share, err))
        || !(m->standard_error = memory_new(K, sizeof *m->standard_error, err))
        || !(m->lost = memory_new(K, sizeof *m->lost, err))
        || !(m->doubtful = memory_new(K, sizeof *m->doubtful, err)))
        return -1;
    if (c)
        memcpy(m->c, c, (size_t)(K * K) * sizeof *c);
    return 0;
}

void estimate_drop_map(struct estimate *e)
{
    struct estimate_input *input = &e->input;
    if (input->map)
        feature_map_free(input->map);
    memory_free(input->map);
    input->map = NULL;
    problem_free(&input->mapped);
}

void estimate_drop_lengths(struct estimate_input *input)
{
    problem_free(&input->lengthed);
    memory_free(input->scale);
    input->scale = NULL;
}

void estimate_replace(struct estimate *e, struct estimate *better)
{
    const struct estimate was = *e;
    *e = *better;
    *better = was;
    better->input = e->input;
    e->input = was.input;
    e->by_chance = e->by_chance && was.by_chance;
}

void estimate_swap_matrices(struct estimate *a, struct estimate *b)
{
    const struct estimate_matrix swap = a->matrix;
    a->matrix = b->matrix;
    b->matrix = swap;
}

struct weights *estimate_weights(struct estimate *e)
{
    if (e->classifier.kind == ESTIMATE_RIDGE)
        return &e->ridge.mean;
    return e->classifier.kind == ESTIMATE_SVM ? &e->svm.w : NULL;
}

int estimate_gather(const int64_t *subset, int64_t n, const int32_t *y, const double *weight,
                    int32_t **some_y, double **some_weight, struct error *err)
{
    if (!(*some_y = memory_new(n, sizeof **some_y, err))
        || (weight && !(*some_weight = memory_new(n, sizeof **some_weight, err))))
        return -1;
    for (int64_t s = 0; s < n; s++) {
        (*some_y)[s] = y[subset[s]];
        if (weight)
            (*some_weight)[s] = weight[subset[s]];
    }
    return 0;
}

const struct problem *estimate_examples(const struct estimate *e, const struct problem *problem)
{
    const struct estimate_input *input = &e->input;
    if (input->map)
        return &input->mapped;
    return estimate_linear_examples(input, problem);
}

void estimate_pass_over(struct estimate *e, double noise)
{
    e->matrix.passed_over = noise;
    for (int64_t k = 0; k < e->classes; k++)
        e->matrix.standard_error[k] = fmax(noise, e->matrix.standard_error[k]);
}

void estimate_undo_scale(const struct estimate *e, struct weights *w)
{
    const double *scale = e->input.scale;
    assert(scale);
    for (int64_t j = 1; j < order_least(w->rows, e->input.lengthed.d + 1); j++)
        for (int64_t k = 0; k < w->columns; k++)
            w->w[j * w->stride + k] *= scale[j - 1];
}

void estimate_set_form(const struct estimate *e, struct data_form *form)
{
    const struct estimate_input *input = &e->input;
    if (input->map) {
        form->map = &input->map->base;
        form->final = true; /* training does not go on from features of a map */
        form->unit_length &= !input->at_length;
    } else if (input->lengthed.n > 0) {
        form->unit_length = false;
        form->bias = input->bias;
        form->final |= input->scale != NULL; /* passes would need features of one scale, too */
    }
}

void estimate_free(struct estimate *e)
{
    memory_free(e->matrix.c);
    memory_free(e->matrix.joint);
    memory_free(e->matrix.standard_error);
    memory_free(e->matrix.lost);
    memory_free(e->matrix.doubtful);
    memory_free(e->p);
    memory_free(e->share);
    estimate_drop_lengths(&e->input);
    estimate_drop_map(e);
    kernel_ridge_free(&e->ridge);
    weights_free(&e->svm.w);
    *e = (struct estimate){0};
}

bool estimate_is_doubtful(const struct estimate *e)
{
    bool doubtful = e->by_chance || e->matrix.led || e->matrix.thin || e->misfit > 0
                    || e->matrix.disagreement >= ESTIMATE_DISAGREEMENT;
    for (int64_t k = 0; k < e->classes; k++)
        doubtful |= e->matrix.doubtful[k];
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
        const double gain = em_log(em_observed(second->matrix.c + row, K, second->p + i * K))
                            - em_log(em_observed(first->matrix.c + row, K, first->p + i * K));
        paired_add(&lead, weight ? weight[i] * gain : gain);
    }
    return paired_errors(&lead);
}

bool estimate_is_likelier(const struct estimate *first, const struct estimate *second,
                          const int32_t *y, const double *weight, double errors)
{
    return estimate_likelihood_lead(first, second, y, weight) > errors;
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
    if (decisions_compare(&scores, first->matrix.c, &decisions, err) != 0)
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
