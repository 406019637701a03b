/* The gradient of a minibatch, and AdaGrad's step by it, row by row of the weights.
 *
 * The inputs are sorted by column, so that the gradient of a row is a weighted sum of the deltas of
 * the examples in which that input is not 0, and rows that no example needs cost nothing. */
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/vectors.h"
#include "learners/mlp/mlp_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What a thread takes at a time.  No reason for the number but that it works. */
enum { ROWS_AT_ONCE = 16 };

/* ---- the inputs by column ---- */

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

/* ---- tasks ---- */

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

/* ---- gradient and step ---- */

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
