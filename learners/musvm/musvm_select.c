#include "learners/musvm/musvm_select.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "learners/musvm/musvm_validate.h"
#include "learners/musvm/span_bound.h"

struct selection {
    const struct musvm_plan *plan;
    const double *factor;
    const struct musvm_grid *grid;
    int threads;
    struct progress *progress;
    int64_t steps; /* of progress, in all */
    struct error *err;
};

int64_t musvm_select_trials(const struct musvm_grid *grid, const struct musvm_task *task)
{
    return grid->C_count * grid->gamma_count + (task->m > 0 ? grid->delta_count : 0);
}

/* ---- leave-one-out estimates along a list of costs ---- */

struct estimation {
    const struct selection *s;
    const struct musvm_task *task;
    struct musvm_trial *trial;
    int64_t count;
    bool apart;
    struct error *error; /* a job; message "" when all is well */
};

static void estimate(void *context, int64_t job)
{
    const struct estimation *e = context;
    const struct selection *s = e->s;
    const int64_t first = e->apart ? job : 0, last = e->apart ? job + 1 : e->count;
    const int threads = e->apart ? 1 : s->threads;
    struct error *err = &e->error[job];
    struct musvm_part part;
    int status = musvm_part_make(s->plan, e->task, s->factor, 0, &part, err);
    for (int64_t c = first; c < last && status == 0; c++) {
        int64_t *wrong = &e->trial[c].wrong;
        status = musvm_part_solve(&part, &e->trial[c].costs, err);
        if (status == 0)
            status = s->grid->criterion == SELECT_SPAN
                         ? span_bound_theorem(&part.task, &part.options, &part.point, threads, NULL,
                                              NULL, wrong, err)
                         : span_bound_local(&part.task, &part.options, &part.point, threads, NULL,
                                            wrong, err);
        if (s->progress)
            progress_step(s->progress, s->steps);
    }
    musvm_part_free(&part);
}

static int estimate_all(const struct selection *s, const struct musvm_task *task,
                        struct musvm_trial *trial, int64_t count, bool apart)
{
    struct estimation e = {.s = s, .task = task, .trial = trial, .count = count, .apart = apart};
    const int64_t jobs = apart ? count : 1;
    int status = (e.error = memory_new(jobs, sizeof *e.error, s->err)) ? 0 : -1;
    if (status == 0)
        parallel_for(kernel_rows_whole(task->rows) ? s->threads : 1, jobs, estimate, &e);
    for (int64_t job = 0; job < jobs && status == 0; job++)
        status = error_take(&e.error[job], s->err);
    memory_free(e.error);
    return status;
}

/* ---- the two steps ---- */

static int try_all(const struct selection *s, const struct musvm_task *task,
                   struct musvm_trial *trial, int64_t count, bool apart)
{
    if (s->grid->criterion != SELECT_CV)
        return estimate_all(s, task, trial, count, apart);
    struct musvm_costs *costs = memory_new(count, sizeof *costs, s->err);
    int64_t *wrong = costs ? memory_new(count, sizeof *wrong, s->err) : NULL;
    for (int64_t c = 0; c < count && wrong; c++)
        costs[c] = trial[c].costs;
    int status = wrong ? musvm_cross_validate(s->plan, task, s->factor, costs, count, apart,
                                              s->grid->folds, s->threads, s->progress, s->steps,
                                              wrong, s->err)
                       : -1;
    for (int64_t c = 0; c < count && status == 0; c++)
        trial[c].wrong = wrong[c];
    memory_free(costs);
    memory_free(wrong);
    return status;
}

/* Of the positions 0 .. count-1 that are tied, the one nearest to the middle between the first and
 * the last; the lower of two. */
