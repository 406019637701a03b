/* The element-wise estimate of span_bound.h.
 *
 * p counts free elements, less one a sample, and M is p x p.  Leaving t out asks for its solution
 * without t's own rows and columns T, which the inverse of all gives:
 *
 *     c = M^-1 b - (M^-1)_.T [(M^-1)_TT]^-1 (M^-1 b)_T,   b_u = k_ut z_u.a_t, 0 for u in T
 *     f^t(x_t) = f(x_t) - k_tt a_t + sum_u k_ut c_u z_u   over the directions u of others
 *
 * where direction u belongs to one sample, and z_u is its row of sum 0. */
#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/musvm/span_bound_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The directions in which rows are free, and the system of all of them. */
struct span_bound_system {
    const struct musvm_task *task;
    const struct musvm_point *point;
    int64_t p, N, K;
    int64_t *owner;  /* p: the sample of a direction */
    int64_t *start;  /* N + 1: the directions of sample i are start[i] .. start[i+1]-1 */
    double *z;       /* p x K */
    double *inverse; /* p x p: M^-1 */
    double *b, *x;   /* p x n: right-hand sides, and M^-1 times them */
};

/* Is element l of row i free to move both ways? */
static bool span_bound_is_free(const struct musvm_task *task, const double *a, int64_t i, int64_t l,
                               double cap)
{
    if (i < task->n && l == task->y[i])
        return span_bound_is_inside(a[l], cap);
    return a[l] < -span_bound_edge * cap || (i >= task->n && span_bound_is_inside(a[l], cap));
}

/* An orthonormal basis of the vectors of sum 0 on the free elements: the Helmert contrasts. */
static void span_bound_find_directions(struct span_bound_system *s,
                                       const struct musvm_options *options)
{
    s->p = 0;
    for (int64_t i = 0; i < s->N; i++) {
        const double *a = s->point->alpha + i * s->K, cap = musvm_cap(s->task, options, i);
        int64_t before = 0; /* free elements of the row so far */
        s->start[i] = s->p;
        for (int64_t l = 0; l < s->K; l++) {
            if (!span_bound_is_free(s->task, a, i, l, cap))
                continue;
            if (before > 0) {
                double *z = s->z + s->p * s->K,
                       length = sqrt((double)before * (double)(before + 1));
                memset(z, 0, (size_t)s->K * sizeof *z);
                for (int64_t j = 0; j < l; j++)
                    if (span_bound_is_free(s->task, a, i, j, cap))
                        z[j] = 1 / length;
                z[l] = -(double)before / length;
                s->owner[s->p++] = i;
            }
            before++;
        }
        assert(s->p - s->start[i] == (before > 0 ? before - 1 : 0));
    }
    s->start[s->N] = s->p;
}

static double span_bound_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t l = 0; l < n; l++)
        sum += a[l] * b[l];
    return sum;
}

/* s->inverse = M^-1, M[u][v] = k z_u.z_v with the kernel value of the two owners.  0 or -1. */
static int span_bound_find_inverse(struct span_bound_system *s, int threads, struct error *err)
{
    const int64_t p = s->p;
    double *m = NULL, *l = NULL;
    int status = -1;
    if (!(m = memory_new(p * p, sizeof *m, err)) || !(l = memory_new(p * p, sizeof *l, err)))
        goto done;
    for (int64_t u = 0; u < p; u++) {
        const double *row = kernel_rows_get(s->task->rows, s->owner[u], err);
        if (!row)
            goto done;
        for (int64_t v = 0; v < p; v++)
            m[u * p + v] = row[s->owner[v]]
                           * span_bound_dot(s->z + u * s->K, s->z + v * s->K, s->K);
        s->inverse[u * p + u] = 1;
    }
    if (span_bound_factor(p, m, l, threads, err) != 0
        || dense_cholesky_solve(p, p, l, s->inverse, threads, err) != 0)
        goto done;
    status = 0;
done:
    memory_free(m);
    memory_free(l);
    return status;
}

/* Column t of s->b: what leaving out t does to the free directions of the others.  0 or -1. */
static int span_bound_find_sides(struct span_bound_system *s, struct error *err)
{
    const int64_t n = s->task->n;
    for (int64_t t = 0; t < n; t++) {
        const double *row = kernel_rows_get(s->task->rows, t, err), *a = s->point->alpha + t * s->K;
        if (!row)
            return -1;
        for (int64_t u = 0; u < s->p; u++) {
            double side = 0;
            if (s->owner[u] != t)
                side = row[s->owner[u]] * span_bound_dot(s->z + u * s->K, a, s->K);
            s->b[u * n + t] = side;
        }
    }
    return 0;
}

/* f: out, the decision values of sample t when it is left out.  work, pivot: workspace, K x K + K
 * and K (t has fewer than K directions).  0 or -1. */
