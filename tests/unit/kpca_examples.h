/* Random examples, kernel principal components of them by the library, and whether two models are
 * the same: what test_kpca, test_kpca_bytes and test_kernel_model share.  An error is a failed
 * check. */
#ifndef TESTS_UNIT_KPCA_EXAMPLES_H
#define TESTS_UNIT_KPCA_EXAMPLES_H

#include "check.h"
#include "common/base/random.h"
#include "learners/features/kpca.h"

#include <stdlib.h>
#include <string.h>

enum { F = 5 }; /* features */

/* n random examples of F features whose spread differs; some entries are zero, two examples are the
 * same. */
static inline struct problem make_problem(struct random *g, int64_t n)
{
    struct problem p = {0};
    if (problem_reserve(&p, n, n * F, NULL) != 0)
        exit(1);
    for (int64_t i = 0; i < n; i++) {
        for (int32_t j = 1; j <= F; j++) {
            double v = (random_uniform(g) - 0.3) * (double)j;
            if (random_uniform(g) < 0.8) {
                p.index[p.nnz] = j;
                p.value[p.nnz++] = v;
            }
        }
        if (i == 7) { /* as example 6 */
            int64_t first = p.row_start[6], size = p.row_start[7] - first;
            memcpy(p.index + p.row_start[7], p.index + first, (size_t)size * sizeof *p.index);
            memcpy(p.value + p.row_start[7], p.value + first, (size_t)size * sizeof *p.value);
            p.nnz = p.row_start[7] + size;
        }
        p.label[i] = p.line[i] = 1;
        p.row_start[++p.n] = p.nnz;
    }
    p.d = F;
    return p;
}

static inline struct kernel_model train(const struct problem *p, struct kpca_options o,
                                        struct kpca_report *report)
{
    struct kernel_model model = {0};
    struct progress silent = {0};
    struct error err = {0};
    CHECK(kpca_train(p, &o, &model, report, &silent, &err) == 0, "training: %s", err.message);
    return model;
}

static inline bool same_model(const struct kernel_model *a, const struct kernel_model *b)
{
    return a->columns == b->columns && a->sv.n == b->sv.n && a->sv.nnz == b->sv.nnz
           && a->sv.d == b->sv.d && !memcmp(a->rho, b->rho, (size_t)a->columns * sizeof(double))
           && !memcmp(a->coef, b->coef, (size_t)(a->sv.n * a->columns) * sizeof(double))
           && !memcmp(a->sv.row_start, b->sv.row_start, (size_t)(a->sv.n + 1) * sizeof(int64_t))
           && !memcmp(a->sv.index, b->sv.index, (size_t)a->sv.nnz * sizeof(int32_t))
           && !memcmp(a->sv.value, b->sv.value, (size_t)a->sv.nnz * sizeof(double))
           && a->kernel.type == b->kernel.type
           && !memcmp(&a->kernel.gamma, &b->kernel.gamma, sizeof(double))
           && a->unit_length == b->unit_length && a->zero_based == b->zero_based;
}

#endif
