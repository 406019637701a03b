/* MU-SVM as plainly as it can be written: what learners/musvm/musvm.c, common/kernel/kernel_rows.c
 * and learners/musvm/span_bound.c have to agree with.
 *
 * The problem is that of learners/musvm/musvm.h, each kernel value is computed by itself, the
 * kernel matrix is there whole, f is summed up from alpha whenever it is asked for, and sweeps go
 * through the samples in their order until the worst violation is small:
 *
 *     A = k_ii,  b = f_i + e_i - A a_i  (e_i = 0 of a universum sample),  D = 0 or Delta g_l(nu) =
 *     min(cap_l, ((nu - b_l - D)_+ - (b_l - nu)_+) / A),  nu by bisection such that they sum to 0
 *     A = 0   a row that the kernel never meets: a_iy = C_i, the rest of the row shares -C_i alike;
 *             0 of a universum sample
 *
 * Cost of a sweep: N^2 K, N = n + m. */
#ifndef TESTS_UNIT_MUSVM_PLAIN_H
#define TESTS_UNIT_MUSVM_PLAIN_H

#include "learners/musvm/musvm.h"

enum { MUSVM_PLAIN_CLASSES = 16 }; /* the most */

struct musvm_plain {
    int64_t n, m, K;
    const int32_t *y; /* n, borrowed */
    double *kernel;   /* N x N */
    double *cost;     /* N: C_i, or C* of a universum sample */
    double delta;
    double *alpha;   /* N x K */
    int64_t without; /* a sample whose row stays 0 as if it were not there; -1: none */
};

/* k(u, v) by the formulas of common/kernel/kernel.h; examples without a bias entry. */
double musvm_plain_kernel(const struct kernel *kernel, const struct example *u,
                          const struct example *v);

/* A task (its rows are not looked at) with alpha = 0.  0, or -1: memory. */
int musvm_plain_new(const struct musvm_task *task, const struct kernel *kernel,
                    const struct musvm_options *options, struct musvm_plain *plain,
                    struct error *err);
void musvm_plain_free(struct musvm_plain *plain);

/* The row that musvm_project has to find. */
void musvm_plain_project(int64_t n, double a, const double *b, double d, const double *cap,
                         double *g);

/* Sweeps from the alpha that is there until no violation is above eps, at most so many.  Returns
 * the violation. */
double musvm_plain_solve(struct musvm_plain *plain, double eps, int64_t most);

/* f(x_i) of sample i. */
void musvm_plain_f(const struct musvm_plain *plain, int64_t i, double *f);

/* At the alpha that is there. */
double musvm_plain_objective(const struct musvm_plain *plain);
double musvm_plain_primal(const struct musvm_plain *plain);
double musvm_plain_violation(const struct musvm_plain *plain);

/* Is f_y not the only largest of K? */
bool musvm_plain_wrong(int64_t K, const double *f, int64_t y);

/* What a row of alpha is to theorem 4: of a training sample 0, 1 (SV1) or 2 (SV2), of a universum
 * sample 0 or 1. */
int musvm_plain_kind(const struct musvm_plain *plain, int64_t i);

/* Theorem 4 by learners/musvm/span_bound.h, the matrix inverted by elimination.  s2, rhs, wrong:
 * out, n each.  0 or -1 (memory). */
int musvm_plain_theorem(const struct musvm_plain *plain, double *s2, double *rhs, bool *wrong,
                        struct error *err);

/* Element-wise, from what it says rather than by its formula: with row t gone, the free elements of
 * the other rows move by c, rows of sum 0, such that f does not change on any free element but for
 * a constant a row,
 *
 *     sum_j k_ij c_jl = k_it a_tl + (a number of row i)        for all free (i, l), i /= t
 *     f(x_t) = old f(x_t) - k_tt a_t + sum_j k_tj c_j
 *
 * one linear system for each t, its unknowns the differences to the last free element of a row.  It
 * may be singular but has a solution, and f(x_t) is the same for all: pivots that elimination
 * leaves below 1e-10 of the largest are taken for 0.  f: out, n x K.  0 or -1 (memory).  O(n
 * p^3). */
int musvm_plain_local(const struct musvm_plain *plain, double *f, struct error *err);

/* n runs, each without one training sample.  f: out, n x K: the decision values of each when it is
 * left out.  0 or -1 (memory). */
int musvm_plain_retrain(const struct musvm_plain *plain, double eps, int64_t most, double *f,
                        struct error *err);

#endif
