/* Cross-validation (learners/musvm/musvm_cross_validation.h) and the selection of C, gamma and
 * Delta (learners/musvm/musvm_select.h): several costs at once against one by one, as many folds as
 * samples against machines with one left out, each trial against a run of its own, the choice
 * against a loop over the trials. */
#include "check.h"
#include "learners/musvm/musvm_cross_validation.h"
#include "learners/musvm/musvm_machine.h"
#include "learners/musvm/musvm_select.h"
#include "learners/musvm/span_bound.h"
#include "musvm_sets.h"

#include <stdlib.h>
#include <string.h>

/* ---- cross-validation ---- */

static int64_t validate(const char *name, const struct musvm_plan *plan,
                        const struct musvm_task *task, const double *factor,
                        const struct musvm_costs *costs, int64_t folds)
{
    struct error err = {.line = 0};
    int64_t wrong = -1;
    const struct musvm_validation how = {.plan = plan,
                                         .factor = factor,
                                         .costs = costs,
                                         .count = 1,
                                         .cold = true,
                                         .folds = folds,
                                         .threads = 1};
    CHECK_INT(musvm_cross_validate(&how, task, &wrong, NULL, &err), 0, "%s: %s", name, err.message);
    return wrong;
}

/* Several costs at once: together, apart, from the one before, on more threads, with two rows: the
 * same counts as one by one. */
static void test_cross_validation(void)
{
    enum { COSTS = 5 };
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO + 1; scheme++) {
        const bool semi = scheme > MUSVM_OVO;
        check_group("cross-validation of several costs, %s", semi ? "semi-supervised"
                                                             : scheme == MUSVM_WHOLE ? "whole"
                                                             : scheme == MUSVM_OVA   ? "ova"
                                                                                     : "ovo");
        for (int k = 0; k < 2; k++) {
            struct set set;
            struct error err = {.line = 0};
            struct musvm_costs costs[COSTS];
            int64_t alone[COSTS], wrong[COSTS];
            make_set(1000, 24, semi ? 12 : 6, 3, 1.2, k == 0 ? linear : rbf, &set);
            struct musvm_plan plan = plan_of(semi ? MUSVM_OVA : (enum musvm_scheme)scheme, &set,
                                             1e-8);
            plan.semi = semi;
            struct kernel_rows *whole = rows_of(&set, 1e9), *two = rows_of(&set, 0);
            const struct musvm_task task = task_of(&set, whole), slow = task_of(&set, two),
                                    weights = task_of(&set, NULL);
            for (int c = 0; c < COSTS; c++) {
                costs[c] = (struct musvm_costs){
                    .C = pow(4, c - 2),
                    .C_star = c % 2 ? -1 : 0.1 * c,
                    .delta = 0.2 + 0.1 * (c / 2)}; /* f = 0 would be a tie */
                alone[c] = validate("alone", &plan, &task, set.factor, &costs[c], 4);
                CHECK(alone[c] > 0 && alone[c] < set.n, "costs %d: %d are wrong: a poor test", c,
                      (int)alone[c]);
            }
            for (int way = 0; way < 12; way++) {
                const struct musvm_task *t = way % 4 == 3 && k == 0 ? &weights
                                             : way % 4 == 2         ? &slow
                                                                    : &task;
                int threads = way % 4 == 0 ? 1 : way % 4 == 1 ? 2 : 5;
                memset(wrong, 0, sizeof wrong);
                const struct musvm_validation how = {.plan = &plan,
                                                     .factor = set.factor,
                                                     .costs = costs,
                                                     .count = COSTS,
                                                     .cold = way >= 6,
                                                     .folds = 4,
                                                     .threads = threads};
                CHECK_INT(musvm_cross_validate(&how, t, wrong, NULL, &err), 0, "%s", err.message);
                for (int c = 0; c < COSTS; c++)
                    CHECK_INT(wrong[c], alone[c], "kernel %d, way %d, costs %d", k, way, c);
            }
            kernel_rows_free(whole);
            kernel_rows_free(two);
            free_set(&set);
        }
    }
}

