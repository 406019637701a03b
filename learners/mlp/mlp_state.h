/* The inside of a network (mlp.h), shared by mlp.c (its shape, its start, prediction), mlp_train.c
 * (learning), what a minibatch needs (mlp_trainer.c, mlp_examples.c, mlp_gradient.c) and the tests.
 *
 * Every product is a sum of rows of a table, the rows chosen by the numbers that are not 0:
 * weights_scores.  Half of what ReLU lets through is 0, and dropout adds to that, so an example is
 * sparse in every layer.
 *
 *   forward    z_l = sum_i a_(l-1),i W_l[i] + b_l
 *              of each example, over the units (or features) i that are not 0
 *   backward   D_L = (probability - [class]) / n,  D_(l-1),i = W_l[i] . D_l / (1 - dropout) where
 *              a_(l-1),i is not 0, else 0
 *   gradient   of W_l[i]: sum_e a_(l-1),i(e) D_l(e)
 *              over the examples e of the minibatch in which i is not 0
 *
 * An example's numbers, and a row's, are each summed in one order by one thread, so the number of
 * threads changes nothing. */
#ifndef LEARNERS_MLP_MLP_STATE_H
#define LEARNERS_MLP_MLP_STATE_H

#include "common/base/random.h"
#include "common/linear/weights.h"
#include "learners/mlp/mlp.h"

#include <stdbool.h>

struct mlp_layer {
    int64_t inputs, units;
    struct weights w; /* a row for each input; in the first layer row j is that of feature j, and
                       * row 0 that of the bias entry, which `inputs` does not count */
    struct weights b; /* one row */
};

struct mlp {
    int64_t layers; /* with that of the outputs */
    struct mlp_layer layer[MLP_MOST_LAYERS + 1];
};

/* 0, or -1: an option out of range. */
int mlp_check(const struct mlp_options *options, struct error *err);

/* A network for features up to d, all weights 0.  0, or -1 with an empty network (memory). */
int mlp_make(struct mlp *mlp, int64_t d, const struct mlp_options *options, struct error *err);

/* Draw the weights. */
void mlp_start(struct mlp *mlp, struct random *g);

void mlp_release(struct mlp *mlp);

/* z: out, the stride of layer->w. */
void mlp_layer_forward(const struct mlp_layer *layer, const struct example *x, double *z);

/* What the next layer sees: the units that are not 0, after ReLU and dropout.
 *
 * keep          units: 0 where a unit is dropped; what is kept is multiplied by scale.  NULL: all
 *               are kept, as they are
 * index, value  out: `units` numbers each
 * Returns how many there are; not-a-number is passed on. */
int64_t mlp_activate(const double *z, int64_t units, const unsigned char *keep, double scale,
                     int32_t *index, double *value);

/* z becomes exp(z) / sum.  Returns log sum exp(z), NaN when a z is. */
double mlp_softmax(double *z, int64_t n);

/* ---- learning ---- */

/* What a minibatch leaves in a layer. */
struct mlp_trainer_layer {
    struct example *input; /* batch: what the layer sees of each example */

    /* What input points to, and 0 where a unit is dropped: batch x units of the layer below.  NULL
     * in the first layer, whose input is the data. */
    int32_t *index;
    double *value;
    unsigned char *keep;

    struct weights delta; /* batch rows: z on the way forward, then d loss / d z */
    struct weights g;     /* gradient: a row for each input that is present, as they come */
    struct weights gb;    /* gradient of b */
    struct weights s, sb; /* sums of squared gradients, as w and b */

    /* The inputs by column: entries start[t] .. start[t+1]-1 are the examples in which input
     * feature[t] is not 0. */
    int64_t present;  /* inputs that are not 0 in some example */
    int64_t *place;   /* rows of w: t + 1 when the row is present, else 0 */
    int64_t *feature; /* present */
    int64_t *start;   /* present + 1 */
    int32_t *entry;   /* the example, by its place in the minibatch */
    double *entry_value;
    int64_t entries_capacity;
};

struct mlp_trainer {
    struct mlp *mlp; /* borrowed */
    const struct mlp_options *options;
    int threads;
    int64_t n;     /* of the present minibatch */
    double *loss;  /* batch */
    bool learning; /* gradients are wanted, and units are dropped */
    struct mlp_trainer_layer layer[MLP_MOST_LAYERS + 1];
};

/* 0, or -1 (memory; release as after success). */
int mlp_trainer_make(struct mlp_trainer *t, struct mlp *mlp, const struct mlp_options *options,
                     int threads, struct error *err);

void mlp_trainer_release(struct mlp_trainer *t);

/* Multiplications: with fewer, starting a thread takes too large a part of the time.  No reason for
 * the number but that it works. */
static const double mlp_worth_threads = 4e6;

/* How many threads are worth it for so many multiplications. */
static inline int mlp_threads(const struct mlp_trainer *t, double work)
{
    return work < mlp_worth_threads ? 1 : t->threads;
}

/* Draw the masks of n examples, for every hidden layer: t->layer[1 ..].keep. */
void mlp_draw_masks(struct mlp_trainer *t, int64_t n, struct random *g);

/* Run n examples, at most a batch: t->loss of each, and t->layer[].delta when learning, with the
 * last masks that were drawn.  x[i].label: the class.  Returns the sum of their losses. */
double mlp_run_examples(struct mlp_trainer *t, const struct example *x, int64_t n, bool learning);

/* The mean loss of n examples, at most a batch, and its gradient, with the last masks that were
 * drawn when options->dropout > 0.  x[i].label: the class.  0, or -1 (memory). */
int mlp_gradient(struct mlp_trainer *t, const struct example *x, int64_t n, double *loss,
                 struct error *err);

/* One AdaGrad step by the last gradient. */
void mlp_step(struct mlp_trainer *t);

/* The sum of the losses of n examples, at most a batch, without dropout. */
double mlp_loss(struct mlp_trainer *t, const struct example *x, int64_t n);

/* The gradient of row i of layer l: the stride of w, or NULL where the minibatch has no such
 * input. */
const double *mlp_gradient_row(const struct mlp_trainer *t, int64_t l, int64_t i);

#endif