static int span_bound_leave_out(const struct span_bound_system *s, int64_t t, double *f,
                                double *work, int64_t *pivot, struct error *err)
{
    const int64_t n = s->task->n, p = s->p, K = s->K, first = s->start[t],
                  own = s->start[t + 1] - first;
    assert(own < K);
    const double *row = kernel_rows_get(s->task->rows, t, err), *a = s->point->alpha + t * K;
    double *block = work, *side = work + own * own;
    if (!row)
        return -1;
    for (int64_t u = 0; u < own; u++) {
        side[u] = s->x[(first + u) * n + t];
        for (int64_t v = 0; v < own; v++)
            block[u * own + v] = s->inverse[(first + u) * p + first + v];
    }
    if (own > 0) { /* a singular block leaves the side as it is */
        int status = dense_lu(own, block, pivot, 1, err);
        if (status < 0 || (status == 0 && dense_lu_solve(own, 1, block, pivot, side, 1, err) != 0))
            return -1;
    }
    for (int64_t l = 0; l < K; l++)
        f[l] = s->point->f[l * s->N + t] - row[t] * a[l];
    for (int64_t u = 0; u < p; u++) {
        double c = s->x[u * n + t];
        for (int64_t v = 0; v < own; v++)
            c -= s->inverse[u * p + first + v] * side[v];
        if (s->owner[u] != t)
            for (int64_t l = 0; l < K; l++)
                f[l] += row[s->owner[u]] * c * s->z[u * K + l];
    }
    return 0;
}

/* Is another class as large as y? */
static bool span_bound_is_wrong(const double *f, int64_t K, int64_t y)
{
    for (int64_t l = 0; l < K; l++)
        if (l != y && f[l] >= f[y])
            return true;
    return false;
}

/* Leave out each training sample in turn, the directions being found.  f, errors: as of
 * span_bound_local.  0 or -1. */
static int span_bound_leave_out_all(struct span_bound_system *s, int threads, double *f,
                                    int64_t *errors, struct error *err)
{
    const int64_t n = s->task->n, K = s->K;
    double *one = NULL, *work = NULL;
    int64_t *pivot = NULL;
    int status = -1;
    *errors = 0;
    if (!(one = memory_new(K, sizeof *one, err))
        || !(work = memory_new(K * K + K, sizeof *work, err))
        || !(pivot = memory_new(K, sizeof *pivot, err))
        || span_bound_find_inverse(s, threads, err) != 0 || span_bound_find_sides(s, err) != 0)
        goto done;
    if (dense_product(s->p, n, s->p, s->inverse, s->b, s->x, threads, err) != 0)
        goto done;
    for (int64_t t = 0; t < n; t++) {
        if (span_bound_leave_out(s, t, one, work, pivot, err) != 0)
            goto done;
        *errors += span_bound_is_wrong(one, K, s->task->y[t]);
        if (f)
            memcpy(f + t * K, one, (size_t)K * sizeof *f);
    }
    status = 0;
done:
    memory_free(one);
    memory_free(work);
    memory_free(pivot);
    return status;
}

int span_bound_local(const struct musvm_task *given, const struct musvm_options *options,
                     const struct musvm_point *point, int threads, double *f, int64_t *errors,
                     struct error *err)
{
    struct musvm_task with_rows, *task = &with_rows;
    struct span_bound_rows own;
    struct span_bound_system s = {
        .task = task, .point = point, .N = given->n + given->m, .K = given->classes};
    const double K = (double)s.K, n = (double)given->n;
    int status = -1;
    if (span_bound_find_rows(given, threads, task, &own, err) != 0
        || span_bound_check_memory((double)s.N * K * (K + 1), err) != 0
        || !(s.owner = memory_new(s.N * s.K, sizeof *s.owner, err))
        || !(s.start = memory_new(s.N + 1, sizeof *s.start, err))
        || !(s.z = memory_new(s.N * s.K, (size_t)s.K * sizeof *s.z, err)))
        goto done;
    span_bound_find_directions(&s, options);
    /* The inverse, the matrix and its factor; both sides. */
    if (span_bound_check_memory((double)s.p * (3 * (double)s.p + 2 * n), err) != 0
        || !(s.inverse = memory_new(s.p * s.p, sizeof *s.inverse, err))
        || !(s.b = memory_new(s.p * task->n, sizeof *s.b, err))
        || !(s.x = memory_new(s.p * task->n, sizeof *s.x, err)))
        goto done;
    status = span_bound_leave_out_all(&s, threads, f, errors, err);
done:
    memory_free(s.owner);
    memory_free(s.start);
    memory_free(s.z);
    memory_free(s.inverse);
    memory_free(s.b);
    memory_free(s.x);
    span_bound_free_rows(&own);
    return status;
}
