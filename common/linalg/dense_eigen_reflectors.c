/* To tridiagonal form and back, by reflectors.
 *
 *   to     A = Q T Q', T tridiagonal (diagonal d, off-diagonal e), Q = H_0 H_1 ...  The reflector
 *          H_j = I - tau v v' clears row j of A beyond the entry next to the diagonal.  PANEL rows
 *          at a time: half of the work is products of the trailing matrix with a vector, the other
 *          half one update of it, A -= V'W + W'V.  (Dongarra, Sorensen and Hammarling 1989;
 *          LAPACK's dsytrd)
 *   back   x = Q z, BACK reflectors at a time: Q_block = I - V' t V with t upper triangular
 *          (Schreiber and Van Loan 1989)
 *
 * Only the upper triangle of A is used.  In row j, what is to the right of the diagonal becomes the
 * vector v of reflector j, whose first entry is 1. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense_eigen_state.h"
#include "common/linalg/vector.h"

#include <math.h>
#include <string.h>

/* No reason for these numbers but that they work, unless one is given. */
enum {
    PANEL = 32,             /* reflectors between two updates of the trailing matrix */
    BACK = 64,              /* reflectors applied at once */
    STRIP = 256,            /* rows of the triangle that are updated at once */
    PARTS = 16,             /* of a product with a vector, see below */
    REFLECTORS_SMALL = 512, /* rows; with fewer, the work is done before a thread has started */
};

/* A product of the triangle with a vector is split into PARTS whatever the number of threads, so
 * that the order of its sums does not depend on that number. */

/* ---- to tridiagonal form ---- */

struct eigen_reduction {
    int64_t n;
    double *a;        /* n x n */
    double *d, *e;    /* n; e[j] stands between d[j] and d[j + 1] */
    double *tau;      /* n */
    double *v, *w;    /* V and W of a panel, PANEL x n each, a row for each reflector; contiguous */
    double *mirrored; /* 2 PANEL x n: W and V, in this order */
    double *part;     /* PARTS x n: the sums of a product with a vector */
    int threads;

    /* Of that product: A from row and column `first` on, times x. */
    int64_t first, parts;    /* parts: 1 or PARTS */
    int64_t edge[PARTS + 1]; /* part p has the rows edge[p] .. edge[p + 1] - 1 */
    const double *x;
};

/* Four rows of the triangle, to the right of the square that they have on the diagonal.  Each
 * number is used twice, for its row and for its column.
 *
 * a         4 x columns, its rows n apart
 * x, y      columns; y += A' factor
 * row_sum   4; += A x */
WIDEST_VECTORS(void, eigen_times_four_rows,
               (int64_t columns, const double *a, int64_t n, const double *x, const double *factor,
                double *y, double *row_sum),
               (columns, a, n, x, factor, y, row_sum))
{
    const double *a0 = a, *a1 = a + n, *a2 = a + 2 * n, *a3 = a + 3 * n;
    double f0 = factor[0], f1 = factor[1], f2 = factor[2], f3 = factor[3];
    vector8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t j = 0;
    for (; j + 8 <= columns; j += 8) {
        vector8 xj = *(const vector8 *)(const void *)(x + j),
                yj = *(const vector8 *)(const void *)(y + j);
        vector8 r0 = *(const vector8 *)(const void *)(a0 + j),
                r1 = *(const vector8 *)(const void *)(a1 + j);
        vector8 r2 = *(const vector8 *)(const void *)(a2 + j),
                r3 = *(const vector8 *)(const void *)(a3 + j);
        s0 += r0 * xj;
        s1 += r1 * xj;
        s2 += r2 * xj;
        s3 += r3 * xj;
        *(vector8 *)(void *)(y + j) = yj + ((f0 * r0 + f1 * r1) + (f2 * r2 + f3 * r3));
    }
    double t0 = vector8_sum(&s0), t1 = vector8_sum(&s1), t2 = vector8_sum(&s2),
           t3 = vector8_sum(&s3);
    for (; j < columns; j++) {
        t0 += a0[j] * x[j];
        t1 += a1[j] * x[j];
        t2 += a2[j] * x[j];
        t3 += a3[j] * x[j];
        y[j] += (f0 * a0[j] + f1 * a1[j]) + (f2 * a2[j] + f3 * a3[j]);
    }
    row_sum[0] += t0;
    row_sum[1] += t1;
    row_sum[2] += t2;
    row_sum[3] += t3;
}

