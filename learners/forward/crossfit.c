/* Cross-fitting, and the choice of lambda and of the number of steps by held-out likelihood.
 *
 * Lambda is searched for on a grid, from where the last search ended and only as far as the
 * likelihood grows: it hardly changes while EM changes the matrix, so most searches are three fits
 * long.  The number of steps costs no fits of its own: one path of L-BFGS passes through all of
 * them, and each step's likelihood is noted on the way, at a coarse grid of temperatures. */
#include "learners/forward/crossfit.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"
#include "learners/forward/forward_minimum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CROSSFIT_EVALUATIONS = 200, /* of a fit, at most: no reason but that it works */
    CROSSFIT_PATIENCE = 6 /* steps since the best one before a path is left: no reason but that it
                             works */
};
/* Where a fit ends (struct forward_minimum).  Coarser than usual, as these scores only choose and
 * the next fit goes on from there; no reason for the value but that it works. */
static const double crossfit_epsilon = 0.03;

/* Values of lambda, each sqrt(10) of the next. */
static const double crossfit_grid[] = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3,
                                       1e-3, 3.1622776601683795e-4, 1e-4, 3.1622776601683795e-5,
                                       1e-5, 3.1622776601683795e-6, 1e-6, 3.1622776601683795e-7,
                                       1e-7};
enum { CROSSFIT_GRID = sizeof crossfit_grid / sizeof *crossfit_grid };

/* ---- fits ---- */

/* What the fits of all folds are asked for. */
struct crossfit_fit {
    const struct crossfit *f;
    const double *c;
    double lambda;
    int64_t steps; /* as in struct crossfit_options, not < 0 */
    bool follows;  /* note the likelihood of each step in the paths; `out` is workspace then */
    double *out;   /* n x K: the scores */
    struct error error[CROSSFIT_FOLDS]; /* message "" when all is well */
};

/* s: out, K: the scores of x, less the largest.  workspace: stride of w. */
static void crossfit_put_scores(const struct weights *w, const struct example *x, int64_t K,
                                double *workspace, double *s)
{
    double largest = -INFINITY;
    weights_scores(w, x, workspace);
    for (int64_t k = 0; k < K; k++) {
        if (K > 2)
            s[k] = workspace[k];
        else
            s[k] = k == 1 ? workspace[0] : 0;
        largest = s[k] > largest ? s[k] : largest;
    }
    for (int64_t k = 0; k < K; k++)
        s[k] -= largest;
}

/* A step on the path of a fold's fit. */
struct crossfit_step {
    const struct crossfit_fit *fit;
    struct crossfit_path *path;
    int64_t fold;
    const struct weights *w;
};

static int64_t crossfit_count_blocks(int64_t n)
{
    return (n + EM_BLOCK - 1) / EM_BLOCK;
}

/* Numbers of a path's workspace for each block: its sums, and scores of an example. */
static int64_t crossfit_block_size(int64_t K)
{
    return EM_TEMPERATURES + weights_narrow(weights_columns(K));
}

/* Log-likelihoods of those examples of a block that the fold holds. */
static void crossfit_follow_block(void *context, int64_t block)
{
    const struct crossfit_step *step = context;
    const struct crossfit_fit *fit = step->fit;
    const struct crossfit *f = fit->f;
    const int64_t K = f->K;
    int64_t last = (block + 1) * EM_BLOCK;
    if (last > f->n)
        last = f->n;
    double *sum = step->path->workspace + block * crossfit_block_size(K);
    memset(sum, 0, EM_TEMPERATURES * sizeof *sum);
    for (int64_t i = block * EM_BLOCK; i < last; i++) {
        if (f->fold[i] != step->fold)
            continue;
        const struct example x = problem_example(f->problem, i);
        crossfit_put_scores(step->w, &x, K, sum + EM_TEMPERATURES, fit->out + i * K);
        for (int t = 0; t < EM_TEMPERATURES; t++)
            sum[t] += em_log_likelihood(fit->c + f->y[i] * K, K, fit->out + i * K,
                                        f->em.temperatures[t], f->em.p + i * K);
    }
}

/* Note how likely step number `at` makes the fold's labels.  Is it worth while to go on? */
static bool crossfit_follow_step(void *context, const struct weights *w, int64_t at)
{
    struct crossfit_step *step = context;
    const struct crossfit *f = step->fit->f;
    struct crossfit_path *path = step->path;
    const int64_t blocks = crossfit_count_blocks(f->n);
    assert(at >= 1 && at <= CROSSFIT_STEPS);
    double *likelihood = path->likelihood[at - 1];
    step->w = w;
    parallel_for(f->options.threads / f->at_once, blocks, crossfit_follow_block, step);
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        likelihood[t] = 0;
        for (int64_t b = 0; b < blocks; b++)
            likelihood[t] += path->workspace[b * crossfit_block_size(f->K) + t];
        if (path->steps == 0 || likelihood[t] > path->largest) {
            path->largest = likelihood[t];
            path->best = at;
        }
        path->steps = at;
    }
    return at < CROSSFIT_STEPS && at - path->best < CROSSFIT_PATIENCE;
}

