/* The largest eigenvalues of a symmetric matrix and their eigenvectors.
 *
 *   1  A = Q T Q', T tridiagonal (diagonal d, beside it e), Q = H_0 H_1 ...: each reflector H_j = I - tau v v' clears a row of A to the right of its
 *      neighbour.  PANEL rows at a time: half of the work is products of the trailing matrix with a vector, half one update of it,
 *      A -= V'W + W'V.   (Dongarra, Sorensen and Hammarling 1989; LAPACK's dsytrd)
 *   2  T falls into pieces where e is negligible; eigenvalues of each by bisection on the count of negative pivots   (Demmel, Dhillon and
 *      Ren 1995, for the count in IEEE arithmetic)
 *   3  eigenvectors of the pieces by inverse iteration, TOGETHER vectors at a time; after each step all are made orthogonal to each other and to
 *      all that came before, twice   (Parlett, The Symmetric Eigenvalue Problem, 4.9 and 6.9).  So near and equal eigenvalues need no care of
 *      their own: any orthonormal vectors whose residual is small are right ones.
 *   4  x = Q z, BACK reflectors at a time, Q_block = I - V' t V with t upper triangular   (Schreiber and Van Loan 1989)
 *
 * Only the upper triangle of A is used.  Row j to the right of the diagonal becomes reflector j, its first entry 1. */
#include "dense.h"

#include "memory.h"
#include "parallel.h"
#include "random.h"
#include "vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANEL = 32,        /* reflectors between two updates of the trailing matrix */
    BACK = 64,         /* reflectors applied at once */
    STRIP = 256,       /* rows of the triangle that are updated at once */
    PARTS = 16,        /* sums that a product with a vector is made of, so that its order does not depend on threads */
    SMALL = 512,       /* a matrix that is done with before a thread has started */
    TOGETHER = 32,     /* vectors in inverse iteration */
    FEWEST_ROUNDS = 3, /* of inverse iteration ... */
    MOST_ROUNDS = 12,
    LANES = 8          /* eigenvalues in one bisection */
};

#define RESIDUAL (16 * DBL_EPSILON) /* of a vector of T, against its norm and the root of n: more rounds while it is larger */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- vectors ---- */

WIDEST_VECTORS
static double dot(int64_t n, const double *x, const double *y)
{
    vector8 sum[2] = {{0}};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        sum[0] += *(const vector8 *)(const void *)(x + i) * *(const vector8 *)(const void *)(y + i);
        sum[1] += *(const vector8 *)(const void *)(x + i + 8) * *(const vector8 *)(const void *)(y + i + 8);
    }
    sum[0] += sum[1];
    double rest = 0;
    for (; i < n; i++)
        rest += x[i] * y[i];
    return vector8_sum(&sum[0]) + rest;
}

/* y += f x */
WIDEST_VECTORS
static void add(int64_t n, double f, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += f * x[i];
}

static void scale(int64_t n, double f, double *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= f;
}

/* ---- 1: to tridiagonal form ---- */

struct reduction {
    int64_t n;
    double *a;        /* n x n */
    double *d, *e;    /* n; e[j] stands between d[j] and d[j + 1] */
    double *tau;      /* n */
    double *v, *w;    /* 2 PANEL x n together: V and W of a panel, a row a reflector ... */
    double *mirrored; /* 2 PANEL x n: ... and W and V */
    double *part;     /* PARTS x n */
    int threads;
    /* the product with a vector in hand: */
    int64_t first, parts;
    int64_t edge[PARTS + 1];
    const double *x;
};

