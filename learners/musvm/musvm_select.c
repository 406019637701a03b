/* Model selection as told in musvm_select.h.
 *
 * Both steps try a list of costs by one criterion: cross-validation (musvm_cross_validation.h), or
 * an estimate of the leave-one-out error from one solution of all samples (span_bound.h). */
#include "learners/musvm/musvm_select.h"

#include "common/base/memory.h"
#include "learners/musvm/musvm_cross_validation.h"
#include "learners/musvm/span_bound.h"

#include <assert.h>

/* A selection under way. */
struct musvm_selection_run {
    const struct musvm_selection *how;
    int64_t steps; /* of progress, in all */
    struct error *err;
};

int64_t musvm_select_trials(const struct musvm_grid *grid, const struct musvm_task *task)
{
    return grid->C_count * grid->gamma_count + (task->m > 0 ? grid->delta_count : 0);
}

/* ---- leave-one-out estimates for a list of costs ---- */

/* The leave-one-out estimate of a part that is solved.  0 or -1. */
static int musvm_bound(const struct musvm_selection_run *s, const struct musvm_part *part,
                       int64_t *wrong)
{
    if (s->how->grid->criterion == SELECT_SPAN)
        return span_bound_theorem(&part->task, &part->options, &part->point, s->how->threads, NULL,
                                  NULL, wrong, s->err);
    return span_bound_local(&part->task, &part->options, &part->point, s->how->threads, NULL, wrong,
                            s->err);
}

/* `wrong` of each trial by the leave-one-out estimate.  One after the other: an estimate's matrices
 * may be as large as memory allows, and its sums take the threads.  cold: as of
 * musvm_cross_validate.  0 or -1. */
static int musvm_estimate_all(const struct musvm_selection_run *s, const struct musvm_task *task,
                              struct musvm_trial *trial, int64_t count, bool cold)
{
    struct musvm_part part = {0};
    int status = -1;
    for (int64_t c = 0; c < count; c++) {
        if (c == 0 || cold) {
            musvm_part_free(&part);
            if (musvm_part_make(s->how->plan, task, s->how->factor, 0, &part, s->err) != 0)
                return -1;
        }
        if (musvm_part_solve(&part, &trial[c].costs, s->err) != 0
            || musvm_bound(s, &part, &trial[c].wrong) != 0)
            goto done;
        if (s->how->progress)
            progress_step(s->how->progress, s->steps);
    }
    status = 0;
done:
    musvm_part_free(&part);
    return status;
}

/* ---- the two steps ---- */

/* `wrong` of each trial by the grid's criterion.  0 or -1. */
static int musvm_try_all(const struct musvm_selection_run *s, const struct musvm_task *task,
                         struct musvm_trial *trial, int64_t count, bool cold)
{
    if (s->how->grid->criterion != SELECT_CV)
        return musvm_estimate_all(s, task, trial, count, cold);
    struct musvm_costs *costs = NULL;
    int64_t *wrong = NULL;
    int status = -1;
    if (!(costs = memory_new(count, sizeof *costs, s->err))
        || !(wrong = memory_new(count, sizeof *wrong, s->err)))
        goto done;
    for (int64_t c = 0; c < count; c++)
        costs[c] = trial[c].costs;
    const struct musvm_validation validation = {.plan = s->how->plan,
                                                .factor = s->how->factor,
                                                .costs = costs,
                                                .count = count,
                                                .cold = cold,
                                                .folds = s->how->grid->folds,
                                                .threads = s->how->threads,
                                                .progress = s->how->progress,
                                                .steps = s->steps};
    if (musvm_cross_validate(&validation, task, wrong, NULL, s->err) != 0)
        goto done;
    for (int64_t c = 0; c < count; c++)
        trial[c].wrong = wrong[c];
    status = 0;
done:
    memory_free(costs);
    memory_free(wrong);
    return status;
}

/* Of the positions 0 .. count-1 that are tied, at least one, the one nearest to the middle between
 * the first and the last; the lower of two. */
static int64_t musvm_middle_of(const bool *tied, int64_t count)
{
    int64_t first = count, last = 0, best = -1, least = 0;
    for (int64_t i = 0; i < count; i++)
        if (tied[i]) {
            first = i < first ? i : first;
            last = i;
        }
    for (int64_t i = first; i <= last; i++) {
        const int64_t twice = 2 * i - first - last, distance = twice < 0 ? -twice : twice;
        if (tied[i] && (best < 0 || distance < least)) {
            best = i;
            least = distance;
        }
    }
    assert(best >= 0);
    return best;
}

/* The best of the first step: trial[g C_count + c].  Of trials with equally few wrong, first the
 * middle gamma, then its middle C.  -1: memory. */
