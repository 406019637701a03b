#include "learners/musvm/span_bound.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double BOUNDARY = 1e-8; /* of a cap: nearer to 0 or to the cap is there */
static const double RIDGE = 1e-10;   /* of the mean diagonal */

/* ---- rows for a task that has none ---- */

struct own_rows {
    struct kernel_data data;
    struct kernel_rows *rows;
};

/* A task with rows: its own, or those of the linear kernel, which a task without has. */
static int find_rows(const struct musvm_task *task, int threads, struct musvm_task *with,
                     struct own_rows *own, struct error *err)
{
    const struct kernel linear = {.type = KERNEL_LINEAR};
    const double N = (double)(task->n + task->m);
    *own = (struct own_rows){.rows = NULL};
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

static void free_rows(struct own_rows *own)
{
    kernel_rows_free(own->rows);
    kernel_data_free(&own->data);
}

/* ---- what is free ---- */

/* Strictly between 0 and the cap. */
static bool is_inside(double a, double cap)
{
    return a > BOUNDARY * cap && a < cap - BOUNDARY * cap;
}

/* Is element l of row i free to move both ways? */
static bool is_free(const struct musvm_task *task, const double *a, int64_t i, int64_t l,
                    double cap)
{
    if (i < task->n && l == task->y[i])
        return is_inside(a[l], cap);
    return a[l] < -BOUNDARY * cap || (i >= task->n && is_inside(a[l], cap));
}

enum type { NO_SUPPORT, SV1, SV2 };

static enum type type_of(const struct musvm_task *task, const double *a, int64_t i, double cap)
{
    bool inside = false;
    if (i < task->n) {
        double own = a[task->y[i]];
        return is_inside(own, cap) ? SV1 : own > BOUNDARY * cap ? SV2 : NO_SUPPORT;
    }
    for (int64_t l = 0; l < task->classes; l++)
        inside |= is_inside(a[l], cap);
    return inside ? SV1 : NO_SUPPORT;
}

/* a + RIDGE mean diagonal I = L L', with more of it until that succeeds. */
static int factor(int64_t n, const double *a, double *l, int threads, struct error *err)
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

/* d of the m samples of `which`: SV1 themselves (own: G^-1's diagonal) or others.  x: room, p x
 * m. */
static int distances(const struct musvm_task *task, int64_t p, const int64_t *sv1, const double *l,
                     int64_t m, const int64_t *which, bool own, double *x, double *d, int threads,
                     struct error *err)
{
    const double *diagonal = kernel_rows_diagonal(task->rows);
    for (int64_t t = 0; t < m; t++) {
        const double *row = own ? NULL : kernel_rows_get(task->rows, which[t], err);
        if (!own && !row)
            return -1;
        for (int64_t s = 0; s < p; s++)
            x[s * m + t] = own ? s == t : row[sv1[s]];
    }
    if (p > 0 && dense_cholesky_solve(p, m, l, x, threads, err) != 0)
        return -1;
    for (int64_t t = 0; t < m; t++) {
        const double *row = own ? NULL : kernel_rows_get(task->rows, which[t], err);
        if (!own && !row)
            return -1;
        d[which[t]] = own ? 1 / x[t * m + t] : diagonal[which[t]];
        for (int64_t s = 0; s < p && !own; s++)
            d[which[t]] -= row[sv1[s]] * x[s * m + t];
        d[which[t]] = d[which[t]] > 0 ? d[which[t]] : 0; /* a squared distance, but for rounding */
    }
    return 0;
}

static int find_distances(const struct musvm_task *task, int64_t p, const int64_t *sv1, int64_t q,
                          const int64_t *sv2, double *d, int threads, struct error *err)
{
    double *g = memory_new(p * p, sizeof *g, err), *l = memory_new(p * p, sizeof *l, err);
    double *x = memory_new(p * (p > q ? p : q), sizeof *x, err);
    int status = g && l && x ? 0 : -1;
    for (int64_t s = 0; s < p && status == 0; s++) {
        const double *row = kernel_rows_get(task->rows, sv1[s], err);
        status = row ? 0 : -1;
        for (int64_t t = 0; t < p && row; t++)
            g[s * p + t] = row[sv1[t]];
    }
    if (status == 0 && p > 0)
        status = factor(p, g, l, threads, err);
    if (status == 0)
        status = distances(task, p, sv1, l, p, sv1, true, x, d, threads, err);
    if (status == 0)
        status = distances(task, p, sv1, l, q, sv2, false, x, d, threads, err);
    memory_free(g);
    memory_free(l);
    memory_free(x);
    return status;
}

int span_bound_theorem(const struct musvm_task *given, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, double *s2, double *rhs,
                       int64_t *errors, struct error *err)
{
    const int64_t N = given->n + given->m, K = given->classes;
    struct musvm_task with_rows, *task = &with_rows;
    struct own_rows own;
    int64_t *sv1 = memory_new(N, sizeof *sv1, err), *sv2 = memory_new(N, sizeof *sv2, err), p = 0,
            q = 0;
    double *d = memory_new(N, sizeof *d, err);
    int status = find_rows(given, threads, task, &own, err) == 0 && sv1 && sv2 && d ? 0 : -1;
    for (int64_t i = 0; i < N && status == 0; i++) {
        enum type type = type_of(task, point->alpha + i * K, i, musvm_cap(task, options, i));
        if (type == SV1)
            sv1[p++] = i;
        else if (type == SV2)
            sv2[q++] = i;
    }
    if (status == 0)
        status = find_distances(task, p, sv1, q, sv2, d, threads, err);
    *errors = 0;
    for (int64_t t = 0; t < task->n && status == 0; t++) {
        const double *a = point->alpha + t * K;
        double norm = 0, product = 0;
        bool support = type_of(task, a, t, musvm_cap(task, options, t)) != NO_SUPPORT;
        for (int64_t l = 0; l < K && support; l++) {
            norm += a[l] * a[l];
            product += a[l] * point->f[l * N + t];
        }
        *errors += support && norm * d[t] >= product;
        if (s2)
            s2[t] = norm * d[t];
        if (rhs)
            rhs[t] = product;
    }
    memory_free(sv1);
    memory_free(sv2);
    memory_free(d);
    free_rows(&own);
    return status;
}

/* ---- element-wise ---- */

struct local {
    const struct musvm_task *task;
    const struct musvm_point *point;
    int64_t p, N, K;
    int64_t *owner;  /* p: whose direction it is */
    int64_t *start;  /* N + 1: the directions of sample i are start[i] .. start[i+1]-1 */
    double *z;       /* p x K */
    double *inverse; /* p x p: M^-1 */
    double *b, *x;   /* p x n: right sides, and M^-1 times them */
};

/* An orthonormal basis of the vectors of sum 0 on the free elements: the Helmert contrasts. */
static void find_directions(struct local *s, const struct musvm_options *options)
{
    s->p = 0;
    for (int64_t i = 0; i < s->N; i++) {
        const double *a = s->point->alpha + i * s->K, cap = musvm_cap(s->task, options, i);
        int64_t before = 0;
        s->start[i] = s->p;
        for (int64_t l = 0; l < s->K; l++) {
            if (!is_free(s->task, a, i, l, cap))
                continue;
            if (before > 0) {
                double *z = s->z + s->p * s->K,
                       length = sqrt((double)before * (double)(before + 1));
                memset(z, 0, (size_t)s->K * sizeof *z);
                for (int64_t j = 0; j < l; j++)
                    if (is_free(s->task, a, i, j, cap))
                        z[j] = 1 / length;
                z[l] = -(double)before / length;
                s->owner[s->p++] = i;
            }
            before++;
        }
    }
    s->start[s->N] = s->p;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t l = 0; l < n; l++)
        sum += a[l] * b[l];
    return sum;
}

