/* Leave-one-out estimates from one solution: the formulas of span_bound.h.
 *
 * Theorem 4 needs one Cholesky factor of G, p x p with p samples of SV1.  The printed theorem takes
 * a matrix of (n + m L) (L + 1) rows and inverts singular blocks of it; as rows of alpha sum to 0,
 * the pseudo-inverse of a block is that of G times a projection, which gives the closed form.
 *
 * Element-wise, p counts free elements, less one a sample, and M is p x p.  Leaving t out asks for
 * its solution without t's own rows and columns T, which the inverse of all gives:
 *
 *     c = M^-1 b - (M^-1)_.T [(M^-1)_TT]^-1 (M^-1 b)_T,   b_u = k_ut z_u.a_t, 0 for u in T
 *     f^t(x_t) = f(x_t) - k_tt a_t + sum_u k_ut c_u z_u   over the directions u of others
 *
 * where direction u belongs to one sample, and z_u is its row of sum 0. */
#include "learners/musvm/span_bound.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* An element nearer to 0 or to its cap than this share of the cap is there.  No reason for the
 * number but that it works. */
static const double BOUNDARY = 1e-8;

/* Of the mean diagonal; without it, duplicates among SV1, or more of them than features of a linear
 * kernel, leave G singular.  d_t is then near its limit, 0.  No reason for the number but that it
 * works. */
static const double RIDGE = 1e-10;

/* Refuse matrices of so many numbers that do not fit. */
static int span_bound_check_memory(double numbers, struct error *err)
{
    return memory_check(8 * numbers, "the leave-one-out error", err);
}

/* ---- rows for a task that has none ---- */

struct span_bound_rows {
    struct kernel_data data;
    struct kernel_rows *rows;
};

/* with: out, the task with rows: its own or, where it has none, those of the linear kernel, which
 * own holds then.  0 or -1; own is to be freed in both cases. */
static int span_bound_find_rows(const struct musvm_task *task, int threads, struct musvm_task *with,
                                struct span_bound_rows *own, struct error *err)
{
    const struct kernel linear = {.type = KERNEL_LINEAR};
    const double N = (double)(task->n + task->m);
    *own = (struct span_bound_rows){.rows = NULL};
    *with = *task;
    if (task->rows)
        return 0;
    if (memory_check(8 * N * N, "the kernel matrix for the leave-one-out error", err) != 0
        || kernel_data_make(task->samples, NULL, &own->data, err) != 0
        || !(own->rows = kernel_rows_new(&linear, &own->data, 8 * N * N, threads, err)))
        return -1;
    with->rows = own->rows;
    return 0;
}

static void span_bound_free_rows(struct span_bound_rows *own)
{
    kernel_rows_free(own->rows);
    kernel_data_free(&own->data);
}

/* ---- what is free ---- */

/* Strictly between 0 and the cap. */
static bool span_bound_is_inside(double a, double cap)
{
    return a > BOUNDARY * cap && a < cap - BOUNDARY * cap;
}

/* Is element l of row i free to move both ways? */
static bool span_bound_is_free(const struct musvm_task *task, const double *a, int64_t i, int64_t l,
                               double cap)
{
    if (i < task->n && l == task->y[i])
        return span_bound_is_inside(a[l], cap);
    return a[l] < -BOUNDARY * cap || (i >= task->n && span_bound_is_inside(a[l], cap));
}

enum span_bound_type { NO_SUPPORT, SV1, SV2 };

/* The type of theorem 4 of row i. */
static enum span_bound_type span_bound_type_of(const struct musvm_task *task, const double *a,
                                               int64_t i, double cap)
{
    if (i < task->n) {
        const double own = a[task->y[i]];
        if (span_bound_is_inside(own, cap))
            return SV1;
        return own > BOUNDARY * cap ? SV2 : NO_SUPPORT;
    }
    for (int64_t l = 0; l < task->classes; l++)
        if (span_bound_is_inside(a[l], cap))
            return SV1;
    return NO_SUPPORT;
}