/* Four rows of the triangle from row i on, to the right of their own square: each number is used twice, for its row and for its column. */
WIDEST_VECTORS
static void times_four_rows(int64_t columns, const double *a, int64_t n, const double *x, const double *factor, double *y, double *row_sum)
{
    const double *a0 = a, *a1 = a + n, *a2 = a + 2 * n, *a3 = a + 3 * n;
    double f0 = factor[0], f1 = factor[1], f2 = factor[2], f3 = factor[3];
    vector8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t j = 0;
    for (; j + 8 <= columns; j += 8) {
        vector8 xj = *(const vector8 *)(const void *)(x + j), yj = *(const vector8 *)(const void *)(y + j);
        vector8 r0 = *(const vector8 *)(const void *)(a0 + j), r1 = *(const vector8 *)(const void *)(a1 + j);
        vector8 r2 = *(const vector8 *)(const void *)(a2 + j), r3 = *(const vector8 *)(const void *)(a3 + j);
        s0 += r0 * xj;
        s1 += r1 * xj;
        s2 += r2 * xj;
        s3 += r3 * xj;
        *(vector8 *)(void *)(y + j) = yj + ((f0 * r0 + f1 * r1) + (f2 * r2 + f3 * r3));
    }
    double t0 = vector8_sum(&s0), t1 = vector8_sum(&s1), t2 = vector8_sum(&s2), t3 = vector8_sum(&s3);
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

/* What the rows edge[part] .. edge[part + 1] - 1 of the triangle contribute to y = A x. */
static void times_part(void *context, int64_t part)
{
    struct reduction *r = context;
    int64_t n = r->n, last = r->edge[part + 1];
    double *y = r->part + part * n;
    const double *x = r->x;
    memset(y + r->first, 0, (size_t)(n - r->first) * sizeof *y);
    for (int64_t i = r->edge[part]; i < last;) {
        int64_t rows = least(4, last - i);
        const double *a = r->a + i * n;
        for (int64_t k = 0; k < rows; k++) { /* their square; of fewer than four rows, all there is to the right as well */
            int64_t end = rows == 4 ? i + 4 : n;
            y[i + k] += a[k * n + i + k] * x[i + k];
            for (int64_t j = i + k + 1; j < end; j++) {
                y[i + k] += a[k * n + j] * x[j];
                y[j] += a[k * n + j] * x[i + k];
            }
        }
        if (rows == 4)
            times_four_rows(n - i - 4, a + i + 4, n, x + i + 4, x + i, y + i + 4, y + i);
        i += rows;
    }
}

/* y = A x for the trailing matrix from row and column `first` on; x and y are indexed as the whole matrix is. */
static void times_vector(struct reduction *r, int64_t first, const double *x, double *y)
{
    int64_t n = r->n, size = n - first;
    r->first = first;
    r->x = x;
    r->parts = size < SMALL ? 1 : PARTS;
    for (int64_t p = 0; p <= r->parts; p++) { /* parts of one area: of a triangle, rows up to share s hold 1 - (1 - s)^2 */
        double share = 1 - sqrt(1 - (double)p / (double)r->parts);
        r->edge[p] = p == r->parts ? n : first + (int64_t)(share * (double)size) / 4 * 4;
    }
    parallel_for(r->parts == 1 ? 1 : r->threads, r->parts, times_part, r);
    memcpy(y + first, r->part + first, (size_t)size * sizeof *y);
    for (int64_t p = 1; p < r->parts; p++)
        add(size, 1, r->part + p * n + first, y + first);
}

/* The reflector that maps x[0 .. n) to (beta, 0, ..., 0): x becomes v, v[0] = 1.  Returns tau. */
static double reflector(int64_t n, double *x, double *beta)
{
    double rest = dot(n - 1, x + 1, x + 1), alpha = x[0];
    *beta = alpha;
    x[0] = 1;
    if (!(rest > 0)) {
        scale(n - 1, 0, x + 1);
        return 0;
    }
    *beta = alpha > 0 ? -sqrt(alpha * alpha + rest) : sqrt(alpha * alpha + rest);
    scale(n - 1, 1 / (alpha - *beta), x + 1);
    return (*beta - alpha) / *beta;
}

/* Reduce row j, the k-th of its panel: bring it up to date, find its reflector v, and w such that the trailing matrix becomes A - v w' - w v'. */
static void reduce_row(struct reduction *r, int64_t j, int64_t k)
{
    int64_t n = r->n, next = j + 1, size = n - next;
    double *row = r->a + j * n;
    for (int64_t t = 0; t < k; t++) {
        double *v = r->v + t * n, *w = r->w + t * n;
        add(n - j, -v[j], w + j, row + j);
        add(n - j, -w[j], v + j, row + j);
    }
    r->d[j] = row[j];
    r->tau[j] = reflector(size, row + next, &r->e[j]);
    double *v = r->v + k * n, *w = r->w + k * n;
    memset(v, 0, (size_t)next * sizeof *v);
    memcpy(v + next, row + next, (size_t)size * sizeof *v);
    memset(w, 0, (size_t)next * sizeof *w);
    if (r->tau[j] == 0) {
        memset(w + next, 0, (size_t)size * sizeof *w);
        return;
    }
    times_vector(r, next, v, w);
    for (int64_t t = 0; t < k; t++) {
        double *vt = r->v + t * n + next, *wt = r->w + t * n + next;
        double along_w = dot(size, wt, v + next), along_v = dot(size, vt, v + next);
        add(size, -along_w, vt, w + next);
        add(size, -along_v, wt, w + next);
    }
    scale(size, r->tau[j], w + next);
    add(size, -0.5 * r->tau[j] * dot(size, w + next, v + next), v + next, w + next);
}

static int reduce(struct reduction *r, struct error *err)
{
    int64_t n = r->n;
    for (int64_t first = 0; first + 1 < n; first += PANEL) {
        int64_t rows = least(PANEL, n - 1 - first), next = first + rows;
        for (int64_t k = 0; k < rows; k++)
            reduce_row(r, first + k, k);
        memcpy(r->mirrored, r->w, (size_t)(rows * n) * sizeof *r->w);
        memcpy(r->mirrored + rows * n, r->v, (size_t)(rows * n) * sizeof *r->v);
        memmove(r->v + rows * n, r->w, (size_t)(rows * n) * sizeof *r->w); /* V and W together, however few rows the last panel has */
        for (int64_t i = next; i < n; i += STRIP) {
            int64_t height = least(STRIP, n - i);
            if (dense_add_product(height, n - i, 2 * rows, -1, (struct dense_view){r->v + i, 1, n}, (struct dense_view){r->mirrored + i, n, 1},
                                  r->a + i * n + i, n, r->threads, err) != 0)
                return -1;
        }
    }
    r->d[n - 1] = r->a[n * n - 1];
    return 0;
}

/* ---- 2: eigenvalues of T ---- */

struct tridiagonal {
    int64_t n;
    const double *d;
    double *e;       /* 0 where T falls into pieces */
    double *squares; /* squares[i] = e[i - 1]^2 */
    double norm;     /* no smaller than ||T|| */
    double tiny;     /* what is negligible against it; every e is 0 or larger than this */
};

/* An eigenvalue and the piece of T that it belongs to. */
struct pair {
    double value;
    int64_t first, size;
};

struct bisection {
    const struct tridiagonal *t;
    struct pair *pair; /* of one piece, the largest value first */
    int64_t count;
};

/* below[l] = how many eigenvalues of a piece are less than x[l]: the negative pivots of T - x I.  A pivot of 0 makes the next one infinite, and
 * that one is forgotten by the next but one: no NaN, as no square is 0 (each e is at least about 1e-16). */
WIDEST_VECTORS
static void count_below(int64_t n, const double *d, const double *squares, const double *x, int64_t *below)
{
    typedef int64_t count8 __attribute__((vector_size(64), aligned(8), may_alias));
    vector8 at = *(const vector8 *)(const void *)x, pivot = d[0] - at, zero = {0};
    count8 count = {0};
    count -= pivot < zero; /* true is -1 */
    for (int64_t i = 1; i < n; i++) {
        pivot = (d[i] - at) - squares[i] / pivot;
        count -= pivot < zero;
    }
    *(count8 *)(void *)below = count;
}

static void bisect(void *context, int64_t task)
{
    const struct bisection *b = context;
    const struct tridiagonal *t = b->t;
    struct pair *pair = b->pair + task * LANES;
    int64_t count = least(LANES, b->count - task * LANES), below[LANES];
    double low[LANES], high[LANES], middle[LANES];
    for (int l = 0; l < LANES; l++) {
        low[l] = -1.0625 * t->norm; /* beyond what rounding could add to it */
        high[l] = 1.0625 * t->norm;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (int l = 0; l < LANES; l++)
            middle[l] = low[l] + 0.5 * (high[l] - low[l]);
        count_below(pair->size, t->d + pair->first, t->squares + pair->first, middle, below);
        for (int64_t l = 0; l < count; l++) {
            if (high[l] - low[l] <= 0.25 * t->tiny || !(low[l] < middle[l] && middle[l] < high[l]))
                continue;
            moved = true;
            if (below[l] >= pair->size - (task * LANES + l)) /* so many are at or below the one that is looked for */
                high[l] = middle[l];
            else
                low[l] = middle[l];
        }
    }
    for (int64_t l = 0; l < count; l++)
        pair[l].value = low[l] + 0.5 * (high[l] - low[l]);
}

static int descending(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->value > y->value || x->value < y->value)
        return x->value > y->value ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Cut T into pieces and find the m largest eigenvalues of each, hence of all.  pair: n, out, the first m of use. */
static void find_values(struct tridiagonal *t, int64_t m, struct pair *pair, int threads)
{
    int64_t n = t->n, found = 0, size;
    t->norm = 0;
    for (int64_t i = 0; i < n; i++) /* Gershgorin's discs */
        t->norm = fmax(t->norm, fabs(t->d[i]) + (i > 0 ? fabs(t->e[i - 1]) : 0) + (i + 1 < n ? fabs(t->e[i]) : 0));
    t->tiny = DBL_EPSILON * t->norm;
    t->squares[0] = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        if (fabs(t->e[i]) <= t->tiny)
            t->e[i] = 0;
        t->squares[i + 1] = t->e[i] * t->e[i];
    }
    for (int64_t first = 0; first < n; first += size) {
        for (size = 1; first + size < n && t->squares[first + size] > 0; size++)
            ;
        struct bisection b = {t, pair + found, least(m, size)};
        for (int64_t k = 0; k < b.count; k++)
            b.pair[k] = (struct pair){t->d[first], first, size};
        if (size > 1)
            parallel_for(size < SMALL ? 1 : threads, (b.count + LANES - 1) / LANES, bisect, &b);
        found += b.count;
    }
    qsort(pair, (size_t)found, sizeof *pair, descending);
}