/* Scores of the fold's examples by its learner. */
static int crossfit_score_fold(const struct crossfit_fit *fit, int64_t fold, struct error *err)
{
    const struct crossfit *f = fit->f;
    struct weights w = {0};
    double *workspace = NULL;
    int status = -1;
    if (forward_weights(f->learner[fold], &w, err) != 0
        || !(workspace = memory_new(w.stride, sizeof *workspace, err)))
        goto done;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->fold[i] != fold)
            continue;
        const struct example x = problem_example(f->problem, i);
        crossfit_put_scores(&w, &x, f->K, workspace, fit->out + i * f->K);
    }
    status = 0;
done:
    memory_free(workspace);
    weights_free(&w);
    return status;
}

/* Fit the learner of a fold to the other folds, from the weights that it has. */
static void crossfit_fit_fold(void *context, int64_t fold)
{
    struct crossfit_fit *fit = context;
    const struct crossfit *f = fit->f;
    struct error *err = &fit->error[fold];
    struct forward *learner = f->learner[fold];
    struct crossfit_step step = {.fit = fit, .path = &f->path[fold], .fold = fold};
    const bool on_the_way = fit->follows || fit->steps > 0;
    struct forward_minimum minimum = {.epsilon = on_the_way ? FORWARD_EPSILON : crossfit_epsilon,
                                      .evaluations = CROSSFIT_EVALUATIONS,
                                      .context = &step,
                                      .visit = fit->follows ? crossfit_follow_step : NULL,
                                      .second_moment = f->second_moment,
                                      .threads = f->options.threads / f->at_once};
    step.path->steps = 0;
    forward_change(learner, fit->c, fit->lambda, fit->follows ? 0 : fit->steps);
    if (forward_minimise(learner, f->problem, f->y, f->subset[fold], f->trained[fold], &minimum,
                         err)
        != 0)
        return;
    if (!fit->follows)
        crossfit_score_fold(fit, fold, err); /* err says whether it failed */
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

/* The fits of all folds.  A number of steps means the same only from the same weights, 0. */
static int crossfit_run(struct crossfit *f, struct crossfit_fit *fit, struct error *err)
{
    struct progress *progress = f->options.progress;
    if ((fit->follows || fit->steps > 0) && crossfit_forget(f, err) != 0)
        return -1;
    parallel_for(f->at_once, CROSSFIT_FOLDS, crossfit_fit_fold, fit);
    if (progress)
        progress_update(progress, ++progress->steps, -1);
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        if (error_take(&fit->error[fold], err) != 0)
            return -1;
    return 0;
}

/* ---- held-out likelihoods ---- */

/* Fit through c with lambda number `at` and f->steps; scores to `out` (f->s or f->other).  Returns
 * their likelihood at its best temperature, or NAN with err. */
static double crossfit_score(struct crossfit *f, const double *c, int64_t at, double *out,
                             struct error *err)
{
    struct crossfit_fit fit = {
        .f = f, .c = c, .lambda = crossfit_lambda(f, at), .steps = f->steps, .out = out};
    double temperature;
    if (crossfit_run(f, &fit, err) != 0)
        return NAN;
    return em_temperature(&f->em, out, c, 0, NULL, &temperature);
}

/* The number of steps, the same for all folds, with the largest likelihood: *steps, out.
 * workspace: n x K.  Returns that likelihood, or NAN with err. */
static double crossfit_follow(struct crossfit *f, const double *c, int64_t at, double *workspace,
                              int64_t *steps, struct error *err)
{
    struct crossfit_fit fit = {
        .f = f, .c = c, .lambda = crossfit_lambda(f, at), .follows = true, .out = workspace};
    int64_t made = CROSSFIT_STEPS; /* by all folds */
    double largest = -INFINITY;
    if (crossfit_run(f, &fit, err) != 0)
        return NAN;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        made = f->path[fold].steps < made ? f->path[fold].steps : made;
    for (int64_t step = 0; step < made; step++)
        for (int t = 0; t < EM_TEMPERATURES; t++) {
            double likelihood = 0;
            for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
                likelihood += f->path[fold].likelihood[step][t];
            if (likelihood > largest) {
                largest = likelihood;
                *steps = step + 1;
            }
        }
    return largest / (double)f->n;
}

/* ---- the choice of lambda ---- */

double crossfit_lambda(const struct crossfit *f, int64_t at)
{
    assert(at >= 0 && at < CROSSFIT_GRID);
    return f->options.lambda < 0 ? crossfit_grid[at] : f->options.lambda;
}

/* A lambda and what it is worth. */
struct crossfit_choice {
    int64_t at, steps;
    double likelihood;
};

/* How likely lambda choice->at makes the labels, with its best number of steps where that is to be
 * chosen; where not, the scores are in `out`.  0 or -1. */
static int crossfit_evaluate(struct crossfit *f, const double *c, struct crossfit_choice *choice,
                             double *out, struct error *err)
{
    choice->steps = f->steps;
    if (f->stops_early)
        choice->likelihood = crossfit_follow(f, c, choice->at, out, &choice->steps, err);
    else
        choice->likelihood = crossfit_score(f, c, choice->at, out, err);
    return isnan(choice->likelihood) ? -1 : 0;
}

/* Along the grid in one direction as long as the likelihood grows; best: in, out, its scores are in
 * f->s.  0 or -1. */
static int crossfit_walk(struct crossfit *f, const double *c, int64_t direction,
                         struct crossfit_choice *best, struct error *err)
{
    for (int64_t at = best->at + direction; at >= 0 && at < CROSSFIT_GRID; at += direction) {
        struct crossfit_choice next = {.at = at};
        if (crossfit_evaluate(f, c, &next, f->other, err) != 0)
            return -1;
        if (!(next.likelihood > best->likelihood))
            return 0;
        *best = next;
        double *swap = f->s;
        f->s = f->other;
        f->other = swap;
    }
    return 0;
}

double crossfit_choose_lambda(struct crossfit *f, const double *c, int64_t *at, struct error *err)
{
    struct crossfit_choice best = {.at = *at};
    if (crossfit_evaluate(f, c, &best, f->s, err) != 0)
        return NAN;
    if (f->options.lambda < 0) {
        if (crossfit_walk(f, c, +1, &best, err) != 0)
            return NAN;
        if (best.at == *at && crossfit_walk(f, c, -1, &best, err) != 0)
            return NAN;
    }
    *at = best.at;
    f->steps = best.steps;
    if (f->stops_early) /* a path leaves no scores: fit again with the number of steps */
        return crossfit_score(f, c, *at, f->s, err);
    return best.likelihood;
}

double crossfit_choose_steps(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    if (f->stops_early && isnan(crossfit_follow(f, c, at, f->s, &f->steps, err)))
        return NAN;
    return crossfit_score(f, c, at, f->s, err);
}

/* ---- beginning and end ---- */

/* Deal the examples into folds, the same share of each class. */
static int crossfit_split(struct crossfit *f, struct error *err)
{
    const int64_t path_size = crossfit_count_blocks(f->n) * crossfit_block_size(f->K);
    if (folds_assign(f->y, f->n, f->K, CROSSFIT_FOLDS, f->options.seed, f->fold, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        struct crossfit_path *path = &f->path[fold];
        if (!(f->subset[fold] = memory_new(f->n, sizeof *f->subset[fold], err))
            || !(path->workspace = memory_new(path_size, sizeof *path->workspace, err)))
            return -1;
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] != fold)
                f->subset[fold][f->trained[fold]++] = i;
    }
    return 0;
}

