/* The examples of a minibatch through the network: forward, then back to d loss / d z of every
 * layer.  Some examples at a time are a task of the threads. */
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "common/linalg/short_vector.h"
#include "learners/mlp/mlp_state.h"

#include <assert.h>
#include <string.h>

/* What a thread takes at a time.  No reason for the number but that it works. */
enum { EXAMPLES_AT_ONCE = 8 };

void mlp_draw_masks(struct mlp_trainer *t, int64_t n, struct random *g)
{
    if (t->options->dropout == 0)
        return;
    for (int64_t l = 1; l < t->mlp->layers; l++)
        for (int64_t i = 0; i < n * t->mlp->layer[l].inputs; i++)
            t->layer[l].keep[i] = random_uniform(g) >= t->options->dropout;
}

/* Example e of the minibatch through the network; z stays in its rows of delta. */
static void mlp_run_forward(struct mlp_trainer *t, int64_t e)
{
    const struct mlp *mlp = t->mlp;
    bool dropping = t->learning && t->options->dropout > 0;
    for (int64_t l = 0; l < mlp->layers; l++) {
        struct mlp_trainer_layer *here = &t->layer[l], *below = l > 0 ? &t->layer[l - 1] : NULL;
        if (below) {
            int64_t units = mlp->layer[l].inputs;
            int32_t *index = here->index + e * units;
            double *value = here->value + e * units, *z = below->delta.w + e * below->delta.stride;
            int64_t size = mlp_activate(z, units, dropping ? here->keep + e * units : NULL,
                                        1 / (1 - t->options->dropout), index, value);
            here->input[e] = (struct example){
                .label = t->layer[0].input[e].label, .size = size, .index = index, .value = value};
        }
        mlp_layer_forward(&mlp->layer[l], &here->input[e], here->delta.w + e * here->delta.stride);
    }
}

/* out[i] = scale w[i].above for the units i in index.  From 8 columns on, rows are padded to a
 * multiple of 8 (weights.h). */
WIDEST_VECTORS(void, mlp_pull_back,
               (const double *w, int64_t stride, const double *above, const int32_t *index,
                int64_t size, double scale, double *out),
               (w, stride, above, index, size, scale, out))
{
    for (int64_t t = 0; t < size; t++) {
        const double *row = w + index[t] * stride;
        const double sum = stride >= 8 ? short_dot_eights(stride, row, above)
                                       : short_dot(stride, row, above);
        out[index[t]] = scale * sum;
    }
}

/* Given d loss / d z of the last layer, z of all others becomes d loss / d z.  A unit that is not
 * among a layer's inputs was 0, and has none. */
static void mlp_run_backward(struct mlp_trainer *t, int64_t e)
{
    double scale = t->options->dropout > 0 ? 1 / (1 - t->options->dropout) : 1;
    for (int64_t l = t->mlp->layers - 1; l > 0; l--) {
        struct mlp_trainer_layer *here = &t->layer[l], *below = &t->layer[l - 1];
        double *out = below->delta.w + e * below->delta.stride;
        assert(here->delta.stride < 8 || here->delta.stride % 8 == 0);
        memset(out, 0, (size_t)below->delta.stride * sizeof *out);
        mlp_pull_back(t->mlp->layer[l].w.w, here->delta.stride,
                      here->delta.w + e * here->delta.stride, here->input[e].index,
                      here->input[e].size, scale, out);
    }
}

/* Losses, and deltas when learning, of some examples of the minibatch. */
static void mlp_examples_task(void *context, int64_t task)
{
    struct mlp_trainer *t = context;
    const int64_t to = order_least((task + 1) * EXAMPLES_AT_ONCE, t->n);
    struct weights *last = &t->layer[t->mlp->layers - 1].delta;
    for (int64_t e = task * EXAMPLES_AT_ONCE; e < to; e++) {
        mlp_run_forward(t, e);
        int64_t class = t->layer[0].input[e].label;
        double *z = last->w + e * last->stride, own = z[class];
        t->loss[e] = mlp_softmax(z, last->columns) - own;
        if (!t->learning)
            continue;
        z[class] -= 1;
        for (int64_t k = 0; k < last->columns; k++)
            z[k] /= (double)t->n;
        mlp_run_backward(t, e);
    }
}

double mlp_run_examples(struct mlp_trainer *t, const struct example *x, int64_t n, bool learning)
{
    assert(n <= t->options->batch);
    double work = 0, sum = 0;
    for (int64_t e = 0; e < n; e++)
        work += (double)x[e].size;
    work *= (double)t->mlp->layer[0].units;
    for (int64_t l = 1; l < t->mlp->layers; l++)
        work += (double)n * (double)t->mlp->layer[l].inputs * (double)t->mlp->layer[l].units;
    memcpy(t->layer[0].input, x, (size_t)n * sizeof *x);
    t->n = n;
    t->learning = learning;
    parallel_for(mlp_threads(t, work), parallel_parts(n, EXAMPLES_AT_ONCE), mlp_examples_task, t);
    for (int64_t e = 0; e < n; e++)
        sum += t->loss[e];
    return sum;
}

double mlp_loss(struct mlp_trainer *t, const struct example *x, int64_t n)
{
    return mlp_run_examples(t, x, n, false);
}
