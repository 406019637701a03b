/* Cross-fitting, and the choice of lambda and of the number of steps by held-out likelihood.
 *
 * Lambda is searched for on a grid, from where the last search ended and only as far as the
 * likelihood grows: it hardly changes while EM changes the matrix, so most searches are three fits
 * long.  The number of steps costs no fits of its own: one search passes through all of
 * them, and each step's likelihood, at three temperatures, and the decisions of the first ones are
 * noted on the way.  Of many examples one fold is enough to judge by. */
#include "learners/forward/crossfit.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/forward_minimum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CROSSFIT_EVALUATIONS = 200, /* of a fit, at most: no reason but that it works */
    CROSSFIT_PATIENCE =
        3, /* steps since the best one before a path is left: no reason but that it works */
    CROSSFIT_ENOUGH = 1500, /* held-out examples to judge by: folds are added until there are
                               so many; no reason but that it works */
    CROSSFIT_BLOCK = 256    /* examples that one thread scores at a time */
};
/* Where a fit ends (struct forward_minimum).  Coarser than usual, as these scores only choose and
 * the next fit goes on from there; no reason for the value but that it works.  The fit of another
 * lambda, which begins where that before it ended, may end so before it has moved: it goes on to
 * the finer one before that lambda is given up.  Measured (experiments/forward/choices.md): the
 * accuracy that .003 for all fits gives, for at most a third of the time that this adds. */
static const double crossfit_coarse = 0.03, crossfit_finer = 0.01;

/* Standard errors by which another lambda has to be better: no reason but that it works. */
static const double crossfit_errors = 0.5;

/* And by which the decisions of another number of steps have to be: half of one gains more on few
 * lines, but whole files of clean text lose by it (experiments/forward/choices.md). */
static const double crossfit_decided = 1;

/* Values of lambda, each sqrt(10) of the next. */
static const double crossfit_grid[] = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3,
                                       1e-3, 3.1622776601683795e-4, 1e-4, 3.1622776601683795e-5,
                                       1e-5, 3.1622776601683795e-6, 1e-6, 3.1622776601683795e-7,
                                       1e-7};
enum { CROSSFIT_GRID = sizeof crossfit_grid / sizeof *crossfit_grid };

/* ---- fits ---- */

/* What the fits of some folds are asked for. */
struct crossfit_fit {
    struct crossfit *f;
    const double *c;
    double lambda, epsilon;
    int64_t first, last, steps; /* folds first .. last-1; steps: as in struct crossfit_options, not
                                   < 0 */
    bool follows;               /* note the likelihood of each step, and keep the best's scores;
                                   steps do not count then */
    struct crossfit_trial *out;
};

/* Weights that score the examples of a fold. */
struct crossfit_scoring {
    const struct crossfit_fit *fit;
    int64_t fold;
    const struct weights *w;
    int32_t *decision; /* of the rows of fit->out: out; may be NULL */
};

static int64_t crossfit_count_blocks(int64_t n)
{
    return parallel_parts(n, CROSSFIT_BLOCK);
}

/* Numbers of a path's workspace for each block: scores of an example. */
static int64_t crossfit_block_size(int64_t K)
{
    const int64_t stride = weights_make(weights_columns(K), 0).stride;
    return stride > K ? stride : K;
}

/* The row of held-out example h of a fold in a trial's tables. */
static int64_t crossfit_row(const struct crossfit *f, const struct crossfit_trial *trial,
                            int64_t fold, int64_t h)
{
    return trial == &f->now ? f->held[fold][h] : f->start[fold] + h;
}

/* The scores of a block of the fold's examples on this rank and, on a path, their log-likelihoods;
 * the scores of a step are in f->step_scores until they are kept. */
