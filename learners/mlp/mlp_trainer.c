/* The memory of learning: for each layer its inputs, deltas, gradients and AdaGrad's sums. */
#include "common/base/memory.h"
#include "learners/mlp/mlp_state.h"

#include <assert.h>

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