/* What the rows of one part contribute to y = A x. */
static void eigen_times_part(void *context, int64_t part)
{
    struct eigen_reduction *r = context;
    int64_t n = r->n, last = r->edge[part + 1];
    double *y = r->part + part * n;
    const double *x = r->x;
    memset(y + r->first, 0, (size_t)(n - r->first) * sizeof *y);
    for (int64_t i = r->edge[part]; i < last;) {
        int64_t rows = order_least(4, last - i);
        const double *a = r->a + i * n;
        /* The square of four rows; of fewer rows, everything. */
        const int64_t end = rows == 4 ? i + 4 : n;
        for (int64_t k = 0; k < rows; k++) {
            y[i + k] += a[k * n + i + k] * x[i + k];
            for (int64_t j = i + k + 1; j < end; j++) {
                y[i + k] += a[k * n + j] * x[j];
                y[j] += a[k * n + j] * x[i + k];
            }
        }
        if (rows == 4)
            eigen_times_four_rows(n - i - 4, a + i + 4, n, x + i + 4, x + i, y + i + 4, y + i);
        i += rows;
    }
}

/* y = A x for the trailing matrix from row and column `first` on; x and y are indexed like the
 * whole matrix. */
static void eigen_times_vector(struct eigen_reduction *r, int64_t first, const double *x, double *y)
{
    int64_t n = r->n, size = n - first;
    r->first = first;
    r->x = x;
    r->parts = size < REFLECTORS_SMALL ? 1 : PARTS;
    /* Parts of equal area: the first share s of a triangle's rows hold 1 - (1 - s)^2 of it. */
    for (int64_t p = 0; p <= r->parts; p++) {
        double share = 1 - sqrt(1 - (double)p / (double)r->parts);
        r->edge[p] = p == r->parts ? n : first + (int64_t)(share * (double)size) / 4 * 4;
    }
    parallel_for(r->parts == 1 ? 1 : r->threads, r->parts, eigen_times_part, r);
    memcpy(y + first, r->part + first, (size_t)size * sizeof *y);
    for (int64_t p = 1; p < r->parts; p++)
        vector_add(size, 1, r->part + p * n + first, y + first);
}

/* The reflector that maps x[0 .. n), n >= 1, to (beta, 0, ..., 0).  x becomes v, v[0] = 1; beta:
 * out. Returns tau. */
static double eigen_reflector(int64_t n, double *x, double *beta)
{
    double rest = vector_dot(n - 1, x + 1, x + 1), alpha = x[0];
    *beta = alpha;
    x[0] = 1;
    /* Smaller squares have lost digits: the length of v would be wrong and H not orthogonal. */
    if (!(rest > EIGEN_NEGLIGIBLE)) {
        memset(x + 1, 0, (size_t)(n - 1) * sizeof *x);
        return 0;
    }
    *beta = alpha > 0 ? -sqrt(alpha * alpha + rest) : sqrt(alpha * alpha + rest);
    eigen_scale(n - 1, 1 / (alpha - *beta), x + 1);
    return (*beta - alpha) / *beta;
}

/* Reduce row j, the k-th of its panel: apply the updates of the panel's earlier rows to it, find
 * its reflector v, and w such that the trailing matrix is to become A - v w' - w v'. */
static void eigen_reduce_row(struct eigen_reduction *r, int64_t j, int64_t k)
{
    int64_t n = r->n, next = j + 1, size = n - next;
    double *row = r->a + j * n;
    for (int64_t t = 0; t < k; t++) {
        double *v = r->v + t * n, *w = r->w + t * n;
        vector_add(n - j, -v[j], w + j, row + j);
        vector_add(n - j, -w[j], v + j, row + j);
    }
    r->d[j] = row[j];
    r->tau[j] = eigen_reflector(size, row + next, &r->e[j]);
    double *v = r->v + k * n, *w = r->w + k * n;
    memset(v, 0, (size_t)next * sizeof *v);
    memcpy(v + next, row + next, (size_t)size * sizeof *v);
    memset(w, 0, (size_t)next * sizeof *w);
    if (r->tau[j] == 0) {
        memset(w + next, 0, (size_t)size * sizeof *w);
        return;
    }
    eigen_times_vector(r, next, v, w);
    for (int64_t t = 0; t < k; t++) {
        double *vt = r->v + t * n + next, *wt = r->w + t * n + next;
        double along_w = vector_dot(size, wt, v + next), along_v = vector_dot(size, vt, v + next);
        vector_add(size, -along_w, vt, w + next);
        vector_add(size, -along_v, wt, w + next);
    }
    eigen_scale(size, r->tau[j], w + next);
    vector_add(size, -0.5 * r->tau[j] * vector_dot(size, w + next, v + next), v + next, w + next);
}