/* As many folds as samples leave one out each, whole classes of a fold are missing; more folds are
 * an error. */
static void test_folds(void)
{
    check_group("as many folds as samples, and more");
    struct set set;
    struct error err = {.line = 0};
    int64_t wrong;
    make_set(1100, 9, 3, 3, 3, rbf, &set);
    struct kernel_rows *rows = rows_of(&set, 1e9);
    const struct musvm_task task = task_of(&set, rows);
    const struct musvm_costs costs = {.C = 1, .C_star = -1};
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO; scheme++) {
        const struct musvm_plan plan = plan_of((enum musvm_scheme)scheme, &set, 1e-8);
        int64_t nine = validate("nine folds", &plan, &task, NULL, &costs, 9), truth = 0;
        const struct musvm_validation how = {
            .plan = &plan, .costs = &costs, .count = 1, .cold = true, .folds = 10, .threads = 1};
        CHECK_INT(musvm_cross_validate(&how, &task, &wrong, NULL, &err), -1,
                  "10 folds of 9 samples");
        for (int64_t t = 0; t < set.n; t++) {
            double factor[MOST], f[MOST_COLUMNS], votes[MOST_CLASSES];
            struct musvm_machine machine = {.coef = NULL};
            for (int64_t i = 0; i < set.n; i++)
                factor[i] = i != t;
            if (train("one left out", &plan, &task, factor, &costs, 1, &machine)) {
                for (int64_t c = 0; c < machine.columns; c++) {
                    f[c] = 0;
                    for (int64_t i = 0; i < set.n + set.m; i++)
                        f[c] += machine.coef[i * machine.columns + c]
                                * set.k[t * (set.n + set.m) + i];
                }
                truth += musvm_decide(&plan, set.K, f, votes) != set.y[t];
            }
            musvm_machine_free(&machine);
        }
        CHECK_INT(nine, truth, "scheme %d: nine folds", scheme);
    }
    kernel_rows_free(rows);
    free_set(&set);
}

/* ---- selection ---- */