/* ---- 3: eigenvectors of T ---- */

struct iteration {
    const struct tridiagonal *t;
    const struct pair *pair; /* of the vectors in hand */
    double *z;               /* the vectors in hand, n numbers each */
    double *scratch;         /* TOGETHER x 3 n */
    double shift[TOGETHER], residual[TOGETHER];
};

/* z = (T - x I)^-1 z times a number that keeps it finite: Gaussian elimination with partial pivoting.  As each e is larger than tiny, so is each
 * pivot but the last, and to raise that one is to change T by no more than its rounding. */
static void solve_shifted(int64_t n, const double *d, const double *e, double x, double tiny, double *z, double *scratch)
{
    const double huge = 0x1p500;
    double *u0 = scratch, *u1 = u0 + n, *u2 = u1 + n; /* U has three diagonals */
    double diagonal = d[0] - x, beside = n > 1 ? e[0] : 0;
    for (int64_t i = 0; i + 1 < n; i++) { /* the row in hand: diagonal at column i, beside at i + 1 */
        double below = e[i], next = d[i + 1] - x, after = i + 2 < n ? e[i + 1] : 0;
        if (fabs(below) > fabs(diagonal)) { /* the rows change places */
            double factor = diagonal / below, zi = z[i];
            u0[i] = below;
            u1[i] = next;
            u2[i] = after;
            diagonal = beside - factor * next;
            beside = -factor * after;
            z[i] = z[i + 1];
            z[i + 1] = zi - factor * z[i];
        } else {
            double factor = below / diagonal;
            u0[i] = diagonal;
            u1[i] = beside;
            u2[i] = 0;
            diagonal = next - factor * beside;
            beside = after;
            z[i + 1] -= factor * z[i];
        }
    }
    if (fabs(diagonal) < tiny)
        diagonal = diagonal < 0 ? -tiny : tiny;
    u0[n - 1] = diagonal;
    u1[n - 1] = u2[n - 1] = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        double sum = z[i];
        if (i + 1 < n)
            sum -= u1[i] * z[i + 1];
        if (i + 2 < n)
            sum -= u2[i] * z[i + 2];
        z[i] = sum / u0[i];
        if (fabs(z[i]) > huge)
            scale(n, 1 / huge, z);
    }
}