/* a + RIDGE mean diagonal I = L L', with more of it until that succeeds.  0 or -1. */
static int span_bound_factor(int64_t n, const double *a, double *l, int threads, struct error *err)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += a[i * n + i] / (double)n;
    double ridge = RIDGE * (mean > 0 ? mean : 1);
    for (ridge = ridge > DBL_MIN ? ridge : DBL_MIN; isfinite(ridge); ridge *= 10) {
        memcpy(l, a, (size_t)(n * n) * sizeof *l);
        for (int64_t i = 0; i < n; i++)
            l[i * n + i] += ridge;
        int status = dense_cholesky(n, l, threads, err);
        if (status != DENSE_INDEFINITE)
            return status;
    }
    return error_set(
        err, "the kernel matrix has no inverse in double precision: the values are too large");
}

/* ---- theorem 4 ---- */

/* G = L L' of the samples sv1.  l: out, p x p.  0 or -1. */
static int span_bound_factor_sv1(const struct musvm_task *task, int64_t p, const int64_t *sv1,
                                 double *l, int threads, struct error *err)
{
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
    status = p > 0 ? span_bound_factor(p, g, l, threads, err) : 0;
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
static int span_bound_distances_sv1(int64_t p, const int64_t *sv1, const double *l, double *x,
                                    double *d, int threads, struct error *err)
{
    for (int64_t s = 0; s < p; s++)
        for (int64_t t = 0; t < p; t++)
            x[s * p + t] = s == t;
    if (p > 0 && dense_cholesky_solve(p, p, l, x, threads, err) != 0)
        return -1;
    for (int64_t t = 0; t < p; t++)
        d[sv1[t]] = span_bound_not_negative(1 / x[t * p + t]);
    return 0;
}

/* d_t = k_tt - k_t'G^-1 k_t of the q samples t in SV2: the squared distance from the span of SV1.
 * x: workspace, p x q.  0 or -1. */
static int span_bound_distances_sv2(const struct musvm_task *task, int64_t p, const int64_t *sv1,
                                    const double *l, int64_t q, const int64_t *sv2, double *x,
                                    double *d, int threads, struct error *err)
{
    for (int64_t t = 0; t < q; t++) {
        const double *row = kernel_rows_get(task->rows, sv2[t], err);
        if (!row)
            return -1;
        for (int64_t s = 0; s < p; s++)
            x[s * q + t] = row[sv1[s]];
    }
    if (p > 0 && dense_cholesky_solve(p, q, l, x, threads, err) != 0)
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

int span_bound_theorem(const struct musvm_task *given, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, double *s2, double *rhs,
                       int64_t *errors, struct error *err)
{
    const int64_t N = given->n + given->m, K = given->classes;
    struct musvm_task with_rows, *task = &with_rows;
    struct span_bound_rows own;
    int64_t *sv1 = NULL, *sv2 = NULL, p = 0, q = 0;
    double *d = NULL, *l = NULL, *x = NULL;
    int status = -1;
    *errors = 0;
    if (span_bound_find_rows(given, threads, task, &own, err) != 0
        || !(sv1 = memory_new(N, sizeof *sv1, err)) || !(sv2 = memory_new(N, sizeof *sv2, err))
        || !(d = memory_new(N, sizeof *d, err)))
        goto done;
    for (int64_t i = 0; i < N; i++) {
        const double *a = point->alpha + i * K;
        switch (span_bound_type_of(task, a, i, musvm_cap(task, options, i))) {
        case SV1:
            sv1[p++] = i;
            break;
        case SV2:
            sv2[q++] = i;
            break;
        case NO_SUPPORT:
            break;
        }
    }
    const int64_t widest = p > q ? p : q;
    if (span_bound_check_memory((double)p * (2 * (double)p + (double)widest), err) != 0
        || !(l = memory_new(p * p, sizeof *l, err)) || !(x = memory_new(p * widest, sizeof *x, err))
        || span_bound_factor_sv1(task, p, sv1, l, threads, err) != 0
        || span_bound_distances_sv1(p, sv1, l, x, d, threads, err) != 0
        || span_bound_distances_sv2(task, p, sv1, l, q, sv2, x, d, threads, err) != 0)
        goto done;
    for (int64_t t = 0; t < task->n; t++) {
        const double *a = point->alpha + t * K;
        double norm = 0, product = 0;
        bool support = span_bound_type_of(task, a, t, musvm_cap(task, options, t)) != NO_SUPPORT;
        if (support)
            for (int64_t k = 0; k < K; k++) {
                norm += a[k] * a[k];
                product += a[k] * point->f[k * N + t];
            }
        *errors += support && norm * d[t] >= product;
        if (s2)
            s2[t] = norm * d[t];
        if (rhs)
            rhs[t] = product;
    }
    status = 0;
done:
    memory_free(sv1);
    memory_free(sv2);
    memory_free(d);
    memory_free(l);
    memory_free(x);
    span_bound_free_rows(&own);
    return status;
}

/* ---- element-wise ---- */

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
    if (p > 0
        && (span_bound_factor(p, m, l, threads, err) != 0
            || dense_cholesky_solve(p, p, l, s->inverse, threads, err) != 0))
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
    if (s->p > 0 && dense_product(s->p, n, s->p, s->inverse, s->b, s->x, threads, err) != 0)
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

/* ---- retraining ---- */

struct span_bound_retraining {
    const struct musvm_task *task;
    const struct musvm_options *options;
    const struct musvm_point *point;
    bool *wrong;         /* n */
    struct error *error; /* n; message "" when all is well */
};

/* to: out, a copy, to be freed also on failure.  0 or -1 (memory). */
static int span_bound_copy_point(const struct musvm_task *task, const struct musvm_point *from,
                                 struct musvm_point *to, struct error *err)
{
    const int64_t cells = (task->n + task->m) * task->classes;
    if (musvm_point_make(task, to, err) != 0)
        return -1;
    memcpy(to->alpha, from->alpha, (size_t)cells * sizeof *to->alpha);
    memcpy(to->f, from->f, (size_t)cells * sizeof *to->f);
    if (!task->rows)
        memcpy(to->w.w, from->w.w, (size_t)(from->w.rows * from->w.stride) * sizeof *to->w.w);
    return 0;
}

/* Is sample t wrong when the others are solved, from the point on?  A job of the threads. */
static void span_bound_retrain_without(void *context, int64_t t)
{
    struct span_bound_retraining *s = context;
    struct error *err = &s->error[t];
    const int64_t n = s->task->n, N = n + s->task->m, K = s->task->classes;
    struct musvm_options options = *s->options;
    struct musvm_point point = {0};
    struct musvm_result result;
    double *factor = NULL, *f = NULL;
    if (!(factor = memory_new(n, sizeof *factor, err)) || !(f = memory_new(K, sizeof *f, err))
        || span_bound_copy_point(s->task, s->point, &point, err) != 0)
        goto done;
    for (int64_t i = 0; i < n; i++)
        factor[i] = i == t ? 0 : musvm_factor(options.factor, i);
    options.factor = factor;
    if (musvm_solve(s->task, &options, &point, &result, err) != 0)
        goto done;
    for (int64_t l = 0; l < K; l++)
        f[l] = point.f[l * N + t];
    s->wrong[t] = span_bound_is_wrong(f, K, s->task->y[t]);
done:
    musvm_point_free(&point);
    memory_free(factor);
    memory_free(f);
}

int span_bound_retrain(const struct musvm_task *task, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, bool *wrong, int64_t *errors,
                       struct error *err)
{
    struct span_bound_retraining s = {.task = task, .options = options, .point = point};
    int status = -1;
    if (!(s.wrong = memory_new(task->n, sizeof *s.wrong, err))
        || !(s.error = memory_new(task->n, sizeof *s.error, err)))
        goto done;
    /* Several threads cannot share a cache of rows; else their number changes no result. */
    if (task->rows && !kernel_rows_whole(task->rows))
        threads = 1;
    parallel_for(threads, task->n, span_bound_retrain_without, &s);
    *errors = 0;
    for (int64_t t = 0; t < task->n; t++) {
        if (error_take(&s.error[t], err) != 0)
            goto done;
        *errors += s.wrong[t];
    }
    if (wrong)
        memcpy(wrong, s.wrong, (size_t)task->n * sizeof *wrong);
    status = 0;
done:
    memory_free(s.wrong);
    memory_free(s.error);
    return status;
}