static void crossfit_score_block(void *context, int64_t block)
{
    const struct crossfit_scoring *job = context;
    const struct crossfit_fit *fit = job->fit;
    const struct crossfit *f = fit->f;
    const struct crossfit_path *path = &f->path[job->fold];
    const int64_t K = f->K, first = f->first[job->fold], end = (block + 1) * CROSSFIT_BLOCK,
                  last = end < f->own[job->fold] ? end : f->own[job->fold];
    double *workspace = path->workspace + block * crossfit_block_size(K);
    for (int64_t h = first + block * CROSSFIT_BLOCK; h < first + last; h++) {
        const int64_t i = f->held[job->fold][h], row = crossfit_row(f, fit->out, job->fold, h);
        const struct example x = problem_example(f->problem, i - f->before);
        double *judged = path->judged + h * EM_TEMPERATURES,
               *s = fit->follows ? f->step_scores + h * K : fit->out->s + row * K;
        weights_scores(job->w, &x, workspace);
        em_put_scores(workspace, K, s);
        if (job->decision)
            job->decision[row] = (int32_t)weights_best(s, K);
        memset(judged, 0, EM_TEMPERATURES * sizeof *judged);
        if (fit->follows)
            em_add_likelihoods(K, fit->c + f->y[i] * K, s, em_weight(&f->em, i), workspace, judged);
    }
}

/* likelihood: out, the sums over the fold's examples, block by block. */
static void crossfit_sum_judged(const struct crossfit *f, int64_t fold,
                                double likelihood[EM_TEMPERATURES])
{
    const int64_t n = f->held_count[fold];
    double *judged = f->path[fold].judged;
    reduce_gather(judged, EM_TEMPERATURES * sizeof *judged, f->first[fold], f->own[fold]);
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        likelihood[t] = 0;
        for (int64_t start = 0; start < n; start += CROSSFIT_BLOCK) {
            const int64_t end = start + CROSSFIT_BLOCK < n ? start + CROSSFIT_BLOCK : n;
            double sum = 0;
            for (int64_t h = start; h < end; h++)
                sum += judged[h * EM_TEMPERATURES + t];
            likelihood[t] += sum;
        }
    }
}

/* Scores of the fold's examples. */
static void crossfit_score_fold(struct crossfit_scoring *job)
{
    parallel_for(job->fit->f->options.threads, crossfit_count_blocks(job->fit->f->own[job->fold]),
                 crossfit_score_block, job);
}

/* The fold's scores of this rank at the current step become those of the trial. */
static void crossfit_keep_step(const struct crossfit_scoring *job)
{
    const struct crossfit *f = job->fit->f;
    struct crossfit_trial *out = job->fit->out;
    const int64_t first = f->first[job->fold], last = first + f->own[job->fold];
    for (int64_t h = first; h < last; h++) {
        const int64_t row = crossfit_row(f, out, job->fold, h);
        memcpy(out->s + row * f->K, f->step_scores + h * f->K, (size_t)f->K * sizeof *out->s);
    }
}

/* Note how likely step number `at` makes the fold's labels.  Is it worth while to go on? */
static bool crossfit_follow_step(void *context, const struct weights *w, int64_t at)
{
    struct crossfit_scoring *job = context;
    const struct crossfit_fit *fit = job->fit;
    const struct crossfit *f = fit->f;
    struct crossfit_path *path = &f->path[job->fold];
    assert(at >= 1 && at <= CROSSFIT_STEPS);
    double *likelihood = path->likelihood[at - 1];
    job->w = w;
    job->decision = at <= CROSSFIT_DECIDED ? fit->out->decision + (at - 1) * fit->out->rows : NULL;
    crossfit_score_fold(job);
    crossfit_sum_judged(f, job->fold, likelihood);
    if (at == 1) {
        path->largest = -INFINITY;
        path->best = at;
    }
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

/* Fit the learner of a fold to the other folds, from the weights that it has, which are kept if the
 * next fit may go on from them. */
static int crossfit_fit_fold(const struct crossfit_fit *fit, int64_t fold, struct error *err)
{
    struct crossfit *f = fit->f;
    struct forward *learner = f->learner[fold];
    struct crossfit_scoring job = {.fit = fit, .fold = fold};
    const bool on_the_way = fit->follows || fit->steps > 0;
    struct forward_minimum minimum = {.epsilon = on_the_way ? FORWARD_EPSILON : fit->epsilon,
                                      .evaluations = CROSSFIT_EVALUATIONS,
                                      .context = &job,
                                      .visit = fit->follows ? crossfit_follow_step : NULL,
                                      .weight = f->options.weight,
                                      .metric = &f->metric,
                                      .threads = f->options.threads};
    forward_change(learner, fit->c, fit->lambda, fit->follows ? 0 : fit->steps);
    if (forward_minimise(learner, f->problem, f->y + f->before, f->subset[fold], f->trained[fold],
                         &minimum, err)
        != 0)
        return -1;
    if (!fit->follows) {
        job.w = forward_minimum_weights(learner);
        crossfit_score_fold(&job);
    }
    if (on_the_way) {
        forward_free(learner);
        f->learner[fold] = NULL;
    }
    return 0;
}

int crossfit_forget(struct crossfit *f, struct error *err)
{
    const struct forward_options learner = forward_usual(0, NULL);
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        forward_free(f->learner[fold]);
        if (!(f->learner[fold] = forward_new(&learner, f->labels, err)))
            return -1;
    }
    return 0;
}

