/* All machines have all examples of the problem; those that a machine does not learn from have the
 * cost 0 in it, and are scored by it. */
#include "learners/estimate/svm_estimate.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/folds.h"
#include "learners/estimate/cross_scores.h"
#include "learners/estimate/map_estimate.h"
#include "learners/musvm/musvm.h"
#include "learners/noise/decisions.h"
#include "learners/noise/label_weights.h"

#include <math.h>
#include <string.h>

enum {
    SVM_UPDATES = 25,     /* of an example, in the mean, at most: ten times what text takes */
    SVM_AT_ONCE = 1 << 24 /* bytes of machines, for threads: little on any machine */
};

/* The largest violation that a machine is left with: LIBLINEAR's usual. */
static const double svm_epsilon = 0.1;

/* Of the examples' lengths, in the mean: a thousand times musvm.c's musvm_tiny. */
static const double svm_least_square = 1e-9;

struct svm_fit {
    const struct problem *problem;
    const struct estimate *e;
    bool own_matrices;    /* each classifier is judged through its own, not through e->matrix.c */
    const double *weight; /* of the examples; NULL: 1 */
    int64_t seed;
    int threads;
    struct cross_scores_task regression; /* softmax */
    struct musvm_task task;
    struct musvm_options options;
    int64_t *fold; /* n: those of the cross-fits */
};

bool estimate_wants_svm(const struct estimate_options *options, const struct problem *problem)
{
    if (options->takes_svm)
        return true;
    return options->predicts && options->map == ESTIMATE_AUTO && estimate_tries_others(options)
           && !estimate_wants_map(options, problem)
           && !forward_metric_has_moment(problem->d, reduce_count(problem->nnz));
}

/* C: 1 over the mean square of the examples' lengths; 0: that is not finite, or so small that rows
 * of the kernel are nothing beside musvm.c's musvm_tiny. */
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

/* ---- machines ---- */

/* The machine of the set without a fold (FOLDS_ALL: with all), by set->v.  point: out; free with
 * musvm_point_free, also after an error.  0 or -1. */
static int svm_solve(const struct svm_fit *fit, const struct rest_of_fold *set, int64_t left_out,
                     struct musvm_point *point, struct error *err)
{
    struct musvm_options options = fit->options;
    struct musvm_result result;
    double *factor = memory_new(fit->task.n, sizeof *factor, err);
    *point = (struct musvm_point){.alpha = NULL};
    if (!factor)
        return -1;
    for (int64_t place = 0; place < set->n; place++)
        if (set->fold[place] != left_out)
            factor[set->example[place]] = set->v[place];
    options.factor = factor;
    int status = musvm_point_make(&fit->task, point, err);
    if (status == 0)
        status = musvm_solve(&fit->task, &options, point, &result, err);
    memory_free(factor);
    return status;
}

/* The K scores of example i. */
static void svm_scores_of(const struct svm_fit *fit, const struct musvm_point *point, int64_t i,
                          double *scores)
{
    for (int64_t k = 0; k < fit->task.classes; k++)
        scores[k] = point->f[k * fit->task.n + i];
}

/* A job for the threads: the scores of each fold by a machine of the others. */
struct svm_scoring {
    const struct svm_fit *fit;
    const struct rest_of_fold *set;
    double *scores; /* n x K of the set */
};

static int svm_score_one(void *context, int64_t fold, struct error *err)
{
    const struct svm_scoring *job = context;
    const struct svm_fit *fit = job->fit;
    const struct rest_of_fold *set = job->set;
    struct musvm_point point;
    const int status = svm_solve(fit, set, fold, &point, err);
    if (status == 0)
        for (int64_t place = 0; place < set->n; place++)
            if (set->fold[place] == fold)
                svm_scores_of(fit, &point, set->example[place],
                              job->scores + place * fit->task.classes);
    musvm_point_free(&point);
    return status;
}

/* Bytes of a machine while it is solved. */
static double svm_machine_bytes(int64_t n, int64_t K, int64_t d)
{
    return 8 * (double)n * (2 * (double)K + 5) + weights_bytes(K, d);
}

/* The scores of each fold of the set by the others.  scores: out, n x K.  0 or -1. */
static int svm_score_folds(const struct svm_fit *fit, const struct rest_of_fold *set,
                           double *scores, struct error *err)
{
    struct svm_scoring job = {.fit = fit, .set = set, .scores = scores};
    const double bytes = svm_machine_bytes(fit->task.n, fit->task.classes, fit->problem->d);
    return parallel_try(FOLDS_DEFAULT * bytes <= SVM_AT_ONCE ? fit->threads : 1, FOLDS_DEFAULT,
                        svm_score_one, &job, err);
}

/* The SVM of a set.
 *
 * p      of its examples, held out
 * c      out, K x K: the matrix that fits the SVMs of parts of it; NULL: not wanted
 * point  out; free with musvm_point_free, also after an error
 * 0 or -1. */
