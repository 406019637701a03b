/* Learning a network: gradients of a minibatch, AdaGrad's step, epochs.
 *
 * A minibatch is run in two phases on all threads.  First example by example: forward, then back to
 * d loss / d z of every layer.  Then row by row: the inputs are sorted by column, so that the
 * gradient of a row is a weighted sum of the deltas of the examples in which that input is not 0,
 * and rows that no example needs cost nothing.  Within a phase tasks write to places of their own,
 * and each number is summed in one order, so the number of threads changes nothing. */
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "learners/mlp/mlp_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { USE_START = 0x3170, USE_SPLIT, USE_ORDER, USE_MASKS }; /* of the seed */

/* What a thread takes at a time.  No reason for the numbers but that they work. */
enum { EXAMPLES_AT_ONCE = 8, ROWS_AT_ONCE = 16 };

/* Multiplications: with fewer, starting a thread takes too large a part of the time.  No reason for
 * the number but that it works. */
static const double WORTH_THREADS = 4e6;

/* ---- memory ---- */

/* A table of `rows` rows, perhaps 0.  0 or -1 (memory). */
static int mlp_make_table(struct weights *table, int64_t columns, int64_t rows, struct error *err)
{
    *table = weights_make(columns, 0);
    if (rows > 0 && weights_grow(table, rows - 1, err) != 0)
        return -1;
    assert(table->rows == rows);
    return 0;
}

/* 0 or -1 (memory; free as after success). */
static int mlp_make_layer(struct mlp_trainer_layer *t, const struct mlp_layer *layer, bool first,
                          int64_t batch, struct error *err)
{
    if (mlp_make_table(&t->delta, layer->units, batch, err) != 0
        || mlp_make_table(&t->g, layer->units, 0, err) != 0
        || mlp_make_table(&t->gb, layer->units, 1, err) != 0
        || mlp_make_table(&t->s, layer->units, layer->w.rows, err) != 0
        || mlp_make_table(&t->sb, layer->units, 1, err) != 0)
        return -1;
    t->input = memory_new(batch, sizeof *t->input, err);
    t->place = memory_new(layer->w.rows, sizeof *t->place, err);
    if (!t->input || !t->place)
        return -1;
    if (first)
        return 0;
    t->index = memory_new(batch * layer->inputs, sizeof *t->index, err);
    t->value = memory_new(batch * layer->inputs, sizeof *t->value, err);
    t->keep = memory_new(batch * layer->inputs, sizeof *t->keep, err);
    return t->index && t->value && t->keep ? 0 : -1;
}

int mlp_trainer_make(struct mlp_trainer *t, struct mlp *mlp, const struct mlp_options *options,
                     int threads, struct error *err)
{
    *t = (struct mlp_trainer){.mlp = mlp, .options = options, .threads = threads};
    if (!(t->loss = memory_new(options->batch, sizeof *t->loss, err)))
        return -1;
    for (int64_t l = 0; l < mlp->layers; l++)
        if (mlp_make_layer(&t->layer[l], &mlp->layer[l], l == 0, options->batch, err) != 0)
            return -1;
    return 0;
}

void mlp_trainer_release(struct mlp_trainer *t)
{
    for (int64_t l = 0; l <= MLP_MOST_LAYERS; l++) {
        struct mlp_trainer_layer *layer = &t->layer[l];
        struct weights *table[] = {&layer->delta, &layer->g, &layer->gb, &layer->s, &layer->sb};
        void *block[] = {layer->input, layer->index, layer->value,
                         layer->keep,  layer->place, layer->feature,
                         layer->start, layer->entry, layer->entry_value};
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            weights_free(table[i]);
        for (size_t i = 0; i < sizeof block / sizeof *block; i++)
            memory_free(block[i]);
    }
    memory_free(t->loss);
    *t = (struct mlp_trainer){0};
}

/* ---- examples: forward and backward ---- */

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
        double sum = 0;
        if (stride >= 8) {
            vector4 low = {0}, high = {0};
            for (int64_t k = 0; k < stride; k += 8) {
                low += *(const vector4 *)(const void *)(row + k)
                       * *(const vector4 *)(const void *)(above + k);
                high += *(const vector4 *)(const void *)(row + k + 4)
                        * *(const vector4 *)(const void *)(above + k + 4);
            }
            low += high;
            sum = (low[0] + low[1]) + (low[2] + low[3]);
        } else {
            for (int64_t k = 0; k < stride; k++)
                sum += row[k] * above[k];
        }
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
    int64_t to = (task + 1) * EXAMPLES_AT_ONCE < t->n ? (task + 1) * EXAMPLES_AT_ONCE : t->n;
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

