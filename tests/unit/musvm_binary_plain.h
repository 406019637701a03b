/* The binary problems that the columns of a machine and S3VM should solve, by plain loops over the
 * whole kernel matrix:
 *
 *     objective  1/2 b'Kb + sum_i C_i loss_i,  f_i = sum_j b_j k_ij;  loss_i = max(0, 1 - y_i f_i),
 *                of a universum sample max(0, |f_i| - Delta)
 *     least      coordinate descent on the dual, in the order of the samples */
#ifndef TESTS_UNIT_MUSVM_BINARY_PLAIN_H
#define TESTS_UNIT_MUSVM_BINARY_PLAIN_H

#include "musvm_sets.h"

#include <string.h>

enum { SWEEPS = 20000 };

struct binary {
    int64_t n, m;      /* of the whole set */
    int64_t taking;    /* training samples that take part */
    double sign[MOST]; /* of training samples */
    double cost[MOST]; /* 0: it does not take part */
    double delta;
    const double *k;
};

/* Class `first` against `second`, or against the rest (-1). */
static inline void make_binary(const struct set *set, const double *factor,
                               const struct musvm_costs *costs, int64_t first, int64_t second,
                               struct binary *b)
{
    *b = (struct binary){.n = set->n, .m = set->m, .delta = costs->delta, .k = set->k};
    for (int64_t i = 0; i < set->n; i++) {
        bool takes = second < 0 || set->y[i] == first || set->y[i] == second;
        b->sign[i] = set->y[i] == first ? 1 : -1;
        b->cost[i] = takes ? costs->C * (factor ? factor[i] : 1) : 0;
        b->taking += b->cost[i] > 0;
    }
    for (int64_t i = set->n; i < set->n + set->m; i++)
        b->cost[i] = costs->C_star >= 0 ? costs->C_star
                                        : (double)b->taking * costs->C / (2 * (double)set->m);
}

static inline double value(const struct binary *b, const double *coef, int64_t i)
{
    double f = 0;
    for (int64_t j = 0; j < b->n + b->m; j++)
        f += coef[j] * b->k[i * (b->n + b->m) + j];
    return f;
}

static inline double objective(const struct binary *b, const double *coef)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n + b->m; i++) {
        double f = value(b, coef, i);
        sum += coef[i] * f / 2
               + b->cost[i] * fmax(0, i < b->n ? 1 - b->sign[i] * f : fabs(f) - b->delta);
    }
    return sum;
}

/* The least objective, by coordinate descent on the dual. */
static inline void minimise(const struct binary *b, double *coef)
{
    const int64_t N = b->n + b->m;
    memset(coef, 0, (size_t)N * sizeof *coef);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < N; i++) {
            double A = b->k[i * N + i], old = coef[i], rest = A * old - value(b, coef, i);
            if (i < b->n)
                coef[i] = b->sign[i] * fmax(0, fmin(b->cost[i], (1 + b->sign[i] * rest) / A));
            else
                coef[i] = fmax(-b->cost[i], fmin(b->cost[i], (rest > b->delta    ? rest - b->delta
                                                              : rest < -b->delta ? rest + b->delta
                                                                                 : 0)
                                                                 / A));
            moved = fmax(moved, fabs(coef[i] - old) * A);
        }
        if (moved < 1e-13)
            return;
    }
    CHECK(false, "the reference does not converge");
}

#endif
