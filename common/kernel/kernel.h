/* Kernels between sparse examples, in blocks of a kernel matrix.
 *
 *     0  linear       u'v
 *     1  polynomial   (gamma u'v + coef0)^degree
 *     2  rbf          exp(-gamma |u - v|^2)
 *     3  sigmoid      tanh(gamma u'v + coef0)
 *
 * u and v include their bias entries.  u'v is summed in the order of the indices, bias last,
 * however the examples are stored, and |u - v|^2 is u'u + v'v - 2 u'v (not below 0; 0 when u = v).
 * So a value is the same, to the last bit, in whatever block it is computed and for any number of
 * threads, and k(u, v) = k(v, u).  Values that are too large for a double are infinite or NaN; the
 * caller must check. */
#ifndef COMMON_KERNEL_KERNEL_H
#define COMMON_KERNEL_KERNEL_H

#include "common/base/error.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_LINEAR, KERNEL_POLYNOMIAL, KERNEL_RBF, KERNEL_SIGMOID, KERNELS };

/* The choices of an option: the names in that order, then "0" to "3", then NULL.  Choice c means
 * kernel c % KERNELS. */
extern const char *const kernel_names[];

struct kernel {
    int64_t type;   /* KERNEL_... */
    int64_t degree; /* >= 0 */
    double gamma, coef0;
};

/* Does the kernel depend on the parameter of this name: gamma, degree or coef0?  Of other names:
 * true. */
bool kernel_has(const struct kernel *kernel, const char *parameter);

/* The examples of a problem, prepared for kernels.  Examples that are not very sparse are also kept
 * feature by feature, as a matrix that can be multiplied fast. */
struct kernel_data {
    const struct problem *problem; /* borrowed */
    int64_t features;              /* d: indices beyond it meet zeros on the other side */
    double *square;                /* n: u'u */
    double *dense; /* (d + 1) x n: dense[(j - 1) * n + i], the bias last; NULL: sparse */
};

/* Prepare a problem.
 *
 * like  the other side of the blocks that will be computed, whose form and features are adopted;
 *       NULL: there is none, or it will be made like this one
 * data  out; free with kernel_data_free
 * 0 or -1 (memory). */
int kernel_data_make(const struct problem *problem, const struct kernel_data *like,
                     struct kernel_data *data, struct error *err);

void kernel_data_free(struct kernel_data *data);

/* Are such examples kept feature by feature? */
bool kernel_data_is_dense(const struct problem *problem);

/* Bytes that kernel_data_make takes for such a problem. */
double kernel_data_bytes(const struct problem *problem);

/* Products u'v become values of rbf.
 *
 * square   u'u; squares: count, v'v of each v
 * row      count: u'v; out: k(u, v), the same bits as kernel_block's */
void kernel_rbf_row(double gamma, double square, const double *squares, int64_t count, double *row);

/* Examples first .. last-1 of the data, which are borrowed. */
struct kernel_part {
    const struct kernel_data *data;
    int64_t first, last;
};

/* All of them. */
static inline struct kernel_part kernel_all(const struct kernel_data *data)
{
    return (struct kernel_part){data, 0, data->problem->n};
}

/* A block of the kernel matrix: the examples a_i of a part against the b_j of another.
 *
 * a, b  their data may be the same; else one must have been made `like` the other
 * out   out: rows x columns, as many as a and b have examples: k(a_i, b_j)
 * 0 or -1 (memory).  O(rows columns d); sparse: with the number of entries of an example instead of
 * d. */
int kernel_block(const struct kernel *kernel, struct kernel_part a, struct kernel_part b,
                 double *out, int threads, struct error *err);

#endif
