/* The whole matrix, or a cache of rows from which the least recently used one is dropped.
 *
 * The cache has `places` places for rows.  They form a ring by age, a doubly linked list of place
 * numbers that is closed by one more number, `places` itself: newer[places] is the oldest place and
 * older[places] the newest. */
#include "common/kernel/kernel_rows.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <assert.h>
#include <math.h>

enum {
    NONE = -1,
    BLOCK =
        256 /* rows of the whole matrix that are computed at once; no reason but that it works */
};

struct kernel_rows {
    struct kernel kernel;
    const struct kernel_data *data; /* borrowed */
    int threads;
    int64_t n, places; /* examples; rows that fit */
    double *row;       /* places x n; a part of a cache has the cache's */
    double *diagonal;  /* n */

    /* Of a cache; NULL when the whole matrix is there, row i at place i. */
    int64_t *place;         /* n: the place of an example's row, or NONE */
    int64_t *holds;         /* places: whose row is there, or NONE */
    int64_t *older, *newer; /* places + 1: the ring */

    /* Of a part. */
    const int64_t *sample;           /* n: its examples among all; borrowed */
    const struct kernel_rows *whole; /* that it is read from; two rows are kept, in turn */
    int64_t turn;                    /* the row that is filled next */
    const struct kernel_rows *cache; /* that lends its memory; then also copies of the examples: */
    struct problem samples;
    struct kernel_data own;
};

/* How many rows of n numbers fit into so many bytes: 2 at least, but n at most. */
static int64_t kernel_rows_count(int64_t n, double bytes)
{
    const double rows = bytes / (8.0 * (double)(n > 0 ? n : 1));
    if (rows < 2)
        return order_least(n, 2);
    return rows < (double)n ? (int64_t)rows : n;
}

double kernel_rows_bytes(int64_t n, double bytes)
{
    return 8.0 * (double)n * (double)kernel_rows_count(n, bytes);
}

/* Rows from .. to - 1, contiguous at out.  0, or -1: no memory, or a value is not finite. */
static int kernel_rows_compute(const struct kernel_rows *r, int64_t from, int64_t to, double *out,
                               struct error *err)
{
    const struct kernel_part rows = {r->data, from, to};
    if (kernel_block(&r->kernel, rows, kernel_all(r->data), out, r->threads, err) != 0)
        return -1;
    double zero = 0; /* NaN when a value is not finite; without a branch, so the loop vectorises */
    for (int64_t cell = 0; cell < (to - from) * r->n; cell++)
        zero += 0 * out[cell];
    if (zero == 0)
        return 0;
    return error_set(err, "a kernel value is not finite: the values are too large for this kernel");
}

/* The whole matrix.  0 or -1. */
static int kernel_rows_compute_all(struct kernel_rows *r, struct error *err)
{
    for (int64_t i = 0; i < r->n; i += BLOCK)
        if (kernel_rows_compute(r, i, order_least(i + BLOCK, r->n), r->row + i * r->n, err) != 0)
            return -1;
    for (int64_t i = 0; i < r->n; i++)
        r->diagonal[i] = r->row[i * r->n + i];
    return 0;
}

/* An empty cache, and the diagonal.  0 or -1; kernel_rows_free cleans up. */
static int kernel_rows_start_cache(struct kernel_rows *r, struct error *err)
{
    r->place = memory_new(r->n, sizeof *r->place, err);
    r->holds = memory_new(r->places, sizeof *r->holds, err);
    r->older = memory_new(r->places + 1, sizeof *r->older, err);
    r->newer = memory_new(r->places + 1, sizeof *r->newer, err);
    if (!r->place || !r->holds || !r->older || !r->newer)
        return -1;
    for (int64_t i = 0; i < r->n; i++) {
        const struct kernel_part one = {r->data, i, i + 1};
        r->place[i] = NONE;
        if (kernel_block(&r->kernel, one, one, &r->diagonal[i], 1, err) != 0)
            return -1;
    }
    for (int64_t p = 0; p <= r->places; p++) {
        r->older[p] = p > 0 ? p - 1 : r->places;
        r->newer[p] = p < r->places ? p + 1 : 0;
        if (p < r->places)
            r->holds[p] = NONE;
    }
    return 0;
}

struct kernel_rows *kernel_rows_new(const struct kernel *kernel, const struct kernel_data *data,
                                    double bytes, int threads, struct error *err)
{
    struct kernel_rows *r = memory_new(1, sizeof *r, err);
    if (!r)
        return NULL;
    *r = (struct kernel_rows){
        .kernel = *kernel, .data = data, .threads = threads, .n = data->problem->n};
    r->places = kernel_rows_count(r->n, bytes);
    r->diagonal = memory_new(r->n, sizeof *r->diagonal, err);
    if (!r->diagonal)
        goto fail;
    r->row = memory_resize(NULL, r->places * r->n, sizeof *r->row, err);
    if (!r->row)
        goto fail;
    if (r->places == r->n) {
        if (kernel_rows_compute_all(r, err) != 0)
            goto fail;
    } else if (kernel_rows_start_cache(r, err) != 0) {
        goto fail;
    }
    return r;
fail:
    kernel_rows_free(r);
    return NULL;
}

/* Forget all rows of a cache. */
static void kernel_rows_forget(struct kernel_rows *r)
{
    for (int64_t p = 0; p < r->places; p++) {
        if (r->holds[p] != NONE)
            r->place[r->holds[p]] = NONE;
        r->holds[p] = NONE;
    }
}

