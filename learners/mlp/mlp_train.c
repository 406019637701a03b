/* Learning a network: minibatches in random order, epoch after epoch; the weights of the epoch with
 * the least loss on held-out examples are kept.
 *
 * A minibatch is run in two phases on all threads: example by example (mlp_examples.c), then row by
 * row (mlp_gradient.c).  Within a phase tasks write to places of their own, and each number is
 * summed in one order, so the number of threads changes nothing. */
#include "common/base/memory.h"
#include "learners/mlp/mlp_state.h"

#include <math.h>
#include <string.h>

enum { USE_START = 0x3170, USE_SPLIT, USE_ORDER, USE_MASKS }; /* of the seed */

struct mlp_training {
    const struct problem *examples;
    const struct mlp_options *options;
    struct mlp_trainer trainer;
    int64_t *order;        /* of the examples, those for validation first */
    int64_t held_out;      /* how many are for validation */
    struct example *batch; /* options->batch */
    struct random shuffling, masks;
    struct mlp best; /* the weights of the best epoch so far; empty without validation */
};

/* Examples from, from + 1, .. of the order. */
static void mlp_fill_batch(struct mlp_training *t, int64_t from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        t->batch[i] = problem_example(t->examples, t->order[from + i]);
}

static int mlp_refuse_loss(struct error *err)
{
    return error_set(err, "the loss of the network is not finite: its inputs are too large");
}

/* Learn from all examples that are not held out, once.  0 or -1. */
static int mlp_run_epoch(struct mlp_training *t, struct error *err)
{
    int64_t batch = t->options->batch, n = t->examples->n;
    random_shuffle(&t->shuffling, t->order + t->held_out, n - t->held_out);
    for (int64_t from = t->held_out; from < n; from += batch) {
        int64_t size = n - from < batch ? n - from : batch;
        double loss;
        mlp_fill_batch(t, from, size);
        mlp_draw_masks(&t->trainer, size, &t->masks);
        if (mlp_gradient(&t->trainer, t->batch, size, &loss, err) != 0)
            return -1;
        if (!isfinite(loss))
            return mlp_refuse_loss(err);
        mlp_step(&t->trainer);
    }
    return 0;
}

/* The mean loss on the examples that are held out. */
static double mlp_validation_loss(struct mlp_training *t)
{
    double sum = 0;
    for (int64_t from = 0; from < t->held_out; from += t->options->batch) {
        int64_t size = t->held_out - from < t->options->batch ? t->held_out - from
                                                              : t->options->batch;
        mlp_fill_batch(t, from, size);
        sum += mlp_loss(&t->trainer, t->batch, size);
    }
    return sum / (double)t->held_out;
}

static void mlp_copy_weights(struct mlp *to, const struct mlp *from)
{
    for (int64_t l = 0; l < from->layers; l++) {
        const struct weights *w = &from->layer[l].w, *b = &from->layer[l].b;
        memcpy(to->layer[l].w.w, w->w, (size_t)(w->rows * w->stride) * sizeof *w->w);
        memcpy(to->layer[l].b.w, b->w, (size_t)b->stride * sizeof *b->w);
    }
}

/* All epochs; the network is then that of the best one, or of the last.  0 or -1. */
static int mlp_run_epochs(struct mlp_training *t, struct mlp *mlp, struct error *err)
{
    double least = INFINITY;
    for (int64_t epoch = 0; epoch < t->options->epochs; epoch++) {
        if (mlp_run_epoch(t, err) != 0)
            return -1;
        if (t->held_out == 0)
            continue;
        double loss = mlp_validation_loss(t);
        if (!isfinite(loss))
            return mlp_refuse_loss(err);
        if (loss < least) {
            least = loss;
            mlp_copy_weights(&t->best, mlp);
        }
    }
    mlp_copy_weights(mlp, &t->best); /* empty without validation: then nothing is copied */
    return 0;
}

/* Put the examples into random order, those for validation first.  0 or -1 (memory). */
static int mlp_split(struct mlp_training *t, struct error *err)
{
    int64_t n = t->examples->n;
    if (!(t->order = memory_new(n, sizeof *t->order, err)))
        return -1;
    for (int64_t i = 0; i < n; i++)
        t->order[i] = i;
    t->held_out = (int64_t)(t->options->validation * (double)n);
    struct random g = random_seeded((uint64_t)t->options->seed, USE_SPLIT);
    random_shuffle(&g, t->order, n);
    return 0;
}

/* Start and train a network that was made.  0 or -1. */
static int mlp_run(struct mlp *mlp, const struct problem *examples,
                   const struct mlp_options *options, int threads, struct error *err)
{
    const uint64_t seed = (uint64_t)options->seed;
    struct random start = random_seeded(seed, USE_START);
    struct mlp_training t = {.examples = examples,
                             .options = options,
                             .shuffling = random_seeded(seed, USE_ORDER),
                             .masks = random_seeded(seed, USE_MASKS)};
    int status = -1;
    mlp_start(mlp, &start);
    if (!(t.batch = memory_new(options->batch, sizeof *t.batch, err)) || mlp_split(&t, err) != 0
        || mlp_trainer_make(&t.trainer, mlp, options, threads, err) != 0)
        goto done;
    if (t.held_out > 0 && mlp_make(&t.best, examples->d, options, err) != 0)
        goto done;
    status = mlp_run_epochs(&t, mlp, err);
done:
    mlp_release(&t.best);
    mlp_trainer_release(&t.trainer);
    memory_free(t.order);
    memory_free(t.batch);
    return status;
}

int mlp_train(const struct problem *examples, const struct mlp_options *asked, int threads,
              struct mlp **mlp, struct error *err)
{
    struct mlp_options options = *asked;
    if (mlp_check(&options, err) != 0)
        return -1;
    if (examples->n == 0)
        return error_set(err, "a network cannot learn from no example");
    for (int64_t i = 0; i < examples->n; i++)
        if (examples->label[i] < 0 || examples->label[i] >= options.outputs)
            return error_set(err, "class %lld of a network with %lld outputs",
                             (long long)examples->label[i], (long long)options.outputs);
    if (options.batch > examples->n)
        options.batch = examples->n; /* memory is taken for no more */
    struct mlp *out = memory_new(1, sizeof *out, err);
    if (!out || mlp_make(out, examples->d, &options, err) != 0
        || mlp_run(out, examples, &options, threads < 1 ? 1 : threads, err) != 0) {
        mlp_free(out);
        return -1;
    }
    *mlp = out;
    return 0;
}