static int svm_learn(const struct svm_fit *fit, struct rest_of_fold *set, const double *p,
                     double *c, struct musvm_point *point, struct error *err)
{
    const int64_t K = fit->task.classes;
    const struct label_noise noise = {.n = set->n,
                                      .classes = K,
                                      .y = set->y,
                                      .weight = set->weight,
                                      .c = fit->e->matrix.c,
                                      .share = fit->e->share,
                                      .unexplained = fit->e->unexplained};
    double *scores = memory_new(set->n * K, sizeof *scores, err), *own = NULL, temperature;
    int status = -1;
    *point = (struct musvm_point){.alpha = NULL};
    if (scores && label_weights(&noise, p, set->v, err) == 0
        && svm_score_folds(fit, set, scores, err) == 0
        && (own = em_calibrate(set->n, K, set->y, set->weight, fit->threads, fit->e->matrix.c,
                               scores, &temperature, err)))
        status = label_weights(&noise, own, set->v, err);
    if (status == 0 && c)
        status = rest_estimate_matrix(set, K, own, fit->e->matrix.c, fit->threads, c, err);
    memory_free(scores);
    memory_free(own);
    return status == 0 ? svm_solve(fit, set, FOLDS_ALL, point, err) : -1;
}

/* ---- softmax regression or SVM ---- */

/* What both say of the examples of some folds. */
struct svm_judged {
    int64_t n;
    int32_t *y;
    double *weight;           /* NULL: 1 */
    double *softmax, *scores; /* n x K */
};

static void svm_free_judged(struct svm_judged *judged)
{
    memory_free(judged->y);
    memory_free(judged->weight);
    memory_free(judged->softmax);
    memory_free(judged->scores);
}

/* judged: out, with room for all examples, but none yet; free with svm_free_judged, also after an
 * error.  0 or -1. */
static int svm_make_judged(const struct svm_fit *fit, struct svm_judged *judged, struct error *err)
{
    const int64_t n = fit->task.n, K = fit->task.classes;
    *judged = (struct svm_judged){0};
    if (!(judged->y = memory_new(n, sizeof *judged->y, err))
        || (fit->weight && !(judged->weight = memory_new(n, sizeof(double), err)))
        || !(judged->softmax = memory_new(n * K, sizeof(double), err))
        || !(judged->scores = memory_new(n * K, sizeof(double), err)))
        return -1;
    return 0;
}

/* Add a fold, scored by an SVM of the others.  softmax_c, svm_c: K x K: in: e->matrix.c; out: with
 * own_matrices those that fit what both say of the others.  0 or -1. */
static int svm_score_fold(const struct svm_fit *fit, int64_t fold, struct svm_judged *judged,
                          double *softmax_c, double *svm_c, struct error *err)
{
    const int64_t n = fit->task.n, K = fit->task.classes;
    struct rest_of_fold set;
    struct musvm_point point = {.alpha = NULL};
    int status = cross_scores_of_rest(&fit->regression, fit->fold, fold, fit->seed, &set, err);
    if (status == 0)
        status = svm_learn(fit, &set, set.p, fit->own_matrices ? svm_c : NULL, &point, err);
    if (status == 0 && fit->own_matrices)
        status = rest_estimate_matrix(&set, K, set.p, fit->e->matrix.c, fit->threads, softmax_c,
                                      err);
    if (status != 0)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        if (fit->fold[i] != fold)
            continue;
        judged->y[judged->n] = fit->task.y[i];
        if (fit->weight)
            judged->weight[judged->n] = fit->weight[i];
        memcpy(judged->softmax + judged->n * K, fit->e->p + i * K, (size_t)K * sizeof(double));
        svm_scores_of(fit, &point, i, judged->scores + judged->n * K);
        judged->n++;
    }
done:
    musvm_point_free(&point);
    rest_free(&set);
    return status;
}

/* svm_score_fold, and add to the tally how good the decisions about it are.  0 or -1. */
static int svm_judge_fold(const struct svm_fit *fit, int64_t fold, struct svm_judged *judged,
                          struct decisions_tally *tally, struct error *err)
{
    const int64_t K = fit->task.classes, cells = K * K, first = judged->n;
    double *c = memory_new(2 * cells, sizeof *c, err);
    if (!c)
        return -1;
    memcpy(c, fit->e->matrix.c, (size_t)cells * sizeof *c);
    memcpy(c + cells, fit->e->matrix.c, (size_t)cells * sizeof *c);
    int status = svm_score_fold(fit, fold, judged, c, c + cells, err);
    if (status == 0) {
        const struct decisions_scores scores = {.n = judged->n - first,
                                                .K = K,
                                                .y = judged->y + first,
                                                .first = judged->softmax + first * K,
                                                .second = judged->scores + first * K,
                                                .weight = judged->weight ? judged->weight + first
                                                                         : NULL};
        status = decisions_add(&scores, c, c + cells, tally, err);
    }
    memory_free(c);
    return status;
}