/* Share a table of the trial among the ranks, each of which has written its own examples.  size: of
 * an example. */
static void crossfit_gather(const struct crossfit_fit *fit, void *table, size_t size)
{
    const struct crossfit *f = fit->f;
    if (fit->out == &f->now) {
        reduce_gather(table, size, f->before, f->problem->n);
        return;
    }
    for (int64_t fold = fit->first; fold < fit->last; fold++)
        reduce_gather((char *)table + (size_t)crossfit_row(f, fit->out, fold, 0) * size, size,
                      f->first[fold], f->own[fold]);
}

/* Fits of some folds, one after the other: side by side they take as long, and more memory.  A
 * number of steps means the same only from the same weights, 0. */
static int crossfit_run(const struct crossfit_fit *fit, struct error *err)
{
    struct crossfit *f = fit->f;
    struct crossfit_trial *out = fit->out;
    if ((fit->follows || fit->steps > 0) && crossfit_forget(f, err) != 0)
        return -1;
    em_give_back(&f->em);
    for (int64_t fold = fit->first; fold < fit->last; fold++) {
        if (crossfit_fit_fold(fit, fold, err) != 0)
            return -1;
        progress_step_expected(f->options.progress);
    }
    crossfit_gather(fit, out->s, (size_t)f->K * sizeof *out->s);
    for (int64_t step = 0; fit->follows && step < CROSSFIT_DECIDED; step++)
        crossfit_gather(fit, out->decision + step * out->rows, sizeof *out->decision);
    return em_take(&f->em, err);
}

/* The number of steps, the same for all folds, with the largest likelihood.  out->decided: out. */
static int64_t crossfit_best_steps(const struct crossfit *f, struct crossfit_trial *out)
{
    int64_t made = CROSSFIT_STEPS, best = 1; /* made: by all folds */
    double largest = -INFINITY;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        made = f->path[fold].steps < made ? f->path[fold].steps : made;
    out->decided = made < CROSSFIT_DECIDED ? made : CROSSFIT_DECIDED;
    for (int64_t step = 0; step < made; step++)
        for (int t = 0; t < EM_TEMPERATURES; t++) {
            double likelihood = 0;
            for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
                likelihood += f->path[fold].likelihood[step][t];
            if (likelihood > largest) {
                largest = likelihood;
                best = step + 1;
            }
        }
    return best;
}

/* Fits of folds first .. last-1 through c with lambda number `at`, by f->steps steps. */
static struct crossfit_fit crossfit_plan(struct crossfit *f, const double *c, int64_t at,
                                         int64_t first, int64_t last, struct crossfit_trial *out)
{
    return (struct crossfit_fit){.f = f,
                                 .c = c,
                                 .lambda = crossfit_lambda(f, at),
                                 .epsilon = crossfit_coarse,
                                 .first = first,
                                 .last = last,
                                 .steps = f->steps,
                                 .out = out};
}

/* Such fits.  Where the number of steps is to be chosen, each fold's scores are those of its own
 * best step.  0 or -1. */
static int crossfit_try(struct crossfit *f, const double *c, int64_t at, int64_t first,
                        int64_t last, struct crossfit_trial *out, struct error *err)
{
    struct crossfit_fit fit = crossfit_plan(f, c, at, first, last, out);
    fit.follows = f->stops_early;
    if (crossfit_run(&fit, err) != 0)
        return -1;
    for (int64_t fold = first; fold < last; fold++)
        out->steps[fold] = f->path[fold].best;
    if (f->stops_early && last == CROSSFIT_FOLDS)
        f->steps = crossfit_best_steps(f, out);
    return 0;
}

