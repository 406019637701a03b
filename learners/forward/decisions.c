/* The log-likelihood is concave in a: the zero of its derivative is found by bisection. */
#include "learners/forward/decisions.h"

#include "learners/forward/em.h"

enum { DECISIONS_HALVINGS = 40 }; /* of 0 .. 1 */

/* P(y | h) is rest + a (right - rest). */
struct decision {
    double right, rest;
};

/* sum_q s_q C[y][q] */
static double decisions_labelled(int64_t y, int64_t K, const double *c, const double *share)
{
    double sum = 0;
    for (int64_t q = 0; q < K; q++)
        sum += share[q] * c[y * K + q];
    return sum;
}

/* labelled: decisions_labelled of y. */
static struct decision decisions_of(double right, double share, double labelled)
{
    const double rest = labelled - share * right;
    if (!(share < 1))
        return (struct decision){right, right};
    return (struct decision){right, rest > 0 ? rest / (1 - share) : 0};
}

/* The derivative of the log-likelihood by a. */
static double decisions_slope(const double *count, int64_t K, const double *c, const double *share,
                              double a)
{
    double slope = 0;
    for (int64_t y = 0; y < K; y++) {
        const double labelled = decisions_labelled(y, K, c, share);
        for (int64_t h = 0; h < K; h++) {
            const struct decision d = decisions_of(c[y * K + h], share[h], labelled);
            const double p = d.rest + a * (d.right - d.rest);
            slope += p > 0 ? count[y * K + h] * (d.right - d.rest) / p : 0;
        }
    }
    return slope;
}

double decisions_likelihood(const double *count, int64_t K, const double *c, const double *share)
{
    double low = 0, high = 1, sum = 0, total = 0;
    for (int halving = 0; halving < DECISIONS_HALVINGS; halving++) {
        const double middle = (low + high) / 2;
        if (decisions_slope(count, K, c, share, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    for (int64_t y = 0; y < K; y++) {
        const double labelled = decisions_labelled(y, K, c, share);
        for (int64_t h = 0; h < K; h++) {
            const struct decision d = decisions_of(c[y * K + h], share[h], labelled);
            sum += count[y * K + h] * em_log(d.rest + low * (d.right - d.rest));
            total += count[y * K + h];
        }
    }
    return sum / total;
}