static int find_inverse(struct local *s, int threads, struct error *err)
{
    const int64_t p = s->p;
    double *m = memory_new(p * p, sizeof *m, err), *l = memory_new(p * p, sizeof *l, err);
    int status = m && l ? 0 : -1;
    for (int64_t u = 0; u < p && status == 0; u++) {
        const double *row = kernel_rows_get(s->task->rows, s->owner[u], err);
        status = row ? 0 : -1;
        for (int64_t v = 0; v < p && row; v++)
            m[u * p + v] = row[s->owner[v]] * dot(s->z + u * s->K, s->z + v * s->K, s->K);
        s->inverse[u * p + u] = 1;
    }
    if (status == 0 && p > 0)
        status = factor(p, m, l, threads, err);
    if (status == 0 && p > 0)
        status = dense_cholesky_solve(p, p, l, s->inverse, threads, err);
    memory_free(m);
    memory_free(l);
    return status;
}

/* Column t of b: what leaving out t does to the free directions of the others. */
static int find_sides(struct local *s, struct error *err)
{
    const int64_t n = s->task->n;
    for (int64_t t = 0; t < n; t++) {
        const double *row = kernel_rows_get(s->task->rows, t, err);
        if (!row)
            return -1;
        for (int64_t u = 0; u < s->p; u++)
            s->b[u * n + t] = s->owner[u] == t
                                  ? 0
                                  : row[s->owner[u]]
                                        * dot(s->z + u * s->K, s->point->alpha + t * s->K, s->K);
    }
    return 0;
}

