/* Kernel values in blocks: first all u'v, then the kernel's function of them.
 *
 * u'v is computed in one of three ways.  Dense examples: a product of matrices.  Sparse ones: u is
 * scattered into an array with one element for each feature, and each v looks up its indices there.
 * Where there are too many features for such an array, u and v are merged index by index.  All sum
 * in the order of the indices, and adding zeros changes no sum, so the results are the same. */
#include "common/kernel/kernel.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    /* Dense when at least one number in 8 is an entry: then the matrix takes at most 64 bytes for
     * each entry, which has 12 of its own. */
    SPARSEST = 8,

    /* No reason for these but that they work. */
    FEW_ROWS = 4,            /* fewer are not worth packing the other side for a product */
    ROWS_A_TASK = 16,        /* sparse: rows that share one array */
    COLUMNS_AT_ONCE = 1024,  /* of few rows: a task */
    WORTH_THREADS = 1000,    /* kernel values */
    MOST_SCATTERED = 1 << 20 /* features: an array of 8 MB for each thread */
};

const char *const kernel_names[] = {"linear", "polynomial", "rbf", "sigmoid", "0",
                                    "1",      "2",          "3",   NULL};

bool kernel_has(const struct kernel *kernel, const char *parameter)
{
    if (strcmp(parameter, "gamma") == 0)
        return kernel->type != KERNEL_LINEAR;
    if (strcmp(parameter, "degree") == 0)
        return kernel->type == KERNEL_POLYNOMIAL;
    if (strcmp(parameter, "coef0") == 0)
        return kernel->type == KERNEL_POLYNOMIAL || kernel->type == KERNEL_SIGMOID;
    return true;
}

/* ---- examples ---- */

bool kernel_data_is_dense(const struct problem *problem)
{
    return (double)problem->nnz * SPARSEST >= (double)problem->n * ((double)problem->d + 1);
}

double kernel_data_bytes(const struct problem *problem)
{
    return (double)problem->n * 8
           * (1 + (kernel_data_is_dense(problem) ? (double)problem->d + 1 : 0));
}

int kernel_data_make(const struct problem *problem, const struct kernel_data *like,
                     struct kernel_data *data, struct error *err)
{
    int64_t n = problem->n;
    *data = (struct kernel_data){.problem = problem,
                                 .features = like ? like->features : problem->d};
    data->square = memory_new(n, sizeof *data->square, err);
    if (!data->square)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        const struct example x = problem_example(problem, i);
        data->square[i] = example_squared_norm(&x);
    }
    if (like ? !like->dense : !kernel_data_is_dense(problem))
        return 0;
    /* No overflow: d and n are below 2^31.  With `like` it may be far larger than the problem. */
    data->dense = memory_new((data->features + 1) * n, sizeof *data->dense, err);
    if (!data->dense) {
        kernel_data_free(data);
        return -1;
    }
    for (int64_t i = 0; i < n; i++) {
        const struct example x = problem_example(problem, i);
        for (int64_t e = 0; e < x.size; e++) {
            const int64_t j = x.index[e];
            if (j <= data->features)
                data->dense[(j > 0 ? j - 1 : data->features) * n + i] = x.value[e];
        }
    }
    return 0;
}

void kernel_data_free(struct kernel_data *data)
{
    memory_free(data->square);
    memory_free(data->dense);
    *data = (struct kernel_data){0};
}

/* ---- from products to kernels ---- */

/* base^n by squaring, with LIBSVM's order of operations. */
static double kernel_power(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n /= 2) {
        if (n % 2)
            result *= base;
        base *= base;
    }
    return result;
}

/* Kernel values of a row in place of its products; arguments as of kernel_finish_row.  Of rbf: with
 * few features the exponentials cost as much as the products. */
WIDEST_VECTORS(void, kernel_finish_rbf,
               (double gamma, double square, const double *restrict squares, int64_t count,
                double *restrict row),
               (gamma, square, squares, count, row))
{
    for (int64_t j = 0; j < count; j++) {
        const double distance = (square + squares[j]) - 2 * row[j];
        row[j] = elementary_exp(vectors_select(distance < 0, 0, -gamma * distance));
    }
}

/* Of sigmoid. */
WIDEST_VECTORS(void, kernel_finish_sigmoid,
               (double gamma, double coef0, int64_t count, double *restrict row),
               (gamma, coef0, count, row))
{
    for (int64_t j = 0; j < count; j++)
        row[j] = elementary_tanh(gamma * row[j] + coef0);
}

void kernel_rbf_row(double gamma, double square, const double *squares, int64_t count, double *row)
{
    kernel_finish_rbf(gamma, square, squares, count, row);
}

/* A row of u'v becomes a row of k(u, v).
 *
 * square   u'u; squares: count, v'v of each v
 * row      count; in and out */
static void kernel_finish_row(const struct kernel *k, double square, const double *squares,
                              int64_t count, double *row)
{
    switch (k->type) {
    case KERNEL_LINEAR:
        break;
    case KERNEL_POLYNOMIAL:
        for (int64_t j = 0; j < count; j++)
            row[j] = kernel_power(k->gamma * row[j] + k->coef0, k->degree);
        break;
    case KERNEL_RBF:
        kernel_finish_rbf(k->gamma, square, squares, count, row);
        break;
    default:
        kernel_finish_sigmoid(k->gamma, k->coef0, count, row);
    }
}

/* ---- blocks ---- */