/* The fits of crossfit_try of the judges for f->other go on to the finer epsilon.  0 or -1. */
static int crossfit_try_further(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    struct crossfit_fit fit = crossfit_plan(f, c, at, 0, f->judges, &f->other);
    fit.epsilon = crossfit_finer;
    return crossfit_run(&fit, err);
}

/* f->now.s of folds first .. last-1 by f->steps steps.  0 or -1. */
static int crossfit_fit(struct crossfit *f, const double *c, int64_t at, int64_t first,
                        int64_t last, struct error *err)
{
    const struct crossfit_fit fit = crossfit_plan(f, c, at, first, last, &f->now);
    return crossfit_run(&fit, err);
}

int crossfit_scores(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    return crossfit_fit(f, c, at, 0, CROSSFIT_FOLDS, err);
}

/* ---- the choice of lambda ---- */

double crossfit_lambda(const struct crossfit *f, int64_t at)
{
    assert(at >= 0 && at < CROSSFIT_GRID);
    return f->options.lambda < 0 ? crossfit_grid[at] : f->options.lambda;
}

/* That of the three temperatures at which a trial makes the labels of the judges likeliest. */
static double crossfit_best_temperature(const struct crossfit *f, const double *c,
                                        const struct crossfit_trial *trial, double *workspace)
{
    double sum[EM_TEMPERATURES] = {0};
    int best = 0;
    for (int64_t fold = 0; fold < f->judges; fold++)
        for (int64_t h = 0; h < f->held_count[fold]; h++) {
            const int64_t i = f->held[fold][h], row = crossfit_row(f, trial, fold, h);
            em_add_likelihoods(f->K, c + f->y[i] * f->K, trial->s + row * f->K,
                               em_weight(&f->em, i), workspace, sum);
        }
    for (int t = 1; t < EM_TEMPERATURES; t++)
        if (sum[t] > sum[best])
            best = t;
    return em_temperatures[best];
}

/* The log-likelihood of the label of a held-out example by a trial.  p: workspace, K. */
static double crossfit_log_likelihood(const struct crossfit *f, const double *c,
                                      const struct crossfit_trial *trial, int64_t fold, int64_t h,
                                      double temperature, double *p)
{
    const int64_t i = f->held[fold][h], row = crossfit_row(f, trial, fold, h);
    return em_log_likelihood(c + f->y[i] * f->K, f->K, trial->s + row * f->K, temperature, p);
}

/* Are the labels of the judges likelier by the scores f->other.s than by f->now.s, each at its best
 * temperature, by more than half a standard error of the difference? */
static bool crossfit_other_is_better(const struct crossfit *f, const double *c)
{
    double *p = f->path[0].workspace, sum = 0, squares = 0;
    const double before = crossfit_best_temperature(f, c, &f->now, p),
                 after = crossfit_best_temperature(f, c, &f->other, p);
    for (int64_t fold = 0; fold < f->judges; fold++)
        for (int64_t h = 0; h < f->held_count[fold]; h++) {
            const double now = crossfit_log_likelihood(f, c, &f->now, fold, h, before, p),
                         other = crossfit_log_likelihood(f, c, &f->other, fold, h, after, p),
                         difference = em_weight(&f->em, f->held[fold][h]) * (other - now);
            sum += difference;
            squares += difference * difference;
        }
    return sum > crossfit_errors * sqrt(squares);
}

/* f->other: the judges with lambda number `at`.  better: out, than f->now.  0 or -1. */
static int crossfit_try_other(struct crossfit *f, const double *c, int64_t at, bool *better,
                              struct error *err)
{
    if (crossfit_try(f, c, at, 0, f->judges, &f->other, err) != 0)
        return -1;
    *better = crossfit_other_is_better(f, c);
    if (*better || f->stops_early || f->steps > 0)
        return 0;
    if (crossfit_try_further(f, c, at, err) != 0)
        return -1;
    *better = crossfit_other_is_better(f, c);
    return 0;
}

