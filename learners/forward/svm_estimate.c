/* Each fold is scored by the machine of the others, in which its examples have the cost 0. */
#include "learners/forward/svm_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/label_weights.h"
#include "learners/forward/map_estimate.h"
#include "learners/musvm/musvm.h"

#include <math.h>

enum {
    SVM_ALL = -1,    /* no fold is left out */
    SVM_UPDATES = 25 /* of an example, in the mean, at most: ten times as many as text takes */
};

/* The largest violation that a machine is left with: LIBLINEAR's usual. */
static const double svm_epsilon = 0.1;

/* Of the examples' lengths, in the mean: a thousand times musvm.c's TINY. */
static const double svm_least_square = 1e-9;

struct svm_fit {
    struct musvm_task task;
    struct musvm_options options;
    struct label_noise noise;
    int64_t *fold;  /* n: those of the cross-fits, by which e->p is held out */
    double *v;      /* n */
    double *factor; /* n: v, or 0 for examples that are left out */
    double *scores; /* n x K: held out */
};

bool estimate_wants_svm(const struct estimate_options *options, const struct problem *problem)
{
    if (options->takes_svm)
        return true;
    return options->map == ESTIMATE_AUTO && !options->matrix_only && estimate_tries_others(options)
           && !estimate_wants_map(options, problem)
           && !forward_metric_has_moment(problem->d, reduce_count(problem->nnz));
}

/* C: 1 over the mean square of the examples' lengths; 0: that is not finite, or so small that rows
 * of the kernel are nothing beside musvm.c's TINY. */
static double svm_cost(const struct problem *problem)
{
    double squares = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        squares += example_squared_norm(&x);
    }
    const double mean = squares / (double)problem->n;
    return isfinite(mean) && mean >= svm_least_square ? 1 / mean : 0;
}

/* The machine without a fold, or of all (SVM_ALL).  point: out; free with musvm_point_free, also
 * after an error.  0 or -1. */
static int svm_solve(const struct svm_fit *fit, int64_t left_out, struct musvm_point *point,
                     struct error *err)
{
    struct musvm_result result;
    for (int64_t i = 0; i < fit->task.n; i++)
        fit->factor[i] = fit->fold[i] == left_out ? 0 : fit->v[i];
    if (musvm_point_make(&fit->task, point, err) != 0)
        return -1;
    return musvm_solve(&fit->task, &fit->options, point, &result, err);
}

/* The scores of each fold by the others.  0 or -1. */
static int svm_score_folds(const struct svm_fit *fit, struct error *err)
{
    const int64_t n = fit->task.n, K = fit->task.classes;
    int status = 0;
    for (int64_t left_out = 0; left_out < CROSSFIT_FOLDS && status == 0; left_out++) {
        struct musvm_point point;
        status = svm_solve(fit, left_out, &point, err);
        for (int64_t i = 0; i < n && status == 0; i++)
            for (int64_t k = 0; k < K && fit->fold[i] == left_out; k++)
                fit->scores[i * K + k] = point.f[k * n + i];
        musvm_point_free(&point);
    }
    return status;
}

/* The probabilities of the true classes, by the scores of the folds.  0 or -1. */
static int svm_calibrate(const struct svm_fit *fit, int threads, struct estimate *e,
                         struct error *err)
{
    const struct label_noise *noise = &fit->noise;
    struct em em;
    const int status = em_start(&em, noise->n, noise->classes, noise->y, NULL, threads, err);
    if (status == 0) {
        em_weigh(&em, noise->weight);
        memory_free(e->p);
        e->p = em_calibrate(&em, fit->scores, noise->c, &e->temperature);
    }
    em_free(&em);
    return status;
}

/* The weights of all examples, as a model holds them, times the temperature, which becomes 1.  0 or
 * -1. */
