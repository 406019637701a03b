/* Each fold is scored by the weights of a fit to the others.  Where the number of steps is to be
 * chosen, these are the weights of the best step of the search: on its way the likelihood of each
 * step, at three temperatures, is noted, and the decisions of the first steps.
 *
 * Folds are fitted side by side where that takes little memory: threads that share a fit wait for
 * each other many times a step, and each reads what the other has just written. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "learners/estimate/crossfit_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CROSSFIT_PATIENCE = 6, /* steps since the best one before a path is left.  The path of one fold
                              may rise again after four, and where one ends the choice of the number
                              ends for all: measured on r52 (experiments/forward/choices.md) */
    CROSSFIT_BLOCK = 256   /* examples that one thread scores at a time */
};

/* Weights that score the examples of a fold. */
struct crossfit_scoring {
    const struct crossfit_fit *fit;
    struct crossfit_fold *fold;
    const struct weights *w;
    bool on_the_way;   /* w are those after a step, not those at the end of the search */
    bool mean;         /* then: score the mean of w and the point before */
    int32_t *decision; /* out: of the rows of fit->out; may be NULL */
};

int64_t crossfit_count_blocks(int64_t n)
{
    return parallel_parts(n, CROSSFIT_BLOCK);
}

int64_t crossfit_block_size(int64_t K)
{
    const int64_t stride = weights_make(weights_columns(K), 0).stride;
    return (stride > K ? stride : K) + K;
}

/* The scores of the fold's example at a place in a table: f->step_scores or f->point_scores. */
static float *crossfit_of_step(const struct crossfit *f, float *table,
                               const struct crossfit_fold *fold, int64_t place)
{
    return table + (place - (f->at_once > 1 ? 0 : fold->first)) * f->K;
}

/* To stop at a step leaves the mean of the points before and after it, as a search zigzags; its
 * scores are the mean of theirs.  All are rounded to single precision, which the tables of a path
 * have.  Where the path is not followed, the trial's table holds those of the point before.
 *
 * s: K scores of the example at a place; in: at the point after the step; out: those wanted */
static void crossfit_take_step(const struct crossfit_scoring *job, int64_t place, double *s)
{
    const struct crossfit_fit *fit = job->fit;
    const struct crossfit *f = fit->f;
    double *out = crossfit_scores_of(f, fit->out, place);
    float *point = NULL, *step = NULL;
    if (fit->follows) {
        point = crossfit_of_step(f, f->point_scores, job->fold, place);
        step = crossfit_of_step(f, f->step_scores, job->fold, place);
    }
    for (int64_t k = 0; k < f->K; k++) {
        const double before = point ? (double)point[k] : out[k];
        const float now = (float)s[k];
        if (point)
            point[k] = now;
        s[k] = job->mean ? (before + now) / 2 : now;
    }
    em_level_scores(f->K, s);
    for (int64_t k = 0; k < f->K; k++) {
        s[k] = (float)s[k];
        if (step)
            step[k] = (float)s[k];
        else
            out[k] = s[k];
    }
}

/* The scores of a block of the fold's examples on this rank and, on a path, their log-likelihoods;
 * the scores of a step are in f->step_scores until they are kept. */
static void crossfit_score_block(void *context, int64_t block)
{
    const struct crossfit_scoring *job = context;
    const struct crossfit_fit *fit = job->fit;
    const struct crossfit *f = fit->f;
    const struct crossfit_fold *fold = job->fold;
    const int64_t K = f->K, first = fold->own_first + block * CROSSFIT_BLOCK,
                  last = order_least(first + CROSSFIT_BLOCK, fold->own_last);
    double *workspace = fold->path.workspace + block * crossfit_block_size(K),
           *s = workspace + crossfit_block_size(K) - K;
    for (int64_t place = first; place < last; place++) {
        const int64_t i = f->order[place];
        const struct example x = problem_example(f->problem, i - f->before);
        double *judged = fold->path.judged + (place - fold->first) * EM_TEMPERATURES;
        weights_scores(job->w, &x, workspace);
        em_put_scores(workspace, K, s);
        if (job->on_the_way)
            crossfit_take_step(job, place, s);
        else
            memcpy(crossfit_scores_of(f, fit->out, place), s, (size_t)K * sizeof *s);
        if (job->decision)
            job->decision[crossfit_row(f, fit->out, place)] = (int32_t)weights_best(s, K);
        memset(judged, 0, EM_TEMPERATURES * sizeof *judged);
        if (fit->follows)
            em_add_likelihoods(K, fit->c + f->y[i] * K, s, em_weight(&f->em, i), workspace, judged);
    }
}

