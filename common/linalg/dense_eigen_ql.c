/* T = Z diag(values) Z' by the QL method with implicit shifts: sweeps of plane rotations that drive
 * the off-diagonal to zero from the top.  SWEEPS of them are collected and then applied to Z in
 * strips of WIDTH columns, each of which stays in a cache.  (Martin and Wilkinson 1968, Dubrulle
 * 1970; EISPACK's imtql2)
 *
 * Inverse iteration would need fewer operations but is not reliable here: a kernel matrix may have
 * a thousand eigenvalues that agree to the last bit although T does not split. */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense_eigen_state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No reason for these numbers but that they work, unless one is given. */
enum {
    QL_SMALL = 256,     /* rows; with fewer, the work is done before a thread has started */
    WIDTH = 32,         /* columns of Z that are rotated together */
    SWEEPS = 32,        /* collected before they are applied */
    MOST_SWEEPS = 1000, /* for one eigenvalue; two or three are usual */
};

/* A sweep rotates rows high and high - 1, then high - 1 and high - 2, ... down to low. */
struct eigen_sweep {
    int64_t low, high;
    int64_t at; /* its first rotation */
};

/* Rotations that are still to be applied, and the matrix that they are applied to. */
struct eigen_rotations {
    int64_t n;
    int64_t sweeps; /* collected so far, at most SWEEPS */
    int64_t count;  /* their rotations */
    struct eigen_sweep sweep[SWEEPS];
    double *cosine, *sine; /* SWEEPS x n each, count in use */
    double *z; /* Z' in strips of n x WIDTH: entries of eigenvector i at [i * WIDTH] of a strip */
};

/* Apply a sweep to a strip, from `row`, its row `high`, towards lower addresses.  What a rotation
 * leaves in the row that it shares with the next one stays in registers. */
WIDEST_VECTORS(void, eigen_rotate_rows,
               (int64_t count, const double *cosine, const double *sine, double *row),
               (count, cosine, sine, row))
{
    vector8 *upper = (vector8 *)(void *)row;
    vector8 x0 = upper[0], x1 = upper[1], x2 = upper[2], x3 = upper[3];
    for (int64_t r = 0; r < count; r++, upper -= 4) {
        double c = cosine[r], s = sine[r];
        vector8 y0 = upper[-4], y1 = upper[-3], y2 = upper[-2], y3 = upper[-1];
        upper[0] = s * y0 + c * x0;
        upper[1] = s * y1 + c * x1;
        upper[2] = s * y2 + c * x2;
        upper[3] = s * y3 + c * x3;
        x0 = c * y0 - s * x0;
        x1 = c * y1 - s * x1;
        x2 = c * y2 - s * x2;
        x3 = c * y3 - s * x3;
    }
    upper[0] = x0;
    upper[1] = x1;
    upper[2] = x2;
    upper[3] = x3;
}

/* Apply all sweeps to one strip. */
static void eigen_rotate_strip(void *context, int64_t strip)
{
    const struct eigen_rotations *r = context;
    double *z = r->z + strip * r->n * WIDTH;
    for (int64_t k = 0; k < r->sweeps; k++) {
        const struct eigen_sweep *s = &r->sweep[k];
        eigen_rotate_rows(s->high - s->low, r->cosine + s->at, r->sine + s->at,
                          z + s->high * WIDTH);
    }
}

/* Apply all sweeps and forget them. */
static void eigen_apply_rotations(struct eigen_rotations *r, int threads)
{
    parallel_for(r->n < QL_SMALL ? 1 : threads, parallel_parts(r->n, WIDTH), eigen_rotate_strip, r);
    r->sweeps = r->count = 0;
}

/* One sweep over rows low .. high of T, added to r.  The shift is Wilkinson's for d[low], the
 * eigenvalue that is to converge; another shift would only need more sweeps. */