/* What f->other has of the judges becomes that of f->now. */
static void crossfit_adopt(struct crossfit *f)
{
    struct crossfit_trial *now = &f->now;
    const struct crossfit_trial *other = &f->other;
    for (int64_t fold = 0; fold < f->judges; fold++) {
        now->steps[fold] = other->steps[fold];
        for (int64_t h = 0; h < f->held_count[fold]; h++) {
            const int64_t to = crossfit_row(f, now, fold, h),
                          from = crossfit_row(f, other, fold, h);
            memcpy(now->s + to * f->K, other->s + from * f->K, (size_t)f->K * sizeof *now->s);
            if (now->decision)
                for (int64_t step = 0; step < CROSSFIT_DECIDED; step++)
                    now->decision[step * now->rows + to] =
                        other->decision[step * other->rows + from];
        }
    }
    now->decided = other->decided;
}

/* From *at along the grid, which way is the sign of the stride, as long as the likelihood clearly
 * grows; where the number of steps is to be chosen, with the folds that do not judge too, whose
 * steps count.  0 or -1. */
static int crossfit_walk(struct crossfit *f, const double *c, int64_t stride, int64_t *at,
                         struct error *err)
{
    int64_t chosen = f->steps;
    for (int64_t next = *at + stride; next >= 0 && next < CROSSFIT_GRID; next += stride) {
        bool better;
        if (crossfit_try_other(f, c, next, &better, err) != 0)
            return -1;
        if (!better) {
            f->steps = chosen; /* not those of the lambda that was tried last */
            return 0;
        }
        crossfit_adopt(f);
        if (f->stops_early && f->judges < CROSSFIT_FOLDS
            && crossfit_try(f, c, next, f->judges, CROSSFIT_FOLDS, &f->now, err) != 0)
            return -1;
        *at = next;
        chosen = f->steps;
    }
    return 0;
}

/* From *at to smaller values or, where the next one is not better, to larger ones.  0 or -1. */
static int crossfit_search(struct crossfit *f, const double *c, int64_t stride, int64_t *at,
                           struct error *err)
{
    const int64_t first = *at;
    if (crossfit_walk(f, c, stride, at, err) != 0)
        return -1;
    return *at == first ? crossfit_walk(f, c, -stride, at, err) : 0;
}

/* In strides of two, a power of ten, where stopping early regularises more than lambda does; if
 * neither neighbour is better so, the values between are tried.  0 or -1. */
static int crossfit_search_grid(struct crossfit *f, const double *c, int64_t *at, struct error *err)
{
    const int64_t first = *at;
    if (f->stops_early && crossfit_search(f, c, 2, at, err) != 0)
        return -1;
    return *at == first ? crossfit_search(f, c, 1, at, err) : 0;
}

/* f->now.s by f->steps steps, of the folds whose own best step is another one.  0 or -1. */
static int crossfit_settle_steps(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    for (int64_t fold = 0; f->stops_early && fold < CROSSFIT_FOLDS; fold++)
        if (f->now.steps[fold] != f->steps && crossfit_fit(f, c, at, fold, fold + 1, err) != 0)
            return -1;
    return 0;
}

int crossfit_choose_steps(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    if (crossfit_try(f, c, at, 0, CROSSFIT_FOLDS, &f->now, err) != 0)
        return -1;
    return crossfit_settle_steps(f, c, at, err);
}

int crossfit_choose_lambda(struct crossfit *f, const double *c, int64_t *at, struct error *err)
{
    const int64_t tried = f->stops_early ? CROSSFIT_FOLDS : f->judges;
    if (crossfit_try(f, c, *at, 0, tried, &f->now, err) != 0)
        return -1;
    if (f->options.lambda < 0 && crossfit_search_grid(f, c, at, err) != 0)
        return -1;
    if (tried < CROSSFIT_FOLDS && crossfit_try(f, c, *at, tried, CROSSFIT_FOLDS, &f->now, err) != 0)
        return -1;
    return crossfit_settle_steps(f, c, *at, err);
}

int64_t crossfit_decide_steps(const struct crossfit *f, const double *c, double *workspace)
{
    const struct crossfit_trial *now = &f->now;
    struct decisions both = {.n = f->n, .K = f->K, .y = f->y, .weight = f->em.weight};
    int64_t chosen = f->steps;
    double ahead = crossfit_decided;
    if (chosen > now->decided)
        return chosen;
    both.first = now->decision + (chosen - 1) * now->rows;
    for (int64_t step = 1; step <= now->decided; step++) {
        both.second = now->decision + (step - 1) * now->rows;
        const double lead = decisions_lead(&both, c, workspace);
        if (lead > ahead) {
            ahead = lead;
            chosen = step;
        }
    }
    return chosen;
}

