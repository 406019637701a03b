/* What the leave-one-out estimates share: theorem 4 (span_bound.c) and the element-wise one
 * (span_bound_local.c). */
#ifndef LEARNERS_MUSVM_SPAN_BOUND_STATE_H
#define LEARNERS_MUSVM_SPAN_BOUND_STATE_H

#include "learners/musvm/span_bound.h"

/* An element nearer to 0 or to its cap than this share of the cap is there.  No reason for the
 * number but that it works. */
static const double span_bound_edge = 1e-8;

/* Strictly between 0 and the cap. */
static inline bool span_bound_is_inside(double a, double cap)
{
    return a > span_bound_edge * cap && a < cap - span_bound_edge * cap;
}

/* ---- the kernel matrix ---- */

/* Refuse matrices of so many numbers that do not fit.  0 or -1. */
int span_bound_check_memory(double numbers, struct error *err);

struct span_bound_rows {
    struct kernel_data data;
    struct kernel_rows *rows;
};

/* with: out, the task with rows: its own or, where it has none, those of the linear kernel, which
 * own holds then.  0 or -1; own is to be freed in both cases. */
int span_bound_find_rows(const struct musvm_task *task, int threads, struct musvm_task *with,
                         struct span_bound_rows *own, struct error *err);

void span_bound_free_rows(struct span_bound_rows *own);

/* a + 1e-10 mean diagonal I = L L', with ten times as much until that succeeds.  a: n x n; l: out,
 * n x n.  O(n^3).  0, or -1 with err (memory, or no ridge is enough). */
int span_bound_factor(int64_t n, const double *a, double *l, int threads, struct error *err);

#endif