/* Divide by the Euclidean length, whose square may be beyond all doubles.  Returns the length; 0: z is zero. */
static double normalise(int64_t n, double *z)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(z[i]) > largest)
            largest = fabs(z[i]);
    if (!(largest > 0))
        return 0;
    scale(n, 1 / largest, z);
    double length = sqrt(dot(n, z, z));
    scale(n, 1 / length, z);
    return largest * length;
}

static void solve_task(void *context, int64_t k)
{
    struct iteration *s = context;
    const struct tridiagonal *t = s->t;
    const struct pair *p = &s->pair[k];
    double *z = s->z + k * t->n + p->first;
    solve_shifted(p->size, t->d + p->first, t->e + p->first, s->shift[k], t->tiny, z, s->scratch + k * 3 * t->n);
    normalise(p->size, z);
}

/* ||T z - value z|| for a z of length 1. */
static void measure_task(void *context, int64_t k)
{
    struct iteration *s = context;
    const struct tridiagonal *t = s->t;
    const double *z = s->z + k * t->n;
    double sum = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double r = (t->d[i] - s->pair[k].value) * z[i];
        if (i > 0)
            r += t->e[i - 1] * z[i - 1];
        if (i + 1 < t->n)
            r += t->e[i] * z[i + 1];
        sum += r * r;
    }
    s->residual[k] = sqrt(sum);
}

