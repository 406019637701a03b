#include "common/linear/covariance.h"

#include "common/base/memory.h"

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

/* Copy every block to the top left corner of a larger one. */
static int grow_full(struct covariance *c, int64_t rows, struct error *err)
{
    int64_t side = c->side + c->side / 2 > rows ? c->side + c->side / 2 : rows;
    double *product = memory_new(c->columns * side, sizeof *product, err);
    double *full = product ? memory_new(c->columns * side, (size_t)side * sizeof *full, err) : NULL;
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

int covariance_grow(struct covariance *c, int64_t d, struct error *err)
{
    if (c->form != COVARIANCE_FULL)
        return weights_grow(&c->diagonal, d, err);
    if (d < c->rows)
        return 0;
    if (d >= c->side && grow_full(c, d + 1, err) != 0)
        return -1;
    for (int64_t k = 0; k < c->columns; k++)
        for (int64_t i = c->rows; i <= d; i++)
            *covariance_at(c, k, i, i) = c->initial;
    c->rows = d + 1;
    return 0;
}

double covariance_quadratic(struct covariance *c, const struct example *x, int64_t column)
{
    double q = 0;
    if (c->form == COVARIANCE_FULL) {
        double *product = c->product + column * c->side;
        memset(product, 0, (size_t)c->rows * sizeof *product);
        for (int64_t i = 0; i < x->size; i++) { /* Sigma is symmetric: rows for columns */
            const double *row = covariance_at(c, column, x->index[i], 0);
            for (int64_t j = 0; j < c->rows; j++)
                product[j] += row[j] * x->value[i];
        }
        for (int64_t i = 0; i < x->size; i++)
            q += product[x->index[i]] * x->value[i];
        return q > 0 ? q : 0;
    }
    const double *s = c->diagonal.w + column;
    int64_t stride = c->diagonal.stride;
    for (int64_t i = 0; i < x->size; i++)
        q += s[x->index[i] * stride] * x->value[i] * x->value[i];
    return q;
}

void covariance_shrink(struct covariance *c, const struct example *x, int64_t column, double beta,
                       double chi)
{
    if (c->form == COVARIANCE_FULL) {
        const double *product = c->product + column * c->side;
        double q = 0;
        for (int64_t i = 0; i < x->size; i++)
            q += product[x->index[i]] * x->value[i];
        double share = beta / (1 + beta * (q > 0 ? q : 0));
        for (int64_t i = 0; i < c->rows; i++) {
            if (product[i] == 0)
                continue;
            double *row = covariance_at(c, column, i, 0);
            for (int64_t j = 0; j < c->rows;
                 j++) /* the product commutes, so both triangles get the same bits */
                row[j] -= product[i] * product[j] * share;
        }
        return;
    }
    double *s = c->diagonal.w + column;
    int64_t stride = c->diagonal.stride;
    if (c->form == COVARIANCE_DROP) {
        double share = beta / (1 + beta * chi);
        for (int64_t i = 0; i < x->size; i++) {
            double *cell = &s[x->index[i] * stride], move = *cell * x->value[i];
            *cell -= move * move * share;
        }
        return;
    }
    for (int64_t i = 0; i < x->size; i++) {
        double *cell = &s[x->index[i] * stride];
        *cell /= 1 + beta * *cell * x->value[i] * x->value[i];
    }
}

void covariance_free(struct covariance *c)
{
    weights_free(&c->diagonal);
    memory_free(c->full);
    memory_free(c->product);
    c->full = c->product = NULL;
    c->rows = c->side = 0;
}