static void eigen_sweep_once(struct eigen_rotations *r, double *d, double *e, int64_t low,
                             int64_t high)
{
    double g = (d[low + 1] - d[low]) / (2 * e[low]), root = sqrt(g * g + 1);
    double sine = 1, cosine = 1, shifted = 0;
    struct eigen_sweep *sweep = &r->sweep[r->sweeps++];
    *sweep = (struct eigen_sweep){high, high, r->count};
    g = d[high] - d[low] + e[low] / (g < 0 ? g - root : g + root);
    for (int64_t i = high - 1; i >= low; i--) {
        double f = sine * e[i], b = cosine * e[i], square = f * f + g * g;
        if (square < EIGEN_NEGLIGIBLE) { /* T splits here: the sweep ends */
            d[i + 1] -= shifted;
            e[i + 1] = e[high] = 0;
            return;
        }
        double length = sqrt(square);
        if (i + 1 < high)
            e[i + 1] = length;
        sine = f / length;
        cosine = g / length;
        g = d[i + 1] - shifted;
        double t = (d[i] - g) * sine + 2 * cosine * b;
        shifted = sine * t;
        d[i + 1] = g + shifted;
        g = cosine * t - b;
        r->cosine[r->count] = cosine;
        r->sine[r->count++] = sine;
        sweep->low = i;
    }
    d[low] -= shifted;
    e[low] = g;
}

/* d becomes the eigenvalues, in no particular order, and r->z, which is zero before, their vectors.
 * e is destroyed.  0, or -1 when one does not converge. */
static int eigen_diagonalise(struct eigen_rotations *r, double *d, double *e, int threads,
                             struct error *err)
{
    int64_t n = r->n;
    double norm = 0; /* a bound on ||T||, from Gershgorin's discs */
    for (int64_t i = 0; i < n; i++) {
        norm = fmax(norm, fabs(d[i]) + (i > 0 ? fabs(e[i - 1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0));
        r->z[i / WIDTH * n * WIDTH + i * WIDTH + i % WIDTH] = 1;
    }
    for (int64_t low = 0; low < n; low++)
        for (int sweeps = 0;; sweeps++) {
            /* Rounding in a long sweep may exceed epsilon, so an entry that does not shrink any
             * more is accepted in the end. */
            double negligible = (1 + sweeps / 16) * DBL_EPSILON * norm;
            int64_t high = low;
            while (high + 1 < n && fabs(e[high]) > negligible)
                high++;
            if (high == low)
                break;
            if (sweeps == MOST_SWEEPS)
                return error_set(err, "an eigenvalue did not converge");
            if (r->sweeps == SWEEPS)
                eigen_apply_rotations(r, threads);
            eigen_sweep_once(r, d, e, low, high);
        }
    eigen_apply_rotations(r, threads);
    return 0;
}

struct eigen_pair {
    double value;
    int64_t row; /* of Z' */
};

/* For qsort: by descending value. */
static int eigen_descending(const void *a, const void *b)
{
    const struct eigen_pair *x = a, *y = b;
    return order_by(y->value, x->value, x->row, y->row);
}

int dense_eigen_ql(int64_t n, double *d, double *e, int64_t m, double *value, double *z,
                   int threads, struct error *err)
{
    struct eigen_rotations r = {.n = n};
    int64_t strips = parallel_parts(n, WIDTH);
    int status = -1;
    struct eigen_pair *pair = memory_resize(NULL, n, sizeof *pair, err);
    if (!pair)
        goto done;
    r.cosine = memory_resize(NULL, 2 * SWEEPS * n, sizeof *r.cosine, err);
    if (!r.cosine)
        goto done;
    r.z = memory_new(strips * WIDTH * n, sizeof *r.z, err);
    if (!r.z)
        goto done;
    r.sine = r.cosine + SWEEPS * n;
    status = eigen_diagonalise(&r, d, e, threads, err);
    for (int64_t i = 0; i < n; i++)
        pair[i] = (struct eigen_pair){d[i], i};
    qsort(pair, (size_t)n, sizeof *pair, eigen_descending);
    for (int64_t k = 0; k < m; k++) {
        value[k] = pair[k].value;
        for (int64_t j = 0; j < n; j += WIDTH)
            memcpy(z + k * n + j, r.z + j * n + pair[k].row * WIDTH,
                   (size_t)order_least(WIDTH, n - j) * sizeof *z);
    }
done:
    memory_free(pair);
    memory_free(r.cosine);
    memory_free(r.z);
    return status;
}
