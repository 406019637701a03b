#include "common/kernel/kernel_rows.h"

#include "common/base/memory.h"

#include <math.h>

enum { NONE = -1, BLOCK = 256 /* rows that are computed together */ };

struct kernel_rows {
    struct kernel kernel;
    const struct kernel_data *data;
    int threads;
    int64_t n, room; /* examples; rows that fit */
    double *row;     /* room x n */
    double *diagonal;
    int64_t *place; /* of each example: where its row is, NONE; NULL: all are there, in order */
    int64_t *holds; /* of each place: whose row; NONE */
    int64_t *older, *newer; /* places by age: a ring through place `room` */
};

static int64_t count_rows(int64_t n, double bytes)
{
    double rows = bytes / (8.0 * (double)(n > 0 ? n : 1));
    return rows >= (double)n ? n : rows < 2 ? 2 : (int64_t)rows;
}

double kernel_rows_bytes(int64_t n, double bytes)
{
    return 8.0 * (double)n * (double)count_rows(n, bytes);
}

static int compute(const struct kernel_rows *r, int64_t from, int64_t to, double *out,
                   struct error *err)
{
    if (kernel_block(&r->kernel, r->data, from, to, r->data, 0, r->n, out, r->n, r->threads, err)
        != 0)
        return -1;
    double finite = 0; /* a sum of zeros, unless one is not finite */
    for (int64_t cell = 0; cell < (to - from) * r->n; cell++)
        finite += 0 * out[cell];
    return finite == 0
               ? 0
               : error_set(
                   err, "a kernel value is not finite: the values are too large for this kernel");
}

static int compute_all(struct kernel_rows *r, struct error *err)
{
    for (int64_t i = 0; i < r->n; i += BLOCK)
        if (compute(r, i, i + BLOCK < r->n ? i + BLOCK : r->n, r->row + i * r->n, err) != 0)
            return -1;
    for (int64_t i = 0; i < r->n; i++)
        r->diagonal[i] = r->row[i * r->n + i];
    return 0;
}

static int start_cache(struct kernel_rows *r, struct error *err)
{
    r->place = memory_new(r->n, sizeof *r->place, err);
    r->holds = memory_new(r->room, sizeof *r->holds, err);
    r->older = memory_new(r->room + 1, sizeof *r->older, err);
    r->newer = memory_new(r->room + 1, sizeof *r->newer, err);
    if (!r->place || !r->holds || !r->older || !r->newer)
        return -1;
    for (int64_t i = 0; i < r->n; i++) {
        r->place[i] = NONE;
        if (kernel_block(&r->kernel, r->data, i, i + 1, r->data, i, i + 1, &r->diagonal[i], 1, 1,
                         err)
            != 0)
            return -1;
    }
    for (int64_t p = 0; p <= r->room; p++) {
        r->older[p] = p > 0 ? p - 1 : r->room;
        r->newer[p] = p < r->room ? p + 1 : 0;
        if (p < r->room)
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
    r->room = count_rows(r->n, bytes);
    r->diagonal = memory_new(r->n, sizeof *r->diagonal, err);
    r->row = r->diagonal ? memory_resize(NULL, r->room * r->n, sizeof *r->row, err) : NULL;
    if (!r->row || (r->room == r->n ? compute_all(r, err) : start_cache(r, err)) != 0) {
        kernel_rows_free(r);
        return NULL;
    }
    return r;
}

const double *kernel_rows_get(struct kernel_rows *r, int64_t i, struct error *err)
{
    if (!r->place)
        return r->row + i * r->n;
    int64_t p = r->place[i];
    if (p == NONE) {
        p = r->newer[r->room]; /* the oldest */
        if (r->holds[p] != NONE)
            r->place[r->holds[p]] = NONE;
        r->holds[p] = NONE;
        if (compute(r, i, i + 1, r->row + p * r->n, err) != 0)
            return NULL;
        r->holds[p] = i;
        r->place[i] = p;
    }
    if (r->older[r->room] != p) { /* it becomes the newest */
        r->newer[r->older[p]] = r->newer[p];
        r->older[r->newer[p]] = r->older[p];
        int64_t newest = r->older[r->room];
        r->newer[newest] = p;
        r->older[p] = newest;
        r->newer[p] = r->room;
        r->older[r->room] = p;
    }
    return r->row + p * r->n;
}

bool kernel_rows_whole(const struct kernel_rows *r)
{
    return !r->place;
}

const double *kernel_rows_diagonal(const struct kernel_rows *r)
{
    return r->diagonal;
}

bool kernel_rows_negative(const struct kernel_rows *r, int64_t *i, int64_t *j)
{
    const double slack = 1e-9; /* of rounding */
    for (*i = 0; *i < r->n; ++*i) {
        double own = r->diagonal[*i];
        *j = *i;
        if (own < 0)
            return true;
        for (*j = 0; *j < *i && !r->place; ++*j) {
            double k = r->row[*i * r->n + *j];
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
    memory_free(r->row);
    memory_free(r->diagonal);
    memory_free(r->place);
    memory_free(r->holds);
    memory_free(r->older);
    memory_free(r->newer);
    memory_free(r);
}
