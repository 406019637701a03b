/* The covariance Sigma of a Gaussian over weights, one block for each class: what AROW, CW and the
 * second-order perceptron share.
 *
 * When an example x is observed with precision beta in some blocks (AROW paper, eq. 15: beta =
 * 1/r), each of these blocks becomes
 *
 *     full   Sigma - Sigma x x' Sigma beta / (1 + beta x'Sigma x)    Sigma^-1 += beta x x'
 *     diag   s_j / (1 + beta s_j x_j^2)                              1/s_j += beta x_j^2
 *     drop   s_j - s_j^2 x_j^2 beta / (1 + beta chi)
 *
 * full and diag are the exact minimisers of eq. 6 among the matrices of their shape (diag: Dredze
 * et al. 2008).  drop is eq. 15 for all blocks at once with everything off the diagonal dropped;
 * chi is the sum of x'Sigma x over the blocks.  With diag and drop no variance becomes negative,
 * but one may be rounded to 0; full can lose a positive diagonal to rounding. */
#ifndef COMMON_LINEAR_COVARIANCE_H
#define COMMON_LINEAR_COVARIANCE_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/linear/weights.h"

#include <stdint.h>

enum covariance_form { COVARIANCE_DIAG, COVARIANCE_DROP, COVARIANCE_FULL };

struct covariance {
    enum covariance_form form;
    int64_t columns;         /* blocks */
    double initial;          /* Sigma_0 = initial * I */
    struct weights diagonal; /* diag, drop: d + 1 x columns */
    int64_t rows;            /* full: d + 1, row 0 for the bias */
    int64_t side;            /* full: rows that are allocated, >= rows */
    double *full;            /* full: columns x side x side */
    double *product;         /* full: columns x side: Sigma x of the last covariance_quadratic */
};

/* Without features yet. */
struct covariance covariance_make(enum covariance_form form, int64_t columns, double initial);

/* Extend it to features up to d; new ones get the initial variance.  0 or -1 (it is unchanged). */
int covariance_grow(struct covariance *c, int64_t d, struct error *err);

/* Bytes for d features. */
double covariance_bytes(enum covariance_form form, int64_t columns, int64_t d);

/* x' Sigma_column x, never negative.  All features of x must exist.  When the form is full it also
 * keeps Sigma_column x, for covariance_shrink and covariance_product.  O(size), full:
 * O(rows size). */
double covariance_quadratic(struct covariance *c, const struct example *x, int64_t column);

/* Observe x with precision beta in one column; chi as above, used by drop.  covariance_quadratic
 * must have been called for this x and column, with no change in between. */
void covariance_shrink(struct covariance *c, const struct example *x, int64_t column, double beta,
                       double chi);

/* What the variance s of a weight becomes when its feature, of this value, is observed with
 * precision beta; form diag. */
static inline double covariance_observed(double s, double value, double beta)
{
    return s / (1 + beta * s * value * value);
}

/* Sigma_column[i][j]; form full. */
static inline double *covariance_at(const struct covariance *c, int64_t column, int64_t i,
                                    int64_t j)
{
    return c->full + (column * c->side + i) * c->side + j;
}

/* Sigma_column x, rows numbers; form full, after covariance_quadratic. */
static inline const double *covariance_product(const struct covariance *c, int64_t column)
{
    return c->product + column * c->side;
}

void covariance_free(struct covariance *c);

#endif
