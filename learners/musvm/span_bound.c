/* Theorem 4: the closed form of span_bound.h.
 *
 * It needs one Cholesky factor of G, p x p with p samples of SV1.  The printed theorem takes a
 * matrix of (n + m L) (L + 1) rows and inverts singular blocks of it; as rows of alpha sum to 0,
 * the pseudo-inverse of a block is that of G times a projection, which gives the closed form. */
#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/musvm/span_bound_state.h"

/* ---- types of rows ---- */

enum span_bound_type { NO_SUPPORT, SV1, SV2 };

/* The type of theorem 4 of row i. */
static enum span_bound_type span_bound_type_of(const struct musvm_task *task, const double *a,
                                               int64_t i, double cap)
{
    if (i < task->n) {
        const double own = a[task->y[i]];
        if (span_bound_is_inside(own, cap))
            return SV1;
        return own > span_bound_edge * cap ? SV2 : NO_SUPPORT;
    }
    for (int64_t l = 0; l < task->classes; l++)
        if (span_bound_is_inside(a[l], cap))
            return SV1;
    return NO_SUPPORT;
}

/* ---- distances ---- */

/* The support vectors by their types. */
struct span_bound_types {
    int64_t *sv1, *sv2; /* p and q of them, ascending */
    int64_t p, q;
};

/* G = L L' of SV1.  l: out, p x p.  0 or -1. */
static int span_bound_factor_sv1(const struct musvm_task *task,
                                 const struct span_bound_types *types, double *l, int threads,
                                 struct error *err)
{
    const int64_t p = types->p, *sv1 = types->sv1;
    int status = -1;
    double *g = memory_new(p * p, sizeof *g, err);
    if (!g)
        return -1;
    for (int64_t s = 0; s < p; s++) {
        const double *row = kernel_rows_get(task->rows, sv1[s], err);
        if (!row)
            goto done;
        for (int64_t t = 0; t < p; t++)
            g[s * p + t] = row[sv1[t]];
    }
    status = span_bound_factor(p, g, l, threads, err);
done:
    memory_free(g);
    return status;
}

/* A squared distance is not negative, but rounding may make it so. */
static double span_bound_not_negative(double d)
{
    return d > 0 ? d : 0;
}

/* d_t = 1 / (G^-1)_tt of t in SV1: the squared distance of x_t, in the kernel's space, from the
 * span of the others.  x: workspace, p x p.  0 or -1. */
static int span_bound_distances_sv1(const struct span_bound_types *types, const double *l,
                                    double *x, double *d, int threads, struct error *err)
{
    const int64_t p = types->p;
    for (int64_t s = 0; s < p; s++)
        for (int64_t t = 0; t < p; t++)
            x[s * p + t] = s == t;
    if (dense_cholesky_solve(p, p, l, x, threads, err) != 0)
        return -1;
    for (int64_t t = 0; t < p; t++)
        d[types->sv1[t]] = span_bound_not_negative(1 / x[t * p + t]);
    return 0;
}

/* d_t = k_tt - k_t'G^-1 k_t of t in SV2: the squared distance from the span of SV1.
 * x: workspace, p x q.  0 or -1. */
static int span_bound_distances_sv2(const struct musvm_task *task,
                                    const struct span_bound_types *types, const double *l,
                                    double *x, double *d, int threads, struct error *err)
{
    const int64_t p = types->p, q = types->q, *sv1 = types->sv1, *sv2 = types->sv2;
    for (int64_t t = 0; t < q; t++) {
        const double *row = kernel_rows_get(task->rows, sv2[t], err);
        if (!row)
            return -1;
        for (int64_t s = 0; s < p; s++)
            x[s * q + t] = row[sv1[s]];
    }
    if (dense_cholesky_solve(p, q, l, x, threads, err) != 0)
        return -1;
    for (int64_t t = 0; t < q; t++) {
        const double *row = kernel_rows_get(task->rows, sv2[t], err);
        if (!row)
            return -1;
        double distance = kernel_rows_diagonal(task->rows)[sv2[t]];
        for (int64_t s = 0; s < p; s++)
            distance -= row[sv1[s]] * x[s * q + t];
        d[sv2[t]] = span_bound_not_negative(distance);
    }
    return 0;
}