/* A random vector in the space of the k-th one's piece. */
static void draw(struct iteration *s, int64_t k, struct random *g)
{
    double *z = s->z + k * s->t->n;
    memset(z, 0, (size_t)s->t->n * sizeof *z);
    for (int64_t i = 0; i < s->pair[k].size; i++)
        z[s->pair[k].first + i] = random_uniform(g) - 0.5;
}

/* Make the `count` vectors in hand orthogonal to the `before` vectors in front of them and to each other, and of length 1.  What is left
 * of one that was (nearly) a combination of the others is noise: a new random one takes its place, for the next round to work on. */
static int orthogonalise(struct iteration *s, int64_t before, int64_t count, double *products, struct random *g, int threads, struct error *err)
{
    int64_t n = s->t->n;
    double *z = s->z, *all = z - before * n;
    for (int pass = 0; pass < 2; pass++) {
        memset(products, 0, (size_t)(count * before) * sizeof *products);
        if (dense_add_product(count, before, n, 1, (struct dense_view){z, n, 1}, (struct dense_view){all, 1, n}, products, before, threads, err) != 0
            || dense_add_product(count, n, before, -1, (struct dense_view){products, before, 1}, (struct dense_view){all, n, 1}, z, n, threads, err)
                   != 0)
            return -1;
        for (int64_t k = 0; k < count; k++) {
            for (int64_t l = 0; l < k; l++)
                add(n, -dot(n, z + l * n, z + k * n), z + l * n, z + k * n);
            if (normalise(n, z + k * n) < 1e-10 && pass == 0)
                draw(s, k--, g);
        }
    }
    return 0;
}

/* The vectors of T for m pairs; z: m x n, out. */
static int iterate(const struct tridiagonal *t, int64_t m, const struct pair *pair, double *z, int threads, struct error *err)
{
    struct iteration s = {.t = t};
    struct random g = random_seeded(1, 0);
    int64_t n = t->n;
    int status = -1, solvers = n < SMALL ? 1 : threads;
    double *products = memory_resize(NULL, TOGETHER * m, sizeof *products, err);
    s.scratch = products ? memory_resize(NULL, 3 * TOGETHER * n, sizeof *s.scratch, err) : NULL;
    if (!s.scratch)
        goto done;
    for (int64_t first = 0; first < m; first += TOGETHER) {
        int64_t count = least(TOGETHER, m - first);
        s.pair = pair + first;
        s.z = z + first * n;
        for (int64_t k = 0; k < count; k++)
            draw(&s, k, &g);
        bool good = false;
        for (int round = 1; !good; round++) {
            if (round > MOST_ROUNDS) {
                error_set(err, "eigenvectors did not converge");
                goto done;
            }
            /* A little beside the value: of eigenvalues that agree to the last bit, rounding alone would choose one vector, again and again. */
            for (int64_t k = 0; k < count; k++)
                s.shift[k] = s.pair[k].value + (4 + 4 * random_uniform(&g)) * t->tiny;
            parallel_for(solvers, count, solve_task, &s);
            if (orthogonalise(&s, first, count, products, &g, threads, err) != 0)
                goto done;
            parallel_for(solvers, count, measure_task, &s);
            good = round >= FEWEST_ROUNDS;
            for (int64_t k = 0; k < count; k++)
                good = good && s.residual[k] <= RESIDUAL * sqrt((double)n) * t->norm;
        }
    }
    status = 0;
done:
    memory_free(products);
    memory_free(s.scratch);
    return status;
}

/* ---- 4: back to A ---- */

