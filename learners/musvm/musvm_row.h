/* The problem of one row g of alpha (musvm.h), the others fixed: a quadratic programme of n
 * variables, one a class,
 *
 *   minimise   a/2 |g|^2 + b.g + d sum_l max(0, g_l),   sum_l g_l = 0,   g_l <= cap_l
 *
 *   a = k(x_i, x_i);  b_l = f_l + e_il - a alpha_il;  d = Delta for a universum sample, else 0 */
#ifndef LEARNERS_MUSVM_MUSVM_ROW_H
#define LEARNERS_MUSVM_MUSVM_ROW_H

#include <stdint.h>

/* The exact solution for one row: g_l = min(cap_l, ((nu - b_l - d)_+ - (b_l - nu)_+) / a), with nu
 * such that they sum to 0.  a > 0, d >= 0, caps >= 0 (of a training sample all but one are 0).  g:
 * out, n.  work: 3 n numbers of workspace.  O(n log n). */
void musvm_project(int64_t n, double a, const double *b, double d, const double *cap, double *g,
                   double *work);

/* A training row: caps C for y and 0 for the others, d = 0, so that
 *
 *     g_l = -(b_l - nu)_+ / a   for l /= y
 *     g_y = -sum of the others;  a g_y = nu - b_y if that is at most a C, else a C
 *
 * (C may be large, so no sum has C in it unless C is reached.)  Only the b_l above nu, which is
 * above b_y, are put in order, the largest first: O(n + m log n) if there are m.  work: n numbers.
 */
void musvm_project_training(int64_t n, double a, const double *b, int64_t y, double C, double *g,
                            double *work);

/* g sums to 0 but for rounding: its lowest element, which has no lower bound, takes up the rest. */
void musvm_absorb_rounding(double *g, int64_t n);

#endif
