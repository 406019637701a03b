/* The choice of lambda, by the likelihood of held-out labels and by decisions, and of the number of
 * steps.
 *
 *     f->now    a trial of the best lambda so far, in the end of all examples
 *     f->other  a trial of its neighbour on the grid, of the folds that judge
 *
 *     walk      try the neighbour as f->other; while it is better, it becomes f->now
 *     search    walk to smaller values or, where the first one is no better, to larger ones
 *     back      from where the search has ended towards where it began, while the next is better;
 *               only fits to the finer end (below) are compared.  On the way out each lambda is
 *               better for having been fitted further than the one before, too
 *
 * The search begins with a value that suits the size of the features.  One that ends where it began
 * has made five rounds of fits: one with its own lambda, and two with each neighbour, to the coarse
 * end and to the finer one.  Where the number of steps is to be chosen, it goes by decades
 * first, as stopping early regularises more than lambda does, and then has made one round with each
 * of four others, a decade and half a decade away.  The number of steps costs no fits of its own:
 * one search for the weights passes through all of them (crossfit_fits.c).  Of many examples one
 * fold is enough to judge by. */
#include "common/base/order.h"
#include "learners/estimate/crossfit_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Where a fit ends (struct forward_minimum).  Coarser than usual, as these scores only choose and
 * the next fit goes on from there; no reason for the value but that it works.  The fit of another
 * lambda begins where the last one ended, and may be near enough to its minimum before it has
 * moved: before that lambda is rejected, the fit goes on to the finer end.  Measured
 * (experiments/forward/choices.md): the accuracy that .003 for all fits gives, for at most a third
 * of the time that this adds.  The last fits, in other folds, from which nothing goes on, end at
 * the finer one, too. */
static const double crossfit_coarse = 0.03, crossfit_finer = 0.01;

/* Values of lambda, each sqrt(10) times the next. */
static const double crossfit_grid[] = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3,
                                       1e-3, 3.1622776601683795e-4, 1e-4, 3.1622776601683795e-5,
                                       1e-5, 3.1622776601683795e-6, 1e-6, 3.1622776601683795e-7,
                                       1e-7};
enum { CROSSFIT_GRID = sizeof crossfit_grid / sizeof *crossfit_grid };

int64_t crossfit_strongest(const struct crossfit *f)
{
    return -2 * f->decades;
}

double crossfit_lambda(const struct crossfit *f, int64_t at)
{
    double given = f->options.lambda, scale = 1;
    assert(at >= crossfit_strongest(f) && at < CROSSFIT_GRID);
    if (given >= 0) {
        for (int64_t decade = 0; f->options.scales_lambda && decade < f->decades; decade++)
            given *= 10;
        return given;
    }
    for (; at < 0; at += 2)
        scale *= 10;
    return scale * crossfit_grid[at];
}

/* ---- fits with a lambda of the grid ---- */

/* out->steps: the number, the same for so many folds, the first ones, with the largest likelihood;
 * and out->noted. */
static void crossfit_take_best_steps(const struct crossfit *f, int64_t folds,
                                     struct crossfit_trial *out)
{
    int64_t made = CROSSFIT_STEPS; /* by all folds */
    double largest = -INFINITY;
    for (int64_t fold = 0; fold < folds; fold++)
        made = order_least(made, f->fold[fold].path.steps);
    out->noted = order_least(made, CROSSFIT_NOTED);
    out->steps = 1;
    for (int64_t step = 0; step < made; step++)
        for (int t = 0; t < EM_TEMPERATURES; t++) {
            double likelihood = 0;
            for (int64_t fold = 0; fold < folds; fold++)
                likelihood += f->fold[fold].path.likelihood[step][t];
            if (likelihood > largest) {
                largest = likelihood;
                out->steps = step + 1;
            }
        }
}

/* Fits of folds first .. last-1 for a trial, through c, by out->steps steps. */
static struct crossfit_fit crossfit_plan(struct crossfit *f, const double *c, int64_t first,
                                         int64_t last, struct crossfit_trial *out)
{
    return (struct crossfit_fit){.f = f,
                                 .c = c,
                                 .lambda = crossfit_lambda(f, out->at),
                                 .epsilon = f->folds == FOLDS_DEFAULT ? crossfit_coarse
                                                                      : crossfit_finer,
                                 .first = first,
                                 .last = last,
                                 .out = out};
}

