/* The state behind musvm.h; for the files of the solver only. */
#ifndef LEARNERS_MUSVM_MUSVM_STATE_H
#define LEARNERS_MUSVM_MUSVM_STATE_H

#include "learners/musvm/musvm.h"

/* What a leap needs (musvm_leap.c).  Between two leaps, from is where the last one ended. */
struct leap {
    double *from, *last;              /* N x K */
    double *w_from, *w_last, *w_leap; /* the same of w, as large as its table */
    double reach;                     /* the largest multiple of a step that is tried */
};

struct solver {
    const struct musvm_task *task;
    const struct musvm_options *options;
    struct musvm_point *point;
    struct error *err;
    int64_t N, K;
    double *diagonal;         /* N: k(x_i, x_i) */
    double *cap;              /* K: of the sample at hand */
    double *f, *b, *g, *room; /* K, K, K, 3 K; f of the stride of w */
    int64_t *due;             /* N: the sweep in which a sample is looked at again */
    int64_t *patience;        /* N: sweeps that it was left alone for the last time */
    int64_t updates, visits, sweep;
    double share, stop; /* of the largest violation and of eps, see musvm.c */
    double threshold;   /* rows with less are left alone in this sweep */
    struct leap leap;   /* linear kernel */
};

static inline bool musvm_in_training(const struct solver *s, int64_t i)
{
    return i < s->task->n;
}

static inline double musvm_loss(const struct solver *s, int64_t i, int64_t l)
{
    return musvm_in_training(s, i) && s->task->y[i] != l ? 1 : 0;
}

/* What row a of sample i adds to the linear part of the dual (with a universum: nearly linear, and
 * concave). */
static inline double musvm_gain(const struct solver *s, int64_t i, const double *a)
{
    double gain = 0, delta = musvm_in_training(s, i) ? 0 : s->options->delta;
    for (int64_t l = 0; l < s->K; l++)
        gain -= a[l] * musvm_loss(s, i, l) + (a[l] > 0 ? delta * a[l] : 0);
    return gain;
}

/* s->cap of sample i. */
void musvm_set_caps(struct solver *s, int64_t i);

/* A training row: caps C for y and 0 for the others, d = 0, so that
 *     g_l = -(b_l - nu)_+ / a for l /= y,   g_y = their sum, turned,
 *         a g_y = nu - b_y if that is at most a C, else a C.
 * (No sum with C in it where C is not reached: C may be large.)  As nu is above b_y, only what is
 * above b_y, too, need be sorted.  room: n. */
void musvm_project_training(int64_t n, double a, const double *b, int64_t y, double C, double *g,
                            double *room);

/* g sums to 0 but for rounding: its lowest element, which has no bound below, takes up the rest. */
void musvm_settle(double *g, int64_t n);

/* Linear kernel: go on in the direction of the last steps, as far as the dual rises.  0 or -1
 * (memory). */
int musvm_leap(struct solver *s);
void musvm_leap_free(struct leap *leap);

/* w of alpha, without what rounding did in steps and leaps; the next leap is as if there had been
 * none. */
void musvm_sum_w(struct solver *s);

#endif