/* x = Q z for each row of z. */
static int apply_reflectors(int64_t n, const double *a, const double *tau, int64_t m, double *z, int threads, struct error *err)
{
    int status = -1;
    double *v = memory_resize(NULL, 2 * BACK * n + BACK * BACK + BACK * m, sizeof *v, err);
    if (!v)
        return -1;
    double *tv = v + BACK * n, *t = tv + BACK * n, *zv = t + BACK * BACK; /* V, t'V, t, Z V' */
    for (int64_t first = (n - 2) / BACK * BACK; first >= 0; first -= BACK) {
        int64_t rows = least(BACK, n - 1 - first), size = n - 1 - first;
        memset(t, 0, BACK * BACK * sizeof *t);
        for (int64_t k = 0; k < rows; k++) {
            double *vk = v + k * size, along[BACK];
            memset(vk, 0, (size_t)k * sizeof *vk);
            memcpy(vk + k, a + (first + k) * n + first + k + 1, (size_t)(size - k) * sizeof *vk);
            for (int64_t l = 0; l < k; l++)
                along[l] = dot(size - k, v + l * size + k, vk + k);
            for (int64_t i = 0; i < k; i++)
                for (int64_t l = i; l < k; l++)
                    t[i * BACK + k] -= tau[first + k] * t[i * BACK + l] * along[l];
            t[k * BACK + k] = tau[first + k];
        }
        memset(tv, 0, (size_t)(rows * size) * sizeof *tv);
        memset(zv, 0, (size_t)(m * rows) * sizeof *zv);
        double *part = z + first + 1; /* the columns of Z that these reflectors touch */
        if (dense_add_product(rows, size, rows, 1, (struct dense_view){t, 1, BACK}, (struct dense_view){v, size, 1}, tv, size, threads, err) != 0
            || dense_add_product(m, rows, size, 1, (struct dense_view){part, n, 1}, (struct dense_view){v, 1, size}, zv, rows, threads, err) != 0
            || dense_add_product(m, size, rows, -1, (struct dense_view){zv, rows, 1}, (struct dense_view){tv, size, 1}, part, n, threads, err) != 0)
            goto done;
    }
    status = 0;
done:
    memory_free(v);
    return status;
}

/* ---- all together ---- */

/* The largest magnitude in the upper triangle; infinite when something there is not finite. */
static double largest_entry(int64_t n, const double *a)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            if (!(fabs(a[i * n + j]) <= largest)) {
                largest = fabs(a[i * n + j]);
                if (!isfinite(largest))
                    return HUGE_VAL;
            }
    return largest;
}

static void fix_sign(int64_t n, double *x)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[largest]))
            largest = i;
    if (x[largest] < 0)
        scale(n, -1, x);
}

int dense_eigen(int64_t n, double *a, int64_t m, double *value, double *vector, int threads, struct error *err)
{
    double largest = largest_entry(n, a), *work;
    int exponent, status = -1;
    if (m == 0)
        return 0;
    if (isinf(largest))
        return error_set(err, "an entry of the matrix is not finite");
    if (largest == 0) {
        memset(value, 0, (size_t)m * sizeof *value);
        memset(vector, 0, (size_t)(m * n) * sizeof *vector);
        for (int64_t k = 0; k < m; k++)
            vector[k * n + k] = 1;
        return 0;
    }
    /* Near 1, by a power of two, so that no square overflows or vanishes. */
    frexp(largest, &exponent);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            a[i * n + j] = ldexp(a[i * n + j], -exponent);

    work = memory_resize(NULL, (4 + 4 * PANEL + PARTS) * n, sizeof *work, err);
    struct pair *pair = work ? memory_resize(NULL, n, sizeof *pair, err) : NULL;
    if (pair) {
        double *panels = work + 4 * n;
        struct reduction r = {.n = n, .a = a, .d = work, .e = work + n, .tau = work + 2 * n, .v = panels, .w = panels + PANEL * n,
                              .mirrored = panels + 2 * PANEL * n, .part = panels + 4 * PANEL * n, .threads = threads};
        struct tridiagonal t = {.n = n, .d = r.d, .e = r.e, .squares = work + 3 * n};
        status = reduce(&r, err);
        if (status == 0) {
            find_values(&t, m, pair, threads);
            status = iterate(&t, m, pair, vector, threads, err);
        }
        if (status == 0)
            status = apply_reflectors(n, a, r.tau, m, vector, threads, err);
    }
    for (int64_t k = 0; k < m && status == 0; k++) {
        value[k] = ldexp(pair[k].value, exponent);
        fix_sign(n, vector + k * n);
    }
    memory_free(pair);
    memory_free(work);
    return status;
}