/* Sets d, e and tau; the reflectors are left in a.  0 or -1. */
static int eigen_reduce(struct eigen_reduction *r, struct error *err)
{
    int64_t n = r->n;
    for (int64_t first = 0; first + 1 < n; first += PANEL) {
        int64_t rows = order_least(PANEL, n - 1 - first), next = first + rows;
        for (int64_t k = 0; k < rows; k++)
            eigen_reduce_row(r, first + k, k);
        memcpy(r->mirrored, r->w, (size_t)(rows * n) * sizeof *r->w);
        memcpy(r->mirrored + rows * n, r->v, (size_t)(rows * n) * sizeof *r->v);
        /* W directly after V, also where the last panel has fewer rows. */
        memmove(r->v + rows * n, r->w, (size_t)(rows * n) * sizeof *r->w);
        for (int64_t i = next; i < n; i += STRIP) {
            int64_t height = order_least(STRIP, n - i);
            const struct dense_view vw = {r->v + i, 1, n}, wv = {r->mirrored + i, n, 1};
            if (dense_add_product(height, n - i, 2 * rows, -1, vw, wv, r->a + i * n + i, n,
                                  r->threads, err)
                != 0)
                return -1;
        }
    }
    r->d[n - 1] = r->a[n * n - 1];
    return 0;
}

int dense_eigen_reduce(int64_t n, double *a, double *d, double *e, double *tau, int threads,
                       struct error *err)
{
    double *panels = memory_resize(NULL, (4 * PANEL + PARTS) * n, sizeof *panels, err);
    if (!panels)
        return -1;
    struct eigen_reduction r = {.n = n,
                                .a = a,
                                .d = d,
                                .e = e,
                                .tau = tau,
                                .v = panels,
                                .w = panels + PANEL * n,
                                .mirrored = panels + 2 * PANEL * n,
                                .part = panels + 4 * PANEL * n,
                                .threads = threads};
    int status = eigen_reduce(&r, err);
    memory_free(panels);
    return status;
}

/* ---- back ---- */

int dense_eigen_back(int64_t n, const double *a, const double *tau, int64_t m, double *z,
                     int threads, struct error *err)
{
    int status = -1;
    double *v = memory_resize(NULL, 2 * BACK * n + BACK * BACK + BACK * m, sizeof *v, err);
    if (!v)
        return -1;
    double *tv = v + BACK * n, *t = tv + BACK * n, *zv = t + BACK * BACK; /* V, t'V, t, Z V' */
    for (int64_t first = (n - 2) / BACK * BACK; first >= 0; first -= BACK) {
        int64_t rows = order_least(BACK, n - 1 - first), size = n - 1 - first;
        memset(t, 0, BACK * BACK * sizeof *t);
        for (int64_t k = 0; k < rows; k++) {
            double *vk = v + k * size, along[BACK];
            memset(vk, 0, (size_t)k * sizeof *vk);
            memcpy(vk + k, a + (first + k) * n + first + k + 1, (size_t)(size - k) * sizeof *vk);
            for (int64_t l = 0; l < k; l++)
                along[l] = vector_dot(size - k, v + l * size + k, vk + k);
            for (int64_t i = 0; i < k; i++)
                for (int64_t l = i; l < k; l++)
                    t[i * BACK + k] -= tau[first + k] * t[i * BACK + l] * along[l];
            t[k * BACK + k] = tau[first + k];
        }
        memset(tv, 0, (size_t)(rows * size) * sizeof *tv);
        memset(zv, 0, (size_t)(m * rows) * sizeof *zv);
        double *part = z + first + 1; /* the columns of Z that these reflectors change */
        const struct dense_view v_view = {v, size, 1}, v_transposed = {v, 1, size},
                                t_transposed = {t, 1, BACK}, part_view = {part, n, 1},
                                zv_view = {zv, rows, 1}, tv_view = {tv, size, 1};
        if (dense_add_product(rows, size, rows, 1, t_transposed, v_view, tv, size, threads, err)
            != 0)
            goto done;
        if (dense_add_product(m, rows, size, 1, part_view, v_transposed, zv, rows, threads, err)
            != 0)
            goto done;
        if (dense_add_product(m, size, rows, -1, zv_view, tv_view, part, n, threads, err) != 0)
            goto done;
    }
    status = 0;
done:
    memory_free(v);
    return status;
}
