/* The network: its checks, its memory, its start, the way forward, prediction.  Learning is in
 * mlp_train.c; mlp_state.h says how a layer is computed, and why by sums of rows. */
#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/short_vector.h"
#include "learners/mlp/mlp_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the network ---- */

/* Is this a number of units for a layer that needs `least`? */
static bool mlp_is_size(int64_t units, int64_t least)
{
    return units >= least && units <= MLP_MOST_UNITS;
}

/* Of AdaGrad's rate and delta: no reason but that larger ones are typing errors. */
static const double mlp_largest_step = 1e300;

int mlp_check(const struct mlp_options *o, struct error *err)
{
    if (o->layers < 1 || o->layers > MLP_MOST_LAYERS)
        return error_set(err, "a network has 1 to %d hidden layers", MLP_MOST_LAYERS);
    for (int64_t l = 0; l < o->layers; l++)
        if (!mlp_is_size(o->hidden[l], 1))
            return error_set(err, "a hidden layer has 1 to %d units", MLP_MOST_UNITS);
    if (!mlp_is_size(o->outputs, 2))
        return error_set(err, "a network has 2 to %d outputs", MLP_MOST_UNITS);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return error_set(err, "dropout is at least 0 and below 1");
    if (!(o->rate > 0 && o->rate <= mlp_largest_step && o->delta > 0
          && o->delta <= mlp_largest_step))
        return error_set(err, "AdaGrad's rate and delta are greater than 0 and at most %g",
                         mlp_largest_step);
    if (o->epochs < 1 || o->batch < 1 || o->batch > INT32_MAX)
        return error_set(err, "there is at least one epoch, and a minibatch has 1 to %d examples",
                         INT32_MAX);
    if (!(o->validation >= 0 && o->validation < 1))
        return error_set(err, "the share of examples for validation is at least 0 and below 1");
    return 0;
}

/* Bytes of weights, squares and the best weights so far; and of the gradient, which in the first
 * layer has only the rows that a minibatch needs. */
static double mlp_bytes(int64_t d, const struct mlp_options *o)
{
    const double copies = o->validation > 0 ? 3 : 2;
    double others = 0;
    for (int64_t l = 1; l <= o->layers; l++)
        others += weights_bytes(l < o->layers ? o->hidden[l] : o->outputs, o->hidden[l - 1]);
    return copies * weights_bytes(o->hidden[0], d) + (copies + 1) * others;
}

int mlp_make(struct mlp *mlp, int64_t d, const struct mlp_options *o, struct error *err)
{
    char what[96];
    *mlp = (struct mlp){.layers = o->layers + 1};
    snprintf(what, sizeof what, "a network of %lld inputs and %lld units in its first layer",
             (long long)d, (long long)o->hidden[0]);
    if (memory_check(mlp_bytes(d, o), what, err) != 0)
        return -1;
    for (int64_t l = 0; l < mlp->layers; l++) {
        struct mlp_layer *layer = &mlp->layer[l];
        layer->inputs = l > 0 ? o->hidden[l - 1] : d;
        layer->units = l < o->layers ? o->hidden[l] : o->outputs;
        layer->w = weights_make(layer->units, 0);
        layer->b = weights_make(layer->units, 0);
    }
    for (int64_t l = 0; l < mlp->layers; l++) {
        struct mlp_layer *layer = &mlp->layer[l];
        if (weights_grow(&layer->w, l > 0 ? layer->inputs - 1 : d, err) != 0
            || weights_grow(&layer->b, 0, err) != 0) {
            mlp_release(mlp);
            return -1;
        }
        assert(l == 0 || layer->w.rows == layer->inputs);
    }
    return 0;
}

void mlp_start(struct mlp *mlp, struct random *g)
{
    for (int64_t l = 0; l < mlp->layers; l++) {
        struct mlp_layer *layer = &mlp->layer[l];
        double deviation = sqrt(2 / (double)(layer->inputs > 0 ? layer->inputs : 1));
        for (int64_t i = 0; i < layer->w.rows; i++)
            for (int64_t k = 0; k < layer->units; k++)
                layer->w.w[i * layer->w.stride + k] = deviation * random_normal(g);
    }
}

void mlp_release(struct mlp *mlp)
{
    for (int64_t l = 0; l < mlp->layers; l++) {
        weights_free(&mlp->layer[l].w);
        weights_free(&mlp->layer[l].b);
    }
    *mlp = (struct mlp){0};
}

void mlp_free(struct mlp *mlp)
{
    if (mlp)
        mlp_release(mlp);
    memory_free(mlp);
}

/* ---- forward ---- */

void mlp_layer_forward(const struct mlp_layer *layer, const struct example *x, double *z)
{
    weights_scores(&layer->w, x, z);
    for (int64_t k = 0; k < layer->units; k++)
        z[k] += layer->b.w[k];
}

