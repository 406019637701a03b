/* Dense examples: all u'v of a block by one product of matrices.  Sparse ones: u is spread out, and
 * each v looks up its indices there; where the indices are too large for that, u and v are walked
 * through side by side.  A sum with zeros in it is the same sum, so all three give the same. */
#include "common/kernel/kernel.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SPARSEST = 8, /* dense when at least one entry in so many is there: then memory grows by no more
                     than 5 times */
    FEW_ROWS = 4, /* fewer are not worth packing the other side for */
    COLUMNS_AT_ONCE = 1024,
    MOST_SPREAD = 1 << 20 /* features: 8 MB for each row that is worked on */
};

const char *const kernel_names[] = {"linear", "polynomial", "rbf", "sigmoid", "0",
                                    "1",      "2",          "3",   NULL};

/* ---- examples ---- */

static bool is_dense(const struct problem *problem)
{
    return (double)problem->nnz * SPARSEST >= (double)problem->n * ((double)problem->d + 1);
}

double kernel_data_bytes(const struct problem *problem)
{
    return (double)problem->n * 8 * (1 + (is_dense(problem) ? (double)problem->d + 1 : 0));
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
    if (like ? like->dense != NULL : is_dense(problem)) {
        data->dense = memory_new((data->features + 1) * n, sizeof *data->dense,
                                 err); /* no overflow: few of these are zeros */
        if (!data->dense) {
            kernel_data_free(data);
            return -1;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        struct example x = problem_example(problem, i);
        data->square[i] = example_squared_norm(&x);
        for (int64_t j = 0; j < x.size; j++) {
            int64_t at = x.index[j] > 0 ? x.index[j] - 1 : data->features;
            if (data->dense && x.index[j] <= data->features)
                data->dense[at * n + i] = x.value[j];
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

/* base^n by squaring, as LIBSVM has it. */
static double power(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n /= 2) {
        if (n % 2)
            result *= base;
        base *= base;
    }
    return result;
}

/* One row of u'v becomes a row of k(u, v). */
static void finish_row(const struct kernel *k, double square, const double *squares, int64_t count,
                       double *row)
{
    switch (k->type) {
    case KERNEL_LINEAR:
        break;
    case KERNEL_POLYNOMIAL:
        for (int64_t j = 0; j < count; j++)
            row[j] = power(k->gamma * row[j] + k->coef0, k->degree);
        break;
    case KERNEL_RBF:
        for (int64_t j = 0; j < count; j++) {
            double distance = (square + squares[j]) - 2 * row[j];
            row[j] = distance < 0 ? 1 : elementary_exp(-k->gamma * distance);
        }
        break;
    default:
        for (int64_t j = 0; j < count; j++)
            row[j] = elementary_tanh(k->gamma * row[j] + k->coef0);
    }
}

/* ---- blocks ---- */

struct block {
    const struct kernel *kernel;
    const struct kernel_data *a, *b;
    int64_t a0, b0, rows, columns;
    double *out;
    int64_t stride;
    _Atomic int failed;
};

/* Some columns of a few rows, dense: one feature of all b after another. */
WIDEST_VECTORS(void, few_rows, (void *context, int64_t task), (context, task))
{
    const struct block *s = context;
    int64_t from = task * COLUMNS_AT_ONCE, to = dense_least(from + COLUMNS_AT_ONCE, s->columns);
    int64_t na = s->a->problem->n, nb = s->b->problem->n;
    for (int64_t i = 0; i < s->rows; i++) {
        double *out = s->out + i * s->stride;
        memset(out + from, 0, (size_t)(to - from) * sizeof *out);
        for (int64_t f = 0; f <= s->a->features; f++) {
            double u = s->a->dense[f * na + s->a0 + i];
            const double *v = s->b->dense + f * nb + s->b0;
            if (u < 0 || u > 0)
                for (int64_t j = from; j < to; j++)
                    out[j] += u * v[j];
        }
        finish_row(s->kernel, s->a->square[s->a0 + i], s->b->square + s->b0 + from, to - from,
                   out + from);
    }
}

static void finish_task(void *context, int64_t i)
{
    const struct block *s = context;
    finish_row(s->kernel, s->a->square[s->a0 + i], s->b->square + s->b0, s->columns,
               s->out + i * s->stride);
}

static double walk(const struct example *u, const struct example *v)
{
    double sum = 0;
    for (int64_t i = 0, j = 0; i < u->size && j < v->size;) {
        /* The bias, index 0, comes last: as an unsigned number less 1 it is the largest. */
        uint32_t p = (uint32_t)u->index[i] - 1, q = (uint32_t)v->index[j] - 1;
        if (p == q)
            sum += u->value[i++] * v->value[j++];
        else if (p < q)
            i++;
        else
            j++;
    }
    return sum;
}

/* Rows of a block, sparse; a task has several, as it needs memory. */
enum { ROWS_A_TASK = 16 };

static void sparse_rows(void *context, int64_t task)
{
    struct block *s = context;
    int64_t features = s->a->features > s->b->features ? s->a->features : s->b->features;
    double *spread = NULL; /* by index, 0 being the bias */
    if (features <= MOST_SPREAD && !(spread = memory_new(features + 1, sizeof *spread, NULL))) {
        atomic_store(&s->failed, 1);
        return;
    }
    int64_t last = dense_least((task + 1) * ROWS_A_TASK, s->rows);
    for (int64_t i = task * ROWS_A_TASK; i < last; i++) {
        struct example u = problem_example(s->a->problem, s->a0 + i);
        double *out = s->out + i * s->stride;
        for (int64_t e = 0; spread && e < u.size; e++)
            if (u.index[e] <= features)
                spread[u.index[e]] = u.value[e];
        for (int64_t j = 0; j < s->columns; j++) {
            struct example v = problem_example(s->b->problem, s->b0 + j);
            double sum = 0;
            for (int64_t e = 0; spread && e < v.size; e++)
                if (v.index[e] <= features)
                    sum += spread[v.index[e]] * v.value[e];
            out[j] = spread ? sum : walk(&u, &v);
        }
        for (int64_t e = 0; spread && e < u.size; e++)
            if (u.index[e] <= features)
                spread[u.index[e]] = 0;
        finish_row(s->kernel, s->a->square[s->a0 + i], s->b->square + s->b0, s->columns, out);
    }
    memory_free(spread);
}

int kernel_block(const struct kernel *kernel, const struct kernel_data *a, int64_t a0, int64_t a1,
                 const struct kernel_data *b, int64_t b0, int64_t b1, double *out, int64_t stride,
                 int threads, struct error *err)
{
    struct block s = {.kernel = kernel,
                      .a = a,
                      .b = b,
                      .a0 = a0,
                      .b0 = b0,
                      .rows = a1 - a0,
                      .columns = b1 - b0,
                      .out = out,
                      .stride = stride};
    int64_t na = a->problem->n, nb = b->problem->n;
    if (s.rows * s.columns < 1000)
        threads = 1;
    if (!a->dense || !b->dense) {
        parallel_for(threads, (s.rows + ROWS_A_TASK - 1) / ROWS_A_TASK, sparse_rows, &s);
        return s.failed ? error_set(err, "out of memory: a row of the kernel matrix") : 0;
    }
    if (s.rows < FEW_ROWS) {
        parallel_for(threads, (s.columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, few_rows, &s);
        return 0;
    }
    for (int64_t i = 0; i < s.rows; i++)
        memset(out + i * stride, 0, (size_t)s.columns * sizeof *out);
    if (dense_add_product(s.rows, s.columns, a->features + 1, 1,
                          (struct dense_view){a->dense + a0, 1, na},
                          (struct dense_view){b->dense + b0, nb, 1}, out, stride, threads, err)
        != 0)
        return -1;
    parallel_for(threads, s.rows, finish_task, &s);
    return 0;
}
