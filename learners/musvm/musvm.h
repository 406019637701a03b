/* MU-SVM, the multiclass SVM that also learns from contradictions (Dhar, Cherkassky and Shah 2019):
 * universum samples, which belong to no class and which no class should claim.  Without them it is
 * the multiclass SVM of Crammer and Singer (M-SVM).
 *
 *   minimise   1/2 sum_l |w_l|^2 + sum_i C_i max(0, max_l f_l(x_i) + e_il - f_yi(x_i)) + C* sum_u
 *              sum_k max(0, max_l f_l(x_u) - f_k(x_u) - Delta)
 *   e_il = 1 - [l = y_i];  no bias (their proposition 2);  the maximum in the last sum is over all
 *   l, which makes it convex
 *
 * The paper's dual (17) has m L copies of the universum.  Only their sums meet the kernel, so it
 * collapses to one row a sample:
 *
 *   maximise   -1/2 tr(a'K a) - sum_i a_i.e_i - Delta sum_u sum_l max(0, a_ul)
 *   rows of a sum to 0;  a_il <= C_i [l = y_i] of a training sample,  a_ul <= C* of a universum
 *   sample;  f_l(x) = sum_j a_jl k(x_j, x)
 *
 * Solved by coordinate descent over samples: the problem of one row, the others fixed, is a
 * projection that sorting solves exactly (Crammer and Singer 2001; Keerthi et al. 2008).  A
 * sample's violation is max_l left_l - min_{l: a_l < cap_l} right_l, where left = right = f_l + e_l
 * of a training sample and left = f_l + Delta [a_l > 0], right = f_l + Delta [a_l >= 0] of a
 * universum sample; the solver stops when no sample's exceeds eps. */
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
    const double *factor; /* n: factors of C, one a training sample; 0: it is left out (its row
                             stays 0, f tells what the others make of it); NULL: 1 */
    double C_star;        /* >= 0 */
    double delta;         /* >= 0 */
    double eps;           /* > 0 */
    bool shrinking; /* leave samples alone that have been at rest; changes the way, not the end */
    int64_t seed;   /* of the order of the samples */
    int64_t most_updates; /* give up after so many, or after 4 times as many looks at a sample; 0:
                           * never. (A kernel that is not positive may have no best point.) */
    _Atomic int64_t *given_up; /* one more for each solution that was given up; NULL: not counted */
    struct progress *progress; /* of updates; NULL: not shown */
};

/* What is to be solved: n training samples and m universum samples behind them, over K classes (K =
 * 1 is allowed: all functions are 0). */
struct musvm_task {
    int64_t n, m, classes;
    const int32_t *y; /* n: 0 .. classes-1 */
    struct kernel_rows
        *rows; /* of all n + m; NULL: the linear kernel, with weights in place of rows: */
    const struct problem *samples; /* n + m */
};

/* What bounds row i of alpha above: the one element of its class for a training sample, every
 * element for a universum sample. */
static inline double musvm_cap(const struct musvm_task *task, const struct musvm_options *options,
                               int64_t i)
{
    if (i >= task->n)
        return options->C_star;
    return options->factor ? options->C * options->factor[i] : options->C;
}

/* A point of the dual, which a solver starts from and leaves behind; all zero at first. */
struct musvm_point {
    double *alpha; /* (n + m) x classes */
    double *f;     /* classes x (n + m), f[l (n + m) + i]: decision values of the samples.  Linear:
                      filled at the end */
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

/* Room for a task, all zero.  0 or -1 (memory). */
int musvm_point_make(const struct musvm_task *task, struct musvm_point *point, struct error *err);
void musvm_point_free(struct musvm_point *point);

/* Solve it, from the point on: one that was left by another C, C* or Delta is a good start (it is
 * brought within the caps first).  The same numbers for any number of threads and any room for
 * rows.  0, or -1 with err (memory; numbers that are not finite). */
int musvm_solve(const struct musvm_task *task, const struct musvm_options *options,
                struct musvm_point *point, struct musvm_result *result, struct error *err);

/* The exact solution of one row: g_l = min(cap_l, ((nu - b_l - d)_+ - (b_l - nu)_+) / a), nu such
 * that they sum to 0.  a > 0, d >= 0, caps >= 0 (of a training sample all but one are 0).  g: out,
 * n.  room: 3 n.  O(n log n). */
void musvm_project(int64_t n, double a, const double *b, double d, const double *cap, double *g,
                   double *room);

#endif