/* Such fits.  Where the number of steps is to be chosen, each fold's scores are those of its own
 * best step, and out->steps becomes the best one of folds 0 .. last-1.  0 or -1. */
static int crossfit_try(struct crossfit *f, const double *c, int64_t first, int64_t last,
                        struct crossfit_trial *out, struct error *err)
{
    struct crossfit_fit fit = crossfit_plan(f, c, first, last, out);
    fit.follows = f->stops_early;
    if (crossfit_run(&fit, err) != 0)
        return -1;
    if (!f->stops_early)
        return 0;
    for (int64_t fold = first; fold < last; fold++)
        out->fold_best[fold] = f->fold[fold].path.best;
    crossfit_take_best_steps(f, last, out);
    return 0;
}

/* The scores of so many folds, the first ones, by out->steps steps, where their own best step is
 * another one.  0 or -1. */
static int crossfit_settle_steps(struct crossfit *f, const double *c, int64_t folds,
                                 struct crossfit_trial *out, struct error *err)
{
    if (!f->stops_early)
        return 0;
    for (int64_t fold = 0; fold < folds; fold++) {
        struct crossfit_fit fit = crossfit_plan(f, c, fold, fold + 1, out);
        if (out->fold_best[fold] != out->steps && crossfit_run(&fit, err) != 0)
            return -1;
    }
    return 0;
}

int crossfit_scores(struct crossfit *f, const double *c, struct error *err)
{
    struct crossfit_fit fit = crossfit_plan(f, c, 0, f->folds, &f->now);
    return crossfit_run(&fit, err);
}

int crossfit_choose_steps(struct crossfit *f, const double *c, struct error *err)
{
    if (crossfit_try(f, c, 0, f->folds, &f->now, err) != 0)
        return -1;
    return crossfit_settle_steps(f, c, f->folds, &f->now, err);
}

int crossfit_judge_steps(struct crossfit *f, const double *c, struct error *err)
{
    f->other.at = f->now.at;
    if (crossfit_try(f, c, 0, f->judges, &f->other, err) != 0)
        return -1;
    return crossfit_settle_steps(f, c, f->judges, &f->other, err);
}

/* ---- the search ---- */

/* Do the fits of a trial run to the minimum? */
static bool crossfit_runs_to_minimum(const struct crossfit *f, const struct crossfit_trial *trial)
{
    return !f->stops_early && trial->steps == 0;
}

/* Fits of the judges for a trial, to the minimum, go on to the finer end.  0 or -1. */
static int crossfit_refine(struct crossfit *f, const double *c, struct crossfit_trial *out,
                           struct error *err)
{
    struct crossfit_fit fit = crossfit_plan(f, c, 0, f->judges, out);
    fit.epsilon = crossfit_finer;
    return crossfit_run(&fit, err);
}

/* f->other: the judges with lambda number `at`.  better: out, than f->now.  Fits to the minimum end
 * twice: at the coarse end and, where they are not better there, at the finer one.  0 or -1. */
static int crossfit_try_other(struct crossfit *f, const double *c, int64_t at, bool *better,
                              struct error *err)
{
    f->other.at = at;
    if (crossfit_try(f, c, 0, f->judges, &f->other, err) != 0)
        return -1;
    *better = crossfit_other_is_better(f, c);
    if (*better || !crossfit_runs_to_minimum(f, &f->other))
        return 0;
    if (crossfit_refine(f, c, &f->other, err) != 0)
        return -1;
    *better = crossfit_other_is_better(f, c);
    return 0;
}

/* What f->other has of the judges becomes that of f->now. */
static void crossfit_adopt(struct crossfit *f)
{
    struct crossfit_trial *now = &f->now;
    const struct crossfit_trial *other = &f->other;
    for (int64_t place = 0; place < other->rows; place++) {
        const int64_t i = f->order[place];
        memcpy(now->s + i * f->K, other->s + place * f->K, (size_t)f->K * sizeof *now->s);
        if (now->decision)
            for (int64_t step = 0; step < CROSSFIT_NOTED; step++)
                now->decision[step * now->rows + i] = other->decision[step * other->rows + place];
    }
    memcpy(now->fold_best, other->fold_best, (size_t)f->judges * sizeof *now->fold_best);
    now->at = other->at;
    now->steps = other->steps;
    now->noted = other->noted;
}

/* Along the grid from f->now as long as the next lambda is better; stride: > 0: to smaller values.
 * Where the number of steps is to be chosen, the folds that do not judge are fitted too, as all
 * folds choose it.  0 or -1. */