static int crossfit_fits_at_once(int threads)
{
    return threads < CROSSFIT_FOLDS ? 1 : CROSSFIT_FOLDS;
}

int crossfit_start(struct crossfit *f, const struct problem *problem, const int32_t *y,
                   const struct labels *labels, const struct crossfit_options *options,
                   struct error *err)
{
    const int64_t n = problem->n, K = labels->count;
    *f = (struct crossfit){.problem = problem,
                           .y = y,
                           .labels = labels,
                           .options = *options,
                           .n = n,
                           .K = K,
                           .at_once = crossfit_fits_at_once(options->threads),
                           .steps = options->steps > 0 ? options->steps : 0};
    if (n < CROSSFIT_FOLDS)
        return error_set(
            err, "lambda or a matrix is estimated from %d examples at least; there are %lld",
            CROSSFIT_FOLDS, (long long)n);
    if (!(f->fold = memory_new(n, sizeof *f->fold, err))
        || !(f->s = memory_new(n * K, sizeof *f->s, err))
        || !(f->other = memory_new(n * K, sizeof *f->other, err))
        || !(f->path = memory_new(CROSSFIT_FOLDS, sizeof *f->path, err))
        || em_start(&f->em, n, K, y, f->fold, options->threads, err) != 0)
        goto failed;
    if (crossfit_split(f, err) != 0 || forward_second_moment(problem, &f->second_moment, err) != 0
        || crossfit_forget(f, err) != 0)
        goto failed;
    f->stops_early = options->steps < 0 && !f->second_moment;
    return 0;
failed:
    crossfit_free(f);
    return -1;
}

void crossfit_free(struct crossfit *f)
{
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        memory_free(f->subset[fold]);
        forward_free(f->learner[fold]);
        if (f->path)
            memory_free(f->path[fold].workspace);
    }
    memory_free(f->path);
    memory_free(f->second_moment);
    memory_free(f->fold);
    memory_free(f->s);
    memory_free(f->other);
    em_free(&f->em);
    *f = (struct crossfit){0};
}

double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads)
{
    const double path = (double)sizeof(struct crossfit_path)
                        + 8 * (double)crossfit_count_blocks(n)
                              * (double)crossfit_block_size(classes);
    return 8 * (double)n * (2 * (double)classes + 1 + CROSSFIT_FOLDS) + em_bytes(n, classes)
           + CROSSFIT_FOLDS * (forward_bytes(classes, d) + path)
           + crossfit_fits_at_once(threads) * forward_minimum_bytes(nnz, classes, d);
}