/* f of sample t when it is left out.  room: own x own + own. */
static int leave_out(const struct local *s, int64_t t, double *f, double *room, int64_t *pivot,
                     struct error *err)
{
    const int64_t n = s->task->n, p = s->p, K = s->K, first = s->start[t],
                  own = s->start[t + 1] - first;
    const double *row = kernel_rows_get(s->task->rows, t, err), *a = s->point->alpha + t * K;
    double *block = room, *side = room + own * own;
    if (!row)
        return -1;
    for (int64_t u = 0; u < own; u++) {
        side[u] = s->x[(first + u) * n + t];
        for (int64_t v = 0; v < own; v++)
            block[u * own + v] = s->inverse[(first + u) * p + first + v];
    }
    if (own > 0) {
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

static bool is_wrong(const double *f, int64_t K, int64_t y)
{
    for (int64_t l = 0; l < K; l++)
        if (l != y && f[l] >= f[y])
            return true;
    return false;
}

static int run_local(struct local *s, int threads, double *f, int64_t *errors, struct error *err)
{
    const int64_t n = s->task->n, K = s->K;
    double *one = memory_new(K, sizeof *one, err),
           *room = one ? memory_new(K * K + K, sizeof *room, err) : NULL;
    int64_t *pivot = room ? memory_new(K, sizeof *pivot, err) : NULL;
    int status = pivot && find_inverse(s, threads, err) == 0 && find_sides(s, err) == 0
                         && (s->p == 0
                             || dense_product(s->p, n, s->p, s->inverse, s->b, s->x, threads, err)
                                    == 0)
                     ? 0
                     : -1;
    *errors = 0;
    for (int64_t t = 0; t < n && status == 0; t++) {
        status = leave_out(s, t, one, room, pivot, err);
        *errors += is_wrong(one, K, s->task->y[t]);
        if (f)
            memcpy(f + t * K, one, (size_t)K * sizeof *f);
    }
    memory_free(one);
    memory_free(room);
    memory_free(pivot);
    return status;
}

int span_bound_local(const struct musvm_task *given, const struct musvm_options *options,
                     const struct musvm_point *point, int threads, double *f, int64_t *errors,
                     struct error *err)
{
    struct musvm_task with_rows, *task = &with_rows;
    struct own_rows own;
    int found = find_rows(given, threads, task, &own, err), status = -1;
    struct local s = {.task = task, .point = point, .N = task->n + task->m, .K = task->classes};
    s.owner = memory_new(s.N * s.K, sizeof *s.owner, err);
    s.start = memory_new(s.N + 1, sizeof *s.start, err);
    s.z = memory_new(s.N * s.K, (size_t)s.K * sizeof *s.z, err);
    if (found == 0 && s.owner && s.start && s.z) {
        find_directions(&s, options);
        s.inverse = memory_new(s.p * s.p, sizeof *s.inverse, err);
        s.b = memory_new(s.p * task->n, sizeof *s.b, err);
        s.x = memory_new(s.p * task->n, sizeof *s.x, err);
        if (s.inverse && s.b && s.x)
            status = run_local(&s, threads, f, errors, err);
    }
    memory_free(s.owner);
    memory_free(s.start);
    memory_free(s.z);
    memory_free(s.inverse);
    memory_free(s.b);
    memory_free(s.x);
    free_rows(&own);
    return status;
}

/* ---- retraining ---- */

struct retraining {
    const struct musvm_task *task;
    const struct musvm_options *options;
    const struct musvm_point *point;
    bool *wrong;
    struct error *error; /* n; message "" when all is well */
};

static int copy_point(const struct musvm_task *task, const struct musvm_point *from,
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

static void retrain_without(void *context, int64_t t)
{
    struct retraining *s = context;
    const int64_t N = s->task->n + s->task->m, K = s->task->classes;
    struct musvm_options options = *s->options;
    struct musvm_point point = {0};
    struct musvm_result result;
    double *factor = memory_new(s->task->n, sizeof *factor, &s->error[t]);
    double *f = factor ? memory_new(K, sizeof *f, &s->error[t]) : NULL;
    if (f && copy_point(s->task, s->point, &point, &s->error[t]) == 0) {
        for (int64_t i = 0; i < s->task->n; i++)
            factor[i] = i == t ? 0 : options.factor ? options.factor[i] : 1;
        options.factor = factor;
        if (musvm_solve(s->task, &options, &point, &result, &s->error[t]) == 0) {
            for (int64_t l = 0; l < K; l++)
                f[l] = point.f[l * N + t];
            s->wrong[t] = is_wrong(f, K, s->task->y[t]);
        }
    }
    musvm_point_free(&point);
    memory_free(factor);
    memory_free(f);
}

int span_bound_retrain(const struct musvm_task *task, const struct musvm_options *options,
                       const struct musvm_point *point, int threads, bool *wrong, int64_t *errors,
                       struct error *err)
{
    struct retraining s = {.task = task, .options = options, .point = point};
    int status = -1;
    s.wrong = memory_new(task->n, sizeof *s.wrong, err);
    s.error = memory_new(task->n, sizeof *s.error, err);
    if (s.wrong && s.error) {
        parallel_for(task->rows && !kernel_rows_whole(task->rows) ? 1 : threads, task->n,
                     retrain_without, &s);
        status = 0;
        *errors = 0;
        for (int64_t t = 0; t < task->n && status == 0; t++) {
            status = error_take(&s.error[t], err);
            *errors += s.wrong[t];
        }
        if (wrong)
            memcpy(wrong, s.wrong, (size_t)task->n * sizeof *wrong);
    }
    memory_free(s.wrong);
    memory_free(s.error);
    return status;
}
