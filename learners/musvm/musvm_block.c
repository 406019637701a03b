/* Blocks of samples for MU-SVM's solver, with kernel rows.
 *
 * An update adds multiples of a kernel row to the decision values f of all samples, and most
 * updates are of few samples, again and again.  So a round chooses at most MUSVM_BLOCK samples,
 * sweeps over these alone until their violations are small beside the largest of all, and only then
 * adds what has changed to the f of all others: an update costs as much as the block has samples,
 * its numbers stay in the processor's cache, and a kernel row is asked for at most twice a round
 * (decomposition: Osuna, Freund and Girosi 1997; Joachims 1999).
 *
 *     B         the samples of the block;  alpha and f of B are copied
 *     k         their kernel matrix, filled row by row as samples are updated
 *     a round   alpha_B solved with the others fixed;  then, over i in B,
 *               f_l += sum_i (change of a_il) k(x_i, .)
 *
 * B is drawn at random from the samples that violate much, then from those that violate at all:
 * free samples, which resist what the first would overdo, as each row of a kernel whose values are
 * all alike moves all f.  Those of the largest violations were tried instead, as is usual: 5000
 * letters, all classes at once, took 162 rounds in place of 19 (C = 10, gamma = 0.02). */
#include "common/base/memory.h"
#include "common/base/order.h"
#include "learners/musvm/musvm_state.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Samples; their kernel matrix has 8 MB.  500 took up to a sixth longer: measured. */
enum { MUSVM_BLOCK = 1000 };

/* Samples whose violation exceeds this share of the largest come first into a block, which is
 * solved until its own are below that.  Measured on 5000 letters, .1, .2 and .3: the times of one
 * against one grow to 1.7 fold, others by up to a quarter. */
static const double musvm_round_share = 0.1;

/* A block is solved to this share of eps at the end, so that what it changes in the others' f is
 * seldom too much.  No reason for the number but that it works. */
static const double musvm_last_share = 0.5;

/* In sweeps, a row is updated when its violation exceeds this share of the block's largest, so that
 * large ones come first.  At the end it is a share of eps, less than the solver may leave: the
 * objective is then nearer to the optimum than eps asks for.  No reason for the number but that it
 * works. */
static const double musvm_share = 0.3;

/* The solver of a block: its arrays are as those of all samples. */
struct musvm_blocks {
    struct musvm_solver *all, in;
    struct musvm_block block;
    struct musvm_task task;
    struct musvm_options options;
    struct musvm_point point;
    int32_t *y;
    double *factor;
    int64_t *candidate; /* all->N */
    struct random g;
};

static int64_t musvm_block_size(int64_t samples)
{
    return order_least(samples, MUSVM_BLOCK);
}

double musvm_block_bytes(int64_t samples, int64_t classes)
{
    const double q = (double)musvm_block_size(samples), number = sizeof(double);
    /* kernel; alpha and f; sample, factor, diagonal; candidate */
    return number * (q * q + 2 * q * (double)classes + 3 * q + (double)samples)
           + q * (sizeof(int32_t) + sizeof(bool));
}

const double *musvm_block_row(struct musvm_solver *s, int64_t i)
{
    const struct musvm_block *block = s->block;
    double *own = block->kernel + i * s->N;
    if (block->known[i])
        return own;
    const double *row = kernel_rows_get(s->task->rows, block->sample[i], s->err);
    if (!row)
        return NULL;
    for (int64_t j = 0; j < s->N; j++)
        own[j] = row[block->sample[j]];
    block->known[i] = true;
    return own;
}

static void musvm_blocks_free(struct musvm_blocks *b)
{
    memory_free(b->block.sample);
    memory_free(b->block.kernel);
    memory_free(b->block.known);
    memory_free(b->point.alpha);
    memory_free(b->point.f);
    memory_free(b->y);
    memory_free(b->factor);
    memory_free(b->in.diagonal);
    memory_free(b->candidate);
}

/* 0 or -1 (memory); the caller frees in both cases.  Workspace is shared with the solver of all,
 * which does not sweep. */
static int musvm_blocks_make(struct musvm_solver *s, struct musvm_blocks *b)
{
    const int64_t q = musvm_block_size(s->N);
    *b = (struct musvm_blocks){.all = s, .in = *s, .task = *s->task, .options = *s->options};
    b->g = random_seeded((uint64_t)s->options->seed, MUSVM_USE_ORDER);
    b->in.diagonal = NULL;
    if (!(b->block.sample = memory_new(q, sizeof *b->block.sample, s->err))
        || !(b->block.kernel = memory_resize(NULL, q * q, sizeof *b->block.kernel, s->err))
        || !(b->block.known = memory_new(q, sizeof *b->block.known, s->err))
        || !(b->point.alpha = memory_new(q * s->K, sizeof *b->point.alpha, s->err))
        || !(b->point.f = memory_new(q * s->K, sizeof *b->point.f, s->err))
        || !(b->y = memory_new(q, sizeof *b->y, s->err))
        || !(b->factor = memory_new(q, sizeof *b->factor, s->err))
        || !(b->in.diagonal = memory_new(q, sizeof *b->in.diagonal, s->err))
        || !(b->candidate = memory_new(s->N, sizeof *b->candidate, s->err)))
        return -1;
    b->task.y = b->y;
    b->options.factor = b->factor;
    b->in.block = &b->block;
    b->in.task = &b->task;
    b->in.options = &b->options;
    b->in.point = &b->point;
    return 0;
}