/* How many threads are worth it for so many multiplications. */
static int mlp_threads(const struct mlp_trainer *t, double work)
{
    return work < WORTH_THREADS ? 1 : t->threads;
}

/* Run n examples.  Returns the sum of their losses. */
static double mlp_run_examples(struct mlp_trainer *t, const struct example *x, int64_t n,
                               bool learning)
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

/* ---- rows: gradients and steps ---- */

/* No column yet, and memory for a minibatch of so many entries.  What is there stays valid when
 * memory runs out.  0 or -1. */
static int mlp_clear_columns(struct mlp_trainer_layer *t, int64_t rows, int64_t entries,
                             struct error *err)
{
    for (int64_t i = 0; i < t->present; i++)
        t->place[t->feature[i]] = 0;
    t->present = 0;
    if (entries < t->entries_capacity)
        return 0;
    int64_t capacity = entries + entries / 2 + 1, most = capacity < rows ? capacity : rows;
    int64_t *feature = memory_resize(t->feature, most, sizeof *feature, err);
    if (!feature)
        return -1;
    t->feature = feature;
    int64_t *start = memory_resize(t->start, most + 1, sizeof *start, err);
    if (!start)
        return -1;
    t->start = start;
    int32_t *entry = memory_resize(t->entry, capacity, sizeof *entry, err);
    if (!entry)
        return -1;
    t->entry = entry;
    double *value = memory_resize(t->entry_value, capacity, sizeof *value, err);
    if (!value)
        return -1;
    t->entry_value = value;
    if (weights_grow(&t->g, most - 1, err) != 0)
        return -1;
    t->entries_capacity = capacity;
    return 0;
}

/* The inputs of the minibatch by column: a counting sort.  0 or -1 (memory). */
static int mlp_sort_columns(struct mlp_trainer_layer *t, int64_t rows, int64_t n, struct error *err)
{
    int64_t entries = 0;
    for (int64_t e = 0; e < n; e++)
        entries += t->input[e].size;
    if (mlp_clear_columns(t, rows, entries, err) != 0)
        return -1;
    int64_t *start = t->start, *place = t->place;
    for (int64_t e = 0; e < n; e++) {
        for (int64_t i = 0; i < t->input[e].size; i++) {
            int32_t j = t->input[e].index[i];
            if (!place[j]) {
                t->feature[t->present] = j;
                start[t->present++] = 0;
                place[j] = t->present;
            }
            start[place[j] - 1]++;
        }
    }
    for (int64_t c = 0, sum = 0; c < t->present; c++) {
        int64_t size = start[c];
        start[c] = sum;
        sum += size;
    }
    for (int64_t e = 0; e < n; e++) {
        for (int64_t i = 0; i < t->input[e].size; i++) {
            int64_t at = start[place[t->input[e].index[i]] - 1]++;
            t->entry[at] = (int32_t)e;
            t->entry_value[at] = t->input[e].value[i];
        }
    }
    /* Each start has moved on to the next one's. */
    for (int64_t c = t->present; c > 0; c--)
        start[c] = start[c - 1];
    start[0] = 0;
    assert(start[t->present] == entries);
    return 0;
}

/* A task is some rows of one layer, the first of them with b. */
struct mlp_rows {
    int64_t layer, first, to;
};

/* A layer without an input still has b. */
static int64_t mlp_count_tasks(const struct mlp_trainer_layer *layer)
{
    return layer->present > 0 ? parallel_parts(layer->present, ROWS_AT_ONCE) : 1;
}

/* The rows of a task, which are counted through all layers. */
static struct mlp_rows mlp_find_rows(const struct mlp_trainer *t, int64_t task)
{
    struct mlp_rows rows = {0, 0, 0};
    for (; task >= mlp_count_tasks(&t->layer[rows.layer]); rows.layer++)
        task -= mlp_count_tasks(&t->layer[rows.layer]);
    int64_t present = t->layer[rows.layer].present;
    rows.first = task * ROWS_AT_ONCE;
    rows.to = rows.first + ROWS_AT_ONCE < present ? rows.first + ROWS_AT_ONCE : present;
    return rows;
}