/* likelihood: out, the sums over the fold's examples, block by block. */
static void crossfit_sum_judged(const struct crossfit_fold *fold,
                                double likelihood[EM_TEMPERATURES])
{
    const int64_t n = fold->last - fold->first;
    double *judged = fold->path.judged;
    reduce_gather(judged, EM_TEMPERATURES * sizeof *judged, fold->own_first - fold->first,
                  fold->own_last - fold->own_first);
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        likelihood[t] = 0;
        for (int64_t start = 0; start < n; start += CROSSFIT_BLOCK) {
            const int64_t end = order_least(start + CROSSFIT_BLOCK, n);
            double sum = 0;
            for (int64_t h = start; h < end; h++)
                sum += judged[h * EM_TEMPERATURES + t];
            likelihood[t] += sum;
        }
    }
}

/* Score the fold's examples. */
static void crossfit_score_fold(struct crossfit_scoring *job)
{
    parallel_for(job->fit->f->options.threads,
                 crossfit_count_blocks(job->fold->own_last - job->fold->own_first),
                 crossfit_score_block, job);
}

/* No step has been made: where the first gradient is 0, none will be, and scores stay 0. */
static void crossfit_start_path(const struct crossfit_fit *fit, struct crossfit_fold *fold)
{
    struct crossfit_path *path = &fold->path;
    path->steps = 0;
    path->best = 1;
    path->largest = -INFINITY;
    for (int64_t place = fold->own_first; place < fold->own_last; place++) {
        double *s = crossfit_scores_of(fit->f, fit->out, place);
        memset(s, 0, (size_t)fit->f->K * sizeof *s);
    }
}

/* The fold's scores of this rank at the current step become those of the trial. */
static void crossfit_keep_step(const struct crossfit_scoring *job)
{
    const struct crossfit *f = job->fit->f;
    const struct crossfit_fold *fold = job->fold;
    for (int64_t place = fold->own_first; place < fold->own_last; place++) {
        double *s = crossfit_scores_of(f, job->fit->out, place);
        const float *step = crossfit_of_step(f, f->step_scores, fold, place);
        for (int64_t k = 0; k < f->K; k++)
            s[k] = step[k];
    }
}

/* Note how likely step number `at`, which has led to w, makes the fold's labels.  Is it worth while
 * to go on? */
static bool crossfit_follow_step(void *context, const struct weights *w, int64_t at)
{
    struct crossfit_scoring *job = context;
    const struct crossfit_fit *fit = job->fit;
    struct crossfit_path *path = &job->fold->path;
    assert(at >= 1 && at <= CROSSFIT_STEPS);
    double *likelihood = path->likelihood[at - 1];
    job->w = w;
    job->mean = at > 1;
    job->decision = at <= CROSSFIT_NOTED ? fit->out->decision + (at - 1) * fit->out->rows : NULL;
    crossfit_score_fold(job);
    crossfit_sum_judged(job->fold, likelihood);
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        if (likelihood[t] > path->largest) {
            path->largest = likelihood[t];
            path->best = at;
        }
    }
    path->steps = at;
    if (path->best == at)
        crossfit_keep_step(job);
    return at < CROSSFIT_STEPS && at - path->best < CROSSFIT_PATIENCE;
}

/* Where the number of steps is given: score the last one as if the path were followed to it. */
static bool crossfit_score_last_step(void *context, const struct weights *w, int64_t at)
{
    struct crossfit_scoring *job = context;
    const int64_t steps = job->fit->out->steps;
    job->w = w;
    job->mean = at == steps && at > 1;
    if (at >= steps - 1)
        crossfit_score_fold(job);
    return true;
}