static int64_t musvm_choose_first(const struct musvm_grid *grid, const struct musvm_trial *trial,
                                  struct error *err)
{
    const int64_t C = grid->C_count, G = grid->gamma_count;
    bool *tied = memory_new(C > G ? C : G, sizeof *tied, err);
    if (!tied)
        return -1;
    int64_t least = INT64_MAX;
    for (int64_t t = 0; t < C * G; t++)
        least = trial[t].wrong < least ? trial[t].wrong : least;
    for (int64_t t = 0; t < C * G; t++)
        tied[t / C] |= trial[t].wrong == least;
    const int64_t first = musvm_middle_of(tied, G) * C;
    for (int64_t c = 0; c < C; c++)
        tied[c] = trial[first + c].wrong == least;
    const int64_t chosen = first + musvm_middle_of(tied, C);
    memory_free(tied);
    return chosen;
}

/* Kernel rows for a gamma, unless they are there or weights are used.  0 or -1. */
static int musvm_make_rows(const struct musvm_selection_run *s, double gamma)
{
    struct musvm_kernel_source *source = s->how->source;
    struct kernel *kernel = &source->kernel;
    if (!source->data || (source->rows && !(kernel->gamma < gamma || kernel->gamma > gamma)))
        return 0;
    kernel_rows_free(source->rows);
    kernel->gamma = gamma;
    source->rows = kernel_rows_new(kernel, source->data, source->bytes, s->how->threads, s->err);
    return source->rows ? 0 : -1;
}

/* The first step: C and gamma, without the universum, whose trials stand first.  Then the
 * source's rows are those of the gamma chosen.  The position of the trial chosen, or -1. */
static int64_t musvm_select_first(const struct musvm_selection_run *s,
                                  const struct musvm_task *task, struct musvm_trial *trial)
{
    const struct musvm_grid *grid = s->how->grid;
    const int64_t C = grid->C_count;
    struct musvm_task alone = *task;
    alone.m = 0;
    for (int64_t t = 0; t < C * grid->gamma_count; t++)
        trial[t] = (struct musvm_trial){
            .step = 1, .gamma = grid->gamma[t / C], .costs = {.C = grid->C[t % C]}};
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        if (musvm_make_rows(s, grid->gamma[g]) != 0)
            return -1;
        alone.rows = s->how->source->rows;
        if (musvm_try_all(s, &alone, trial + g * C, C, false) != 0)
            return -1;
    }
    const int64_t chosen = musvm_choose_first(grid, trial, s->err);
    return chosen >= 0 && musvm_make_rows(s, trial[chosen].gamma) == 0 ? chosen : -1;
}

/* The second step: Delta, with the C and gamma of `first`.  trial: out, `count` of them.  The
 * position of the trial chosen, or -1. */
static int64_t musvm_select_second(const struct musvm_selection_run *s,
                                   const struct musvm_task *task, const struct musvm_trial *first,
                                   struct musvm_trial *trial, int64_t count)
{
    const struct musvm_grid *grid = s->how->grid;
    struct musvm_task with_universum = *task;
    with_universum.rows = s->how->source->rows;
    for (int64_t t = 0; t < count; t++)
        trial[t] = (struct musvm_trial){
            .step = 2,
            .gamma = first->gamma,
            .costs = {.C = first->costs.C, .C_star = grid->C_star, .delta = grid->delta[t]}};
    if (musvm_try_all(s, &with_universum, trial, count, true) != 0)
        return -1;
    int64_t chosen = 0;
    for (int64_t t = 0; t < count; t++)
        if (trial[t].wrong <= trial[chosen].wrong) /* of equals the last, the largest Delta */
            chosen = t;
    return chosen;
}

int musvm_select(const struct musvm_selection *how, const struct musvm_task *task,
                 struct musvm_trial *trial, struct musvm_costs *costs, struct error *err)
{
    const struct musvm_grid *grid = how->grid;
    const int64_t first_step = grid->C_count * grid->gamma_count,
                  all = musvm_select_trials(grid, task),
                  jobs = grid->folds * musvm_parts(how->plan, task->classes);
    const struct musvm_selection_run s = {
        .how = how,
        .steps = grid->criterion == SELECT_CV ? jobs * (grid->gamma_count + all - first_step) : all,
        .err = err};

    int64_t chosen = musvm_select_first(&s, task, trial);
    if (chosen < 0)
        return -1;
    trial[chosen].chosen = true;
    *costs = trial[chosen].costs;
    if (all == first_step)
        return 0;
    struct musvm_trial *second = trial + first_step;
    chosen = musvm_select_second(&s, task, &trial[chosen], second, all - first_step);
    if (chosen < 0)
        return -1;
    second[chosen].chosen = true;
    *costs = second[chosen].costs;
    return 0;
}