struct kernel_block_task {
    const struct kernel *kernel;
    struct kernel_part a, b;
    int64_t rows, columns; /* examples of a, of b */
    double *out;           /* rows x columns */
    _Atomic int failed;    /* a task had no memory */
};

/* A strip of columns of a few rows, dense: one feature of all its b after another. */
WIDEST_VECTORS(void, kernel_few_rows, (void *context, int64_t task), (context, task))
{
    const struct kernel_block_task *s = context;
    int64_t from = task * COLUMNS_AT_ONCE, to = order_least(from + COLUMNS_AT_ONCE, s->columns);
    int64_t na = s->a.data->problem->n, nb = s->b.data->problem->n;
    for (int64_t i = 0; i < s->rows; i++) {
        double *out = s->out + i * s->columns;
        memset(out + from, 0, (size_t)(to - from) * sizeof *out);
        for (int64_t f = 0; f <= s->a.data->features; f++) {
            double u = s->a.data->dense[f * na + s->a.first + i];
            const double *v = s->b.data->dense + f * nb + s->b.first;
            if (u < 0 || u > 0)
                for (int64_t j = from; j < to; j++)
                    out[j] += u * v[j];
        }
        kernel_finish_row(s->kernel, s->a.data->square[s->a.first + i],
                          s->b.data->square + s->b.first + from, to - from, out + from);
    }
}

/* Row i of a block of products becomes one of kernel values. */
static void kernel_finish_task(void *context, int64_t i)
{
    const struct kernel_block_task *s = context;
    kernel_finish_row(s->kernel, s->a.data->square[s->a.first + i], s->b.data->square + s->b.first,
                      s->columns, s->out + i * s->columns);
}

/* One row of u'v by way of an array.  scattered: features + 1, by index, 0 being the bias; all zero
 * before and after. */
static void kernel_scattered_row(const struct kernel_block_task *s, const struct example *u,
                                 int64_t features, double *scattered, double *out)
{
    for (int64_t e = 0; e < u->size; e++)
        if (u->index[e] <= features)
            scattered[u->index[e]] = u->value[e];
    for (int64_t j = 0; j < s->columns; j++) {
        const struct example v = problem_example(s->b.data->problem, s->b.first + j);
        double sum = 0;
        for (int64_t e = 0; e < v.size; e++)
            if (v.index[e] <= features)
                sum += scattered[v.index[e]] * v.value[e];
        out[j] = sum;
    }
    for (int64_t e = 0; e < u->size; e++)
        if (u->index[e] <= features)
            scattered[u->index[e]] = 0;
}

/* ROWS_A_TASK rows of a block, sparse. */
static void kernel_sparse_rows(void *context, int64_t task)
{
    struct kernel_block_task *s = context;
    const int64_t features = s->a.data->features > s->b.data->features ? s->a.data->features
                                                                       : s->b.data->features;
    double *scattered = NULL; /* NULL: too many features */
    if (features <= MOST_SCATTERED) {
        scattered = memory_new(features + 1, sizeof *scattered, NULL);
        if (!scattered) {
            atomic_store(&s->failed, 1);
            return;
        }
    }
    const int64_t last = order_least((task + 1) * ROWS_A_TASK, s->rows);
    for (int64_t i = task * ROWS_A_TASK; i < last; i++) {
        const struct example u = problem_example(s->a.data->problem, s->a.first + i);
        double *out = s->out + i * s->columns;
        if (scattered) {
            kernel_scattered_row(s, &u, features, scattered, out);
        } else {
            for (int64_t j = 0; j < s->columns; j++) {
                const struct example v = problem_example(s->b.data->problem, s->b.first + j);
                out[j] = example_product(&u, &v);
            }
        }
        kernel_finish_row(s->kernel, s->a.data->square[s->a.first + i],
                          s->b.data->square + s->b.first, s->columns, out);
    }
    memory_free(scattered);
}

int kernel_block(const struct kernel *kernel, struct kernel_part a, struct kernel_part b,
                 double *out, int threads, struct error *err)
{
    struct kernel_block_task s = {.kernel = kernel,
                                  .a = a,
                                  .b = b,
                                  .rows = a.last - a.first,
                                  .columns = b.last - b.first,
                                  .out = out};
    const int64_t na = a.data->problem->n, nb = b.data->problem->n;
    const double *a_dense = a.data->dense, *b_dense = b.data->dense;
    assert(0 <= a.first && a.first <= a.last && a.last <= na);
    assert(0 <= b.first && b.first <= b.last && b.last <= nb);
    if (s.rows * s.columns < WORTH_THREADS)
        threads = 1;
    if (!a_dense || !b_dense) {
        parallel_for(threads, parallel_parts(s.rows, ROWS_A_TASK), kernel_sparse_rows, &s);
        return s.failed ? error_set(err, "out of memory: a row of the kernel matrix") : 0;
    }
    if (s.rows < FEW_ROWS) {
        parallel_for(threads, parallel_parts(s.columns, COLUMNS_AT_ONCE), kernel_few_rows, &s);
        return 0;
    }
    memset(out, 0, (size_t)(s.rows * s.columns) * sizeof *out);
    assert(a.data->features == b.data->features);
    const struct dense_view a_rows = {a_dense + a.first, 1, na},
                            b_columns = {b_dense + b.first, nb, 1};
    if (dense_add_product(s.rows, s.columns, a.data->features + 1, 1, a_rows, b_columns, out,
                          s.columns, threads, err)
        != 0)
        return -1;
    parallel_for(threads, s.rows, kernel_finish_task, &s);
    return 0;
}