/* Fit the learner of a fold to the other folds, from the weights that it has, which are kept if the
 * next fit may go on from them. */
static int crossfit_fit_fold(const struct crossfit_fit *fit, struct crossfit_fold *fold,
                             struct error *err)
{
    struct crossfit *f = fit->f;
    struct forward *learner = fold->learner;
    const bool on_the_way = fit->follows || fit->out->steps > 0;
    struct crossfit_scoring job = {.fit = fit, .fold = fold, .on_the_way = on_the_way};
    bool (*visit)(void *context, const struct weights *w, int64_t at) = NULL;
    if (on_the_way)
        visit = fit->follows ? crossfit_follow_step : crossfit_score_last_step;
    struct forward_minimum minimum = {.epsilon = on_the_way ? FORWARD_EPSILON : fit->epsilon,
                                      .evaluations = CROSSFIT_EVALUATIONS,
                                      .context = &job,
                                      .visit = visit,
                                      .weight = f->options.weight,
                                      .metric = &f->metric,
                                      .threads = f->options.threads};
    if (fit->follows)
        crossfit_start_path(fit, fold);
    forward_change(learner, fit->c, fit->lambda, fit->follows ? 0 : fit->out->steps);
    if (forward_minimise(learner, f->problem, f->y + f->before, fold->subset, fold->trained,
                         &minimum, err)
        != 0)
        return -1;
    const bool ended_there = fit->out->steps > 0 && minimum.result.iterations == fit->out->steps;
    if (!fit->follows && !ended_there) {
        job.on_the_way = false;
        job.w = forward_minimum_weights(learner);
        crossfit_score_fold(&job);
    }
    if (on_the_way) {
        forward_free(learner);
        fold->learner = NULL;
    }
    return 0;
}

/* The fit of one of the folds of a struct crossfit_fit.  0 or -1. */
static int crossfit_fit_task(void *context, int64_t number, struct error *err)
{
    const struct crossfit_fit *fit = context;
    if (crossfit_fit_fold(fit, &fit->f->fold[fit->first + number], err) != 0)
        return -1;
    progress_step_expected(fit->f->options.progress);
    return 0;
}

int crossfit_forget(struct crossfit *f, struct error *err)
{
    const struct forward_options learner = forward_usual(0, NULL);
    for (struct crossfit_fold *fold = f->fold; fold < f->fold + f->folds; fold++) {
        forward_free(fold->learner);
        if (!(fold->learner = forward_new(&learner, f->labels, err)))
            return -1;
    }
    return 0;
}

/* Share a table of the trial among the ranks, each of which has written its own examples.  size: of
 * an example. */
static void crossfit_gather(const struct crossfit_fit *fit, void *table, size_t size)
{
    const struct crossfit *f = fit->f;
    if (!fit->out->of_judges) {
        reduce_gather(table, size, f->before, f->problem->n);
        return;
    }
    for (int64_t k = fit->first; k < fit->last; k++) {
        const struct crossfit_fold *fold = &f->fold[k];
        reduce_gather((char *)table + (size_t)fold->first * size, size,
                      fold->own_first - fold->first, fold->own_last - fold->own_first);
    }
}

int crossfit_run(struct crossfit_fit *fit, struct error *err)
{
    struct crossfit *f = fit->f;
    struct crossfit_trial *out = fit->out;
    if ((fit->follows || out->steps > 0) && crossfit_forget(f, err) != 0)
        return -1;
    em_give_back(&f->em);
    if (parallel_try(f->at_once, fit->last - fit->first, crossfit_fit_task, fit, err) != 0)
        return -1;
    crossfit_gather(fit, out->s, (size_t)f->K * sizeof *out->s);
    if (fit->follows)
        for (int64_t step = 0; step < CROSSFIT_NOTED; step++)
            crossfit_gather(fit, out->decision + step * out->rows, sizeof *out->decision);
    return em_take(&f->em, err);
}