/* Is b at least as near to the middle of first and last as any other tied place? */
static bool is_nearest(const bool *tied, int64_t count, int64_t chosen)
{
    int64_t first = count, last = -1;
    for (int64_t i = 0; i < count; i++) {
        if (tied[i]) {
            first = first < i ? first : i;
            last = i;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (tied[i] && llabs(2 * i - first - last) < llabs(2 * chosen - first - last))
            return false;
    }
    return tied[chosen];
}

enum { CS = 5, GAMMAS = 3, DELTAS = 3, TRIALS = CS * GAMMAS + DELTAS };
static const double grid_C[CS] = {0.01, 0.1, 1, 10, 100}, grid_gamma[GAMMAS] = {0.05, 0.3, 2},
                    grid_delta[DELTAS] = {0, 0.1, 0.4};

static void check_choice(const char *name, const struct musvm_grid *grid,
                         const struct musvm_trial *trial, int64_t m,
                         const struct musvm_costs *chosen, double gamma)
{
    const int64_t first_step = grid->gamma_count * grid->C_count;
    int64_t least = INT64_MAX, at_gamma = -1, at_C = -1, at_delta = -1, count = 0;
    bool tied[CS * GAMMAS];
    int64_t wrong[GAMMAS][CS], seen = 0;
    for (int64_t t = 0; t < first_step; t++) {
        int64_t g = 0, c = 0;
        while (g < grid->gamma_count - 1
               && (grid->gamma[g] < trial[t].gamma || trial[t].gamma < grid->gamma[g]))
            g++;
        while (c < grid->C_count - 1 && grid->C[c] < trial[t].costs.C)
            c++;
        CHECK_INT(trial[t].step, 1, "%s: step of trial %d", name, (int)t);
        wrong[g][c] = trial[t].wrong;
        seen |= INT64_C(1) << (g * CS + c);
        least = trial[t].wrong < least ? trial[t].wrong : least;
        count += trial[t].chosen;
        if (trial[t].chosen) {
            at_gamma = g;
            at_C = c;
        }
    }
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        for (int64_t c = 0; c < grid->C_count; c++)
            CHECK(seen >> (g * CS + c) & 1, "%s: gamma %d, C %d was not tried", name, (int)g,
                  (int)c);
    }
    CHECK_INT(count, 1, "%s: chosen in step 1", name);
    if (count != 1)
        return;
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        tied[g] = false;
        for (int64_t c = 0; c < grid->C_count; c++)
            tied[g] = tied[g] || wrong[g][c] == least;
    }
    CHECK(is_nearest(tied, grid->gamma_count, at_gamma), "%s: gamma %d was chosen", name,
          (int)at_gamma);
    for (int64_t c = 0; c < grid->C_count; c++)
        tied[c] = wrong[at_gamma][c] == least;
    CHECK(is_nearest(tied, grid->C_count, at_C), "%s: C %d was chosen", name, (int)at_C);
    CHECK_NEAR(chosen->C, grid->C[at_C], 0, "%s: C", name);
    CHECK_NEAR(gamma, grid->gamma[at_gamma], 0, "%s: gamma", name);
    if (m == 0)
        return;
    least = INT64_MAX;
    count = 0;
    for (int64_t t = first_step; t < first_step + grid->delta_count; t++) {
        CHECK_INT(trial[t].step, 2, "%s: step of trial %d", name, (int)t);
        CHECK_NEAR(trial[t].costs.C, chosen->C, 0, "%s: C of trial %d", name, (int)t);
        CHECK_NEAR(trial[t].costs.delta, grid->delta[t - first_step], 0, "%s: Delta of trial %d",
                   name, (int)t);
        if (trial[t].wrong <= least) {
            least = trial[t].wrong;
            at_delta = t - first_step;
        }
        count += trial[t].chosen;
    }
    CHECK_INT(count, 1, "%s: chosen in step 2", name);
    CHECK(trial[first_step + at_delta].chosen, "%s: Delta is not the largest of the best", name);
    CHECK_NEAR(chosen->delta, grid->delta[at_delta], 0, "%s: Delta", name);
}