static int64_t middle_of(const bool *tied, int64_t count)
{
    int64_t first = count, last = 0, best = -1;
    for (int64_t i = 0; i < count; i++)
        if (tied[i]) {
            first = i < first ? i : first;
            last = i;
        }
    for (int64_t i = first; i <= last; i++) {
        int64_t off = 2 * i - first - last, least = 2 * best - first - last;
        if (tied[i] && (best < 0 || (off < 0 ? -off : off) < (least < 0 ? -least : least)))
            best = i;
    }
    return best;
}

/* The best of the first step: trial[g C_count + c].  -1: memory. */
static int64_t choose_first(const struct musvm_grid *grid, const struct musvm_trial *trial,
                            struct error *err)
{
    const int64_t C = grid->C_count, G = grid->gamma_count;
    bool *tied = memory_new(C > G ? C : G, sizeof *tied, err);
    int64_t least = INT64_MAX, chosen = -1;
    for (int64_t t = 0; t < C * G; t++)
        least = trial[t].wrong < least ? trial[t].wrong : least;
    if (tied) {
        for (int64_t t = 0; t < C * G; t++)
            tied[t / C] |= trial[t].wrong == least;
        chosen = middle_of(tied, G) * C;
        for (int64_t c = 0; c < C; c++)
            tied[c] = trial[chosen + c].wrong == least;
        chosen += middle_of(tied, C);
    }
    memory_free(tied);
    return chosen;
}

/* Rows for a gamma, unless they are there. */
static int make_rows(const struct selection *s, struct musvm_kernel_source *source, double gamma)
{
    struct kernel *kernel = &source->kernel;
    if (!source->data || (source->rows && !(kernel->gamma < gamma || kernel->gamma > gamma)))
        return 0;
    kernel_rows_free(source->rows);
    kernel->gamma = gamma;
    source->rows = kernel_rows_new(kernel, source->data, source->bytes, s->threads, s->err);
    return source->rows ? 0 : -1;
}

int musvm_select(const struct musvm_plan *plan, const struct musvm_task *task, const double *factor,
                 const struct musvm_grid *grid, struct musvm_kernel_source *source, int threads,
                 struct progress *progress, struct musvm_trial *trial, struct musvm_costs *costs,
                 struct error *err)
{
    const int64_t C = grid->C_count, first_step = C * grid->gamma_count,
                  all = musvm_select_trials(grid, task);
    struct selection s = {.plan = plan,
                          .factor = factor,
                          .grid = grid,
                          .threads = threads,
                          .progress = progress,
                          .err = err};
    struct musvm_task with = *task;
    int64_t jobs = grid->folds * musvm_parts(plan, task->classes);
    s.steps = grid->criterion == SELECT_CV ? jobs * (grid->gamma_count + all - first_step) : all;
    with.m = 0;
    for (int64_t t = 0; t < first_step; t++)
        trial[t] = (struct musvm_trial){
            .step = 1, .gamma = grid->gamma[t / C], .costs = {.C = grid->C[t % C]}};
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        if (make_rows(&s, source, grid->gamma[g]) != 0)
            return -1;
        with.rows = source->rows;
        if (try_all(&s, &with, trial + g * C, C, false) != 0)
            return -1;
    }
    int64_t chosen = choose_first(grid, trial, err);
    if (chosen < 0 || make_rows(&s, source, trial[chosen].gamma) != 0)
        return -1;
    trial[chosen].chosen = true;
    *costs = trial[chosen].costs;
    if (all == first_step)
        return 0;

    with = *task;
    with.rows = source->rows;
    for (int64_t t = first_step; t < all; t++)
        trial[t] = (struct musvm_trial){
            .step = 2,
            .gamma = trial[chosen].gamma,
            .costs = {.C = costs->C, .C_star = grid->C_star, .delta = grid->delta[t - first_step]}};
    if (try_all(&s, &with, trial + first_step, all - first_step, true) != 0)
        return -1;
    chosen = first_step;
    for (int64_t t = first_step; t < all; t++)
        if (trial[t].wrong <= trial[chosen].wrong)
            chosen = t;
    trial[chosen].chosen = true;
    *costs = trial[chosen].costs;
    return 0;
}
