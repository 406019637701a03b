/* The state of the solver of musvm.h; for the files of the solver and its tests. */
#ifndef LEARNERS_MUSVM_MUSVM_STATE_H
#define LEARNERS_MUSVM_MUSVM_STATE_H

#include "common/base/random.h"
#include "learners/musvm/musvm.h"

enum { MUSVM_USE_ORDER = 1 }; /* of the seed: the order of samples in sweeps */

/* What an extrapolation step keeps from the one before, and its workspace (musvm_extrapolate.c).
 * The tables named w_ are the same in w, as large as its table. */
struct musvm_extrapolation {
    double *origin, *w_origin;     /* N x K: alpha after the last extrapolation */
    double *previous, *w_previous; /* N x K: the step that led to the origin */
    double *w_direction;           /* from alpha to the target */
    double reach;                  /* the largest multiple of a step that is tried */
};

/* The samples that a solver of a block works on, and what it knows of their kernel matrix. */
struct musvm_block {
    int64_t *sample; /* N: their places among all, upwards */
    double *kernel;  /* N x N */
    bool *known;     /* N: rows of it that have been filled */
};

struct musvm_solver {
    const struct musvm_task *task;
    const struct musvm_options *options;
    struct musvm_point *point;
    struct error *err;
    struct musvm_block *block; /* NULL: the samples are all of the kernel rows' */
    int64_t N, K;              /* samples, n + m; classes */
    double *diagonal;          /* N: k(x_i, x_i) */
    double *cap;               /* K: upper bounds of the sample that is visited */
    double *f, *b;             /* stride of w, of which K are used */
    double *g, *work;          /* K, 3 K */
    int64_t *due;              /* N: the sweep in which a sample is visited again */
    int64_t *rest;             /* N: so many sweeps after the last one */
    int64_t *order;            /* N: workspace of a sweep */
    double *violation;         /* N: when all were last checked */
    int64_t updates, visits;   /* of rows; of samples */
    int64_t sweep;             /* sweeps so far */
    double threshold;          /* rows with a smaller violation are not updated in this sweep */
    struct musvm_extrapolation extrapolation; /* linear kernel */
};

static inline bool musvm_in_training(const struct musvm_solver *s, int64_t i)
{
    return i < s->task->n;
}

/* e_il; 0 for a universum sample. */
static inline double musvm_loss(const struct musvm_solver *s, int64_t i, int64_t l)
{
    return musvm_in_training(s, i) && s->task->y[i] != l ? 1 : 0;
}

/* What row a of sample i adds to the linear part of the dual (of a universum sample: piecewise
 * linear, and concave). */
static inline double musvm_gain(const struct musvm_solver *s, int64_t i, const double *a)
{
    double gain = 0, delta = musvm_in_training(s, i) ? 0 : s->options->delta;
    for (int64_t l = 0; l < s->K; l++)
        gain -= a[l] * musvm_loss(s, i, l) + (a[l] > 0 ? delta * a[l] : 0);
    return gain;
}

/* s->cap of sample i. */
static inline void musvm_set_caps(struct musvm_solver *s, int64_t i)
{
    double cap = musvm_cap(s->task, s->options, i);
    for (int64_t l = 0; l < s->K; l++)
        s->cap[l] = !musvm_in_training(s, i) || s->task->y[i] == l ? cap : 0;
}

/* The classes whose f is kept up to date with kernel rows: of two, whose alpha are opposite, one.
 */
static inline int64_t musvm_kept(const struct musvm_solver *s)
{
    return s->K == 2 ? 1 : s->K;
}

/* Row i of alpha becomes s->g; f or w follows.  0 or -1. */
int musvm_move(struct musvm_solver *s, int64_t i);

/* Visit all samples that are due, in random order.  largest: out, the largest violation that was
 * seen.  0 or -1. */
int musvm_sweep(struct musvm_solver *s, struct random *g, double *largest);

/* The largest violation of all samples, also those that were skipped, by a w without rounding;
 * fills s->violation.  Samples with more than eps are due in the next sweep.  Leaves the decision
 * values of all in the point's f.  0 or -1 (a number that is not finite). */
int musvm_check_all(struct musvm_solver *s, double *largest);

/* Is the limit of work reached?  Work is counted, not timed: every machine gives up at the same
 * point. */
bool musvm_must_give_up(const struct musvm_solver *s);

/* With kernel rows: solve blocks of samples until no violation exceeds eps (musvm_block.c).  0 or
 * -1. */
int musvm_iterate_blocks(struct musvm_solver *s, struct musvm_result *result);

/* Row i of the kernel matrix of a block.  NULL with err. */
const double *musvm_block_row(struct musvm_solver *s, int64_t i);

/* Bytes that blocks take, of a problem of so many samples and classes. */
double musvm_block_bytes(int64_t samples, int64_t classes);

/* Linear kernel: an extrapolation step along the last two steps, as far as the dual rises.  0 or -1
 * (memory). */
int musvm_extrapolate(struct musvm_solver *s);
void musvm_extrapolation_free(struct musvm_extrapolation *e);

/* Recompute w from alpha, without the rounding of all steps so far; the next extrapolation is as if
 * there had been none. */
void musvm_recompute_w(struct musvm_solver *s);

#endif