static bool choose(const char *name, const struct musvm_plan *plan, const struct set *set,
                   const struct musvm_task *task, const double *factor,
                   const struct musvm_grid *grid, double bytes, int threads,
                   struct musvm_trial *trial, struct musvm_costs *costs, double *gamma)
{
    struct error err = {.line = 0};
    struct musvm_kernel_source source = {
        .kernel = set->kernel, .data = bytes < 0 ? NULL : &set->data, .bytes = fmax(bytes, 0)};
    const struct musvm_selection how = {
        .plan = plan, .factor = factor, .grid = grid, .source = &source, .threads = threads};
    int status = musvm_select(&how, task, trial, costs, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    CHECK(status != 0 || (source.rows != NULL) == (bytes >= 0), "%s: rows of the chosen gamma",
          name);
    *gamma = source.kernel.gamma;
    kernel_rows_free(source.rows);
    return status == 0;
}

/* What a trial should have counted, by a run of its own. */
static int64_t trial_alone(const char *name, const struct musvm_plan *plan, const struct set *set,
                           const double *factor, const struct musvm_grid *grid,
                           const struct musvm_trial *trial)
{
    struct error err = {.line = 0};
    struct kernel kernel = set->kernel;
    kernel.gamma = kernel.type == KERNEL_LINEAR ? kernel.gamma : trial->gamma;
    struct musvm_costs costs = {
        .C = trial->costs.C, .C_star = grid->C_star, .delta = trial->costs.delta};
    int64_t wrong = -1;
    /* In step 1 the universum is not even among the samples. */
    struct kernel_data data = {.problem = NULL};
    struct problem samples = problem_part(&set->samples, 0,
                                          trial->step == 1 ? set->n : set->n + set->m);
    CHECK_INT(kernel_data_make(&samples, NULL, &data, &err), 0, "%s", err.message);
    struct kernel_rows *rows = kernel_rows_new(&kernel, &data, 1e9, 1, &err);
    CHECK(rows != NULL, "%s", err.message);
    const struct musvm_task task = {.n = set->n,
                                    .m = samples.n - set->n,
                                    .classes = set->K,
                                    .y = set->y,
                                    .rows = rows,
                                    .samples = &samples};
    if (grid->criterion == SELECT_CV) {
        wrong = validate(name, plan, &task, factor, &costs, grid->folds);
    } else {
        struct musvm_machine machine = {.coef = NULL};
        if (train(name, plan, &task, factor, &costs, 1, &machine)) {
            const struct musvm_part *only = &machine.only;
            int status = grid->criterion == SELECT_SPAN
                             ? span_bound_theorem(&only->task, &only->options, &only->point, 1,
                                                  NULL, NULL, &wrong, &err)
                             : span_bound_local(&only->task, &only->options, &only->point, 1, NULL,
                                                &wrong, &err);
            CHECK_INT(status, 0, "%s: %s", name, err.message);
        }
        musvm_machine_free(&machine);
    }
    kernel_rows_free(rows);
    kernel_data_free(&data);
    return wrong;
}

static void test_select(enum musvm_criterion criterion, int scheme, int64_t m, struct kernel kernel,
                        bool weights)
{
    static const char *const names[] = {"cv", "span", "loo-local"};
    struct set set;
    struct musvm_trial trial[TRIALS], again[TRIALS];
    struct musvm_costs costs, other;
    char name[64];
    double gamma, other_gamma;
    const bool is_linear = kernel.type == KERNEL_LINEAR;
    make_set(1200 + (uint64_t)m, 20, m, 3, 1.5, kernel, &set);
    if (is_linear)
        set.kernel.gamma = 0;
    snprintf(name, sizeof name, "selection by %s, scheme %d, %d universum samples, %s",
             names[criterion], scheme, (int)m,
             weights     ? "weights"
             : is_linear ? "linear"
                         : "rbf");
    check_group("%s", name);
    struct musvm_grid grid = {
        .criterion = criterion,
        .C = grid_C,
        .gamma = is_linear ? &set.kernel.gamma : grid_gamma,
        .delta = grid_delta,
        .C_count = CS,
        .gamma_count = is_linear ? 1 : GAMMAS,
        .delta_count = DELTAS,
        .C_star = m == 7 ? 0.005 : -1,
        .folds =
            4}; /* small: a strong universum makes all functions 0, and ties of them are rounding */
    struct musvm_plan plan = plan_of((enum musvm_scheme)scheme, &set, 1e-8);
    const double *factor = m == 7 ? NULL : set.factor;
    if (criterion != SELECT_CV)
        factor = NULL;
    const struct musvm_task task = task_of(&set, NULL);
    const int64_t count = musvm_select_trials(&grid, &task);
    CHECK_INT(count, CS * grid.gamma_count + (m > 0 ? DELTAS : 0), "trials");
    if (count > TRIALS
        || !choose(name, &plan, &set, &task, factor, &grid, weights ? -1 : 1e9, 1, trial, &costs,
                   &gamma)) {
        free_set(&set);
        return;
    }
    check_choice(name, &grid, trial, m, &costs, gamma);
    for (int64_t t = 0; t < count; t++)
        CHECK_INT(trial[t].wrong, trial_alone(name, &plan, &set, factor, &grid, &trial[t]),
                  "trial %d: C %g, gamma %g, Delta %g", (int)t, trial[t].costs.C, trial[t].gamma,
                  trial[t].costs.delta);
    for (int way = 0; way < 4; way++) {
        static const int threads[4] = {2, 5, 1, 5};
        const double bytes = weights ? -1 : way >= 2 ? 0 : 1e9;
        if (!choose(name, &plan, &set, &task, factor, &grid, bytes, threads[way], again, &other,
                    &other_gamma))
            continue;
        CHECK(memcmp(&costs.C, &other.C, sizeof costs.C) == 0
                  && memcmp(&costs.delta, &other.delta, sizeof costs.delta) == 0
                  && memcmp(&gamma, &other_gamma, sizeof gamma) == 0,
              "%d threads, room %g: another choice", threads[way], bytes);
        for (int64_t t = 0; t < count; t++) {
            CHECK_INT(again[t].wrong, trial[t].wrong, "%d threads, room %g: trial %d", threads[way],
                      bytes, (int)t);
            CHECK_INT(again[t].chosen, trial[t].chosen, "%d threads, room %g: is trial %d chosen",
                      threads[way], bytes, (int)t);
        }
    }
    free_set(&set);
}

/* All is separable: every choice is as good, and the rule alone decides. */
static void test_ties(void)
{
    struct set set;
    struct musvm_trial trial[TRIALS];
    struct musvm_costs costs;
    static const double near[GAMMAS] = {0.2, 0.3, 0.5};
    double gamma;
    check_group("selection: ties");
    make_set(1300, 24, 5, 3, 30, rbf, &set);
    for (int64_t i = 0; i < set.samples.nnz; i++)
        set.samples.value[i] *= 0.05;
    kernel_data_free(&set.data);
    finish(&set, rbf);
    const struct musvm_plan plan = plan_of(MUSVM_WHOLE, &set, 1e-8);
    const struct musvm_task task = task_of(&set, NULL);
    for (int criterion = 0; criterion < 3; criterion++) {
        const struct musvm_grid grid = {.criterion = (enum musvm_criterion)criterion,
                                        .C = grid_C,
                                        .gamma = near,
                                        .delta = grid_delta,
                                        .C_count = CS,
                                        .gamma_count = GAMMAS,
                                        .delta_count = DELTAS,
                                        .C_star = -1,
                                        .folds = 4};
        if (!choose("ties", &plan, &set, &task, NULL, &grid, 1e9, 2, trial, &costs, &gamma))
            continue;
        int64_t tied = 0;
        for (int64_t t = 0; t < TRIALS; t++)
            tied += trial[t].wrong == 0;
        CHECK_INT(tied, TRIALS, "criterion %d: trials without an error", criterion);
        check_choice("ties", &grid, trial, set.m, &costs, gamma);
        if (tied == TRIALS) {
            CHECK_NEAR(costs.C, 1, 0, "criterion %d: C", criterion);
            CHECK_NEAR(gamma, 0.3, 0, "criterion %d: gamma", criterion);
            CHECK_NEAR(costs.delta, 0.4, 0, "criterion %d: Delta", criterion);
        }
    }
    /* Of an even number the lower of the two in the middle. */
    const struct musvm_grid even = {.criterion = SELECT_CV,
                                    .C = grid_C + 1,
                                    .gamma = near,
                                    .delta = grid_delta,
                                    .C_count = CS - 1,
                                    .gamma_count = 2,
                                    .delta_count = 2,
                                    .C_star = -1,
                                    .folds = 4};
    if (choose("ties", &plan, &set, &task, NULL, &even, 1e9, 2, trial, &costs, &gamma)) {
        CHECK_NEAR(costs.C, 1, 0, "of four: C");
        CHECK_NEAR(gamma, 0.2, 0, "of two: gamma");
        CHECK_NEAR(costs.delta, 0.1, 0, "of two: Delta");
    }
    free_set(&set);
}

int main(void)
{
    test_cross_validation();
    test_folds();
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO; scheme++) {
        for (int64_t m = 0; m <= 7; m += 7) {
            test_select(SELECT_CV, scheme, m, rbf, false);
            test_select(SELECT_CV, scheme, m, linear, m > 0);
        }
    }
    for (int criterion = SELECT_SPAN; criterion <= SELECT_LOO_LOCAL; criterion++) {
        for (int64_t m = 0; m <= 5; m += 5) {
            test_select((enum musvm_criterion)criterion, MUSVM_WHOLE, m, rbf, false);
            test_select((enum musvm_criterion)criterion, MUSVM_WHOLE, m, linear, false);
        }
    }
    test_ties();
    return check_finish();
}
