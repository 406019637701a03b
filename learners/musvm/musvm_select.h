/* Model selection in two steps (section 3.4 of Dhar, Cherkassky and Shah 2019): C and the kernel's
 * gamma without the universum, then Delta with these and C* = n C / (m L).
 *
 *   cv          stratified cross-validation
 *   span        the paper's theorem 4, from one solution of all samples (span_bound.h), for the
 *               scheme `whole` only
 *   loo-local   the element-wise leave-one-out estimate (likewise)
 *
 * Errors are counts out of n, so ties are frequent, and the paper has no rule.  Ours: of the tied
 * gammas, then of the tied C, the one nearest to the middle between the first and the last in the
 * grid (to take the first, as we tried, can end with C = 0.0001 on easy data); of the tied Delta
 * the largest, which changes the machine least.  The kernel rows of a gamma are computed once; each
 * C starts from the solution of the C before; by cross-validation the Deltas are solved in
 * parallel, each from zero. */
#ifndef LEARNERS_MUSVM_MUSVM_SELECT_H
#define LEARNERS_MUSVM_MUSVM_SELECT_H

#include "common/kernel/kernel.h"
#include "learners/musvm/musvm_machine.h"

enum musvm_criterion { SELECT_CV, SELECT_SPAN, SELECT_LOO_LOCAL };

struct musvm_grid {
    enum musvm_criterion criterion;
    const double *C, *gamma, *delta; /* ascending, > 0, > 0, >= 0 */
    int64_t C_count, gamma_count, delta_count;
    double C_star; /* of the second step; < 0: the paper's */
    int64_t folds;
};

/* One line of the table of results. */
struct musvm_trial {
    int step;     /* 1: without, 2: with the universum */
    double gamma; /* (without a meaning for the linear kernel) */
    struct musvm_costs costs;
    int64_t wrong; /* of the n training samples */
    bool chosen;
};

/* Where kernel rows come from.  Cross-validation of a linear kernel may have none, and use weights
 * instead. */
struct musvm_kernel_source {
    struct kernel kernel;           /* its gamma is set to the chosen one */
    const struct kernel_data *data; /* of all samples; NULL: weights */
    double bytes;
    struct kernel_rows *rows; /* out: of the chosen gamma; the caller's to free */
};

struct musvm_selection {
    const struct musvm_plan *plan;
    const double *factor; /* n, of C; NULL: 1 */
    const struct musvm_grid *grid;
    struct musvm_kernel_source *source;
    int threads;
    struct progress *progress; /* may be NULL */
};

/* How many trials there will be. */
int64_t musvm_select_trials(const struct musvm_grid *grid, const struct musvm_task *task);

/* Try all.  task: without rows.  trial: out, musvm_select_trials of them; costs: out, what was
 * chosen.  0, or -1 with err. */
int musvm_select(const struct musvm_selection *how, const struct musvm_task *task,
                 struct musvm_trial *trial, struct musvm_costs *costs, struct error *err);

#endif