void crossfit_rename(struct crossfit *f, const int64_t *from)
{
    struct crossfit_trial *now = &f->now;
    double *before = f->path[0].workspace;
    for (int64_t i = 0; i < now->rows; i++) {
        double *s = now->s + i * f->K;
        memcpy(before, s, (size_t)f->K * sizeof *s);
        for (int64_t k = 0; k < f->K; k++)
            s[k] = before[from[k]];
    }
    if (!now->decision)
        return;
    for (int64_t place = 0; place < CROSSFIT_DECIDED * now->rows; place++) {
        int32_t k = 0;
        while (from[k] != now->decision[place])
            k++;
        now->decision[place] = k;
    }
}

void crossfit_expect(const struct crossfit *f, int64_t rounds, int64_t choices, int64_t at)
{
    const int64_t stride = f->stops_early ? 2 : 1, up = (CROSSFIT_GRID - 1 - at) / stride,
                  down = at / stride, settled = f->stops_early ? 1 : 0,
                  tries = f->stops_early ? 1 : 2; /* of a lambda: coarse, finer */
    rounds += (choices + 1) * (1 + settled);
    if (f->options.lambda < 0) /* a step up in vain, then down; the values between */
        rounds += tries * (up > down + 1 ? up : down + 1) + (f->stops_early ? 2 : 0);
    progress_expect(f->options.progress, CROSSFIT_FOLDS * rounds);
}

/* ---- beginning and end ---- */

