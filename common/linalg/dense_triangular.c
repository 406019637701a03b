/* Triangular systems.  A lower triangle by halves:
 *
 *   [T11     ] [X1]   [B1]    first T11 X1 = B1, then T22 X2 = B2 - T21 X1
 *   [T21 T22 ] [X2] = [B2]
 *
 * Nearly all operations are in the products T21 X1, which are the faster the deeper they are
 * (dense_product.c).  At most BLOCK rows are solved one after the other, for a tile of right-hand
 * sides at once, which stays in registers and the first cache.  Each number's products are
 * subtracted in the order of the unknowns, wherever T is cut: the cuts change no bit.
 *
 * An upper triangle is solved block after block, from the last rows up.  There the products of a
 * block are subtracted in ascending order, while its unknowns are found in descending order: so the
 * cuts change the last bits of every model: do not change them. */
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <string.h>

/* No reason but that they work. */
enum {
    BLOCK = 64,         /* rows that are solved one after the other */
    SIDES_A_TASK = 256, /* right-hand sides */
    TILE_VECTORS = 4,   /* of four sides, that are solved at once */
    TILE_SIDES = 4 * TILE_VECTORS
};

/* At most BLOCK rows of T, and all right-hand sides. */
struct triangular_block {
    int64_t n;
    struct dense_view t;
    bool lower, unit;
    int64_t sides;
    double *b; /* B, its rows stride apart; or its transpose, so that a side is a row */
    bool transpose;
    int64_t stride;
};

/* Solve the block for a tile of right-hand sides, row after row.  x: n x TILE_SIDES, in place. */
WIDEST_VECTORS(void, triangular_solve_tile, (const struct triangular_block *s, double *x), (s, x))
{
    const int64_t from = s->lower ? 0 : s->n - 1, step = s->lower ? 1 : -1;
    for (int64_t done = 0, i = from; done < s->n; done++, i += step) {
        const double *row = s->t.at + i * s->t.row;
        vector4 *at = (vector4 *)(void *)(x + i * TILE_SIDES), sum[TILE_VECTORS];
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[v] = at[v];
        for (int64_t k = from; k != i; k += step) {
            const vector4 *solved = (const vector4 *)(const void *)(x + k * TILE_SIDES);
            const double f = row[k * s->t.column];
            for (int v = 0; v < TILE_VECTORS; v++)
                sum[v] -= f * solved[v];
        }
        const double diagonal = s->unit ? 1 : row[i * s->t.column];
        for (int v = 0; v < TILE_VECTORS; v++)
            at[v] = sum[v] / diagonal;
    }
}

/* Solve the block for these right-hand sides, in a copy, so that a tile is contiguous. */
static void triangular_solve_sides(const struct triangular_block *s, int64_t first, int64_t sides)
{
    double x[BLOCK * TILE_SIDES] = {0};
    if (s->transpose) {
        double *b = s->b + first * s->stride;
        for (int64_t j = 0; j < sides; j++)
            for (int64_t i = 0; i < s->n; i++)
                x[i * TILE_SIDES + j] = b[j * s->stride + i];
        triangular_solve_tile(s, x);
        for (int64_t j = 0; j < sides; j++)
            for (int64_t i = 0; i < s->n; i++)
                b[j * s->stride + i] = x[i * TILE_SIDES + j];
    } else {
        double *b = s->b + first;
        for (int64_t i = 0; i < s->n; i++)
            memcpy(x + i * TILE_SIDES, b + i * s->stride, (size_t)sides * sizeof *b);
        triangular_solve_tile(s, x);
        for (int64_t i = 0; i < s->n; i++)
            memcpy(b + i * s->stride, x + i * TILE_SIDES, (size_t)sides * sizeof *b);
    }
}

static void triangular_solve_task(void *context, int64_t task)
{
    const struct triangular_block *s = context;
    const int64_t last = order_least((task + 1) * SIDES_A_TASK, s->sides);
    for (int64_t j = task * SIDES_A_TASK; j < last; j += TILE_SIDES)
        triangular_solve_sides(s, j, order_least(TILE_SIDES, last - j));
}

static void triangular_solve_block(struct triangular_block s, int threads)
{
    parallel_for(s.n * s.n * s.sides < DENSE_WORTH_THREADS ? 1 : threads,
                 parallel_parts(s.sides, SIDES_A_TASK), triangular_solve_task, &s);
}

int dense_solve_triangular(int64_t n, int64_t m, struct dense_view t, bool lower, bool unit,
                           double *b, int64_t stride, int threads, struct error *err)
{
    assert(n >= 0 && m >= 0 && stride >= m && threads >= 1);
    if (n <= BLOCK) {
        triangular_solve_block((struct triangular_block){n, t, lower, unit, m, b, false, stride},
                               threads);
        return 0;
    }
    /* The unknowns from `first` on, `size` of them, are solved first; the rest starts at `next`. */
    const int64_t size = lower ? dense_half(n, BLOCK) : BLOCK, rest = n - size,
                  first = lower ? 0 : rest, next = lower ? size : 0;
    const struct dense_view solved_t = {t.at + first * (t.row + t.column), t.row, t.column},
                            beside = {t.at + next * t.row + first * t.column, t.row, t.column},
                            rest_t = {t.at + next * (t.row + t.column), t.row, t.column},
                            solved = {b + first * stride, stride, 1};
    double *unsolved = b + next * stride;
    if (dense_solve_triangular(size, m, solved_t, lower, unit, b + first * stride, stride, threads,
                               err)
            != 0
        || dense_add_product(rest, m, size, -1, beside, solved, unsolved, stride, threads, err)
               != 0)
        return -1;
    return dense_solve_triangular(rest, m, rest_t, lower, unit, unsolved, stride, threads, err);
}

int dense_solve_from_right(int64_t n, int64_t m, const double *l, int64_t l_stride, double *b,
                           int64_t stride, int threads, struct error *err)
{
    const struct dense_view lower = {l, l_stride, 1};
    assert(n >= 0 && m >= 0 && stride >= n && threads >= 1);
    if (n <= BLOCK) {
        triangular_solve_block((struct triangular_block){n, lower, true, false, m, b, true, stride},
                               threads);
        return 0;
    }
    const int64_t size = dense_half(n, BLOCK), rest = n - size;
    const double *below = l + size * l_stride;
    const struct dense_view solved = {b, stride, 1}, beside = {below, 1, l_stride};
    if (dense_solve_from_right(size, m, l, l_stride, b, stride, threads, err) != 0
        || dense_add_product(m, rest, size, -1, solved, beside, b + size, stride, threads, err)
               != 0)
        return -1;
    return dense_solve_from_right(rest, m, below + size, l_stride, b + size, stride, threads, err);
}
