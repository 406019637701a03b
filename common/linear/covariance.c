/* The three forms of Sigma; formulas and sources in covariance.h.
 *
 * full keeps one square block for each column.  Blocks grow by half where there is memory for that,
 * so that a stream with ever new features copies each number O(1) times on average; the product
 * Sigma x is computed once per example and column, and used for the margin's variance and for the
 * update. */
#include "common/linear/covariance.h"

#include "common/base/memory.h"

#include <assert.h>
#include <string.h>

struct covariance covariance_make(enum covariance_form form, int64_t columns, double initial)
{
    return (struct covariance){.form = form,
                               .columns = columns,
                               .initial = initial,
                               .diagonal = weights_make(columns, initial)};
}

double covariance_bytes(enum covariance_form form, int64_t columns, int64_t d)
{
    if (form != COVARIANCE_FULL)
        return weights_bytes(columns, d);
    return (double)columns * ((double)d + 1) * ((double)d + 2) * (double)sizeof(double);
}

/* Copy every block to the top left corner of a larger one.  0 or -1. */
static int covariance_widen(struct covariance *c, int64_t side, struct error *err)
{
    double *product = memory_new(c->columns * side, sizeof *product, err);
    if (!product)
        return -1;
    double *full = memory_new(c->columns * side, (size_t)side * sizeof *full, err);
    if (!full) {
        memory_free(product);
        return -1;
    }
    for (int64_t k = 0; k < c->columns; k++)
        for (int64_t i = 0; i < c->rows; i++)
            memcpy(full + (k * side + i) * side, covariance_at(c, k, i, 0),
                   (size_t)c->rows * sizeof *full);
    memory_free(c->full);
    memory_free(c->product);
    c->full = full;
    c->product = product;
    c->side = side;
    return 0;
}

/* Make room for so many rows.  0 or -1. */
static int covariance_grow_full(struct covariance *c, int64_t rows, struct error *err)
{
    const int64_t spare = c->side + c->side / 2;
    if (spare > rows && covariance_widen(c, spare, NULL) == 0)
        return 0;
    return covariance_widen(c, rows, err);
}

int covariance_grow(struct covariance *c, int64_t d, struct error *err)
{
    if (c->form != COVARIANCE_FULL)
        return weights_grow(&c->diagonal, d, err);
    if (d < c->rows)
        return 0;
    if (d >= c->side && covariance_grow_full(c, d + 1, err) != 0)
        return -1;
    for (int64_t k = 0; k < c->columns; k++)
        for (int64_t i = c->rows; i <= d; i++)
            *covariance_at(c, k, i, i) = c->initial;
    c->rows = d + 1;
    return 0;
}

/* x'Sigma x, form full; keeps Sigma x in c->product. */
static double covariance_quadratic_full(struct covariance *c, const struct example *x,
                                        int64_t column)
{
    double *product = c->product + column * c->side, q = 0;
    memset(product, 0, (size_t)c->rows * sizeof *product);
    for (int64_t e = 0; e < x->size; e++) { /* rows for columns: Sigma is symmetric */
        const double *row = covariance_at(c, column, x->index[e], 0);
        for (int64_t j = 0; j < c->rows; j++)
            product[j] += row[j] * x->value[e];
    }
    for (int64_t e = 0; e < x->size; e++)
        q += product[x->index[e]] * x->value[e];
    return q > 0 ? q : 0;
}

double covariance_quadratic(struct covariance *c, const struct example *x, int64_t column)
{
    assert(0 <= column && column < c->columns);
    if (c->form == COVARIANCE_FULL)
        return covariance_quadratic_full(c, x, column);
    const double *s = c->diagonal.w + column;
    int64_t stride = c->diagonal.stride;
    double q = 0;
    for (int64_t e = 0; e < x->size; e++)
        q += s[x->index[e] * stride] * x->value[e] * x->value[e];
    return q;
}

/* Sigma -= Sigma x x' Sigma beta / (1 + beta x'Sigma x). */
static void covariance_shrink_full(struct covariance *c, const struct example *x, int64_t column,
                                   double beta)
{
    const double *product = c->product + column * c->side;
    double q = 0;
    for (int64_t e = 0; e < x->size; e++)
        q += product[x->index[e]] * x->value[e];
    double share = beta / (1 + beta * (q > 0 ? q : 0));
    for (int64_t i = 0; i < c->rows; i++) {
        if (product[i] == 0)
            continue;
        double *row = covariance_at(c, column, i, 0);
        /* The products are multiplied first: (i, j) and (j, i) then get the same bits. */
        for (int64_t j = 0; j < c->rows; j++)
            row[j] -= product[i] * product[j] * share;
    }
}

void covariance_shrink(struct covariance *c, const struct example *x, int64_t column, double beta,
                       double chi)
{
    assert(0 <= column && column < c->columns);
    if (c->form == COVARIANCE_FULL) {
        covariance_shrink_full(c, x, column, beta);
        return;
    }
    double *s = c->diagonal.w + column;
    int64_t stride = c->diagonal.stride;
    if (c->form == COVARIANCE_DROP) {
        double share = beta / (1 + beta * chi);
        for (int64_t e = 0; e < x->size; e++) {
            double *cell = &s[x->index[e] * stride], move = *cell * x->value[e];
            *cell -= move * move * share;
            if (*cell < 0) /* by rounding: s_j x_j^2 <= chi */
                *cell = 0;
        }
        return;
    }
    for (int64_t e = 0; e < x->size; e++) {
        double *cell = &s[x->index[e] * stride];
        *cell = covariance_observed(*cell, x->value[e], beta);
    }
}

void covariance_free(struct covariance *c)
{
    weights_free(&c->diagonal);
    memory_free(c->full);
    memory_free(c->product);
    *c = (struct covariance){0};
}