/* types: out, with arrays of n + m.  0 or -1; free both with memory_free either way. */
static int span_bound_sort_types(const struct musvm_task *task, const struct musvm_options *options,
                                 const struct musvm_point *point, struct span_bound_types *types,
                                 struct error *err)
{
    const int64_t N = task->n + task->m, K = task->classes;
    if (!(types->sv1 = memory_new(N, sizeof *types->sv1, err))
        || !(types->sv2 = memory_new(N, sizeof *types->sv2, err)))
        return -1;
    for (int64_t i = 0; i < N; i++) {
        const double *a = point->alpha + i * K;
        switch (span_bound_type_of(task, a, i, musvm_cap(task, options, i))) {
        case SV1:
            types->sv1[types->p++] = i;
            break;
        case SV2:
            types->sv2[types->q++] = i;
            break;
        case NO_SUPPORT:
            break;
        }
    }
    return 0;
}

/* d: out, n + m: d_t of the support vectors.  0 or -1. */
static int span_bound_find_distances(const struct musvm_task *task,
                                     const struct span_bound_types *types, int threads, double *d,
                                     struct error *err)
{
    const int64_t p = types->p, widest = p > types->q ? p : types->q;
    double *l = NULL, *x = NULL;
    int status = -1;
    if (span_bound_check_memory((double)p * (2 * (double)p + (double)widest), err) != 0
        || !(l = memory_new(p * p, sizeof *l, err)) || !(x = memory_new(p * widest, sizeof *x, err))
        || span_bound_factor_sv1(task, types, l, threads, err) != 0
        || span_bound_distances_sv1(types, l, x, d, threads, err) != 0)
        goto done;
    status = span_bound_distances_sv2(task, types, l, x, d, threads, err);
done:
    memory_free(l);
    memory_free(x);
    return status;
}

/* Compare S_t^2 and a_t.f(x_t) of all t; s2, rhs: as of span_bound_theorem.  Returns how many
 * count. */
static int64_t span_bound_count_errors(const struct musvm_task *task,
                                       const struct musvm_options *options,
                                       const struct musvm_point *point, const double *d, double *s2,
                                       double *rhs)
{
    const int64_t N = task->n + task->m, K = task->classes;
    int64_t errors = 0;
    for (int64_t t = 0; t < task->n; t++) {
        const double *a = point->alpha + t * K;
        double norm = 0, product = 0;
        bool support = span_bound_type_of(task, a, t, musvm_cap(task, options, t)) != NO_SUPPORT;
        if (support)
            for (int64_t k = 0; k < K; k++) {
                norm += a[k] * a[k];
                product += a[k] * point->f[k * N + t];
            }
        errors += support && norm * d[t] >= product;
        if (s2)
            s2[t] = norm * d[t];
        if (rhs)
            rhs[t] = product;
    }
    return errors;
}

int span_bound_theorem(const struct musvm_task *given, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, double *s2, double *rhs,
                       int64_t *errors, struct error *err)
{
    struct musvm_task with_rows, *task = &with_rows;
    struct span_bound_rows own;
    struct span_bound_types types = {0};
    double *d = NULL;
    int status = -1;
    *errors = 0;
    if (span_bound_find_rows(given, threads, task, &own, err) != 0
        || span_bound_sort_types(task, options, point, &types, err) != 0
        || !(d = memory_new(task->n + task->m, sizeof *d, err))
        || span_bound_find_distances(task, &types, threads, d, err) != 0)
        goto done;
    *errors = span_bound_count_errors(task, options, point, d, s2, rhs);
    status = 0;
done:
    memory_free(types.sv1);
    memory_free(types.sv2);
    memory_free(d);
    span_bound_free_rows(&own);
    return status;
}