/* svm: out, the likelihoods and the lead.  temperature: out, of the SVM's scores.  0 or -1. */
static int svm_judge(const struct svm_fit *fit, struct estimate_svm *svm, double *temperature,
                     struct error *err)
{
    struct svm_judged judged;
    struct decisions_tally tally = {0};
    double *p = NULL;
    const int64_t judges = crossfit_judges(fit->fold, fit->task.n);
    int status = svm_make_judged(fit, &judged, err);
    if (status != 0)
        goto done;
    for (int64_t fold = 0; fold < judges; fold++) {
        status = svm_judge_fold(fit, fold, &judged, &tally, err);
        if (status != 0)
            goto done;
    }
    const struct decisions_result result = decisions_result(&tally);
    svm->softmax_likelihood = result.first;
    svm->likelihood = result.second;
    svm->lead = result.lead;
    p = em_calibrate(judged.n, fit->task.classes, judged.y, judged.weight, fit->threads,
                     fit->e->matrix.c, judged.scores, temperature, err);
    status = p ? 0 : -1;
done:
    memory_free(p);
    svm_free_judged(&judged);
    return status;
}

/* The SVM of all examples in place of softmax regression.  0 or -1. */
static int svm_take(const struct svm_fit *fit, double temperature, struct estimate *e,
                    struct error *err)
{
    struct weights *w = &e->svm.w;
    struct rest_of_fold all;
    struct musvm_point point = {.alpha = NULL};
    const struct rest_source from = {fit->task.n, fit->task.y, fit->weight, fit->fold};
    int status = rest_make(&from, FOLDS_ALL, &all, err);
    if (status == 0)
        status = svm_learn(fit, &all, e->p, NULL, &point, err);
    if (status == 0 && e->classes == 2) {
        status = weights_difference(&point.w, w, err);
    } else if (status == 0) {
        *w = point.w;
        point.w = (struct weights){0};
    }
    musvm_point_free(&point);
    rest_free(&all);
    if (status != 0)
        return -1;
    for (int64_t i = 0; i < w->rows * w->stride; i++)
        w->w[i] *= temperature;
    e->svm.softmax = e->classifier;
    e->classifier = (struct estimate_classifier){
        .kind = ESTIMATE_SVM,
        .lambda = 1 / (e->svm.cost * (double)fit->task.n), /* a mean loss */
        .temperature = 1};
    return 0;
}

int estimate_try_svm(const struct labelled *data, bool matrix_known,
                     const struct estimate_options *options, struct estimate *e, struct error *err)
{
    const struct problem *problem = data->problem;
    const struct crossfit_options *asked = &options->fit;
    const int64_t n = problem->n;
    struct svm_fit fit = {.problem = problem,
                          .e = e,
                          .own_matrices = !matrix_known && !(e->misfit > 0),
                          .weight = asked->weight,
                          .seed = asked->seed,
                          .threads = asked->threads,
                          .task = {.n = n, .classes = e->classes, .y = data->y, .samples = problem},
                          .options = {.C = svm_cost(problem),
                                      .eps = svm_epsilon,
                                      .shrinking = true,
                                      .seed = asked->seed,
                                      .most_updates = SVM_UPDATES * n}};
    const struct fold_examples all = fold_examples_of(data);
    struct forward_metric metric = {.moment = NULL};
    double temperature = 1;
    int status = -1;
    fit.regression = (struct cross_scores_task){.data = data,
                                                .weight = fit.weight,
                                                .estimate = e,
                                                .metric = &metric,
                                                .threads = fit.threads};
    if (!(fit.options.C > 0) || (n < REST_FEWEST && !options->takes_svm))
        return 0;
    estimate_tell_phase(options, "a multiclass SVM");
    e->svm.cost = fit.options.C;
    if ((fit.fold = memory_new(n, sizeof *fit.fold, err))
        && folds_assign(&all, FOLDS_DEFAULT, asked->seed, fit.fold, err) == 0
        && forward_metric_make(problem, fit.weight, &metric, fit.threads, err) == 0) {
        status = n < REST_FEWEST ? 0 : svm_judge(&fit, &e->svm, &temperature, err);
        if (status == 0 && (options->takes_svm || e->svm.lead > -CROSSFIT_ERRORS))
            status = svm_take(&fit, temperature, e, err);
    }
    forward_metric_free(&metric);
    memory_free(fit.fold);
    return status;
}

double estimate_svm_bytes(const struct problem *problem, int64_t classes)
{
    const int64_t n = problem->n, K = classes, d = problem->d;
    /* Either fits of softmax regression; or machines, what one extrapolates by, and scores of the
     * set. */
    const double one = svm_machine_bytes(n, K, d),
                 machines = fmax(one, fmin(FOLDS_DEFAULT * one, SVM_AT_ONCE))
                            + 8 * (double)n * (3 * (double)K) + 3 * weights_bytes(K, d),
                 fits = forward_minimum_bytes(n, problem->nnz, K, d) + 8 * (double)n * (double)K;
    return 8 * (double)n * (2 * (double)K + 7) + fmax(machines, fits)
           + forward_metric_bytes(d, problem->nnz);
}