/* A part of the whole matrix.  0 or -1; kernel_rows_free cleans up. */
static int kernel_rows_view(struct kernel_rows *r, const struct kernel_rows *whole,
                            struct error *err)
{
    r->whole = whole;
    r->row = memory_new(2 * r->n, sizeof *r->row, err);
    if (!r->row)
        return -1;
    for (int64_t i = 0; i < r->n; i++)
        r->diagonal[i] = whole->diagonal[r->sample[i]];
    return 0;
}

/* A part of a cache.  0 or -1; kernel_rows_free cleans up. */
static int kernel_rows_borrow(struct kernel_rows *r, struct kernel_rows *cache, struct error *err)
{
    const struct problem *all = cache->data->problem;
    int64_t entries = 0;
    r->cache = cache;
    for (int64_t i = 0; i < r->n; i++)
        entries += problem_example(all, r->sample[i]).size;
    if (problem_reserve(&r->samples, r->n, entries, err) != 0)
        return -1;
    for (int64_t i = 0; i < r->n; i++)
        if (problem_append_from(&r->samples, all, r->sample[i], false, err) != 0)
            return -1;
    /* Like all, so that it never takes more: some may be dense where all are sparse. */
    if (kernel_data_make(&r->samples, cache->data, &r->own, err) != 0)
        return -1;
    r->data = &r->own;
    kernel_rows_forget(cache);
    r->row = cache->row;
    r->places = kernel_rows_count(r->n, 8.0 * (double)cache->places * (double)cache->n);
    return r->places == r->n ? kernel_rows_compute_all(r, err) : kernel_rows_start_cache(r, err);
}

struct kernel_rows *kernel_rows_part(struct kernel_rows *rows, const int64_t *sample, int64_t count,
                                     struct error *err)
{
    assert(!rows->sample);
    struct kernel_rows *r = memory_new(1, sizeof *r, err);
    if (!r)
        return NULL;
    *r = (struct kernel_rows){
        .kernel = rows->kernel, .threads = rows->threads, .n = count, .sample = sample};
    r->diagonal = memory_new(count, sizeof *r->diagonal, err);
    if (r->diagonal
        && (rows->place ? kernel_rows_borrow(r, rows, err) : kernel_rows_view(r, rows, err)) == 0)
        return r;
    kernel_rows_free(r);
    return NULL;
}

/* Compute row i in the place of the oldest one.  Returns the place, or NONE with err. */
static int64_t kernel_rows_replace_oldest(struct kernel_rows *r, int64_t i, struct error *err)
{
    const int64_t p = r->newer[r->places];
    assert(0 <= p && p < r->places);
    if (r->holds[p] != NONE)
        r->place[r->holds[p]] = NONE;
    r->holds[p] = NONE;
    if (kernel_rows_compute(r, i, i + 1, r->row + p * r->n, err) != 0)
        return NONE;
    r->holds[p] = i;
    r->place[i] = p;
    return p;
}

/* Move a place to the newest end of the ring. */
static void kernel_rows_make_newest(struct kernel_rows *r, int64_t p)
{
    if (r->older[r->places] == p)
        return;
    r->newer[r->older[p]] = r->newer[p];
    r->older[r->newer[p]] = r->older[p];
    const int64_t newest = r->older[r->places];
    r->newer[newest] = p;
    r->older[p] = newest;
    r->newer[p] = r->places;
    r->older[r->places] = p;
}

const double *kernel_rows_get(struct kernel_rows *r, int64_t i, struct error *err)
{
    assert(0 <= i && i < r->n);
    if (r->whole) {
        const double *from = r->whole->row + r->sample[i] * r->whole->n;
        double *row = r->row + r->turn * r->n;
        for (int64_t j = 0; j < r->n; j++)
            row[j] = from[r->sample[j]];
        r->turn = 1 - r->turn;
        return row;
    }
    if (!r->place)
        return r->row + i * r->n;
    int64_t p = r->place[i];
    if (p == NONE)
        p = kernel_rows_replace_oldest(r, i, err);
    if (p == NONE)
        return NULL;
    assert(r->holds[p] == i);
    kernel_rows_make_newest(r, p);
    return r->row + p * r->n;
}

int kernel_rows_threads(const struct kernel_rows *r, int threads)
{
    return r && (r->place || r->whole) ? 1 : threads;
}

const double *kernel_rows_diagonal(const struct kernel_rows *r)
{
    return r->diagonal;
}

bool kernel_rows_negative(const struct kernel_rows *r, int64_t *i, int64_t *j)
{
    const double slack = 1e-9; /* far above rounding errors; no reason for it but that it works */
    for (*i = 0; *i < r->n; ++*i) {
        const double own = r->diagonal[*i];
        *j = *i;
        if (own < 0)
            return true;
        if (r->place || r->whole)
            continue;
        for (*j = 0; *j < *i; ++*j) {
            const double k = r->row[*i * r->n + *j];
            if (k * k > own * r->diagonal[*j] * (1 + slack) + slack * slack)
                return true;
        }
    }
    return false;
}

void kernel_rows_free(struct kernel_rows *r)
{
    if (!r)
        return;
    if (!r->cache)
        memory_free(r->row);
    problem_free(&r->samples);
    kernel_data_free(&r->own);
    memory_free(r->diagonal);
    memory_free(r->place);
    memory_free(r->holds);
    memory_free(r->older);
    memory_free(r->newer);
    memory_free(r);
}