/* Without branches: which units are positive has no pattern that a processor could predict. */
int64_t mlp_activate(const double *z, int64_t units, const unsigned char *keep, double scale,
                     int32_t *index, double *value)
{
    int64_t n = 0;
    for (int64_t k = 0; k < units; k++) {
        int zero = z[k] <= 0, there = keep ? keep[k] : 1;
        index[n] = (int32_t)k;
        value[n] = keep ? z[k] * scale : z[k];
        n += there & (zero ^ 1);
    }
    return n;
}

double mlp_softmax(double *z, int64_t n)
{
    assert(n > 0);
    const double largest = short_largest(n, z);
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        z[k] = elementary_exp(z[k] - largest);
    /* In a loop of its own: the order of the sum would keep the exponentials from vectors. */
    for (int64_t k = 0; k < n; k++)
        sum += z[k];
    for (int64_t k = 0; k < n; k++)
        z[k] /= sum;
    return sum >= 1 ? largest + elementary_log(sum) : NAN;
}

/* ---- prediction ---- */

/* Workspace for one example, each as wide as the widest layer. */
struct mlp_workspace {
    double *first;  /* the first layer's sums over the example's own entries */
    double *z;      /* the sums of the layer that is computed */
    int32_t *index; /* what that layer sees */
    double *value;
};

struct mlp_prediction {
    const struct mlp *mlp;
    const struct problem *examples;
    int64_t first, count;
    int parts;
    struct mlp_workspace *work; /* parts */
    double *p;
};

/* From the first layer's sums in z to the probabilities. */
static void mlp_finish(const struct mlp *mlp, const struct mlp_workspace *work, double *p)
{
    const struct mlp_layer *last = &mlp->layer[mlp->layers - 1];
    struct example x = {.index = work->index, .value = work->value};
    for (int64_t l = 1; l < mlp->layers; l++) {
        x.size = mlp_activate(work->z, mlp->layer[l].inputs, NULL, 1, work->index, work->value);
        mlp_layer_forward(&mlp->layer[l], &x, work->z);
    }
    mlp_softmax(work->z, last->units);
    memcpy(p, work->z, (size_t)last->units * sizeof *p);
}

/* One part of the examples: each is by itself, so it does not matter how many parts there are. */
static void mlp_predict_part(void *context, int64_t part)
{
    const struct mlp_prediction *t = context;
    const struct mlp_workspace *work = &t->work[part];
    const struct mlp_layer *layer = t->mlp->layer;
    const int64_t n = t->examples->n, units = layer->units, ways = t->count > 0 ? t->count : 1,
                  outputs = t->mlp->layer[t->mlp->layers - 1].units;
    /* The first n % parts of the parts have one example more. */
    const int64_t size = n / t->parts, more = n % t->parts,
                  from = size * part + (part < more ? part : more),
                  to = from + size + (part < more);
    for (int64_t i = from; i < to; i++) {
        struct example x = problem_example(t->examples, i);
        double *p = t->p + i * ways * outputs;
        mlp_layer_forward(layer, &x, work->first);
        for (int64_t way = 0; way < ways; way++, p += outputs) {
            memcpy(work->z, work->first, (size_t)units * sizeof *work->z);
            if (t->count > 0 && t->first + way < layer->w.rows) {
                const double *row = layer->w.w + (t->first + way) * layer->w.stride;
                for (int64_t k = 0; k < units; k++)
                    work->z[k] += row[k];
            }
            mlp_finish(t->mlp, work, p);
        }
    }
}

/* 0 or -1 (memory; free as after success). */
static int mlp_workspace_make(struct mlp_workspace *work, int64_t widest, struct error *err)
{
    work->first = memory_new(widest, sizeof *work->first, err);
    work->z = memory_new(widest, sizeof *work->z, err);
    work->index = memory_new(widest, sizeof *work->index, err);
    work->value = memory_new(widest, sizeof *work->value, err);
    return work->first && work->z && work->index && work->value ? 0 : -1;
}

int mlp_predict(const struct mlp *mlp, const struct problem *examples, int64_t first, int64_t count,
                int threads, double *p, struct error *err)
{
    struct mlp_prediction t = {.mlp = mlp,
                               .examples = examples,
                               .first = first,
                               .count = count,
                               .p = p,
                               .parts = threads < 1 ? 1 : threads};
    int64_t widest = 0;
    int status = -1;
    for (int64_t l = 0; l < mlp->layers; l++)
        widest = mlp->layer[l].w.stride > widest ? mlp->layer[l].w.stride : widest;
    if (t.parts > examples->n)
        t.parts = examples->n > 0 ? (int)examples->n : 1;
    if (!(t.work = memory_new(t.parts, sizeof *t.work, err)))
        return -1;
    for (int i = 0; i < t.parts; i++)
        if (mlp_workspace_make(&t.work[i], widest, err) != 0)
            goto done;
    parallel_for(t.parts, t.parts, mlp_predict_part, &t);
    status = 0;
done:
    for (int i = 0; i < t.parts; i++) {
        memory_free(t.work[i].first);
        memory_free(t.work[i].z);
        memory_free(t.work[i].index);
        memory_free(t.work[i].value);
    }
    memory_free(t.work);
    return status;
}