static int musvm_blocks_upwards(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

/* The samples of a block, into block.sample.  Returns how many. */
static int64_t musvm_blocks_choose(struct musvm_blocks *b, double largest)
{
    const struct musvm_solver *s = b->all;
    const double large = musvm_round_share * largest;
    int64_t first = 0, count = 0;
    for (int64_t i = 0; i < s->N; i++)
        if (s->violation[i] > large)
            b->candidate[first++] = i;
    count = first;
    for (int64_t i = 0; i < s->N; i++)
        if (s->violation[i] > 0 && !(s->violation[i] > large))
            b->candidate[count++] = i;
    if (count > MUSVM_BLOCK) {
        random_shuffle(&b->g, b->candidate, first);
        random_shuffle(&b->g, b->candidate + first, count - first);
        count = MUSVM_BLOCK;
    }
    memcpy(b->block.sample, b->candidate, (size_t)count * sizeof *b->block.sample);
    qsort(b->block.sample, (size_t)count, sizeof *b->block.sample, musvm_blocks_upwards);
    return count;
}

/* Copy the block's part of the problem and of the point. */
static void musvm_blocks_enter(struct musvm_blocks *b, int64_t count)
{
    const struct musvm_solver *s = b->all;
    const int64_t K = s->K;
    struct musvm_solver *in = &b->in;
    in->N = count;
    b->task.n = 0;
    for (int64_t t = 0; t < count; t++) {
        const int64_t i = b->block.sample[t];
        if (musvm_in_training(s, i)) {
            b->y[t] = s->task->y[i];
            b->factor[t] = musvm_factor(s->options->factor, i);
            b->task.n++;
        }
        b->block.known[t] = false;
        in->diagonal[t] = s->diagonal[i];
        in->due[t] = in->rest[t] = 0;
        memcpy(b->point.alpha + t * K, s->point->alpha + i * K, (size_t)K * sizeof(double));
        for (int64_t l = 0; l < musvm_kept(s); l++)
            b->point.f[l * count + t] = s->point->f[l * s->N + i];
    }
    b->task.m = count - b->task.n;
}

/* Sweep over the block.  largest: violation of all samples.  0 or -1. */
static int musvm_blocks_sweep(struct musvm_blocks *b, double largest)
{
    const double least = musvm_last_share * b->options.eps,
                 stop = musvm_round_share * largest > least ? musvm_round_share * largest : least;
    while (largest > stop && !musvm_must_give_up(&b->in)) {
        b->in.threshold = musvm_share * largest;
        if (musvm_sweep(&b->in, &b->g, &largest) != 0)
            return -1;
    }
    return 0;
}

/* Rows that have changed become those of the point; the f of all follow.  0 or -1. */
static int musvm_blocks_leave(struct musvm_blocks *b)
{
    struct musvm_solver *s = b->all;
    for (int64_t t = 0; t < b->in.N; t++) {
        const int64_t i = b->block.sample[t];
        memcpy(s->g, b->point.alpha + t * s->K, (size_t)s->K * sizeof *s->g);
        if (b->block.known[t] && musvm_move(s, i) != 0)
            return -1;
    }
    s->updates = b->in.updates; /* those of the block, not of these rows */
    s->visits = b->in.visits;
    s->sweep = b->in.sweep;
    return 0;
}

int musvm_iterate_blocks(struct musvm_solver *s, struct musvm_result *result)
{
    struct musvm_blocks b;
    int status = -1;
    if (musvm_blocks_make(s, &b) != 0)
        goto done;
    b.in.updates = s->updates;
    for (;;) {
        if (musvm_check_all(s, &result->violation) != 0)
            goto done;
        if (s->options->progress)
            progress_toward(s->options->progress, s->updates, "violation", result->violation,
                            s->options->eps);
        result->converged = result->violation <= s->options->eps;
        if (result->converged || musvm_must_give_up(s))
            break;
        musvm_blocks_enter(&b, musvm_blocks_choose(&b, result->violation));
        if (musvm_blocks_sweep(&b, result->violation) != 0 || musvm_blocks_leave(&b) != 0)
            goto done;
    }
    if (!result->converged && s->options->given_up)
        atomic_fetch_add(s->options->given_up, 1);
    status = 0;
done:
    musvm_blocks_free(&b);
    return status;
}