static int svm_fit_all(const struct svm_fit *fit, struct estimate *e, struct error *err)
{
    struct weights *w = &e->svm.w;
    struct musvm_point point;
    int status = svm_solve(fit, SVM_ALL, &point, err);
    if (status == 0 && fit->task.classes == 2) {
        status = weights_difference(&point.w, w, err);
    } else if (status == 0) {
        *w = point.w;
        point.w = (struct weights){0};
    }
    for (int64_t i = 0; i < w->rows * w->stride; i++)
        w->w[i] *= e->temperature;
    e->temperature = 1;
    musvm_point_free(&point);
    return status;
}

/* The SVM in place of softmax regression.  0 or -1. */
static int svm_take(struct svm_fit *fit, int threads, struct estimate *e, struct error *err)
{
    e->classifier = ESTIMATE_SVM;
    e->svm.lambda = e->lambda;
    e->svm.steps = e->steps;
    e->lambda = 1 / (e->svm.cost * (double)fit->task.n); /* a mean loss */
    e->steps = 0;
    if (svm_calibrate(fit, threads, e, err) != 0
        || label_weights(&fit->noise, e->p, fit->v, err) != 0)
        return -1;
    memory_free(fit->scores);
    fit->scores = NULL;
    return svm_fit_all(fit, e, err);
}

/* Held-out scores and e->svm; then the SVM is taken or not.  0 or -1. */
static int svm_try(struct svm_fit *fit, const struct estimate_options *options, struct estimate *e,
                   struct error *err)
{
    const struct label_noise *noise = &fit->noise;
    const struct decisions_scores scores = {.n = noise->n,
                                            .K = noise->classes,
                                            .y = noise->y,
                                            .first = e->p,
                                            .second = fit->scores,
                                            .weight = noise->weight};
    struct decisions_result result;
    if (label_weights(noise, e->p, fit->v, err) != 0 || svm_score_folds(fit, err) != 0
        || decisions_compare(&scores, noise->c, &result, err) != 0)
        return -1;
    e->svm.softmax_likelihood = result.first;
    e->svm.likelihood = result.second;
    if (!options->takes_svm && !(result.second > result.first))
        return 0;
    return svm_take(fit, options->fit.threads, e, err);
}

int estimate_try_svm(const struct problem *problem, const int32_t *y,
                     const struct estimate_options *options, struct estimate *e, struct error *err)
{
    const int64_t n = problem->n, K = e->classes;
    struct svm_fit fit = {.task = {.n = n, .classes = K, .y = y, .samples = problem},
                          .options = {.C = svm_cost(problem),
                                      .eps = svm_epsilon,
                                      .shrinking = true,
                                      .seed = options->fit.seed,
                                      .most_updates = SVM_UPDATES * n},
                          .noise = {.n = n,
                                    .classes = K,
                                    .y = y,
                                    .weight = options->fit.weight,
                                    .c = e->c,
                                    .share = e->share,
                                    .unexplained = e->unexplained}};
    int status = -1;
    if (!(fit.options.C > 0))
        return 0;
    estimate_tell_phase(options, "a multiclass SVM");
    e->svm.cost = fit.options.C;
    if ((fit.v = memory_new(n, sizeof *fit.v, err))
        && (fit.factor = memory_new(n, sizeof *fit.factor, err))
        && (fit.fold = memory_new(n, sizeof *fit.fold, err))
        && (fit.scores = memory_new(n * K, sizeof *fit.scores, err))
        && folds_assign(y, n, K, CROSSFIT_FOLDS, options->fit.seed, fit.fold, err) == 0) {
        fit.options.factor = fit.factor;
        status = svm_try(&fit, options, e, err);
    }
    memory_free(fit.v);
    memory_free(fit.factor);
    memory_free(fit.fold);
    memory_free(fit.scores);
    return status;
}

double estimate_svm_bytes(const struct problem *problem, int64_t classes)
{
    const double n = (double)problem->n, K = (double)classes;
    return 8 * n * (3 * K + 7) /* the solver's alpha and f, the scores; five of the solver's */
           + weights_bytes(classes, problem->d);
}