static int crossfit_walk(struct crossfit *f, const double *c, int64_t stride, struct error *err)
{
    for (int64_t next = f->now.at + stride; next >= crossfit_strongest(f) && next < CROSSFIT_GRID;
         next += stride) {
        bool better;
        if (crossfit_try_other(f, c, next, &better, err) != 0)
            return -1;
        if (!better)
            return 0;
        crossfit_adopt(f);
        if (f->stops_early && f->judges < f->folds
            && crossfit_try(f, c, f->judges, f->folds, &f->now, err) != 0)
            return -1;
    }
    return 0;
}

/* From f->now to smaller values or, where the next one is not better, to larger ones.  0 or -1. */
static int crossfit_search(struct crossfit *f, const double *c, int64_t stride, struct error *err)
{
    const int64_t first = f->now.at;
    if (crossfit_walk(f, c, stride, err) != 0)
        return -1;
    return f->now.at == first ? crossfit_walk(f, c, -stride, err) : 0;
}

/* Back along the grid to lambda number `first` as long as the next one is better, all at the finer
 * end.  0 or -1. */
static int crossfit_walk_back(struct crossfit *f, const double *c, int64_t first, struct error *err)
{
    const int64_t stride = f->now.at > first ? -1 : 1;
    if (crossfit_refine(f, c, &f->now, err) != 0)
        return -1;
    for (int64_t next = f->now.at + stride; next != first + stride; next += stride) {
        f->other.at = next;
        if (crossfit_refine(f, c, &f->other, err) != 0)
            return -1;
        if (!crossfit_other_is_better(f, c))
            return 0;
        crossfit_adopt(f);
    }
    return 0;
}

/* By decades, which are strides of two, where the number of steps is to be chosen; if neither
 * neighbour is better so, the values between are tried.  0 or -1. */
static int crossfit_search_grid(struct crossfit *f, const double *c, struct error *err)
{
    const int64_t first = f->now.at;
    if (f->stops_early && crossfit_search(f, c, 2, err) != 0)
        return -1;
    if (f->now.at == first && crossfit_search(f, c, 1, err) != 0)
        return -1;
    return crossfit_runs_to_minimum(f, &f->now) && f->now.at != first
               ? crossfit_walk_back(f, c, first, err)
               : 0;
}

int crossfit_choose_lambda(struct crossfit *f, const double *c, struct error *err)
{
    const int64_t tried = f->stops_early ? f->folds : f->judges;
    if (crossfit_try(f, c, 0, tried, &f->now, err) != 0)
        return -1;
    if (f->options.lambda < 0 && crossfit_search_grid(f, c, err) != 0)
        return -1;
    if (tried < f->folds && crossfit_try(f, c, tried, f->folds, &f->now, err) != 0)
        return -1;
    return crossfit_settle_steps(f, c, f->folds, &f->now, err);
}

int crossfit_first_lambda(struct crossfit *f, const double *c, struct error *err)
{
    const int64_t lowered = CROSSFIT_FIRST + 2 * f->common,
                  middle = order_least(lowered, CROSSFIT_GRID - 1) - f->decades;
    f->now.at = middle;
    if (f->options.lambda >= 0 || f->decades == 0)
        return 0;
    if (crossfit_try(f, c, 0, f->judges, &f->now, err) != 0)
        return -1;
    for (int64_t sign = -1; sign <= 1; sign += 2) {
        bool better;
        if (crossfit_try_other(f, c, middle + sign * f->decades, &better, err) != 0)
            return -1;
        if (better) {
            f->now.at = f->other.at;
            break;
        }
    }
    return crossfit_forget(f, err);
}

void crossfit_expect(const struct crossfit *f, int64_t rounds, int64_t choices)
{
    const int64_t at = f->now.at, stride = f->stops_early ? 2 : 1,
                  up = (CROSSFIT_GRID - 1 - at) / stride,
                  down = (at - crossfit_strongest(f)) / stride, settled = f->stops_early ? 1 : 0,
                  tries = f->stops_early ? 1
                                         : 3; /* of a lambda: coarse, finer, and on the way back */
    rounds += (choices + 1) * (1 + settled);
    if (f->options.lambda < 0) /* a step up in vain, then down; the values between */
        rounds += tries * (up > down + 1 ? up : down + 1) + (f->stops_early ? 2 : 0);
    progress_expect(f->options.progress, f->folds * rounds);
}