/* Deal the examples into folds, the same share of each class. */
static int crossfit_split(struct crossfit *f, struct error *err)
{
    if (folds_assign(f->y, f->n, f->K, CROSSFIT_FOLDS, f->options.seed, f->fold, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        struct crossfit_path *path = &f->path[fold];
        if (!(f->subset[fold] = memory_new(f->problem->n, sizeof *f->subset[fold], err)))
            return -1;
        for (int64_t i = 0; i < f->problem->n; i++)
            if (f->fold[f->before + i] != fold)
                f->subset[fold][f->trained[fold]++] = i;
        f->own[fold] = f->problem->n - f->trained[fold];
        f->held_count[fold] = reduce_count(f->own[fold]);
        f->first[fold] = reduce_before(f->own[fold]);
        if (fold > 0)
            f->start[fold] = f->start[fold - 1] + f->held_count[fold - 1];
        if (!(f->held[fold] = memory_new(f->held_count[fold], sizeof *f->held[fold], err)))
            return -1;
        for (int64_t i = 0, h = 0; i < f->n; i++)
            if (f->fold[i] == fold)
                f->held[fold][h++] = i;
        const int64_t own_blocks = crossfit_count_blocks(f->own[fold]),
                      blocks = own_blocks > 0 ? own_blocks
                                              : 1; /* that of fold 0 is used on any rank */
        if (!(path->judged = memory_new(EM_TEMPERATURES * f->held_count[fold], sizeof *path->judged,
                                        err))
            || !(path->workspace = memory_new(blocks * crossfit_block_size(f->K),
                                              sizeof *path->workspace, err)))
            return -1;
    }
    for (int64_t judged = 0; f->judges < CROSSFIT_FOLDS && judged < CROSSFIT_ENOUGH; f->judges++)
        judged += f->held_count[f->judges];
    return 0;
}

/* The tables of a trial with so many rows. */
static int crossfit_make_trial(const struct crossfit *f, int64_t rows, struct crossfit_trial *trial,
                               struct error *err)
{
    trial->rows = rows;
    if (!(trial->s = memory_new(rows * f->K, sizeof *trial->s, err)))
        return -1;
    if (f->stops_early
        && !(trial->decision = memory_new(CROSSFIT_DECIDED * rows, sizeof *trial->decision, err)))
        return -1;
    return 0;
}

/* Make f->now, f->other and f->step_scores. */
static int crossfit_make_trials(struct crossfit *f, struct error *err)
{
    const int64_t last = f->judges - 1, judged = f->start[last] + f->held_count[last];
    int64_t most = 0;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        most = f->held_count[fold] > most ? f->held_count[fold] : most;
    if (crossfit_make_trial(f, f->n, &f->now, err) != 0
        || crossfit_make_trial(f, judged, &f->other, err) != 0)
        return -1;
    if (f->stops_early && !(f->step_scores = memory_new(most * f->K, sizeof *f->step_scores, err)))
        return -1;
    return 0;
}

int crossfit_start(struct crossfit *f, const struct problem *problem, const int32_t *y,
                   const struct labels *labels, const struct crossfit_options *options,
                   struct error *err)
{
    const int64_t n = reduce_count(problem->n), K = labels->count;
    *f = (struct crossfit){.problem = problem,
                           .labels = labels,
                           .options = *options,
                           .n = n,
                           .before = reduce_before(problem->n),
                           .K = K,
                           .steps = options->steps > 0 ? options->steps : 0};
    if (n < CROSSFIT_FOLDS)
        return error_set(
            err, "lambda or a matrix is estimated from %d examples at least; there are %lld",
            CROSSFIT_FOLDS, (long long)n);
    if (!(f->y = memory_new(n, sizeof *f->y, err)))
        goto failed;
    if (problem->n > 0)
        memcpy(f->y + f->before, y, (size_t)problem->n * sizeof *y);
    reduce_gather(f->y, sizeof *f->y, f->before, problem->n);
    if (!(f->fold = memory_new(n, sizeof *f->fold, err))
        || !(f->path = memory_new(CROSSFIT_FOLDS, sizeof *f->path, err))
        || em_start(&f->em, n, K, f->y, f->fold, options->threads, err) != 0)
        goto failed;
    em_weigh(&f->em, options->weight);
    if (crossfit_split(f, err) != 0
        || forward_metric_make(problem, options->weight, &f->metric, options->threads, err) != 0
        || crossfit_forget(f, err) != 0)
        goto failed;
    f->stops_early = options->steps < 0 && !f->metric.moment;
    if (crossfit_make_trials(f, err) != 0)
        goto failed;
    return 0;
failed:
    crossfit_free(f);
    return -1;
}

void crossfit_free(struct crossfit *f)
{
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        memory_free(f->subset[fold]);
        memory_free(f->held[fold]);
        forward_free(f->learner[fold]);
        if (f->path) {
            memory_free(f->path[fold].judged);
            memory_free(f->path[fold].workspace);
        }
    }
    memory_free(f->y);
    memory_free(f->path);
    forward_metric_free(&f->metric);
    memory_free(f->fold);
    memory_free(f->now.s);
    memory_free(f->now.decision);
    memory_free(f->other.s);
    memory_free(f->other.decision);
    memory_free(f->step_scores);
    em_free(&f->em);
    *f = (struct crossfit){0};
}

double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int64_t steps)
{
    /* With several ranks nnz is that of this one, and does not tell. */
    const bool moment = forward_metric_has_moment(d, nnz),
               early = steps < 0 && (reduce_ranks() > 1 || !moment),
               keeps = steps == 0 || reduce_ranks() > 1 || moment; /* learners of all folds */
    const double fold = (double)n / CROSSFIT_FOLDS, K = (double)classes,
                 judged = fmin((double)n, fold + CROSSFIT_ENOUGH),
                 row = 8 * K + (early ? 4 * CROSSFIT_DECIDED : 0),
                 step_scores = early ? 8 * (fold + 1) * K : 0,
                 paths = CROSSFIT_FOLDS * (double)sizeof(struct crossfit_path)
                         + 8 * (double)n * EM_TEMPERATURES
                         + 8 * (double)crossfit_count_blocks(n)
                               * (double)crossfit_block_size(classes),
                 fits = forward_minimum_bytes(n, nnz, classes, d),
                 between = em_bytes(n, classes) + 8 * (double)n + forward_metric_bytes(d, nnz),
                 learners = (keeps ? CROSSFIT_FOLDS : 1)
                            * weights_bytes(weights_columns(classes), d);
    return 8 * (double)n * (2.5 + CROSSFIT_FOLDS) + row * ((double)n + judged) + step_scores + paths
           + learners + fmax(fits, between);
}