/* parallel_for over all rows; a row costs `cost` for each of its columns. */
static void mlp_for_rows(struct mlp_trainer *t, double cost, void (*task)(void *context, int64_t i))
{
    int64_t tasks = 0;
    double work = 0;
    for (int64_t l = 0; l < t->mlp->layers; l++) {
        tasks += mlp_count_tasks(&t->layer[l]);
        work += cost * (double)t->layer[l].present * (double)t->mlp->layer[l].units;
    }
    parallel_for(mlp_threads(t, work), tasks, task, t);
}

/* The gradients of a task. */
static void mlp_gradient_task(void *context, int64_t task)
{
    struct mlp_trainer *t = context;
    struct mlp_rows rows = mlp_find_rows(t, task);
    struct mlp_trainer_layer *layer = &t->layer[rows.layer];
    for (int64_t i = rows.first; i < rows.to; i++) {
        int64_t from = layer->start[i];
        struct example column = {.size = layer->start[i + 1] - from,
                                 .index = layer->entry + from,
                                 .value = layer->entry_value + from};
        weights_scores(&layer->delta, &column, layer->g.w + i * layer->g.stride);
    }
    if (rows.first > 0)
        return;
    memset(layer->gb.w, 0, (size_t)layer->gb.stride * sizeof *layer->gb.w);
    for (int64_t e = 0; e < t->n; e++)
        for (int64_t k = 0; k < layer->gb.columns; k++)
            layer->gb.w[k] += layer->delta.w[e * layer->delta.stride + k];
}

int mlp_gradient(struct mlp_trainer *t, const struct example *x, int64_t n, double *loss,
                 struct error *err)
{
    *loss = mlp_run_examples(t, x, n, true) / (double)n;
    for (int64_t l = 0; l < t->mlp->layers; l++)
        if (mlp_sort_columns(&t->layer[l], t->mlp->layer[l].w.rows, n, err) != 0)
            return -1;
    mlp_for_rows(t, (double)n / 2, mlp_gradient_task);
    return 0;
}

/* The formula of mlp.h. */
WIDEST_VECTORS(void, mlp_adagrad,
               (double *restrict w, double *restrict s, const double *restrict g, int64_t n,
                double rate, double delta),
               (w, s, g, n, rate, delta))
{
    for (int64_t k = 0; k < n; k++) {
        s[k] += g[k] * g[k];
        w[k] -= rate * g[k] / (delta + sqrt(s[k]));
    }
}

/* The steps of a task. */
static void mlp_step_task(void *context, int64_t task)
{
    struct mlp_trainer *t = context;
    struct mlp_rows rows = mlp_find_rows(t, task);
    struct mlp_trainer_layer *layer = &t->layer[rows.layer];
    struct mlp_layer *to = &t->mlp->layer[rows.layer];
    double rate = t->options->rate, delta = t->options->delta;
    int64_t stride = to->w.stride;
    for (int64_t i = rows.first; i < rows.to; i++) {
        int64_t row = layer->feature[i] * stride;
        mlp_adagrad(to->w.w + row, layer->s.w + row, layer->g.w + i * stride, stride, rate, delta);
    }
    if (rows.first == 0)
        mlp_adagrad(to->b.w, layer->sb.w, layer->gb.w, stride, rate, delta);
}

void mlp_step(struct mlp_trainer *t)
{
    mlp_for_rows(t, 8, mlp_step_task); /* a root and a quotient take as long as some products */
}

const double *mlp_gradient_row(const struct mlp_trainer *t, int64_t l, int64_t i)
{
    int64_t place = t->layer[l].place[i];
    return place > 0 ? t->layer[l].g.w + (place - 1) * t->layer[l].g.stride : NULL;
}

/* ---- training ---- */

void mlp_draw_masks(struct mlp_trainer *t, int64_t n, struct random *g)
{
    if (t->options->dropout == 0)
        return;
    for (int64_t l = 1; l < t->mlp->layers; l++)
        for (int64_t i = 0; i < n * t->mlp->layer[l].inputs; i++)
            t->layer[l].keep[i] = random_uniform(g) >= t->options->dropout;
}

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
