/* MU-SVM, the multiclass SVM that also learns from contradictions (Dhar, Cherkassky and Shah 2019):
 * universum samples, which belong to no class and which no class should claim.  Without them it is
 * the multiclass SVM of Crammer and Singer (M-SVM).
 *
 *   minimise   1/2 sum_l |w_l|^2
 *              + sum_i C_i max(0, max_l f_l(x_i) + e_il - f_yi(x_i))         training samples i
 *              + C* sum_u sum_k max(0, max_l f_l(x_u) - f_k(x_u) - Delta)    universum samples u
 *
 *   e_il = 1 - [l = y_i];  no bias (their proposition 2);  the maximum in the last sum is over all
 *   l, which makes it convex
 *
 * The paper's dual (17) has m L copies of the universum (L classes, m samples).  Only their sums
 * meet the kernel, so it collapses to one row a sample:
 *
 *   maximise   -1/2 tr(a'K a) - sum_i a_i.e_i - Delta sum_u sum_l max(0, a_ul)
 *
 *   rows of a sum to 0;  a_il <= C_i [l = y_i] for a training sample,  a_ul <= C* for a universum
 *   sample;  f_l(x) = sum_j a_jl k(x_j, x)
 *
 * Solved by coordinate descent over samples: the problem of one row, the others fixed, is a
 * projection that sorting solves exactly (Crammer and Singer 2001; Keerthi et al. 2008).  The
 * violation of a sample is
 *
 *   max_l left_l - min_{l: a_l < cap_l} right_l
 *   training sample    left_l = right_l = f_l + e_l
 *   universum sample   left_l = f_l + Delta [a_l > 0],  right_l = f_l + Delta [a_l >= 0]
 *
 * and the solver stops when no sample's exceeds eps. */
#ifndef LEARNERS_MUSVM_MUSVM_H
#define LEARNERS_MUSVM_MUSVM_H

#include "common/base/error.h"
#include "common/base/progress.h"
#include "common/data/problem.h"
#include "common/kernel/kernel_rows.h"
#include "common/linear/weights.h"

#include <stdbool.h>
#include <stdint.h>

struct musvm_options {
    double C;             /* > 0 */
    const double *factor; /* n: factors of C, one a training sample; NULL: 1.  A sample of factor 0
                           * is left out: its row stays 0, f is what the others make of it */
    double C_star;        /* >= 0 */
    double delta;         /* >= 0 */
    double eps;           /* > 0 */
    bool shrinking;       /* skip samples that needed no update for a while; changes how the
                           * solution is reached, not what it is */
    int64_t seed;         /* of the order of the samples */
    int64_t most_updates; /* give up after so many updates, or after 4 times as many visits to a
                           * sample; 0: never.  (With a kernel that is not positive semidefinite
                           * there may be no optimum.) */
    _Atomic int64_t *given_up; /* one more for each solution that was given up; NULL: not counted */
    struct progress *progress; /* of updates; NULL: not shown */
};

/* What is to be solved: n training samples and then m universum samples, over K classes (K = 1 is
 * allowed: all functions are 0). */
struct musvm_task {
    int64_t n, m, classes;
    const int32_t *y;              /* n: 0 .. classes-1 */
    const int64_t *first;          /* n: for cross-validation, the first of each one's group
                                    * (groups.h); NULL: there are none */
    struct kernel_rows *rows;      /* of all n + m; NULL: linear kernel, solved in w instead */
    const struct problem *samples; /* n + m */
    const int64_t *place;          /* n + m: where each is among the samples, with rows of a part;
                                    * NULL: at its own number */
    const char *universum; /* the file of the last m, for messages; NULL: that of the others */
};

/* The factor of C of training sample i; factor: NULL or an array. */
static inline double musvm_factor(const double *factor, int64_t i)
{
    return factor ? factor[i] : 1;
}

/* The upper bound of row i of alpha: of the one element of its class for a training sample, of
 * every element for a universum sample. */
static inline double musvm_cap(const struct musvm_task *task, const struct musvm_options *options,
                               int64_t i)
{
    return i < task->n ? options->C * musvm_factor(options->factor, i) : options->C_star;
}

/* A point of the dual, where a solver starts and what it returns; all zero at first. */
struct musvm_point {
    double *alpha;    /* (n + m) x classes */
    double *f;        /* classes x (n + m), f[l (n + m) + i]: decision values of the samples.
                       * When solved in w, filled at the end */
    struct weights w; /* linear: classes columns */
};

struct musvm_result {
    double objective; /* of the dual, maximised */
    double primal;    /* at w of this point: objective <= primal */
    double violation; /* the largest that is left */
    bool converged;
    int64_t updates; /* of rows of alpha */
    int64_t sweeps;
};

/* Allocate a point for a task, all zero.  0 or -1 (memory). */
int musvm_point_make(const struct musvm_task *task, struct musvm_point *point, struct error *err);
void musvm_point_free(struct musvm_point *point);

/* Solve the task, starting from the point: the solution for another C, C* or Delta is a good start
 * (it is first brought within the caps).  The same numbers for any number of threads and any cache
 * of kernel rows.  0, or -1 with err (memory; numbers that are not finite). */
int musvm_solve(const struct musvm_task *task, const struct musvm_options *options,
                struct musvm_point *point, struct musvm_result *result, struct error *err);

#endif
